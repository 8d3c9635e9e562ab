/**
 * Bindings: the operations of a service that an agent may use, with their caps. Spec: reference/agents.md "Bindings".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AllowsTeamRole, Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, idPattern } from "./ids.ts"
import { Cents } from "./money.ts"
import { matching } from "./pattern.ts"
import { OperationName, operationsMax, ServiceName } from "./services.ts"
import { expectedVersion, Version } from "./versions.ts"

export const dailyRequestLimitMax = 1_000_000_000

/**
 * Caps and the threshold apply to each operation separately, not to a sum of operations. Absent: no cap, and the
 * agent's threshold.
 */
const capFields = {
  /** Cents in a UTC month. */
  monthly_cap_cents: Schema.optionalKey(Cents.annotate({
    description:
      "Cents in a UTC month, for each operation separately; there is no sum over operations. Left out: no cap."
  })),
  /** Requests in a UTC day. */
  daily_request_limit: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: dailyRequestLimitMax })).annotate({
      description: "Requests in a UTC day, for each operation separately. Left out: no limit."
    })
  ),
  /** A request that costs more requires approval. */
  approval_threshold_cents: Schema.optionalKey(Cents.annotate({
    description:
      "A single request that costs more requires approval. Left out: the agent's threshold, otherwise the workspace's."
  }))
}
export const OperationCaps = Schema.Struct(capFields).annotate({ identifier: "OperationCaps" })
export type OperationCaps = typeof OperationCaps.Type

/** `["*"]`, or names of the service's operations. */
const Operations = Schema.Array(Schema.Union([Schema.Literal("*"), OperationName])).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(operationsMax),
  Schema.makeFilter((operations: ReadonlyArray<string>) =>
    new Set(operations).size !== operations.length
      ? "expected each operation once"
      : operations.length > 1 && operations.includes("*")
      ? "expected [\"*\"] alone, or names"
      : undefined
  )
)

const settings = {
  service: ServiceName,
  operations: Operations,
  /** Where the service's auth names a provider: the connected app to use. */
  app_id: Schema.optionalKey(
    Schema.String.check(matching(idPattern("app"), "an id that begins with app_")).annotate({
      description: "Of a service whose `auth` names a provider of connected apps: the app that this agent uses. Left " +
        "out: the app of the agent's owner, otherwise the only shared one."
    })
  ),
  ...capFields,
  /** An operation's own settings replace those of the binding. */
  per_operation: Schema.optionalKey(Schema.Record(OperationName, OperationCaps))
}

export const BindingInput = Schema.Struct({
  ...settings,
  enabled: Schema.optionalKey(Schema.Boolean),
  ...expectedVersion
}).annotate({
  identifier: "BindingInput"
})
export type BindingInput = typeof BindingInput.Type

/** A binding in the body of another object. */
export const BindingTerms = Schema.Struct({ ...settings, enabled: Schema.optionalKey(Schema.Boolean) }).annotate({
  identifier: "BindingTerms"
})
export type BindingTerms = typeof BindingTerms.Type

/** The settings that dispatch uses. */
export const BindingSettings = Schema.Struct({ ...settings, enabled: Schema.Boolean })
export type BindingSettings = typeof BindingSettings.Type

/** Live requests of this month and day. `used_today` includes requests in progress. */
export const OperationUsage = Schema.Struct({
  spent_this_month_cents: Schema.Int,
  held_cents: Schema.Int,
  used_today: Schema.Int
}).annotate({ identifier: "OperationUsage" })
export type OperationUsage = typeof OperationUsage.Type

export const Binding = Schema.Struct({
  ...BindingSettings.fields,
  version: Version,
  /** One entry for each operation that was ever used. */
  operations_usage: Schema.Record(Schema.String, OperationUsage)
}).annotate({ identifier: "Binding" })
export type Binding = typeof Binding.Type

/** Whether an enabled binding covers an operation. */
export const coversOperation = (binding: BindingSettings, operation: string): boolean =>
  binding.enabled && (binding.operations[0] === "*" || binding.operations.includes(operation))

interface Capped extends OperationCaps {
  readonly per_operation?: Readonly<Record<string, OperationCaps>>
}

/** The settings of one operation: its own, or the binding's where it has none. */
export const capsOf = (binding: Capped, operation: string): OperationCaps => {
  const overrides = binding.per_operation ?? {}
  const own = Object.hasOwn(overrides, operation) ? overrides[operation] : undefined
  const caps = { ...binding, ...own }
  return {
    ...(caps.monthly_cap_cents === undefined ? {} : { monthly_cap_cents: caps.monthly_cap_cents }),
    ...(caps.daily_request_limit === undefined ? {} : { daily_request_limit: caps.daily_request_limit }),
    ...(caps.approval_threshold_cents === undefined ? {} : { approval_threshold_cents: caps.approval_threshold_cents })
  }
}

/** Whether a binding sets any cap or threshold: setting or removing it then requires `budgets:write`. */
export const hasCaps = (binding: Capped): boolean =>
  [binding, ...Object.values(binding.per_operation ?? {})].some((caps) =>
    caps.monthly_cap_cents !== undefined || caps.daily_request_limit !== undefined ||
    caps.approval_threshold_cents !== undefined
  )

export class BindingsGroup extends HttpApiGroup.make("bindings").add(
  HttpApiEndpoint.post("put", "/agents/:id/services", {
    params: { id: AgentId },
    payload: BindingInput,
    success: [Binding, Created(Binding)]
  }).middleware(UserAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "Binds an agent to a service: 201 for a new binding, 200 if it replaces the settings of the binding to this " +
      "service. The caps, the daily limit, and the threshold apply to each operation separately; `per_operation` " +
      "replaces them for one operation. Counters are never reset. Caps and thresholds, and replacing a binding " +
      "that has any, also require budgets:write. With `expected_version`, replacing another version is 409 " +
      "`version_conflict`, with the current binding in `data`; 0 means that no binding exists yet."
  ),
  HttpApiEndpoint.delete("disable", "/agents/:id/services/:service", {
    params: { id: AgentId, service: ServiceName },
    success: HttpApiSchema.NoContent
  }).middleware(UserAccess).annotate(Requires, "agents:write").annotate(AllowsTeamRole, true).annotate(
    OpenApi.Description,
    "Disables a binding. Its settings and counters stay; binding the service again enables it."
  )
) {}
