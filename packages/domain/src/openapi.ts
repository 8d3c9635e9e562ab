/**
 * The OpenAPI document, derived from the contract. Adds the facts that the generator does not have: access,
 * permissions, headers (endpoints declare none, or every other header would count as unknown), integers in queries, and
 * one shape for all errors.
 */
import { Context, Option, Schema } from "effect"
import { HttpApi, type HttpApiGroup, OpenApi } from "effect/http-api"
import {
  type AccessKind,
  accessKinds,
  ChecksOwn,
  type OwnCredential,
  type Permission,
  RefusesTokens,
  Requires
} from "./auth.ts"
import { apiVersion } from "./discovery.ts"
import { idPattern } from "./ids.ts"
import { pageLimitDefault } from "./pagination.ts"
import { groupDescriptions, operationSummaries } from "./summaries.ts"

type Json = Record<string, unknown>

export interface EndpointFacts {
  /** `group.name`, the `operationId`. */
  readonly id: string
  readonly method: string
  /** With `:id` for parameters. */
  readonly path: string
  readonly access: AccessKind
  readonly permission?: Permission
  /** A personal access token is 403 `session_required`. */
  readonly refusesTokens?: true
  /** The credential that a public endpoint checks itself. */
  readonly checks?: OwnCredential
  readonly description?: string
  /** The query as a JSON Schema of its decoded value, not of its text. */
  readonly query?: Readonly<Record<string, Json>>
}

const found = new WeakMap<object, ReadonlyArray<EndpointFacts>>()

/** Every endpoint of the contract, in order. Derived once for each contract. */
export const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<EndpointFacts> => {
  const known = found.get(api) ?? deriveEndpoints(api)
  found.set(api, known)
  return known
}

const deriveEndpoints = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<EndpointFacts> => {
  const endpoints: Array<EndpointFacts> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      const kinds = [...middleware].flatMap((each) => accessKinds[each.key] ?? [])
      const permission = Option.getOrUndefined(
        Context.getOption(endpoint.annotations as Context.Context<Requires>, Requires)
      )
      const checks = Option.getOrUndefined(
        Context.getOption(endpoint.annotations as Context.Context<ChecksOwn>, ChecksOwn)
      )
      const refusesTokens = Option.isSome(
        Context.getOption(endpoint.annotations as Context.Context<RefusesTokens>, RefusesTokens)
      )
      const description = Option.getOrUndefined(
        Context.getOption(endpoint.annotations as Context.Context<OpenApi.Description>, OpenApi.Description)
      )
      const query = endpoint.query as Schema.Top | undefined
      endpoints.push({
        id: `${group.identifier}.${endpoint.identifier ?? ""}`,
        method: endpoint.method,
        path: endpoint.path,
        access: kinds[0] ?? "public",
        ...permission === undefined ? {} : { permission },
        ...refusesTokens ? { refusesTokens } : {},
        ...checks === undefined ? {} : { checks },
        ...description === undefined ? {} : { description },
        ...query === undefined
          ? {}
          : {
            query: (Schema.toJsonSchemaDocument(Schema.toType(query)).schema as { properties?: Record<string, Json> })
              .properties ?? {}
          }
      })
    }
  })
  return endpoints
}

/** POSTs that run once for a repeated `idempotency-key`. */
export const idempotentOperations: ReadonlySet<string> = new Set([
  "service_requests.dispatch",
  "service_requests.test",
  "ledger.topUp",
  "families.spawn",
  "teams.moveBudget",
  "teams.allocate",
  "delegated_tasks.create",
  "workflow_runs.start",
  "billing.checkout",
  "promo.redeem"
])

const security: Readonly<Record<AccessKind, ReadonlyArray<Record<string, ReadonlyArray<string>>>>> = {
  agent: [{ agentKey: [] }],
  user: [{ personalToken: [] }, { session: [] }],
  session: [{ session: [] }],
  any: [{ agentKey: [] }, { personalToken: [] }, { session: [] }],
  device: [{ deviceKey: [] }, { personalToken: [] }, { session: [] }],
  public: []
}

/** An empty entry: the credential is optional. */
const securityOfOwn: Readonly<Record<OwnCredential, ReadonlyArray<Record<string, ReadonlyArray<string>>>>> = {
  "password": [],
  "setup token": [],
  "pairing secret": [{ pairingSecret: [] }],
  "device code": [],
  "logout token": [],
  "signature": [{ standardWebhooks: [] }, { svcSignature: [] }],
  "metrics token": [{ metricsToken: [] }, {}],
  "optional agent key": [{ agentKey: [] }, {}]
}

