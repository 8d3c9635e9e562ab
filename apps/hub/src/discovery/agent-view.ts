/**
 * `GET /agent-docs` with an agent key: the operations that this agent may call now, small enough to be read at the
 * start of a task. Five operations fit in 8 KB; the others are listed with the addresses of their schemas.
 */
import { HubApi } from "@countersign/domain/api"
import type { AgentPrincipal } from "@countersign/domain/auth"
import { capsOf, coversOperation } from "@countersign/domain/bindings"
import type { AgentBudget } from "@countersign/domain/budgets"
import { apiVersion } from "@countersign/domain/discovery"
import { type ApiError, notFound } from "@countersign/domain/errors"
import { type EndpointFacts, endpointsOf } from "@countersign/domain/openapi"
import { nextActions, outcomes } from "@countersign/domain/outcomes"
import { waitSecondsMax } from "@countersign/domain/service-requests"
import { Effect } from "effect"
import { Budgets } from "../budgets/service.ts"
import type { CatalogOperation, CatalogService } from "../catalog/compiled.ts"
import { secretsOf } from "../catalog/rules.ts"
import { type HubConfig, Settings } from "../config.ts"
import { Configuration, type Found } from "../dispatch/decision/configuration.ts"
import { SecretsRepository } from "../secrets/repository.ts"
import { type GrantedWorkflow, WorkflowsRepository } from "../workflows/repository.ts"
import { base, exampleOf } from "./agent-docs.ts"
import { type Document, documentOf } from "./service.ts"

/** Maximum size of the operations together with their schemas, in bytes. */
const operationsBytesMax = 4_200
/** A longer schema is read from its own address. */
const schemaBytesMax = 1_000
const descriptionMax = 160
/** Maximum number of listed operations. */
const operationsMax = 200

/** Maximum number of listed workflows. */
const workflowsMax = 20
/** The operation that runs a granted workflow. */
const runs = { service: "workflow", operation: "run_workflow" }

const cut = (text: string): string => text.length <= descriptionMax ? text : `${text.slice(0, descriptionMax - 1)}…`

const remainingOf = (budget: AgentBudget, service: string, operation: string) => {
  const used = budget.operations.find((each) => each.service === service && each.operation === operation)
  return (caps: ReturnType<typeof capsOf>) => ({
    ...caps.monthly_cap_cents === undefined
      ? {}
      : { month_cents: Math.max(0, caps.monthly_cap_cents - (used?.spent_cents ?? 0) - (used?.held_cents ?? 0)) },
    ...caps.daily_request_limit === undefined
      ? {}
      : { requests_today: Math.max(0, caps.daily_request_limit - (used?.used_today ?? 0)) }
  })
}

interface Covered {
  readonly service: CatalogService
  readonly operation: CatalogOperation
}

type MissingSecrets = (covered: Covered) => ReadonlyArray<string>

/** Enabled operations that the agent is connected to, in order of name. */
const coveredBy = ({ agent, org }: Found): ReadonlyArray<Covered> =>
  [...agent.bindings.values()].toSorted((a, b) => a.service < b.service ? -1 : 1).flatMap((binding) => {
    const service = org.services.get(binding.service)
    return service === undefined || !service.enabled ? [] : [...service.operations.values()]
      .filter(({ definition }) => coversOperation(binding, definition.name))
      .map((operation) => ({ service, operation }))
  })

const neededSecrets = ({ operation, service }: Covered) => secretsOf(service.definition, operation.definition.name)

/** Operations that fail until a person stores these secrets. */
const unavailableOf = (covered: ReadonlyArray<Covered>, missingOf: MissingSecrets) => ({
  reason: "A secret is missing. Ask a person of the workspace to store it; until then every request fails.",
  operations: covered.map((each) => ({
    service: each.service.definition.name,
    operation: each.operation.definition.name,
    missing_secrets: missingOf(each)
  }))
})

