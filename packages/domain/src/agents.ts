/** Agents: identity, names, keys, and caps. Spec: reference/agents.md "Agent", "Agent keys". */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  AllowsTeamRole,
  AnyAccess,
  Mode,
  Requires,
  SessionAccess,
  StaysOpen,
  UserAccess,
  WorkspaceInQuery
} from "./auth.ts"
import { Binding } from "./bindings.ts"
import { Created } from "./created.ts"
import { AgentId, OrgId, TeamId, UserId } from "./ids.ts"
import { Cents } from "./money.ts"
import { Page, PageQuery, sortBy } from "./pagination.ts"
import { Label, Prose } from "./text.ts"
import { expectedVersion, Version } from "./versions.ts"

export const agentNameMax = 100
export const agentCategoryMax = 100
export const agentDescriptionMax = 2_000
export const agentPersonalityMax = 20_000
export const agentIconMax = 2_048
/** Length of `voiceConfig` as JSON text, in characters. */
export const voiceConfigMax = 16_384
export const graceSecondsMax = 86_400
/** An older live key is stale: rotate it. */
export const staleKeyDays = 90

export const AgentKind = Schema.Literals(["standard", "yupi", "chat"])
export type AgentKind = typeof AgentKind.Type
export const AgentStatus = Schema.Literals(["active", "paused", "disabled"])
export type AgentStatus = typeof AgentStatus.Type

const VoiceConfig = Schema.Record(Schema.String, Schema.Json)
const BoundedVoiceConfig = VoiceConfig.check(
  Schema.makeFilter((value: Readonly<Record<string, unknown>>) =>
    JSON.stringify(value).length <= voiceConfigMax ? undefined : `expected at most ${voiceConfigMax} characters of JSON`
  )
)

export const Agent = Schema.Struct({
  id: AgentId,
  name: Schema.String,
  description: Schema.String,
  kind: AgentKind,
  status: AgentStatus,
  /** Stops its spending; reads are still allowed. */
  frozen: Schema.Boolean,
  icon: Schema.NullOr(Schema.String),
  category: Schema.NullOr(Schema.String),
  personality: Schema.NullOr(Schema.String),
  voiceConfig: Schema.NullOr(VoiceConfig),
  parent_agent_id: Schema.optionalKey(AgentId),
  /** 0 for an agent without a parent. */
  depth: Schema.Int,
  team_id: Schema.optionalKey(TeamId),
  owner_user_id: Schema.NullOr(UserId),
  monthly_budget_cents: Schema.optionalKey(Cents),
  approval_threshold_cents: Schema.optionalKey(Cents),
  /** Debited by live requests in this UTC month. */
  spent_this_month_cents: Schema.Int,
  /** Held by live requests that have not settled. */
  held_cents: Schema.Int,
  /** Committed to its children and to the tasks that it delegated; it does not reset with the month. */
  committed_cents: Schema.Int,
  /** Its own children, without their descendants. */
  child_count: Schema.Int,
  /** The newest valid key, a live one before a test one; null when there is none. */
  key_hint: Schema.NullOr(Schema.String),
  mode_keys: Schema.Struct({ live: Schema.Boolean, test: Schema.Boolean }),
  bindings: Schema.Array(Binding),
  last_seen_at: Schema.optionalKey(Schema.String),
  /** When a child with a time to live ends. */
  ends_at: Schema.optionalKey(Schema.String),
  /**
   * Covers every field that a person sets on the agent, including budget and threshold; each binding has its own
   * version.
   */
  version: Version,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "Agent" })
export type Agent = typeof Agent.Type

export const CreatedAgent = Schema.Struct({
  ...Agent.fields,
  /** Shown only once. */
  api_key: Schema.String
}).annotate({ identifier: "CreatedAgent" })
export type CreatedAgent = typeof CreatedAgent.Type

