/**
 * A developer's mistakes in the first hours, and the text of the answer that helps. Each message must be enough for a
 * reader without knowledge of the product: it says what to change.
 */
import { newId } from "@countersign/domain/ids"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import {
  type Call,
  expectStatus,
  HubTest,
  makeAgent,
  makeService,
  makeToken,
  TestHub,
  topUp
} from "../../support/hub.ts"

const operation = (more: object = {}) => ({
  name: "send",
  method: "POST",
  path: "/messages",
  price: { type: "fixed", cents: 5 },
  payload_schema: {
    type: "object",
    required: ["to"],
    additionalProperties: false,
    properties: { to: { type: "string" }, count: { type: "integer" } }
  },
  ...more
})
const service = (more: object = {}) => ({
  name: "mine",
  kind: "http",
  base_url: "https://texts.example",
  operations: [operation()],
  ...more
})
const withOperation = (more: object) => service({ operations: [operation(more)] })
const polling = { mode: "poll", ref: "/id", status: "/state", executed: ["done"], failed: ["bad"] }
const say = { service: "echo", operation: "say", payload: {} }

class Office extends Context.Service<Office, {
  readonly agent: string
  readonly key: string
  readonly testKey: string
  readonly deadKey: string
  readonly cookie: string
  readonly pat: string
  /** Of a request that was executed with the idempotency key `taken`. */
  readonly request: string
}>()("test/hub/edge/Office") {}

const OfficeTest = Layer.effect(
  Office,
  Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const { cookie } = owner
    yield* topUp(hub, owner, 1_000)
    yield* makeService(hub, owner, {
      ...service({ name: "texts", base_url: "http://127.0.0.1:9" }),
      operations: [operation(), operation({ name: "bulk", price: { type: "quoted", ceiling: "payload.count * 3" } })]
    })
    yield* makeService(hub, owner, service({ name: "letters" }))
    const agent = yield* makeAgent(hub, owner, {
      bindings: [{ service: "echo", operations: ["*"] }, { service: "texts", operations: ["*"] }]
    })
    const test = yield* makeAgent(hub, owner, { mode: "test" })
    const rotated = yield* makeAgent(hub, owner)
    expectStatus(yield* api("PATCH", `/agents/${rotated.id}/key`, { cookie, body: {} }), 200)
    const done = expectStatus(
      yield* api("POST", "/service-requests", { key: agent.key, body: say, headers: { "idempotency-key": "taken" } }),
      200
    )
    return {
      agent: agent.id,
      key: agent.key,
      testKey: test.key,
      deadKey: rotated.key,
      cookie,
      pat: yield* makeToken(hub, owner, ["agents:read"]),
      request: done.body.id
    }
  })
)

type World = Office["Service"]
type Row = readonly [
  mistake: string,
  status: number,
  code: string,
  words: ReadonlyArray<string>,
  request: (world: World) => readonly [method: string, path: string, call?: Call]
]

const requests = "/service-requests"
const asAgent = (body: unknown, headers: Record<string, string> = {}) => ({ key }: World) =>
  ["POST", requests, { key, body, headers }] as const
const asPerson = (path: string, body: unknown) => ({ cookie }: World) => ["POST", path, { cookie, body }] as const
const withHeaders = (headers: (key: string) => Record<string, string>) => ({ key }: World) =>
  ["POST", requests, { body: say, headers: headers(key) }] as const
const binding = (more: object) => ({ agent, cookie }: World) =>
  ["POST", `/agents/${agent}/services`, { cookie, body: { service: "texts", operations: ["*"], ...more } }] as const
const token = (more: object) => asPerson("/tokens", { name: "ci", scopes: ["agents:read"], ...more })