const operationsOf = (found: Found, covered: ReadonlyArray<Covered>, budget: AgentBudget) => {
  let left = operationsBytesMax
  return covered.map(({ operation: { definition }, service }) => {
    const { description, name, payload_schema, price, title } = definition
    const serviceName = service.definition.name
    const binding = found.agent.bindings.get(serviceName)
    const caps = binding === undefined ? {} : capsOf(binding, name)
    const remaining = remainingOf(budget, serviceName, name)(caps)
    const brief = {
      service: serviceName,
      operation: name,
      price,
      approval_above_cents: caps.approval_threshold_cents ?? found.agent.approvalThresholdCents ??
        found.org.approvalThresholdCents,
      ...Object.keys(remaining).length === 0 ? {} : { remaining }
    }
    const schema = JSON.stringify(payload_schema).length > schemaBytesMax
      ? { schema_at: `${base}/services/${serviceName}` }
      : { payload_schema, example_payload: exampleOf(definition) }
    const about = description ?? title
    const whole = {
      ...brief,
      ...about === undefined ? {} : { description: cut(about) },
      ..."async" in definition && definition.async !== undefined ? { asynchronous: true } : {},
      ...schema
    }
    const bytes = Buffer.byteLength(JSON.stringify(whole))
    if (bytes > left) return { ...brief, schema_at: `${base}/services/${serviceName}` }
    left -= bytes
    return whole
  })
}

/** The operations that the agent can call now, and those that it cannot because of a missing secret. */
const callable = (found: Found, budget: AgentBudget, missingOf: MissingSecrets) => {
  const covered = coveredBy(found).slice(0, operationsMax)
  const unavailable = covered.filter((each) => missingOf(each).length > 0)
  return {
    operations: operationsOf(found, covered.filter((each) => !unavailable.includes(each)), budget),
    ...unavailable.length === 0 ? {} : { unavailable: unavailableOf(unavailable, missingOf) }
  }
}

/** Granted workflows with a live version; nothing while the workspace cannot run them. */
const workflowsOf = (found: Found, granted: ReadonlyArray<GrantedWorkflow>) => {
  if (granted.length === 0 || found.org.services.get(runs.service)?.enabled !== true) return {}
  return {
    workflows: {
      how: { ...runs, payload: { workflow_id: "<id>", input: "<an object that matches input_schema>" } },
      data: granted.slice(0, workflowsMax).map(({ definition: { input_schema: schema }, description, id, name }) => ({
        id,
        name,
        ...description === "" ? {} : { description: cut(description) },
        ...schema === undefined
          ? {}
          : JSON.stringify(schema).length > schemaBytesMax
          ? { schema_at: `${base}/agents/<your id>/skills` }
          : { input_schema: schema }
      }))
    }
  }
}

const sampleId = "req_01j…"
const links = { self: `${base}/service-requests/${sampleId}` }

/** One sample response of each outcome, with its important fields. */
const sampleAnswers = {
  executed: { id: sampleId, status: "executed", cost_cents: 12, result: { any: "JSON of the provider" }, links },
  blocked: {
    id: sampleId,
    status: "blocked",
    cost_cents: 0,
    reason_code: "monthly_budget_exceeded",
    block: {
      limit: "operation_month",
      limit_cents: 500,
      spent_cents: 495,
      resets_at: "2030-02-01T00:00:00.000Z",
      message: "…",
      next_action: { kind: "budget_request", href: "/api/v1/budget-requests" }
    },
    links
  },
  approval_required: {
    id: sampleId,
    status: "approval_required",
    reason_code: "approval_threshold",
    approval_id: "apr_01j…",
    links
  },
  failed: { id: sampleId, status: "failed", cost_cents: 0, result: { code: "adapter_error", detail: "…" }, links },
  running: {
    id: sampleId,
    status: "running",
    cost_cents: 0,
    ceiling_cents: 12,
    waiting_for: { kind: "poll", until: "2030-02-01T00:00:00.000Z" },
    links
  }
}

const stateOf = ({ agent, org }: Found): string =>
  agent.status !== "active"
    ? `This agent is ${agent.status}: every request fails with agent_disabled until a person activates it.`
    : agent.frozen || org.frozen
    ? "Spending is frozen: requests are blocked with spending_frozen."
    : agent.bindings.size === 0
    ? "This agent is connected to no service. Ask a person of its workspace to connect one; until then every request is blocked."
    : "Active."

/** One line for each path, with its methods. */
const pathsOf = (endpoints: ReadonlyArray<EndpointFacts>): ReadonlyArray<string> =>
  [...Map.groupBy(endpoints, ({ path }) => path)].map(([path, own]) =>
    `${own.map(({ method }) => method).join(", ")} ${path}`
  )