const appearance = {
  icon: Schema.NullOr(Prose(agentIconMax)),
  category: Schema.NullOr(Label(agentCategoryMax)),
  personality: Schema.NullOr(Prose(agentPersonalityMax)),
  voiceConfig: Schema.NullOr(BoundedVoiceConfig)
}

export const CreateAgentInput = Schema.Struct({
  name: Label(agentNameMax),
  /** `yupi` is the workspace's assistant; default standard. */
  kind: Schema.optionalKey(Schema.Literals(["standard", "yupi"])),
  description: Schema.optionalKey(Prose(agentDescriptionMax)),
  icon: Schema.optionalKey(appearance.icon),
  category: Schema.optionalKey(appearance.category),
  personality: Schema.optionalKey(appearance.personality),
  voiceConfig: Schema.optionalKey(appearance.voiceConfig),
  monthly_budget_cents: Schema.optionalKey(Cents),
  team_id: Schema.optionalKey(TeamId),
  /** The mode of its first key. */
  mode: Schema.optionalKey(Mode)
}).annotate({ identifier: "CreateAgentInput" })
export type CreateAgentInput = typeof CreateAgentInput.Type

export const UpdateAgentInput = Schema.Struct({
  name: Schema.optionalKey(Label(agentNameMax)),
  description: Schema.optionalKey(Prose(agentDescriptionMax)),
  status: Schema.optionalKey(AgentStatus),
  frozen: Schema.optionalKey(Schema.Boolean),
  icon: Schema.optionalKey(appearance.icon),
  category: Schema.optionalKey(appearance.category),
  personality: Schema.optionalKey(appearance.personality),
  voiceConfig: Schema.optionalKey(appearance.voiceConfig),
  ...expectedVersion
}).annotate({ identifier: "UpdateAgentInput" })
export type UpdateAgentInput = typeof UpdateAgentInput.Type

export const TransferAgentInput = Schema.Struct({
  /** Null: no team. */
  team_id: Schema.optionalKey(Schema.NullOr(TeamId)),
  /** An owner, an admin, or a member of the workspace. */
  owner_user_id: Schema.optionalKey(UserId)
}).annotate({ identifier: "TransferAgentInput" })
export type TransferAgentInput = typeof TransferAgentInput.Type

export const RotateKeyInput = Schema.Struct({
  /** Default live. */
  mode: Schema.optionalKey(Mode),
  /** How long the replaced keys stay valid; default 0. */
  grace_seconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: graceSecondsMax })))
}).annotate({ identifier: "RotateKeyInput" })
export type RotateKeyInput = typeof RotateKeyInput.Type

export const RotatedKey = Schema.Struct({ api_key: Schema.String, key_hint: Schema.String }).annotate({
  identifier: "RotatedKey"
})

export const AgentHealth = Schema.Struct({
  agent_id: AgentId,
  name: Schema.String,
  status: AgentStatus,
  frozen: Schema.Boolean,
  last_seen_at: Schema.optionalKey(Schema.String),
  /**
   * Live requests that ended in the last 24 hours, including blocked ones; for a very busy workspace, among its latest
   * 100,000.
   */
  requests_24h: Schema.Int,
  /** The share of `failed` requests, 0 to 1. */
  error_rate_24h: Schema.Finite,
  monthly_budget_cents: Schema.optionalKey(Cents),
  spent_this_month_cents: Schema.Int,
  held_cents: Schema.Int,
  pending_approvals: Schema.Int,
  /** Live keys older than 90 days. */
  stale_keys: Schema.Int
}).annotate({ identifier: "AgentHealth" })
export type AgentHealth = typeof AgentHealth.Type

export const agentSorts = ["created_at", "name", "spent_this_month_cents", "last_seen_at"] as const
export type AgentSort = (typeof agentSorts)[number] | `-${(typeof agentSorts)[number]}`

const params = { id: AgentId }