const rows: ReadonlyArray<Row> = [
  // Credentials.
  [
    "no credential",
    401,
    "unauthorized",
    ["No credential was sent", "Authorization: Bearer agent_key_live_…"],
    withHeaders(() => ({}))
  ],
  ["a key in x-api-key", 401, "unauthorized", [
    "An agent key in the header x-api-key is ignored",
    "Authorization: Bearer"
  ], withHeaders((key) => ({ "x-api-key": key }))],
  ["a key in the query", 401, "unauthorized", [
    "An agent key in the query is ignored",
    "revoke it",
    "Authorization: Bearer"
  ], ({ key }) => ["POST", `${requests}?api_key=${key}`, { body: say }]],
  [
    "a key without Bearer",
    401,
    "unauthorized",
    ["an agent key without the word Bearer"],
    withHeaders((key) => ({ authorization: key }))
  ],
  [
    "a key as Basic",
    401,
    "unauthorized",
    ["the scheme Basic", "supports only Bearer"],
    withHeaders((key) => ({ authorization: `Basic ${key}` }))
  ],
  [
    "a key in quotes",
    401,
    "unauthorized",
    ["has quotes", "Send it plain"],
    withHeaders((key) => ({ authorization: `Bearer "${key}"` }))
  ],
  [
    "an unset variable as the key",
    401,
    "unauthorized",
    ["placeholder", "variable that holds it is not set"],
    withHeaders(() => ({ authorization: "Bearer undefined" }))
  ],
  [
    "an empty key",
    401,
    "unauthorized",
    ["no credential after Bearer"],
    withHeaders(() => ({ authorization: "Bearer " }))
  ],
  [
    "a key cut short",
    401,
    "unauthorized",
    ["mistyped", "Copy the whole value again"],
    withHeaders((key) => ({ authorization: `Bearer ${key.slice(0, -1)}` }))
  ],
  [
    "a key that was rotated",
    401,
    "unauthorized",
    ["rotated", "current key"],
    ({ deadKey }) => ["POST", requests, { key: deadKey, body: say }]
  ],
  ["a personal token where an agent key belongs", 401, "unauthorized", [
    "A personal access token is not accepted here",
    "requires an agent key"
  ], ({ pat }) => ["POST", requests, { pat, body: say }]],
  ["an agent key where a person belongs", 401, "unauthorized", [
    "An agent key is not accepted here",
    "personal access token"
  ], ({ key }) => ["POST", "/agents", { key, body: { name: "a" } }]],
  [
    "a personal token where a session belongs",
    403,
    "session_required",
    ["requires a signed-in session"],
    ({ agent, pat }) => ["PATCH", `/agents/${agent}`, { pat, body: {} }]
  ],
  [
    "a token without the scope",
    403,
    "forbidden",
    ["agents:write"],
    ({ pat }) => ["POST", "/agents", { pat, body: { name: "a" } }]
  ],
  // Addresses.
  [
    "PUT instead of POST",
    405,
    "method_not_allowed",
    ["does not support PUT", "It supports GET, POST"],
    ({ key }) => ["PUT", requests, { key, body: say }]
  ],
  [
    "GET of an action",
    405,
    "method_not_allowed",
    ["does not support GET", "It supports POST"],
    ({ key, request }) => ["GET", `${requests}/${request}/cancel`, { key }]
  ],
  [
    "an address that does not exist",
    404,
    "not_found",
    ["/api/v1", "agent-docs"],
    ({ key }) => ["POST", "/requests", { key, body: say }]
  ],
  [
    "an id of another kind",
    404,
    "not_found",
    ["No such service request"],
    ({ agent, key }) => ["GET", `${requests}/${agent}`, { key }]
  ],
  [
    "page instead of cursor",
    400,
    "invalid_request",
    ["page: unknown query parameter", "cursor"],
    ({ key }) => ["GET", `${requests}?page=2`, { key }]
  ],
  [
    "a number twice",
    400,
    "invalid_request",
    ["limit: given more than once; send it once"],
    ({ key }) => ["GET", `${requests}?limit=5&limit=6`, { key }]
  ],
  [
    "a text twice",
    400,
    "invalid_request",
    ["q: given more than once; send it once"],
    ({ key }) => ["GET", `${requests}?q=a&q=b`, { key }]
  ],
  [
    "an order twice",
    400,
    "invalid_request",
    ["sort: given more than once; send it once"],
    ({ cookie }) => ["GET", "/agents?sort=name&sort=name", { cookie }]
  ],
  ...["1e2", "0x10", "%2B5", "+5", "05", "5.0", ""].map((
    limit
  ): Row => [
    `a limit written as ${limit}`,
    400,
    "invalid_request",
    ["limit", "an integer in decimal digits"],
    ({ key }) => ["GET", `${requests}?limit=${limit}`, { key }]
  ]),
  [
    "a wait with a fraction",
    400,
    "invalid_request",
    ["wait", "an integer in decimal digits"],
    ({ key, request }) => ["GET", `${requests}/${request}?wait=1.5`, { key }]
  ],
  [
    "an invisible name",
    400,
    "invalid_request",
    ["name", "without invisible characters"],
    asPerson("/agents", { name: "\u200b" })
  ],
  [
    "a view with an invisible name",
    400,
    "invalid_request",
    ["name", "without invisible characters"],
    asPerson("/views", { screen: "agents", name: "\u200b", query: "" })
  ],
  [
    "a limit of 1000",
    400,
    "invalid_request",
    ["limit", "from 1 to 200"],
    ({ key }) => ["GET", `${requests}?limit=1000`, { key }]
  ],
  [
    "a day in words",
    400,
    "invalid_request",
    ["from", "2026-11-21T09:00:00Z"],
    ({ key }) => ["GET", `${requests}?from=yesterday`, { key }]
  ],
  // The body of a request.
  [
    "a form",
    415,
    "unsupported_media_type",
    ["application/json"],
    (
      { key }
    ) => ["POST", requests, {
      key,
      body: "service=echo",
      headers: { "content-type": "application/x-www-form-urlencoded" }
    }]
  ],
  [
    "an extra comma",
    400,
    "invalid_request",
    ["not valid JSON", "at character 18"],
    asAgent("{\"service\":\"echo\",}")
  ],
  ["no body", 400, "invalid_request", ["service, operation, and payload"], asAgent(undefined)],
  ["a list", 400, "invalid_request", ["must be a JSON object"], asAgent([say])],
  [
    "service and operation in one",
    400,
    "invalid_request",
    ["the service is echo and the operation say"],
    asAgent({ service: "echo.say", payload: {} })
  ],
  [
    "params instead of payload",
    400,
    "invalid_request",
    ["payload: required"],
    asAgent({ service: "echo", operation: "say", params: {} })
  ],
  [
    "a payload encoded twice",
    400,
    "invalid_request",
    ["payload: expected an object, not a string", "not its text"],
    asAgent({ ...say, payload: "{\"a\":1}" })
  ],
  [
    "the idempotency key in the body",
    400,
    "invalid_request",
    ["send it as the header idempotency-key"],
    asAgent({ ...say, idempotency_key: "k" })
  ],
  [
    "an id beyond 2^53 as a number",
    400,
    "invalid_request",
    ["payload.id", "Send larger numbers as strings"],
    asAgent("{\"service\":\"echo\",\"operation\":\"say\",\"payload\":{\"id\":12345678901234567890}}")
  ],
  [
    "a payload that lacks a field",
    400,
    "invalid_request",
    ["texts.send", "payload.to: This is required"],
    asAgent({ service: "texts", operation: "send", payload: { count: 1 } })
  ],
  ["a payload whose price cannot be calculated", 400, "invalid_request", [
    "The price of texts.bulk",
    "No such key: count",
    "line 1, column 9",
    "payload.count * 3"
  ], asAgent({ service: "texts", operation: "bulk", payload: { to: "a" } })],
  [
    "a misspelled operation",
    200,
    "policy_violation",
    ["There is no operation texts.sent", "Did you mean texts.send?"],
    asAgent({ service: "texts", operation: "sent", payload: { to: "a" } })
  ],
  ["an operation without a binding", 200, "policy_violation", [
    "not connected to letters.send",
    "A person can change that"
  ], asAgent({ service: "letters", operation: "send", payload: { to: "a" } })],
  [
    "a provider on this machine",
    200,
    "adapter_error",
    ["its address is loopback", "HUB_EGRESS_ALLOW"],
    asAgent({ service: "texts", operation: "send", payload: { to: "a" } })
  ],
  [
    "an idempotency key with another payload",
    409,
    "idempotency_conflict",
    ["Use a new key"],
    asAgent({ ...say, payload: { a: 1 } }, { "idempotency-key": "taken" })
  ],
  [
    "a scripted outcome with a live key",
    400,
    "invalid_request",
    ["x-test-outcome", "only with a test key"],
    asAgent(say, { "x-test-outcome": "failure" })
  ],
  [
    "an outcome that cannot be scripted",
    400,
    "invalid_request",
    ["approval, failure, running, blocked"],
    ({ testKey }) => ["POST", requests, { key: testKey, body: say, headers: { "x-test-outcome": "failed" } }]
  ],
  [
    "a cancellation of a finished request",
    409,
    "not_cancellable",
    ["is executed"],
    ({ key, request }) => ["POST", `${requests}/${request}/cancel`, { key }]
  ],
  // Money.
  [
    "an amount in dollars",
    400,
    "invalid_request",
    ["did you mean amount_cents?"],
    asPerson("/balance/top-up", { amount: 10 })
  ],
  [
    "fractions of a cent",
    400,
    "invalid_request",
    ["amount_cents", "a whole number of cents, such as 1250 for $12.50"],
    asPerson("/balance/top-up", { amount_cents: 12.5 })
  ],
  [
    "a cap as text",
    400,
    "invalid_request",
    ["monthly_cap_cents", "a whole number of cents", "not a string"],
    binding({ monthly_cap_cents: "5.00" })
  ],
  [
    "operations as text",
    400,
    "invalid_request",
    ["operations", "expected an array, not a string"],
    binding({ operations: "*" })
  ],
  ["an operation that the service does not have", 400, "invalid_request", [
    "no operation \"sends\"",
    "Did you mean \"send\"?"
  ], binding({ operations: ["sends"] })],
  // Declaring a service.
  [
    "a price as a number",
    400,
    "invalid_request",
    ["operations.0.price", "\"type\": \"fixed\" or \"quoted\""],
    asPerson("/services", withOperation({ price: 5 }))
  ],
  ["a misspelled variable in a price", 400, "invalid_request", [
    "operations.0.price.ceiling",
    "did you mean payload?",
    "line 1, column 1",
    "pyload.count * 3"
  ], asPerson("/services", withOperation({ price: { type: "quoted", ceiling: "pyload.count * 3" } }))],
  [
    "an unfinished price",
    400,
    "invalid_request",
    ["ends too early", "line 1, column 17"],
    asPerson("/services", withOperation({ price: { type: "quoted", ceiling: "payload.count * " } }))
  ],
  [
    "another language's function in a price",
    400,
    "invalid_request",
    ["no function len; did you mean size?"],
    asPerson("/services", withOperation({ price: { type: "quoted", ceiling: "len(payload.to)" } }))
  ],
  [
    "a template without payload",
    400,
    "invalid_request",
    ["operations.0.path", "Did you mean ${payload.to}?"],
    asPerson("/services", withOperation({ path: "/to/${to}" }))
  ],
  [
    "a template of another language",
    400,
    "invalid_request",
    ["written ${payload.to}, not {{to}}"],
    asPerson("/services", withOperation({ path: "/to/{{to}}" }))
  ],
  [
    "a JSONPath instead of a pointer",
    400,
    "invalid_request",
    ["operations.0.result", "Did you mean \"/data/id\"?"],
    asPerson("/services", withOperation({ result: "$.data.id" }))
  ],
  [
    "a whole URL as the path",
    400,
    "invalid_request",
    ["begins with \"/\"", "base_url"],
    asPerson("/services", withOperation({ path: "https://texts.example/messages" }))
  ],
  [
    "a base URL without a scheme",
    400,
    "invalid_request",
    ["base_url", "https://"],
    asPerson("/services", service({ base_url: "texts.example" }))
  ],
  [
    "a credential in the declaration",
    400,
    "invalid_request",
    ["auth.secret", "a secret's name, not its value"],
    asPerson("/services", service({ auth: { type: "bearer", secret: "sk_live_ABC" } }))
  ],
  [
    "a method in lower case",
    400,
    "invalid_request",
    ["did you mean \"POST\"?"],
    asPerson("/services", withOperation({ method: "post" }))
  ],
  [
    "a poll without an address",
    400,
    "invalid_request",
    ["operations.0.async.path", "/jobs/${ref}"],
    asPerson("/services", withOperation({ async: polling }))
  ],
  [
    "a poll every five seconds, in seconds",
    400,
    "invalid_request",
    ["interval_ms", "from 1000 to"],
    asPerson("/services", withOperation({ async: { ...polling, path: "/jobs/${ref}", interval_ms: 5 } }))
  ],
  [
    "a schema of an unknown type",
    400,
    "invalid_request",
    ["payload_schema.type", "object"],
    asPerson("/services", withOperation({ payload_schema: { type: "dict" } }))
  ],
  [
    "the name of a shipped service",
    409,
    "conflict",
    ["\"echo\" is already used", "choose another"],
    asPerson("/services", service({ name: "echo" }))
  ],
  // Rules and tokens.
  [
    "one = in a rule",
    400,
    "invalid_request",
    ["Use == to compare", "line 1, column 9"],
    asPerson("/policies", { name: "p", when: "service = 'echo'", then: "block" })
  ],
  [
    "a rule about an unknown name",
    400,
    "invalid_request",
    ["Unknown variable: amount", "ceiling_cents"],
    asPerson("/policies", { name: "p", when: "amount > 5", then: "block" })
  ],
  [
    "an expiry in words",
    400,
    "invalid_request",
    ["expires_at", "2027-01-31T09:00:00Z"],
    token({ expires_at: "in 30 days" })
  ],
  [
    "an expiry as a Unix time",
    400,
    "invalid_request",
    ["expires_at", "2027-01-31T09:00:00Z", "not a number"],
    token({ expires_at: 1_893_456_000 })
  ],
  [
    "a misspelled scope",
    400,
    "invalid_request",
    ["scopes.0", "did you mean \"agents:read\"?"],
    token({ scopes: ["agent:read"] })
  ]
]

