/**
 * Teams: people with a shared pool of money, allocations to single people, and leads who manage both. Spec:
 * reference/teams.md "Teams", "Pools and allocations".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AllowsTeamRole, Requires, TeamRole, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { TeamId, UserId } from "./ids.ts"
import { AmountCents, SignedCents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { Label, Prose } from "./text.ts"

export const teamNameMax = 100
export const teamDescriptionMax = 2_000
/** The most teams of a workspace. */
export const teamsMax = 1_000

export const Team = Schema.Struct({
  id: TeamId,
  name: Schema.String,
  description: Schema.String,
  member_count: Schema.Int,
  /** The caller's role in the team; null: not a member. */
  role: Schema.NullOr(TeamRole),
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Team" })
export type Team = typeof Team.Type

export const CreateTeamInput = Schema.Struct({
  name: Label(teamNameMax),
  description: Schema.optionalKey(Prose(teamDescriptionMax))
}).annotate({ identifier: "CreateTeamInput" })
export type CreateTeamInput = typeof CreateTeamInput.Type

export const UpdateTeamInput = Schema.Struct({
  name: Schema.optionalKey(Label(teamNameMax)),
  description: Schema.optionalKey(Prose(teamDescriptionMax))
}).annotate({ identifier: "UpdateTeamInput" })
export type UpdateTeamInput = typeof UpdateTeamInput.Type

export const SwitchTeamInput = Schema.Struct({
  /** Null: no active team. */
  team_id: Schema.NullOr(TeamId)
}).annotate({ identifier: "SwitchTeamInput" })

export const Allocation = Schema.Struct({
  balance_cents: SignedCents,
  /** Reserved for requests without a settlement. */
  held_cents: SignedCents,
  available_cents: SignedCents,
  /** Paid by it in this UTC month. */
  spent_this_month_cents: SignedCents
}).annotate({ identifier: "Allocation" })
export type Allocation = typeof Allocation.Type

export const TeamMember = Schema.Struct({
  user_id: UserId,
  email: Schema.String,
  name: Schema.String,
  role: TeamRole,
  /** Null: the pool pays for the person's agents in the team. */
  allocation: Schema.NullOr(Allocation),
  /** Cost of the person's agents in the team in this UTC month, from any wallet. */
  spent_this_month_cents: SignedCents,
  /** When the person became a member of the team. */
  created_at: Schema.String
}).annotate({ identifier: "TeamMember" })
export type TeamMember = typeof TeamMember.Type

export const AddTeamMemberInput = Schema.Struct({ user_id: UserId, role: TeamRole }).annotate({
  identifier: "AddTeamMemberInput"
})
export type AddTeamMemberInput = typeof AddTeamMemberInput.Type

export const TeamBudget = Schema.Struct({
  /** Whether there is a pool: it pays for the team's agents, also when it is empty. Otherwise another wallet pays. */
  opened: Schema.Boolean,
  /** The pool's own money, without what workers hold. */
  balance_cents: SignedCents,
  /** Reserved for requests that the pool pays for and that have no settlement. */
  held_cents: SignedCents,
  available_cents: SignedCents,
  /** Held by the allocations of the team's workers. */
  allocated_cents: SignedCents,
  /** Paid by the pool and its allocations in this UTC month. */
  spent_this_month_cents: SignedCents
}).annotate({ identifier: "TeamBudget" })
export type TeamBudget = typeof TeamBudget.Type

export const MoveBudgetInput = Schema.Struct({
  amount_cents: AmountCents,
  /** `allocate` moves money down: to the pool, or to the worker. `return` moves it back. */
  direction: Schema.Literals(["allocate", "return"])
}).annotate({ identifier: "MoveBudgetInput" })
export type MoveBudgetInput = typeof MoveBudgetInput.Type

const params = { id: TeamId }
const memberParams = { id: TeamId, userId: UserId }
const workerParams = { id: TeamId, uid: UserId }

const keyed = "Send `idempotency-key`, so that a repeated call moves nothing twice."

export class TeamsGroup extends HttpApiGroup.make("teams").add(
  HttpApiEndpoint.get("list", "/teams", { query: PageQuery, success: Page(Team) })
    .middleware(UserAccess).annotate(Requires, "members:read"),
  HttpApiEndpoint.post("create", "/teams", { payload: CreateTeamInput, success: Created(Team) })
    .middleware(UserAccess).annotate(Requires, "members:write").annotate(
      OpenApi.Description,
      "The team has no members and no money yet. Another team's name, in any case, is 409 `conflict`."
    ),
  HttpApiEndpoint.post("switch", "/teams/switch", { payload: SwitchTeamInput, success: Schema.NullOr(Team) })
    .middleware(UserAccess).annotate(Requires, "members:read").annotate(
      OpenApi.Description,
      "Makes a team the active one of the session or the token; `GET /auth/me` shows it. Null ends it."
    ),
  HttpApiEndpoint.patch("update", "/teams/:id", { params, payload: UpdateTeamInput, success: Team })
    .middleware(UserAccess).annotate(Requires, "members:write").annotate(AllowsTeamRole, true),
  HttpApiEndpoint.delete("remove", "/teams/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "members:write").annotate(
      OpenApi.Description,
      "Returns the pool and all allocations to the workspace's wallet, which then pays for the team's agents. While " +
        "requests hold money of the pool or of an allocation: 409 `holds_open`."
    ),
  HttpApiEndpoint.get("members", "/teams/:id/members", { params, query: PageQuery, success: Page(TeamMember) })
    .middleware(UserAccess).annotate(Requires, "members:read"),
  HttpApiEndpoint.post("addMember", "/teams/:id/members", {
    params,
    payload: AddTeamMemberInput,
    success: Created(TeamMember)
  }).middleware(UserAccess).annotate(Requires, "members:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "The person must belong to the workspace. A lead may manage the team's members, agents, and budgets, and decide " +
      "the approvals of its agents."
  ),
  HttpApiEndpoint.patch("updateMember", "/teams/:id/members/:userId", {
    params: memberParams,
    payload: Schema.Struct({ role: TeamRole }),
    success: TeamMember
  }).middleware(UserAccess).annotate(Requires, "members:write").annotate(AllowsTeamRole, true),
  HttpApiEndpoint.delete("removeMember", "/teams/:id/members/:userId", {
    params: memberParams,
    success: HttpApiSchema.NoContent
  }).middleware(UserAccess).annotate(Requires, "members:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "Returns the person's allocation to the pool; while requests hold money of it: 409 `holds_open`. Their agents " +
      "stay in the team."
  ),
  HttpApiEndpoint.get("budget", "/teams/:id/budget", { params, success: TeamBudget })
    .middleware(UserAccess).annotate(Requires, "budgets:read"),
  HttpApiEndpoint.post("moveBudget", "/teams/:id/budget", { params, payload: MoveBudgetInput, success: TeamBudget })
    .middleware(UserAccess).annotate(Requires, "budgets:write").annotate(
      OpenApi.Description,
      "Moves money between the workspace's wallet and the team's pool. From the first allocation on the pool pays " +
        "for the team's agents, also when it is empty. More than the source has available: 409 " +
        `\`insufficient_balance\`. ${keyed}`
    ),
  HttpApiEndpoint.post("allocate", "/teams/:id/workers/:uid/budget/allocate", {
    params: workerParams,
    payload: MoveBudgetInput,
    success: Allocation
  }).middleware(UserAccess).annotate(Requires, "budgets:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "Moves money between the team's pool and a member's allocation. From the first allocation on it pays for the " +
      "member's agents in the team, also when it is empty, until it is ended. More than the source has available: " +
      `409 \`insufficient_balance\`. ${keyed}`
  ),
  HttpApiEndpoint.delete("endAllocation", "/teams/:id/workers/:uid/budget", {
    params: workerParams,
    success: HttpApiSchema.NoContent
  }).middleware(UserAccess).annotate(Requires, "budgets:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "Ends an allocation and returns its money to the pool, which then pays for the member's agents. While requests " +
      "hold money of it: 409 `holds_open`."
  )
) {}
