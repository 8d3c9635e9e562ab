/** The identity services over a real database, and people in workspaces. */
import { type Role, rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import { newId, type OrgId, type SessionId, type UserId } from "@countersign/domain/ids"
import { appsOfMemberLayer } from "@countersign/hub/apps/of-member"
import { AppsRepository } from "@countersign/hub/apps/repository"
import { AppRevocationsRepository } from "@countersign/hub/apps/revocations-repository"
import { ActiveTeamRepository } from "@countersign/hub/auth/active-team-repository"
import { AgentKeys } from "@countersign/hub/auth/agent-keys"
import { BreakGlass } from "@countersign/hub/auth/break-glass"
import { BreakGlassRepository } from "@countersign/hub/auth/break-glass-repository"
import { ChallengesRepository } from "@countersign/hub/auth/challenges-repository"
import { FirstOwner } from "@countersign/hub/auth/first-owner"
import { PasswordReset } from "@countersign/hub/auth/password-reset"
import { Passwords } from "@countersign/hub/auth/passwords"
import { credentialsLayer } from "@countersign/hub/auth/principals"
import { SessionsRepository, SetupTokensRepository, UsersRepository } from "@countersign/hub/auth/repository"
import { Rights } from "@countersign/hub/auth/rights"
import { SecondFactors } from "@countersign/hub/auth/second-factors"
import { Identity } from "@countersign/hub/auth/service"
import { SignInRepository } from "@countersign/hub/auth/sign-in-repository"
import { Departure } from "@countersign/hub/members/departure"
import { HoldingsRepository } from "@countersign/hub/members/holdings-repository"
import { MembersRepository } from "@countersign/hub/members/repository"
import { Members } from "@countersign/hub/members/service"
import { AuditLog } from "@countersign/hub/platform/audit-log"
import { ConfirmedVersions } from "@countersign/hub/platform/confirmed-versions"
import { OrgHeads } from "@countersign/hub/platform/org-heads"
import { Signals } from "@countersign/hub/platform/signals"
import * as schedules from "@countersign/hub/schedules/layer"
import { standingApprovalsOfMemberLayer } from "@countersign/hub/standing-approvals/of-member"
import { StandingApprovalsRepository } from "@countersign/hub/standing-approvals/repository"
import * as teams from "@countersign/hub/teams/layer"
import { TokensRepository } from "@countersign/hub/tokens/repository"
import { Tokens } from "@countersign/hub/tokens/service"
import * as triggers from "@countersign/hub/triggers/layer"
import { workflowsOfMemberLayer } from "@countersign/hub/workflows/of-member"
import { WorkflowsRepository } from "@countersign/hub/workflows/repository"
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { Workspaces } from "@countersign/hub/workspaces/service"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "./pg.ts"

export const rightPassword = "correct horse battery"
export const caller = { ip: "127.0.0.9", userAgent: "test" }

/** Cheap to hash; `Passwords.layer` has separate tests. */
const QuickPasswords = Passwords.layerWith({ memoryKib: 64, passes: 1, lanes: 1 })

/** People without second factors. */
const NoFactors = Layer.succeed(SecondFactors, {
  methods: () => Effect.succeed([]),
  use: () => Effect.succeed(undefined)
})

export const IdentityServices = Layer.mergeAll(
  FirstOwner.layer,
  Members.layer,
  PasswordReset.layer,
  Tokens.layer,
  Workspaces.layer,
  credentialsLayer
).pipe(
  Layer.provideMerge(Layer.mergeAll(Identity.layer, AgentKeys.layer, BreakGlass.layer, Departure.layer)),
  Layer.provideMerge(
    Layer.mergeAll(
      appsOfMemberLayer,
      standingApprovalsOfMemberLayer,
      teams.ofMember,
      triggers.ofMember,
      workflowsOfMemberLayer
    )
  ),
  Layer.provideMerge(schedules.pauses),
  Layer.provideMerge(Rights.layer),
  Layer.provideMerge(NoFactors),
  Layer.provideMerge(Layer.mergeAll(
    ActiveTeamRepository.layer,
    BreakGlassRepository.layer,
    ChallengesRepository.layer,
    AppRevocationsRepository.layer,
    AppsRepository.layer,
    teams.repositories,
    UsersRepository.layer,
    SessionsRepository.layer,
    SetupTokensRepository.layer,
    SignInRepository.layer,
    WorkspacesRepository.layer,
    TokensRepository.layer,
    MembersRepository.layer,
    HoldingsRepository.layer,
    schedules.repositories,
    StandingApprovalsRepository.layer,
    triggers.repositories,
    WorkflowsRepository.layer,
    AuditLog.layer,
    OrgHeads.layer,
    QuickPasswords
  )),
  Layer.provideMerge(Layer.mergeAll(ConfirmedVersions.layer, Signals.layer))
)

export const IdentityTest = IdentityServices.pipe(Layer.provideMerge(PgTest))

const asUser = (
  org: OrgId,
  user: UserId,
  role: Role,
  email: string,
  session = newId("ses") as SessionId
): UserPrincipal => ({
  kind: "user",
  user_id: user,
  name: "Ada",
  email,
  org_id: org,
  role,
  permissions: rolePermissions[role],
  via: { kind: "session", session_id: session, stepped_up: false },
  ip: caller.ip
})

/** A new workspace; `personIn` adds its people. */
export const workspace = (name = "Acme") =>
  Effect.flatMap(WorkspacesRepository, (repository) => repository.createOrg(name))

/** A person with `rightPassword` and a role in each workspace; returns the principal in the first. */
export const personIn = Effect.fnUntraced(function*(org: OrgId, role: Role, more: Readonly<Record<string, Role>> = {}) {
  const users = yield* UsersRepository
  const workspaces = yield* WorkspacesRepository
  const passwordHash = yield* Effect.flatMap(Passwords, (passwords) => passwords.hash(rightPassword))
  const email = `${newId("usr").slice(4)}@Box.test`
  const id: UserId = yield* users.create({ email, name: "Ada", passwordHash })
  yield* workspaces.addMember(org, id, role)
  for (const [other, otherRole] of Object.entries(more)) yield* workspaces.addMember(other as OrgId, id, otherRole)
  return asUser(org, id, role, email)
})

/** Signs in by a password. */
export const loginAs = (email: string, password: string) =>
  Effect.flatMap(Identity, (identity) => identity.login(email, password, caller)).pipe(
    Effect.flatMap((answer) =>
      "challenge" in answer ? Effect.die(new Error("the person has a second factor")) : Effect.succeed(answer)
    )
  )

/** Signs in: the cookie, and the principal of the session. */
export const signedIn = Effect.fnUntraced(function*(email: string) {
  const { cookie, me } = yield* loginAs(email, rightPassword)
  const { role } = me.workspaces.find(({ id }) => id === me.active_workspace)!
  return { cookie, me, principal: asUser(me.active_workspace, me.user.id, role, email, me.via.session_id) }
})

/** The actions in the workspace's audit log, in order. */
export const actionsOf = (org: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      Effect.map(sql<{ action: string }>`select action from audit where org_id = ${org} order by seq`, (rows) =>
        rows.map((row) => row.action))
  )
