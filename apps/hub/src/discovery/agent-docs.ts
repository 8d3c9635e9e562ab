/** What an agent reads first: all it needs to begin, as one JSON document. Spec: "Public machine-readable discovery". */
import { permissions, rolePermissions } from "@countersign/domain/auth"
import { apiVersion, minAppVersion } from "@countersign/domain/discovery"
import { pingSeconds } from "@countersign/domain/events"
import { jsonDepthMax } from "@countersign/domain/json"
import { amountCentsMax } from "@countersign/domain/money"
import type { EndpointFacts } from "@countersign/domain/openapi"
import { pageLimitDefault, pageLimitMax } from "@countersign/domain/pagination"
import { sample } from "@countersign/domain/sample"
import { waitSecondsMax } from "@countersign/domain/service-requests"
import { type OperationDefinition, type ServiceDefinition, timeoutMillisDefault, timeoutMillisMax } from "@countersign/domain/services"
import { Option } from "effect"
import type { Bucket, HubConfig } from "../config.ts"
import { jsonBodyBytesMax } from "../edge/request-body.ts"

const base = "/api/v1"

const accessNames: Readonly<Record<EndpointFacts["access"], string>> = {
  agent: "agent key", user: "personal access token or session", session: "session", any: "agent key, personal access token or session",
  device: "device key, personal access token or session", public: "none"
}

const operationDocs = (service: string, operation: OperationDefinition) => {
  const { description, example, name, payload_schema, price, response_schema, title } = operation
  return {
    name,
    ...title === undefined ? {} : { title },
    ...description === undefined ? {} : { description },
    payload_schema,
    ...response_schema === undefined ? {} : { response_schema },
    price,
    timeout_ms: operation.timeout_ms ?? timeoutMillisDefault,
    /** It may answer `running` and end later. */
    asynchronous: "async" in operation && operation.async !== undefined,
    example: { service, operation: name, payload: example ?? sample(payload_schema as never) }
  }
}

const serviceDocs = ({ description, name, operations, title }: ServiceDefinition) => ({
  name,
  ...title === undefined ? {} : { title },
  ...description === undefined ? {} : { description },
  operations: (operations as ReadonlyArray<OperationDefinition>).map((operation) => operationDocs(name, operation))
})

const bucketDocs = (bucket: Option.Option<Bucket>) =>
  Option.match(bucket, { onNone: () => "unlimited", onSome: ({ burst, perSecond }) => ({ per_second: perSecond, burst }) })

const authentication = {
  scheme: "Authorization: Bearer <credential>",
  credentials: [
    { name: "agent key", form: ["agent_key_live_…", "agent_key_test_…"], use: "An agent's own calls: dispatch, polling, what it may do. Shown once, when it is made or rotated. A test key reaches mock providers only and debits nothing." },
    { name: "personal access token", form: ["svc_pat_live_…"], use: "A person's programs: agents, approvals, audit, usage, balance. It may do what its scopes and its person's role of the moment allow." },
    { name: "session", form: ["cookie svc_session"], use: "The browser. Endpoints that want a session answer a token with 403 session_required." }
  ],
  rules: [
    "A bearer credential, if sent, is the only one that is read.",
    "A credential of the wrong kind is 401; the message names the wanted one.",
    "A missing permission is 403 and names it in error.data.permission.",
    "Another workspace's resource is 404, as one that does not exist.",
    "Header svc-workspace chooses the workspace of one call."
  ]
}