export const securitySchemes = {
  agentKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "agent_key_live_… | agent_key_test_…",
    description: "An agent's key. A test key calls mock providers only and debits nothing."
  },
  deviceKey: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "svc_device_live_…",
    description: "A device's key. It is valid for that device only."
  },
  personalToken: {
    type: "http",
    scheme: "bearer",
    bearerFormat: "svc_pat_live_…",
    description: "A person's token. It has the permissions that both its scopes and the person's current role include."
  },
  pairingSecret: {
    type: "http",
    scheme: "bearer",
    description:
      "The secret in the response of `POST /devices/pair`. Any caller with it receives the device's key, once."
  },
  metricsToken: { type: "http", scheme: "bearer", description: "The hub's setting `HUB_METRICS_TOKEN`." },
  standardWebhooks: {
    type: "apiKey",
    in: "header",
    name: "webhook-signature",
    description:
      "Standard Webhooks: `v1,<base64 HMAC-SHA256 of id.timestamp.body>`, with `webhook-id` and `webhook-timestamp`."
  },
  svcSignature: {
    type: "apiKey",
    in: "header",
    name: "x-svc-signature",
    description: "`sha256=<hex HMAC-SHA256 of the raw body>`."
  },
  session: {
    type: "apiKey",
    in: "cookie",
    name: "svc_session",
    description:
      "The session cookie of a signed-in browser. A state-changing request from a page of another origin is " +
      "refused."
  }
}

const parameters = {
  IdempotencyKey: {
    name: "idempotency-key",
    in: "header",
    required: false,
    schema: { type: "string", minLength: 1, maxLength: 255, pattern: "^[ -~]{1,255}$" },
    description:
      "Makes the call safe to repeat. The same key with the same payload returns the first response with header " +
      "`idempotent-replayed: true`; with another payload it is 409 `idempotency_conflict`. While the first call " +
      "is in progress, the second waits for it, up to 30 s, then returns 409 `idempotency_in_progress`. Keys are " +
      "stored for 24 hours, for service requests 30 days. A 4xx response stores no key."
  },
  TestOutcome: {
    name: "x-test-outcome",
    in: "header",
    required: false,
    schema: { type: "string", enum: ["approval", "failure", "running", "blocked"] },
    description: "Sets the outcome of a test key's request. With a live key the response is 400."
  },
  DelegatedTask: {
    name: "x-delegated-task",
    in: "header",
    required: false,
    schema: { type: "string", pattern: idPattern("dlg").source },
    description:
      "The delegated task that the request is for: it counts against the task's budget and the agent's bindings, not " +
      "the agent's month, and spends the wallet of the agent that delegated it."
  },
  Workspace: {
    name: "svc-workspace",
    in: "header",
    required: false,
    schema: { type: "string", pattern: idPattern("org").source },
    description:
      "The workspace of this call only. The response is 404 for a session if its person is not a member, and for a " +
      "token or key if it belongs to another workspace."
  },
  RequestId: {
    name: "x-request-id",
    in: "header",
    required: false,
    schema: { type: "string" },
    description:
      "Your id for this request: 1 to 128 letters, digits, or `._~:/+=@-`. The hub uses it in the response, in errors, and in logs, " +
      "and replaces any other value with a generated id."
  },
  LastEventId: {
    name: "last-event-id",
    in: "header",
    required: false,
    schema: { type: "string" },
    description: "The id of the last event that the client processed. The stream continues after it."
  },
  IfNoneMatch: {
    name: "if-none-match",
    in: "header",
    required: false,
    schema: { type: "string" },
    description: "The ETag of the client's copy. The response is 304 if the copy is current."
  }
}

const headers = {
  RequestId: { description: "The id of this request.", schema: { type: "string" } },
  RateLimit: { description: "The remaining calls: `\"agent\";r=199;t=1` (IETF draft).", schema: { type: "string" } },
  RateLimitPolicy: { description: "The bucket: `\"agent\";q=200;w=2` (IETF draft).", schema: { type: "string" } },
  RetryAfter: { description: "Whole seconds to wait.", schema: { type: "integer", minimum: 1 } },
  Replayed: {
    description: "`true` if the response is that of an earlier call with the same key.",
    schema: { type: "string" }
  },
  Location: { description: "The address of the new resource.", schema: { type: "string" } },
  ETag: { description: "The version of the document.", schema: { type: "string" } }
}

