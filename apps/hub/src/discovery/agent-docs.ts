/**
 * `GET /agent-docs`: everything that an agent needs to begin, as one JSON document. Codes, outcomes, limits,
 * permissions, endpoints, and services come from the domain and the catalog; only the sentences between them are
 * written here. Spec: reference/agent-docs.md "Agent docs".
 */
import { permissions, rolePermissions } from "@countersign/domain/auth"
import { waitSecondsMax as deviceWaitSecondsMax } from "@countersign/domain/device-protocol"
import { apiVersion, minAppVersion } from "@countersign/domain/discovery"
import { errorCodes } from "@countersign/domain/error-codes"
import { pingSeconds } from "@countersign/domain/events"
import { jsonDepthMax } from "@countersign/domain/json"
import { amountCentsMax } from "@countersign/domain/money"
import { type EndpointFacts, securitySchemes } from "@countersign/domain/openapi"
import { approvalReasons, blockReasons, failureCodes, nextActions, outcomes } from "@countersign/domain/outcomes"
import { pageLimitDefault, pageLimitMax } from "@countersign/domain/pagination"
import { sample } from "@countersign/domain/sample"
import { waitSecondsMax } from "@countersign/domain/service-requests"
import {
  type OperationDefinition,
  type ServiceDefinition,
  timeoutMillisDefault,
  timeoutMillisMax
} from "@countersign/domain/services"
import { tokenDaysDefault, tokenDaysMax, tokensMax } from "@countersign/domain/tokens"
import { fireBodyBytesMax } from "@countersign/domain/triggers"
import { earlyCallbackSeconds, hookBodyBytesMax } from "@countersign/domain/webhooks"
import { Option } from "effect"
import { secretsOf } from "../catalog/rules.ts"
import type { Bucket, HubConfig } from "../config.ts"
import { jsonBodyBytesMax } from "../edge/request-body.ts"
import { webhookToleranceSeconds } from "../platform/signatures.ts"

export const base = "/api/v1"

const accessNames: Readonly<Record<EndpointFacts["access"], string>> = {
  agent: "agent key",
  user: "personal access token or session",
  session: "session",
  any: "agent key, personal access token or session",
  device: "device key, personal access token or session",
  public: "none"
}

export const exampleOf = ({ example, payload_schema }: OperationDefinition): unknown =>
  example ?? sample(payload_schema)

const operationDocs = (service: string, operation: OperationDefinition) => {
  const { description, name, payload_schema, price, response_schema, title } = operation
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
    example: { service, operation: name, payload: exampleOf(operation) }
  }
}

const serviceDocs = (definition: ServiceDefinition) => {
  const { description, name, operations, title } = definition
  const secrets = secretsOf(definition)
  return {
    name,
    ...title === undefined ? {} : { title },
    ...description === undefined ? {} : { description },
    /** Each workspace stores its own; without one, requests fail. */
    ...secrets.length === 0 ? {} : { needs_secrets: secrets },
    operations: (operations as ReadonlyArray<OperationDefinition>).map((operation) => operationDocs(name, operation))
  }
}

const bucketDocs = (bucket: Option.Option<Bucket>) =>
  Option.match(bucket, {
    onNone: () => "unlimited",
    onSome: ({ burst, perSecond }) => ({ per_second: perSecond, burst })
  })

