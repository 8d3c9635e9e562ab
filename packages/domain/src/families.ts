/**
 * Families of agents: an agent spawns children within its own services and budget, and a person clones an agent. Spec:
 * reference/agents.md "Families".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Agent, agentDescriptionMax, agentNameMax, agentPersonalityMax, CreatedAgent } from "./agents.ts"
import { AgentAccess, Requires, UserAccess } from "./auth.ts"
import { BindingTerms } from "./bindings.ts"
import { Created } from "./created.ts"
import { AgentId } from "./ids.ts"
import { Cents } from "./money.ts"
import { Label, Prose } from "./text.ts"

/** A root has depth 0. */
export const agentDepthMax = 3
export const spawnServicesMax = 200
/** Ten years. */
export const ttlSecondsMax = 315_360_000

export const SpawnInput = Schema.Struct({
  name: Label(agentNameMax),
  description: Schema.optionalKey(Prose(agentDescriptionMax)),
  services: Schema.Array(BindingTerms).check(
    Schema.isMaxLength(spawnServicesMax),
    Schema.makeFilter((services: ReadonlyArray<{ readonly service: string }>) =>
      new Set(services.map(({ service }) => service)).size === services.length
        ? undefined
        : "expected each service once"
    )
  ).annotate({
    description: "A cap, a count, or a threshold that is left out is the parent's; a higher one is 403 `not_subset`."
  }),
  monthly_budget_cents: Schema.NullOr(Cents).annotate({
    description: "Committed on the parent's budget. null: no cap, only for a parent without a cap."
  }),
  personality: Schema.optionalKey(Prose(agentPersonalityMax)),
  ttl_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: ttlSecondsMax })).annotate({
      description: "The child and its descendants end after this time. Left out: they end when they are deleted."
    })
  )
}).annotate({ identifier: "SpawnInput" })
export type SpawnInput = typeof SpawnInput.Type

export const SpawnedAgent = Schema.Struct({
  ...Agent.fields,
  /** Shown only once; a replay has `api_key_shown` instead. */
  api_key: Schema.optionalKey(Schema.String),
  api_key_shown: Schema.optionalKey(Schema.Literal(true))
}).annotate({ identifier: "SpawnedAgent" })
export type SpawnedAgent = typeof SpawnedAgent.Type

/** Why a spawn is refused, in the order of the checks. */
export const SpawnRefusal = Schema.Literals([
  "agent_disabled",
  "spending_frozen",
  "spawn_depth_exceeded",
  "not_subset",
  "insufficient_budget"
])
export type SpawnRefusal = typeof SpawnRefusal.Type

export const SpawnEstimate = Schema.Struct({
  would_commit_cents: Cents,
  passes: Schema.Boolean,
  /** The error code of the spawn; absent when it passes. */
  code: Schema.optionalKey(SpawnRefusal)
}).annotate({ identifier: "SpawnEstimate" })
export type SpawnEstimate = typeof SpawnEstimate.Type

export const CloneInput = Schema.Struct({
  /** Default: the agent's name, followed by " (copy)". */
  name: Schema.optionalKey(Label(agentNameMax)),
  include_memories: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "CloneInput" })
export type CloneInput = typeof CloneInput.Type

export class FamiliesGroup extends HttpApiGroup.make("families").add(
  HttpApiEndpoint.post("spawn", "/agents/spawn", { payload: SpawnInput, success: Created(SpawnedAgent) })
    .middleware(AgentAccess).annotate(
      OpenApi.Description,
      "Creates a child of the calling agent, with a key of the caller's mode. The child has the owner, the team, and " +
        "the wallet of its parent. Its services are a part of the parent's (403 `not_subset`), its budget is " +
        "committed on the parent's (409 `insufficient_budget`), and its depth is at most 3 (409 " +
        "`spawn_depth_exceeded`). When the child ends, the amount it did not use is free again, and what it used and " +
        "holds this month counts as its parent's. Send `idempotency-key`: a replay has `api_key_shown: true` instead " +
        "of the key."
    ),
  HttpApiEndpoint.post("estimate", "/agents/spawn/estimate", { payload: SpawnInput, success: SpawnEstimate })
    .middleware(AgentAccess).annotate(
      OpenApi.Description,
      "The amount that a spawn would commit, and whether it would pass. Changes nothing."
    ),
  HttpApiEndpoint.post("clone", "/agents/:id/clone", {
    params: { id: AgentId },
    payload: [CloneInput, Schema.Null],
    success: Created(CreatedAgent)
  }).middleware(UserAccess).annotate(Requires, "agents:write").annotate(
    OpenApi.Description,
    "Creates an agent with the bindings, the personality, and the budgets of another one, nothing spent, and a new " +
      "key. Also requires agents:keys, and budgets:write if there is any cap or threshold. The clone is a root " +
      "agent, active, and belongs to the caller. With `include_memories` it gets a copy of the memories."
  )
) {}
