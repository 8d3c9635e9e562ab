/** The people of a workspace and their roles. Spec: reference/accounts.md "Members", "Member removal". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AgentStatus } from "./agents.ts"
import { AppStatus } from "./apps.ts"
import { Requires, Role, rolePermissions, UserAccess } from "./auth.ts"
import { DeviceState } from "./devices.ts"
import { AgentId, AppId, DeviceId, PolicyId, StandingApprovalId, TeamId, UserId, WorkflowId } from "./ids.ts"
import { Cents, SignedCents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"

/** The most entries of each kind; `count` is the total. */
export const holdingsShownMax = 100

export const Member = Schema.Struct({
  user_id: UserId,
  email: Schema.String,
  name: Schema.String,
  role: Role,
  /** When the person became a member. */
  created_at: Schema.String
}).annotate({ identifier: "Member" })
export type Member = typeof Member.Type

/** Whether a person with this role can own agents and devices. */
export const mayOwn = (role: Role): boolean =>
  rolePermissions[role].has("agents:write") && rolePermissions[role].has("devices:write")

const Some = <A extends Schema.Top>(one: A) => Schema.Struct({ count: Schema.Int, data: Schema.Array(one) })

export const MemberHoldings = Schema.Struct({
  agents: Some(Schema.Struct({ id: AgentId, name: Schema.String, status: AgentStatus })),
  /** Without revoked ones. */
  devices: Some(Schema.Struct({ id: DeviceId, name: Schema.String, state: DeviceState })),
  /** Without revoked ones. */
  apps: Some(Schema.Struct({ id: AppId, name: Schema.String, provider: Schema.String, status: AppStatus })),
  workflows: Some(Schema.Struct({ id: WorkflowId, name: Schema.String })),
  /** Made by the person and still applicable: a removal revokes them. */
  standing_approvals: Some(Schema.Struct({
    id: StandingApprovalId,
    agent_id: AgentId,
    agent_name: Schema.String,
    service: Schema.String,
    operation: Schema.String,
    max_cost_cents: Cents
  })),
  /** Policy rules that name the person as an approver: a removal does not change them. */
  policies: Some(Schema.Struct({ id: PolicyId, name: Schema.String })),
  /**
   * The person's teams: a removal ends the memberships and returns the allocations to the pools. While requests hold
   * money of an allocation, it is 409 `holds_open`.
   */
  teams: Some(Schema.Struct({
    id: TeamId,
    name: Schema.String,
    /** Null: no allocation. */
    allocation_cents: Schema.NullOr(SignedCents),
    held_cents: Schema.NullOr(SignedCents)
  })),
  /** Requests of the person's agents: they stay pending. */
  pending_approvals: Schema.Int,
  /** Personal access tokens in this workspace. */
  tokens: Schema.Int,
  /** Saved views that only the person sees: a removal deletes them. */
  private_views: Schema.Int,
  /** Saved views that the person shared with the workspace: they stay. */
  shared_views: Schema.Int
}).annotate({ identifier: "MemberHoldings" })
export type MemberHoldings = typeof MemberHoldings.Type

export const RemoveMemberInput = Schema.Struct({
  /** The member who gets the agents, devices, apps, and workflows: an owner, an admin, or a member. */
  transfer_to: Schema.optionalKey(UserId)
}).annotate({ identifier: "RemoveMemberInput" })
export type RemoveMemberInput = typeof RemoveMemberInput.Type

const params = { userId: UserId }

export class MembersGroup extends HttpApiGroup.make("members").add(
  HttpApiEndpoint.get("list", "/members", { query: PageQuery, success: Page(Member) })
    .middleware(UserAccess).annotate(Requires, "members:read"),
  HttpApiEndpoint.get("holdings", "/members/:userId/holdings", { params, success: MemberHoldings })
    .middleware(UserAccess).annotate(Requires, "members:write").annotate(
      OpenApi.Description,
      `The effects of removing this person. Lists hold at most ${holdingsShownMax} entries; \`count\` is the ` +
        `total.`
    ),
  HttpApiEndpoint.patch("update", "/members/:userId", {
    params,
    payload: Schema.Struct({ role: Role }),
    success: Member
  })
    .middleware(UserAccess).annotate(Requires, "members:write").annotate(
      OpenApi.Description,
      "Only owners can add or remove owners. The last owner cannot be demoted: 409 `last_owner`. On a hub that requires " +
        "single sign-on, the same holds for the last owner with a password and a second factor."
    ),
  HttpApiEndpoint.delete("remove", "/members/:userId", {
    params,
    payload: [RemoveMemberInput, Schema.Null],
    success: HttpApiSchema.NoContent
  }).middleware(UserAccess).annotate(Requires, "members:write").annotate(
    OpenApi.Description,
    "Ends the person's sessions and tokens in this workspace immediately and revokes the standing approvals that " +
      "they created. `transfer_to` receives their agents, devices, connected apps, and workflows; without it, active agents " +
      "are paused, active devices drained, apps disconnected, and workflows left to owners and admins. Agent keys stay valid after a transfer: rotate them if the person has copies. The " +
      "last owner cannot be removed: 409 `last_owner`. On a hub that requires single sign-on, the same holds for the last " +
      "owner with a password and a second factor."
  )
) {}