/** The OpenAPI description of each credential, and how to get, send, and renew it. */
const credentials = [
  {
    name: "agent key",
    ...securitySchemes.agentKey,
    get: "A person creates an agent or rotates its key; the key is shown once.",
    use: "Calls of an agent: requests, polling, and its permissions.",
    ends: "When it is rotated (at once, or after grace_seconds), or its agent is deleted."
  },
  {
    name: "personal access token",
    ...securitySchemes.personalToken,
    get: `POST ${base}/tokens with a session; shown once. A person has at most ${tokensMax}.`,
    use: "A person's programs: agents, approvals, audit, usage, balance.",
    ends: `After ${tokenDaysDefault} days unless another time was set, at most ${tokenDaysMax}; or when it is revoked.`
  },
  {
    ...securitySchemes.session,
    name: "session",
    cookie: securitySchemes.session.name,
    get:
      `POST ${base}/auth/login { email, password }. 401 for a wrong password; 202 with a challenge for a person with a second factor: POST ${base}/auth/login/factor.`,
    use: "The browser. Endpoints that require a session refuse a token with 403 session_required.",
    ends: "After logout, or when it is revoked or not used."
  },
  {
    name: "device key",
    ...securitySchemes.deviceKey,
    get: `POST ${base}/devices by a person, or by pairing; shown once.`,
    use: "One device: heartbeat, commands, and their output. It also opens the socket GET /devices/:id/connect.",
    ends: "When the device is revoked: 401 device_revoked, permanently."
  },
  {
    name: "pairing secret",
    ...securitySchemes.pairingSecret,
    get: `POST ${base}/devices/pair; the response has a code for a person and this secret for the device.`,
    use:
      `GET ${base}/devices/pair/current?wait=${deviceWaitSecondsMax} until a person has confirmed the code; it returns the device key once.`,
    ends: "After ten minutes, or when the key was fetched: 410."
  },
  {
    name: "signed hook",
    schemes: [securitySchemes.standardWebhooks, securitySchemes.svcSignature],
    get:
      "A workspace stores the secret that an operation's async.secret names; the operator sets HUB_RECONCILE_SECRET_<PROVIDER>.",
    use:
      `A provider's callback, POST ${base}/webhooks/:provider/reconcile?org=org_… with at most ${hookBodyBytesMax} bytes.`,
    rules: [
      "The signature is HMAC-SHA256 with the secret over the raw body; a secret whsec_… is base64 after the prefix.",
      `webhook-timestamp may be at most ${webhookToleranceSeconds} s away from the hub's clock.`,
      `A callback for an unknown request is stored for ${earlyCallbackSeconds} s and answered with 202.`,
      "A missing or wrong signature is 401; repeating a callback is 200; another outcome is 409 already_settled."
    ]
  },
  {
    name: "trigger signature",
    schemes: [securitySchemes.standardWebhooks, securitySchemes.svcSignature],
    get: `POST ${base}/triggers by a signed-in person; the response has signing_secret once, and fire_url.`,
    use: `POST <fire_url> with at most ${fireBodyBytesMax} bytes, without a bearer credential.`,
    rules: [
      "X-Svc-Signature: sha256=<hex> is the HMAC-SHA256 of the raw body with the text of the secret as key.",
      `X-Svc-Timestamp (Unix seconds), if sent, may be at most ${webhookToleranceSeconds} s away from the hub's clock.`,
      "The same webhook-id or X-Svc-Delivery with the same body gets the first answer; with another body it is 409.",
      "202 { service_request_id } comes once the request has begun; a missing or wrong signature is 401."
    ]
  },
  {
    name: "provider signature",
    schemes: [],
    get:
      "The operator sets HUB_SLACK_SIGNING_SECRET, HUB_DISCORD_PUBLIC_KEY, HUB_TELNYX_PUBLIC_KEY, or HUB_TWILIO_AUTH_TOKEN.",
    use: `Slack, Discord, and telephony providers call ${base}/webhooks/slack, /discord, and /voice-status.`,
    rules: [
      "Slack: X-Slack-Signature (v0, HMAC-SHA256). Discord and Telnyx: Ed25519. Twilio: HMAC-SHA1 of the public address and the fields.",
      `A signed timestamp may be at most ${webhookToleranceSeconds} s away from the hub's clock.`,
      "A missing or wrong signature is 401, an unset setting 404, an unknown type or call 200."
    ]
  },
  {
    name: "setup token",
    get: "A hub without an owner prints it when it starts.",
    use: `POST ${base}/auth/setup { token, email, password } creates the first owner.`,
    ends: "When it is used, replaced by a newer one, or 24 hours old."
  },
  {
    name: "OAuth access token",
    get:
      "An MCP client with the address of /mcp alone: a 401 names the metadata; it registers itself, and a person chooses the agent in the console.",
    use: "/mcp only, for the chosen agent.",
    ends:
      "After an hour, then by its refresh token; when the person or the client revokes it, or a refresh token is used twice."
  },
  { name: "metrics token", ...securitySchemes.metricsToken, use: "GET /metrics from other machines than the hub's." }
]