const errorStatuses: Readonly<Record<string, readonly [name: string, description: string]>> = {
  400: ["BadRequest", "The request is malformed or does not match the schema. `details` lists each invalid path."],
  401: [
    "Unauthorized",
    "The credential is missing, invalid, expired, or of the wrong kind. The message names the kind that is " +
    "required."
  ],
  403: [
    "Forbidden",
    "The caller lacks the permission in `data.permission`, or the endpoint requires a session (`session_required`)."
  ],
  404: [
    "NotFound",
    "The resource does not exist in this workspace. Resources of other workspaces give the same response."
  ],
  409: ["Conflict", "The current state of the resource does not allow this. `code` gives the reason."],
  410: ["Gone", "Used, expired, or revoked."],
  413: ["PayloadTooLarge", "The body is larger than 1 MiB of JSON, or 96 MiB for an import."],
  415: ["UnsupportedMediaType", "Send the body as application/json."],
  429: ["RateLimited", "Too many requests. Wait for the time in `Retry-After`."],
  502: ["Upstream", "A provider could not be reached or sent an invalid response."],
  503: ["Unavailable", "The hub is stopping, or its database is unavailable. Retry shortly."],
  504: ["UpstreamTimeout", "The address that the hub fetches for the caller did not respond in time."]
}

/** Endpoints that fetch a URL of their caller. */
const fetching: ReadonlySet<string> = new Set([
  "services.create",
  "services.import",
  "services.previewImport",
  "mcp_tools.refresh"
])

const responses = Object.fromEntries(
  Object.entries(errorStatuses).map(([status, [name, description]]) => [name, {
    description,
    headers: {
      "x-request-id": { $ref: "#/components/headers/RequestId" },
      ...["409", "429", "503"].includes(status) ? { "retry-after": { $ref: "#/components/headers/RetryAfter" } } : {}
    },
    content: { "application/json": { schema: { $ref: "#/components/schemas/ErrorEnvelope" } } }
  }])
)

const documents: ReadonlySet<string> = new Set(["discovery.agentDocs", "discovery.openapi"])

/** Public endpoints that set a cookie: requests from a page of another origin are refused. */
const setsCookie: ReadonlySet<OwnCredential | undefined> = new Set(["password", "setup token"])

/** Whether an endpoint of this kind cannot answer with a status. */
const idle = (status: string, { access, checks, id, method }: EndpointFacts, hasBody: boolean): boolean =>
  status === "504" && !fetching.has(id) ||
  access === "public" && (status === "401" && checks === undefined || status === "403" && !setsCookie.has(checks)) ||
  !hasBody && ["413", "415"].includes(status) ||
  method === "GET" && status === "409"

const parameterOf = (facts: EndpointFacts) => ({ name, in: place, schema, ...rest }: Json): Json => {
  const meant = place === "query" ? facts.query?.[name as string] : undefined
  const decoded = meant !== undefined && ["integer", "number", "boolean"].includes(meant["type"] as string)
    ? meant
    : schema as Json
  const limit = place === "query" && name === "limit" ? { default: pageLimitDefault } : {}
  const description = decoded["description"] ?? (name === "cursor" ? "`next_cursor` of the page before" : undefined)
  return {
    name,
    in: place,
    ...rest,
    schema: { ...decoded, ...limit },
    ...description === undefined ? {} : { description }
  }
}

const operationOf = (facts: EndpointFacts, operation: Json): Json => {
  const ref = (name: keyof typeof parameters) => ({ $ref: `#/components/parameters/${name}` })
  const header = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` })
  const dispatch = facts.id === "service_requests.dispatch"
  const given = operation["responses"] as Record<string, Json>
  const responses: Record<string, Json> = {}
  for (const [status, response] of Object.entries(given)) {
    const error = errorStatuses[status]
    if (error !== undefined) {
      if (!idle(status, facts, operation["requestBody"] !== undefined)) {
        responses[status] = { $ref: `#/components/responses/${error[0]}` }
      }
      continue
    }
    responses[status] = {
      ...response,
      headers: {
        "x-request-id": header("RequestId"),
        ...facts.access === "public"
          ? {}
          : { "ratelimit": header("RateLimit"), "ratelimit-policy": header("RateLimitPolicy") },
        ...status === "201" ? { location: header("Location") } : {},
        ...idempotentOperations.has(facts.id) ? { "idempotent-replayed": header("Replayed") } : {},
        ...documents.has(facts.id) ? { etag: header("ETag") } : {}
      }
    }
  }
  if (documents.has(facts.id)) {
    responses["304"] = { description: "Not modified: the client's copy is current.", headers: { etag: header("ETag") } }
  }
  const permission = facts.permission === undefined
    ? []
    : [`Needs the permission \`${facts.permission}\`${facts.access === "any" ? " (an agent key needs none)" : ""}.`]
  const summary = operationSummaries[facts.id]
  const description = [facts.description ?? `${summary}.`, ...permission].join("\n\n")
  return {
    ...operation,
    summary,
    description,
    parameters: [
      ...(operation["parameters"] as ReadonlyArray<Json>).map(parameterOf(facts)),
      ...idempotentOperations.has(facts.id) ? [ref("IdempotencyKey")] : [],
      ...dispatch ? [ref("TestOutcome"), ref("DelegatedTask")] : [],
      ...facts.access === "public" ? [] : [ref("Workspace")],
      ...facts.id === "events.stream" || facts.id === "delegated_tasks.events" ||
          facts.id === "workflow_runs.events"
        ? [ref("LastEventId")]
        : [],
      ...documents.has(facts.id) ? [ref("IfNoneMatch")] : [],
      ref("RequestId")
    ],
    security: facts.checks === undefined
      ? security[facts.access].filter((scheme) => !(facts.refusesTokens === true && "personalToken" in scheme))
      : securityOfOwn[facts.checks],
    responses,
    ...facts.permission === undefined ? {} : { "x-permission": facts.permission }
  }
}

