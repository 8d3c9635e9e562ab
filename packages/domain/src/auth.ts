/**
 * Roles, permissions, credentials, and principals. Spec: reference/conventions.md "Credentials", "Roles and
 * permissions".
 */
import { Context, Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { ApiErrors } from "./errors.ts"
import type { AgentId, DeviceId, KeyId, MessengerLinkId, OrgId, SessionId, TeamId, TokenId, UserId } from "./ids.ts"
import { permissions, roles, teamRolePermissions, teamRoles } from "./role-permissions.ts"

export { permissions, rolePermissions, teamRolePermissions } from "./role-permissions.ts"

export const Permission = Schema.Literals(permissions)
export type Permission = typeof Permission.Type

export const Role = Schema.Literals(roles)
export type Role = typeof Role.Type

export const TeamRole = Schema.Literals(teamRoles)
export type TeamRole = typeof TeamRole.Type

export const Mode = Schema.Literals(["live", "test"])
export type Mode = typeof Mode.Type

export interface AgentPrincipal {
  readonly kind: "agent"
  readonly org_id: OrgId
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly mode: Mode
  readonly key_id: KeyId
  /** The agent's version when its key was last valid: a new version invalidates the key. */
  readonly agent_version: number
  readonly ip: string
}

export interface TeamMembership {
  readonly team_id: TeamId
  readonly role: TeamRole
}

export interface UserPrincipal {
  readonly kind: "user"
  readonly user_id: UserId
  readonly name: string
  readonly email: string
  /** The workspace of this call. */
  readonly org_id: OrgId
  readonly role: Role
  /** The role's current permissions, limited to the token's scopes. */
  readonly permissions: ReadonlySet<Permission>
  /** The person's roles in teams of the workspace; absent: in none. */
  readonly teams?: ReadonlyArray<TeamMembership>
  /** The workspace requires a second factor for these calls, and the person has none; absent: nothing is missing. */
  readonly factor_missing?: "decisions" | "everything"
  readonly via:
    | { readonly kind: "session"; readonly session_id: SessionId; readonly stepped_up: boolean }
    | { readonly kind: "pat"; readonly token_id: TokenId; readonly scopes: ReadonlyArray<Permission> }
    | MessengerCredential
  readonly ip: string
}

/** A click of a linked account: for one decision, and never stepped up. */
export interface MessengerCredential {
  readonly kind: "messenger"
  readonly link_id: MessengerLinkId
  readonly provider: "slack" | "discord"
  /** The account's id at the provider. */
  readonly account: string
  /** The signed call, which decides once at most. */
  readonly event_id: string
}

/** Whether one of these memberships gives a permission inside of a team. */
export const teamGives = (
  teams: ReadonlyArray<TeamMembership>,
  permission: Permission,
  team: string | null | undefined
): boolean => teams.some(({ role, team_id }) => team_id === team && teamRolePermissions[role].has(permission))

/** Whether the credential covers a permission, whatever the person's role gives: a token only if it is a scope. */
export const isInScope = ({ via }: UserPrincipal, permission: Permission): boolean =>
  via.kind !== "pat" || via.scopes.includes(permission)

/** The person's memberships in teams, unless a token's scopes exclude the permission. */
const teamsWithin = (user: UserPrincipal, permission: Permission): ReadonlyArray<TeamMembership> =>
  isInScope(user, permission) ? user.teams ?? [] : []

/** Whether a person's role in some team gives a permission inside of that team. */
export const hasBySomeTeam = (user: UserPrincipal, permission: Permission): boolean =>
  teamsWithin(user, permission).some(({ role }) => teamRolePermissions[role].has(permission))

/** Whether a person's role in a team gives a permission inside of it. */
export const hasByTeam = (user: UserPrincipal, permission: Permission, team: string | null | undefined): boolean =>
  teamGives(teamsWithin(user, permission), permission, team)

/**
 * Whether a person may do something in a team: by the role in the workspace, or by the role in this team. Without a
 * team, only the role in the workspace counts.
 */
export const mayInTeam = (user: UserPrincipal, permission: Permission, team: string | null | undefined): boolean =>
  user.permissions.has(permission) || hasByTeam(user, permission, team)

/** A device key authenticates one device. */
export interface DevicePrincipal {
  readonly kind: "device"
  readonly org_id: OrgId
  readonly device_id: DeviceId
  readonly name: string
  readonly ip: string
}

export type Principal = AgentPrincipal | UserPrincipal

export class CurrentAgent
  extends Context.Service<CurrentAgent, AgentPrincipal>()("@countersign/domain/auth/CurrentAgent")
{}
export class CurrentUser
  extends Context.Service<CurrentUser, UserPrincipal>()("@countersign/domain/auth/CurrentUser")
{}
export class CurrentPrincipal
  extends Context.Service<CurrentPrincipal, Principal>()("@countersign/domain/auth/CurrentPrincipal")
{}

/** A device, or a person with access to a device. */
export class CurrentDeviceCaller extends Context.Service<CurrentDeviceCaller, DevicePrincipal | UserPrincipal>()(
  "@countersign/domain/auth/CurrentDeviceCaller"
) {}

/** The permission that an endpoint requires of a person. An agent key needs none: it sees only its own objects. */
export class Requires extends Context.Service<Requires, Permission>()("@countersign/domain/auth/Requires") {}

/**
 * An endpoint whose permission may also come from a role in a team: its service checks that the call stays inside of
 * such a team.
 */
export class AllowsTeamRole
  extends Context.Service<AllowsTeamRole, true>()("@countersign/domain/auth/AllowsTeamRole")
{}

/** A decision: it may require a second factor. */
export class Decides extends Context.Service<Decides, true>()("@countersign/domain/auth/Decides") {}

/**
 * An endpoint that also takes the workspace from query `workspace`, like header `svc-workspace`: a download is a link,
 * and a link carries no header.
 */
export class WorkspaceInQuery
  extends Context.Service<WorkspaceInQuery, true>()("@countersign/domain/auth/WorkspaceInQuery")
{}

/** An endpoint for sessions and agent keys: a personal access token is 403 `session_required`. */
export class RefusesTokens extends Context.Service<RefusesTokens, true>()("@countersign/domain/auth/RefusesTokens") {}

/**
 * An endpoint whose response may stay open for long: a stream or a download. A caller may hold a bounded number of
 * these and of calls with query `wait`.
 */
export class StaysOpen extends Context.Service<StaysOpen, true>()("@countersign/domain/auth/StaysOpen") {}

/** The handler reads the body itself: it may be larger than 1 MiB. */
export class ReadsBody extends Context.Service<ReadsBody, true>()("@countersign/domain/auth/ReadsBody") {}

/**
 * The credential that a public endpoint checks itself, without access middleware: 401 when it is wrong. For
 * `discovery.agentDocs` the agent key is optional.
 */
export type OwnCredential =
  | "password"
  | "setup token"
  | "pairing secret"
  | "device code"
  | "logout token"
  | "signature"
  | "metrics token"
  | "optional agent key"
export class ChecksOwn extends Context.Service<ChecksOwn, OwnCredential>()("@countersign/domain/auth/ChecksOwn") {}

/**
 * The credential of an endpoint: **A** agent key, **P** PAT or cookie, **C** cookie only, **A/P** either, **D** a
 * device key or a person's credential, **–** none.
 */
export type AccessKind = "agent" | "user" | "session" | "any" | "device" | "public"

/**
 * Every endpoint has exactly one access middleware. It reads the credential, takes from the rate limit, checks the
 * permission, reads the body strictly, and then runs the handler.
 */
export class AgentAccess extends HttpApiMiddleware.Service<AgentAccess, { provides: CurrentAgent }>()(
  "@countersign/domain/auth/AgentAccess",
  { error: ApiErrors }
) {}
export class UserAccess extends HttpApiMiddleware.Service<UserAccess, { provides: CurrentUser }>()(
  "@countersign/domain/auth/UserAccess",
  { error: ApiErrors }
) {}
export class SessionAccess extends HttpApiMiddleware.Service<SessionAccess, { provides: CurrentUser }>()(
  "@countersign/domain/auth/SessionAccess",
  { error: ApiErrors }
) {}
export class AnyAccess extends HttpApiMiddleware.Service<AnyAccess, { provides: CurrentPrincipal }>()(
  "@countersign/domain/auth/AnyAccess",
  { error: ApiErrors }
) {}
export class DeviceAccess extends HttpApiMiddleware.Service<DeviceAccess, { provides: CurrentDeviceCaller }>()(
  "@countersign/domain/auth/DeviceAccess",
  { error: ApiErrors }
) {}
export class PublicAccess extends HttpApiMiddleware.Service<PublicAccess>()(
  "@countersign/domain/auth/PublicAccess",
  { error: ApiErrors }
) {}

/**
 * The key of each access middleware, for readers of the contract: the OpenAPI text, and the tests that visit every
 * endpoint.
 */
export const accessKinds: Readonly<Record<string, AccessKind>> = {
  [AgentAccess.key]: "agent",
  [UserAccess.key]: "user",
  [SessionAccess.key]: "session",
  [AnyAccess.key]: "any",
  [DeviceAccess.key]: "device",
  [PublicAccess.key]: "public"
}