const internal =
  /RegExp|template literal|Missing key|excess property|\bundefined\b|Schema\b|<filter>|decoded as|\[object|stack|node_modules/u

layer(Layer.provideMerge(OfficeTest, HubTest()), { excludeTestServices: true })("a developer's mistake", (it) => {
  for (const [mistake, status, code, words, request] of rows) {
    it.effect(mistake, () =>
      Effect.gen(function*() {
        const { api } = yield* TestHub
        const answer = yield* api(...request(yield* Office))
        const { block, error, reason_code, result } = answer.body
        const text = String(error?.message ?? block?.message ?? result?.detail)
        assert.deepStrictEqual([answer.status, error?.code ?? reason_code ?? result?.code], [status, code], text)
        for (const word of words) assert.include(text, word)
        assert.notMatch(text, internal)
        if (status === 405) assert.deepStrictEqual(error.data.methods.join(", "), answer.headers.get("allow"))
      }))
  }

  it.effect("with a misplaced key at agent-docs is not treated as a missing key", () =>
    Effect.gen(function*() {
      const { api } = yield* TestHub
      const { key } = yield* Office
      for (const headers of [{ "x-api-key": key }, { authorization: key }]) {
        const { error } = expectStatus(yield* api("GET", "/agent-docs", { headers }), 401).body
        assert.include(error.message, "Authorization: Bearer")
      }
    }))

  it.effect("is refused without repeating the credential", () =>
    Effect.gen(function*() {
      const { api } = yield* TestHub
      const { key } = yield* Office
      const secret = key.slice("agent_key_live_".length)
      for (
        const call of [{ headers: { "x-api-key": key } }, { headers: { authorization: `Token ${key}` } }, {
          headers: { authorization: `Bearer '${key}'` }
        }]
      ) {
        assert.notInclude(expectStatus(yield* api("GET", `/service-requests/${newId("req")}`, call), 401).text, secret)
      }
    }))
})