const outcomes = {
  executed: { http_status: 200, meaning: "Done and charged: cost_cents was debited, result is the provider's JSON." },
  blocked: {
    http_status: 200, meaning: "Refused before anything was done; reason_code and block say why and what to do next.",
    reason_codes: {
      policy_violation: "The agent has no enabled binding for the operation, the service is off, or a rule of the workspace forbids it (block.policy_id).",
      spending_frozen: "A person has stopped all spending of the workspace or the agent.",
      daily_limit_exceeded: "The operation's daily number of requests is used up; block.resets_at tells when it starts anew.",
      monthly_budget_exceeded: "The operation's monthly cap would be exceeded.",
      agent_budget_exceeded: "The agent's monthly budget would be exceeded.",
      task_budget_exceeded: "The delegated task's budget would be exceeded.",
      insufficient_balance: "The wallet has not enough that is free.",
      approval_rejected: "A person said no.",
      approval_expired: "Nobody decided in time.",
      approval_cancelled: "The agent or a person withdrew the request.",
      approval_stale: "The price rose above the one that was approved."
    }
  },
  approval_required: { http_status: 200, meaning: "A person must decide; poll links.self, or wait with ?wait=. No money is held meanwhile.", reason_codes: { approval_threshold: "The price is over the threshold, or a rule asks for a person." } },
  failed: {
    http_status: 200, meaning: "Nothing was charged; result is { code, detail }.",
    codes: {
      adapter_error: "The provider answered with an error or could not be reached.",
      agent_disabled: "The agent is paused or disabled.",
      interrupted: "The hub stopped while the provider was at it; whether it did it is not known.",
      invalid_request: "The payload no longer fits the operation.",
      cancelled: "It was cancelled before its provider had done it.",
      settled_failed: "A person told that it was not done.",
      "device_…": "The device's command ended so: failed, denied, timed_out, interrupted, expired or cancelled."
    }
  },
  running: { http_status: 202, meaning: "The provider is at it; poll links.self until it is executed, failed or blocked." }
}

const errors = {
  shape: { error: { code: "string", message: "what to do next", request_id: "string", details: [{ path: "payload.items.0.qty", message: "string" }], data: {} } },
  note: "Codes are an open set: treat an unknown one by its HTTP status. blocked, approval_required and failed are outcomes, not errors.",
  codes: [
    { status: 400, code: "invalid_request", meaning: "Malformed, unknown fields, or against a schema; details has every offending path." },
    { status: 401, code: "unauthorized", meaning: "No credential, a wrong, expired or revoked one, or one of another kind." },
    { status: 403, code: "forbidden", meaning: "Not permitted." },
    { status: 403, code: "session_required", meaning: "Only a signed-in session may." },
    { status: 403, code: "step_up_required", meaning: "The session must give its password again: POST /auth/step-up." },
    { status: 403, code: "separation_of_duties", meaning: "Another person must approve it: the agent is yours, or you filed the request." },
    { status: 404, code: "not_found", meaning: "No such resource in this workspace." },
    { status: 405, code: "method_not_allowed", meaning: "Header allow names the methods." },
    { status: 409, code: "idempotency_conflict", meaning: "The key was used with another payload." },
    { status: 409, code: "idempotency_in_progress", meaning: "The first request with the key is still in flight; come back after Retry-After." },
    { status: 409, code: "approval_not_pending", meaning: "Decided already; data tells by whom." },
    { status: 409, code: "already_approved", meaning: "You have approved it; another person is needed." },
    { status: 409, code: "standing_not_allowed", meaning: "This approval cannot be remembered." },
    { status: 409, code: "not_cancellable", meaning: "The request has ended, or its provider cannot stop it." },
    { status: 409, code: "not_running", meaning: "Only a request that runs at its provider can be settled." },
    { status: 409, code: "already_settled", meaning: "The request ended already, with another outcome than the callback tells." },
    { status: 409, code: "last_owner", meaning: "A workspace keeps at least one owner." },
    { status: 409, code: "digest_mismatch", meaning: "The approval is about another payload than the one decided on." },
    { status: 409, code: "conflict", meaning: "The state of things does not allow it." },
    { status: 410, code: "gone", meaning: "Used, expired or withdrawn." },
    { status: 413, code: "payload_too_large", meaning: "Send less." },
    { status: 415, code: "unsupported_media_type", meaning: "Send application/json." },
    { status: 429, code: "rate_limited", meaning: "Wait Retry-After seconds." },
    { status: 500, code: "internal_error", meaning: "Report it with its request_id." },
    { status: 502, code: "upstream_error", meaning: "A provider could not be reached." },
    { status: 503, code: "unavailable", meaning: "The hub is stopping or its database is away." }
  ]
}