/** The current permissions of this agent. */
const agentView = (
  principal: AgentPrincipal,
  found: Found,
  budget: AgentBudget,
  missingOf: MissingSecrets,
  granted: ReadonlyArray<GrantedWorkflow>,
  endpoints: ReadonlyArray<EndpointFacts>,
  settings: Pick<HubConfig, "publicUrl">
) => ({
  name: "Countersign",
  version: apiVersion,
  base_url: new URL(base, settings.publicUrl).href,
  everything: `GET ${base}/agent-docs?all=true (every service, error code, endpoint and limit)`,
  agent: { id: principal.agent_id, name: principal.agent_name, mode: principal.mode, state: stateOf(found) },
  how_to_request: {
    method: "POST",
    url: new URL(`${base}/service-requests`, settings.publicUrl).href,
    headers: {
      "authorization": "Bearer <your agent key>",
      "content-type": "application/json",
      "idempotency-key": "a new UUID for each action; the same one when you repeat it"
    },
    body: {
      service: "<service>",
      operation: "<operation>",
      payload: "<example_payload, or another payload that matches payload_schema>"
    },
    try_first:
      `POST ${base}/service-requests/estimate with the same body: the outcome that it would have now. Costs nothing, changes nothing.`,
    rules: [
      "Money is integer cents; fractions of a cent are carried over to later requests. cost_cents is what was charged. A request costs at most price.cents, or price.ceiling (CEL over payload).",
      "Above approval_above_cents a person must approve. Above remaining (of that operation alone) or budget.remaining_cents (of all) it is blocked.",
      "After a network error, 429, 502, or 503, repeat with the same idempotency-key, after Retry-After if it is present. The request is never executed twice.",
      "4xx is { error: { code, message, details } }: message explains what to do, and details names the field. Correct the request; do not repeat it unchanged."
    ]
  },
  after: {
    poll: {
      method: "GET",
      url: `${new URL(settings.publicUrl).origin}<links.self>?wait=${waitSecondsMax}`,
      while: ["running", "approval_required"],
      note:
        "It returns when the status changes or the wait ends. Poll again until the status changes; do not send the request again."
    },
    cancel: { method: "POST", url: `${new URL(settings.publicUrl).origin}<links.self>/cancel` },
    /** By `block.next_action.kind`. */
    next_action: nextActions
  },
  budget: {
    monthly_budget_cents: budget.monthly_budget_cents,
    spent_cents: budget.spent_cents,
    remaining_cents: budget.remaining_cents,
    resets_at: budget.resets_at
  },
  ...callable(found, budget, missingOf),
  ...workflowsOf(found, granted),
  outcomes: Object.fromEntries(
    Object.entries(outcomes).map((
      [status, { http_status, next }]
    ) => [status, { http_status, next, sample: sampleAnswers[status as keyof typeof sampleAnswers] }])
  ),
  endpoints: pathsOf(endpoints.filter(({ access }) => access === "agent" || access === "any"))
})

/** Reads the data of `agentView`; 404 when the agent is deleted. */
export const makeAgentGuide = Effect.gen(function*() {
  const configuration = yield* Configuration
  const budgets = yield* Budgets
  const secrets = yield* SecretsRepository
  const workflows = yield* WorkflowsRepository
  const settings = yield* Settings
  return Effect.fnUntraced(function*(agent: AgentPrincipal): Effect.fn.Return<Document, ApiError> {
    const found = yield* Effect.promise(() => configuration.load(agent.org_id, agent.agent_id))
    if (found === undefined) return yield* Effect.fail(notFound("agent"))
    const stored = yield* secrets.existing(agent.org_id, [...new Set(coveredBy(found).flatMap(neededSecrets))])
    // With a test key, mock providers answer: they need no secret.
    const missingOf: MissingSecrets = agent.mode === "test"
      ? () => []
      : (covered) => neededSecrets(covered).filter((name) => !stored.has(name))
    const granted = yield* workflows.grantedTo(agent.org_id, agent.agent_id)
    const budget = yield* budgets.get(agent, agent.agent_id)
    return documentOf(agentView(agent, found, budget, missingOf, granted, endpointsOf(HubApi), settings))
  })
})