const AgentFilter = {
  parent_agent_id: Schema.optionalKey(Schema.Union([AgentId, Schema.Literal("none")])),
  status: Schema.optionalKey(AgentStatus),
  q: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(200))),
  team_id: Schema.optionalKey(TeamId),
  kind: Schema.optionalKey(AgentKind),
  sort: sortBy(agentSorts)
}

export class AgentsGroup extends HttpApiGroup.make("agents").add(
  HttpApiEndpoint.get("list", "/agents", {
    query: { ...PageQuery, ...AgentFilter },
    success: Page(Agent)
  }).middleware(UserAccess).annotate(Requires, "agents:read").annotate(
    OpenApi.Description,
    "Newest first unless `sort` sets another order. With `last_seen_at`, agents that were never seen come before " +
      "all others. Agents that belong to a chat are left out; members see their own agents and those of their teams. " +
      "`parent_agent_id` selects the children of an agent; `none` selects agents without a parent that the caller sees."
  ),
  HttpApiEndpoint.get("export", "/agents/export", {
    query: { workspace: Schema.optionalKey(OrgId), ...AgentFilter },
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/csv" }))
  }).middleware(UserAccess).annotate(Requires, "agents:read").annotate(WorkspaceInQuery, true).annotate(StaysOpen, true)
    .annotate(
      OpenApi.Description,
      "Downloads the list as CSV, with its filters and order. `workspace` selects the workspace for links, as " +
        "header svc-workspace does. A cell that a spreadsheet would read as a formula begins with an apostrophe."
    ),
  HttpApiEndpoint.post("create", "/agents", { payload: CreateAgentInput, success: Created(CreatedAgent) })
    .middleware(UserAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
      OpenApi.Description,
      "The response contains the key, once. A budget also requires budgets:write. `kind: yupi` is the workspace's " +
        "assistant: an owner or an admin creates it, and a second one is 409 `conflict`."
    ),
  HttpApiEndpoint.get("fleetHealth", "/agents/fleet-health", { query: PageQuery, success: Page(AgentHealth) })
    .middleware(UserAccess).annotate(Requires, "agents:read"),
  HttpApiEndpoint.get("get", "/agents/:id", { params, success: Agent })
    .middleware(AnyAccess).annotate(Requires, "agents:read").annotate(
      OpenApi.Description,
      "An agent key sees its own agent only."
    ),
  HttpApiEndpoint.patch("update", "/agents/:id", { params, payload: UpdateAgentInput, success: Agent })
    .middleware(SessionAccess).annotate(
      OpenApi.Description,
      "Requires `agents:write`; for `frozen: true` alone, `approvals:decide` is enough. With `expected_version`, " +
        "a change based on another version is 409 `version_conflict`, with the current agent in `data`."
    ),
  HttpApiEndpoint.delete("remove", "/agents/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(SessionAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
      OpenApi.Description,
      "Its keys become invalid immediately, its pending approvals are canceled, and its children pass to its parent " +
        "with what they have committed, or become root agents. What it used and holds this month counts as its " +
        "parent's; the rest of its budget is free again. Requests in progress settle as usual. The workspace's " +
        "assistant and the agents of chats are 409 `agent_protected`."
    ),
  HttpApiEndpoint.post("transfer", "/agents/:id/transfer", { params, payload: TransferAgentInput, success: Agent })
    .middleware(UserAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
      OpenApi.Description,
      "Gives the agent to another team or to another person. Its owner's allocation in its team pays for it, " +
        "otherwise the team's pool, otherwise the workspace's wallet. Keys stay valid."
    ),
  HttpApiEndpoint.patch("rotateKey", "/agents/:id/key", {
    params,
    payload: [RotateKeyInput, Schema.Null],
    success: RotatedKey
  })
    .middleware(UserAccess).annotate(Requires, "agents:keys").annotate(
      OpenApi.Description,
      "Creates a key of a mode and shows it once. The other keys of that mode become invalid immediately, or " +
        "after grace_seconds."
    )
) {}