const authentication = {
  scheme: "Authorization: Bearer <credential>",
  credentials,
  rules: [
    "If a bearer credential is sent, all others are ignored.",
    "A credential of the wrong kind is 401; the message names the required kind.",
    "A missing permission is 403 and is named in error.data.permission.",
    "A resource of another workspace is 404, like one that does not exist.",
    "The header svc-workspace selects the workspace of one call."
  ]
}

const outcomeDocs = {
  executed: outcomes.executed,
  blocked: { ...outcomes.blocked, reason_codes: blockReasons },
  approval_required: { ...outcomes.approval_required, reason_codes: approvalReasons },
  failed: { ...outcomes.failed, codes: failureCodes },
  running: outcomes.running
}

const errors = {
  shape: {
    error: {
      code: "string",
      message: "what to do next",
      request_id: "string",
      details: [{ path: "payload.items.0.qty", message: "string" }],
      data: {}
    }
  },
  note:
    "More codes can be added: handle an unknown code by its HTTP status. blocked, approval_required, and failed are outcomes, not errors.",
  codes: Object.entries(errorCodes).map(([code, { meaning, status }]) => ({ status, code, meaning }))
}

/** The public document. It changes only with the services, the settings, or the contract. */
export const agentDocs = (
  services: ReadonlyArray<ServiceDefinition>,
  endpoints: ReadonlyArray<EndpointFacts>,
  settings: Pick<HubConfig, "openCallsPerCaller" | "publicUrl" | "rateLimit">
) => ({
  name: "Countersign",
  description:
    "A hub for paid actions. An agent sends a request with a service, an operation, and a payload; policy, budgets, and people decide; the hub executes, charges, and records it.",
  version: apiVersion,
  min_app_version: minAppVersion,
  base_url: new URL(base, settings.publicUrl).href,
  openapi: `${base}/openapi.json`,
  docs: "/docs",
  docs_as_markdown: "/llms.txt",
  docs_search: "/docs/search?q=",
  declaring_services: "/docs/declaring-services",
  your_own:
    `With an agent key, GET ${base}/agent-docs returns the permissions of that agent with remaining caps; ?all=true returns this document.`,
  authentication,
  dispatch: {
    method: "POST",
    path: `${base}/service-requests`,
    headers: {
      "authorization": "Bearer agent_key_live_…",
      "content-type": "application/json",
      "idempotency-key": "a UUID that you keep until you have the response"
    },
    body: { service: "string", operation: "string", payload: {} },
    outcomes: outcomeDocs,
    next_actions: nextActions,
    test_mode:
      "A test key gives the same outcomes from mock providers with cost_cents 0. The header x-test-outcome: approval | failure | running | blocked sets the outcome."
  },
  idempotency: {
    header: "idempotency-key",
    form: "1 to 255 printable ASCII characters",
    rules: [
      "The same key with the same payload returns the first response, byte for byte, with the header idempotent-replayed: true; for a running or pending request it returns the current state.",
      "The same key with another payload is 409 idempotency_conflict.",
      "While the first is in progress, the second waits for it, up to 30 s, and then receives 409 idempotency_in_progress with Retry-After.",
      "Keys of service requests are stored for 30 days, others for 24 hours. A 4xx response stores no key.",
      "The payload is compared as RFC 8785 canonical JSON."
    ]
  },
  retries: {
    when: ["network errors", 429, 502, 503, 504],
    which:
      "GET, PUT, DELETE always (a 404 to a repeated DELETE is success); POST, PATCH only with the same idempotency-key",
    backoff: { base_ms: 500, factor: 2, cap_ms: 8_000, jitter: "full" },
    attempts: 2,
    retry_after: "honor it on 429, 409 idempotency_in_progress and 503",
    polling: {
      start_ms: 2_000,
      factor: 1.5,
      cap_ms: 10_000,
      budget_ms: 300_000,
      long_poll: `GET ${base}/service-requests/:id?wait=${waitSecondsMax}`
    }
  },
  pagination: {
    query: { limit: `1 to ${pageLimitMax}, ${pageLimitDefault} by default`, cursor: "next_cursor of the page before" },
    answer: {
      data: [],
      next_cursor: "string or null",
      as_of: "the cursor from which /events continues after this page"
    },
    order: "newest first unless the endpoint states another order"
  },
  events: {
    path: `${base}/events`,
    form: "server-sent events",
    resume: "header last-event-id, or query cursor=<as_of of a list>",
    ping_seconds: pingSeconds,
    webhooks:
      `People subscribe their systems with POST ${base}/webhook-endpoints { url, types }; the hub signs each event as Standard Webhooks and repeats it for a day.`,
    notices:
      `People are notified of pending approvals and requests by their own ${base}/notification-settings, by email after 60 s at the earliest: a pending approval needs no reminder by its agent.`,
    messengers:
      `People see pending approvals, agent requests, and budget requests in Slack and Discord where a channel of ${base}/notice-channels shows them, and decide there with a linked account.`
  },
  model_door: {
    addresses: {
      "POST /v1/chat/completions": "OpenAI chat completions, streamed or whole",
      "POST /v1/responses": "OpenAI responses, without stored state",
      "POST /v1/messages": "Anthropic messages",
      "GET /v1/models": "the models of GET /api/v1/models"
    },
    rules:
      "Set the base URL of an OpenAI or Anthropic client to this hub, and its key to the agent key. Every call is a request of " +
      "llm.chat: it needs a binding of llm and counts in its limits. 402 means that a budget or the wallet blocks it, 403 a rule or a " +
      "pending approval: send the same call again after the approval."
  },
  conventions: {
    money:
      "integer cents in fields that end in _cents; fractions of a cent that a provider reports are carried over to the agent's later requests",
    caps:
      "a binding's monthly cap, daily limit, and approval threshold apply to each operation separately; there is no sum over operations",
    time: "RFC 3339 UTC with milliseconds, in fields that end in _at",
    ids: "a prefix and a UUIDv7 in base32, such as req_01j…",
    unknown_fields: "400"
  },
  limits: {
    body_bytes: jsonBodyBytesMax,
    hook_body_bytes: hookBodyBytesMax,
    trigger_body_bytes: fireBodyBytesMax,
    json_depth: jsonDepthMax,
    amount_cents: amountCentsMax,
    operation_timeout_ms: timeoutMillisMax,
    page: pageLimitMax,
    open_calls: Option.getOrElse(settings.openCallsPerCaller, () => "unlimited" as const),
    rate: { agent_key: bucketDocs(settings.rateLimit.agent), person: bucketDocs(settings.rateLimit.user) }
  },
  errors,
  services: services.map(serviceDocs),
  roles: Object.fromEntries(
    Object.entries(rolePermissions).map(([role, granted]) => [
      role,
      permissions.filter((permission) => granted.has(permission))
    ])
  ),
  endpoints: endpoints.map(({ access, checks, description, id, method, path, permission }) => ({
    id,
    method,
    path,
    credential: checks ?? accessNames[access],
    ...permission === undefined ? {} : { permission },
    ...description === undefined ? {} : { description }
  }))
})