/** The same document as long as services, settings and contract are the same. */
export const agentDocs = (services: ReadonlyArray<ServiceDefinition>, endpoints: ReadonlyArray<EndpointFacts>, settings: Pick<HubConfig, "publicUrl" | "rateLimit">) => ({
  name: "Countersign",
  description: "A governed door to paid actions: an agent sends one request naming a service, an operation and a payload; policy, budgets and people decide; the hub executes, charges and writes it down.",
  version: apiVersion,
  min_app_version: minAppVersion,
  base_url: new URL(base, settings.publicUrl).href,
  openapi: `${base}/openapi.json`,
  docs: "/docs",
  authentication,
  dispatch: {
    method: "POST", path: `${base}/service-requests`,
    headers: { "authorization": "Bearer agent_key_live_…", "content-type": "application/json", "idempotency-key": "a UUID that you keep until you have the answer" },
    body: { service: "string", operation: "string", payload: {} },
    outcomes,
    test_mode: "A test key gives the same outcomes from mock providers with cost_cents 0. Header x-test-outcome: approval | failure | running | blocked scripts one."
  },
  idempotency: {
    header: "idempotency-key", form: "1 to 255 printable ASCII characters",
    rules: [
      "The same key with the same payload is answered with the first answer, to the byte, and header idempotent-replayed: true; a request that was running or waiting answers with its state of now.",
      "The same key with another payload is 409 idempotency_conflict.",
      "While the first is in flight the second waits for it, up to 30 s, then 409 idempotency_in_progress with Retry-After.",
      "Keys of service requests are kept 30 days, others 24 hours. A 4xx answer stores no key.",
      "The payload is compared as RFC 8785 canonical JSON."
    ]
  },
  retries: {
    when: ["network errors", 429, 502, 503, 504],
    which: "GET always; POST only with an idempotency-key",
    backoff: { base_ms: 500, factor: 2, cap_ms: 8_000, jitter: "full" },
    attempts: 2,
    retry_after: "honour it on 429, 409 idempotency_in_progress and 503",
    polling: { start_ms: 2_000, factor: 1.5, cap_ms: 10_000, budget_ms: 300_000, long_poll: `GET ${base}/service-requests/:id?wait=${waitSecondsMax}` }
  },
  pagination: {
    query: { limit: `1 to ${pageLimitMax}, ${pageLimitDefault} by default`, cursor: "next_cursor of the page before" },
    answer: { data: [], next_cursor: "string or null", as_of: "the cursor of /events from which a reader of this page misses nothing" },
    order: "newest first unless the endpoint says otherwise"
  },
  events: { path: `${base}/events`, form: "server-sent events", resume: "header last-event-id, or query cursor=<as_of of a list>", ping_seconds: pingSeconds },
  conventions: {
    money: "integer cents in fields that end in _cents", time: "RFC 3339 UTC with milliseconds, fields end in _at",
    ids: "a prefix and a UUIDv7 in base32, such as req_01j…", unknown_fields: "400"
  },
  limits: {
    body_bytes: jsonBodyBytesMax, json_depth: jsonDepthMax, amount_cents: amountCentsMax, operation_timeout_ms: timeoutMillisMax, page: pageLimitMax,
    rate: { agent_key: bucketDocs(settings.rateLimit.agent), person: bucketDocs(settings.rateLimit.user) }
  },
  errors,
  services: services.map(serviceDocs),
  roles: Object.fromEntries(Object.entries(rolePermissions).map(([role, granted]) => [role, permissions.filter((permission) => granted.has(permission))])),
  endpoints: endpoints.map(({ access, description, id, method, path, permission }) => ({
    id, method, path, credential: accessNames[access],
    ...permission === undefined ? {} : { permission },
    ...description === undefined ? {} : { description }
  }))
})