/** The `^req_[\s\S]*?$` that the generator adds beside the exact pattern. */
const looseIdPattern = /^\^[a-z]+_\[\\s\\S\]\*\?\$$/

/**
 * Gives ids one pattern instead of two, and unwraps a choice of one. Arrays and objects of anything get an explicit
 * schema: some client generators refuse an array without `items`, others take an object without properties for one that
 * is always empty.
 */
const tidy = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== "object" || value === null) return value
  const { anyOf, ...others } = value as { readonly anyOf?: ReadonlyArray<Json> } & Json
  if (anyOf?.length === 1) return tidy({ ...anyOf[0], ...others })
  if (others["type"] === "array" && !("items" in others || "prefixItems" in others)) {
    return tidy({ ...others, items: {} })
  }
  if (
    others["type"] === "object" &&
    !["properties", "additionalProperties", "patternProperties"].some((key) => key in others)
  ) {
    return tidy({ ...others, additionalProperties: true })
  }
  const { allOf, pattern, ...rest } = value as
    & { readonly allOf?: ReadonlyArray<Json>; readonly pattern?: unknown }
    & Json
  const [only] = allOf ?? []
  if (allOf?.length === 1 && only !== undefined && typeof pattern === "string" && looseIdPattern.test(pattern)) {
    return tidy({ ...rest, ...only })
  }
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, tidy(each)]))
}

/** Names of schemas with a direct or indirect reference. */
const referred = (schemas: Readonly<Record<string, unknown>>, from: unknown): ReadonlySet<string> => {
  const names = new Set<string>()
  const walk = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
      if (name === undefined || names.has(name)) continue
      names.add(name)
      walk(schemas[name] ?? {})
    }
  }
  walk(from)
  return names
}

const introduction =
  "Agents perform paid actions through `POST /api/v1/service-requests`; people manage agents, limits, and approvals with the other endpoints.\n\n" +
  "Money is integer cents, in fields that end in `_cents`. Times are RFC 3339 UTC with milliseconds. " +
  "Lists return `{ data, next_cursor, as_of }`: `cursor=<next_cursor>` requests the next page, " +
  "and `/events` continues from `as_of`. " +
  "Unknown fields and query parameters are 400. A body has at most 1 MiB of JSON, 64 levels deep; an import of an OpenAPI document has at most 96 MiB. " +
  "Every error is `{ \"error\": { code, message, request_id, details?, data? } }`; more codes and outcomes can be added. " +
  "`blocked`, `approval_required`, and `failed` are outcomes, not errors: their status is 200."

/** The complete document of a contract. */
export const openApiOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): Json => {
  const generated = OpenApi.fromApi(api) as unknown as {
    readonly paths: Record<string, Record<string, Json>>
    readonly components: { readonly schemas: Record<string, unknown> }
    readonly tags: ReadonlyArray<{ readonly name: string }>
    readonly openapi: string
  }
  const paths: Record<string, Record<string, Json>> = {}
  for (const facts of endpointsOf(api)) {
    const path = facts.path.replace(/:([A-Za-z]\w*)/g, "{$1}")
    const method = facts.method.toLowerCase()
    const operation = generated.paths[path]?.[method]
    if (operation !== undefined) (paths[path] ??= {})[method] = operationOf(facts, operation)
  }
  const schemas: Record<string, unknown> = {
    ...generated.components.schemas,
    ErrorEnvelope: {
      type: "object",
      properties: { error: { $ref: "#/components/schemas/Error" } },
      required: ["error"],
      additionalProperties: false
    }
  }
  const kept = referred(schemas, { paths, responses })
  return tidy({
    openapi: generated.openapi,
    info: {
      title: "Countersign",
      version: apiVersion,
      description: introduction,
      license: { name: "Apache-2.0", identifier: "Apache-2.0" }
    },
    servers: [{ url: "/" }],
    tags: generated.tags.map((tag) => ({ ...tag, description: groupDescriptions[tag.name] })),
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(schemas).filter(([name]) => kept.has(name)).sort(([a], [b]) => a < b ? -1 : 1)
      ),
      responses,
      parameters,
      headers,
      securitySchemes
    }
  }) as Json
}
