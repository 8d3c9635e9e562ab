/** Agents, bindings, budgets, services, secrets, and rules through the hub's HTTP server, with dispatch. */
import { FirstOwner } from "@countersign/hub/auth/first-owner"
import { parseConfig, Settings } from "@countersign/hub/config"
import { HubLive, ServicesLive } from "@countersign/hub/hub"
import { Database } from "@countersign/hub/platform/db"
import { beginServing } from "@countersign/hub/platform/readiness"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { randomBytes } from "node:crypto"
import { freshDatabase } from "../../support/pg.ts"

const password = "correct horse battery"

const Hub = Layer.effectDiscard(beginServing).pipe(
  Layer.provideMerge(HubLive),
  Layer.provideMerge(ServicesLive),
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(
        freshDatabase,
        (target) => Layer.succeed(Database, { target, embedded: false, announceDraining: Effect.void })
      )
    )
  ),
  Layer.provideMerge(Settings.layerOf(parseConfig(
    {
      HUB_PORT: "0",
      HUB_MASTER_KEY: randomBytes(32).toString("base64"),
      HUB_RATE_LIMIT_USER: "off",
      HUB_RATE_LIMIT_AGENT: "off",
      HUB_RATE_LIMIT_LOGIN: "off"
    },
    { projectDir: "/tmp", terminal: false }
  ))),
  Layer.orDie
)

interface Answer {
  readonly status: number
  readonly headers: Headers
  // eslint-disable-next-line typescript/no-explicit-any
  readonly body: any
}
type Credential = Readonly<Record<string, string>>

const call = (credential: Credential, method: string, path: string, body?: unknown) =>
  Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Effect.promise(async (): Promise<Answer> => {
      const port = address._tag === "UnixPathAddress" ? 0 : address.port
      const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...credential },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
    }))

const bearer = (token: string): Credential => ({ authorization: `Bearer ${token}` })

/** The owner of the hub, signed in. */
const owner = Effect.gen(function*() {
  const owners = yield* FirstOwner
  yield* owners.ensureOwner("ada@countersign.test", password)
  const answer = yield* call({}, "POST", "/auth/login", { email: "ada@countersign.test", password })
  assert.strictEqual(answer.status, 200)
  return { cookie: answer.headers.getSetCookie()[0]!.split(";")[0]! } satisfies Credential
})
const tokenOf = Effect.fnUntraced(function*(session: Credential, scopes: ReadonlyArray<string>) {
  const answer = yield* call(session, "POST", "/tokens", { name: "test", scopes })
  assert.strictEqual(answer.status, 201)
  return bearer(answer.body.token)
})
const newAgent = Effect.fnUntraced(function*(session: Credential, input: object = {}) {
  const answer = yield* call(session, "POST", "/agents", { name: "Scout", ...input })
  assert.strictEqual(answer.status, 201, JSON.stringify(answer.body))
  return { id: answer.body.id as string, key: bearer(answer.body.api_key as string), path: `/agents/${answer.body.id}` }
})
const say = (key: Credential, text = "hi") =>
  call(key, "POST", "/service-requests", { service: "echo", operation: "say", payload: { text } })
const statusAndCode = ({ body, status }: Answer) => [status, body?.error?.code]

layer(Hub, { excludeTestServices: true })("agents over HTTP", (it) => {
  it.effect("creation answers 201 with Location and the key; validation errors name the path", () =>
    Effect.gen(function*() {
      const session = yield* owner
      const answer = yield* call(session, "POST", "/agents", { name: "Scout", monthly_budget_cents: 500, mode: "test" })
      assert.strictEqual(answer.status, 201)
      assert.strictEqual(answer.headers.get("location"), `/api/v1/agents/${answer.body.id}`)
      assert.match(answer.body.api_key, /^agent_key_test_[0-9A-Za-z]{49}$/)
      const { api_key: _, ...agent } = answer.body
      const read = yield* call(session, "GET", `/agents/${agent.id}`)
      assert.deepStrictEqual([read.status, read.body], [200, agent])
      const wrong = yield* call(session, "POST", "/agents", { name: " ", monthly_budget_cents: -1, kind: "chat" })
      assert.deepStrictEqual(statusAndCode(wrong), [400, "invalid_request"])
      assert.sameMembers([...new Set(wrong.body.error.details.map(({ path }: { path: string }) => path))], [
        "name",
        "monthly_budget_cents",
        "kind"
      ])
      assert.deepStrictEqual(statusAndCode(yield* call(session, "GET", "/agents?stauts=active")), [
        400,
        "invalid_request"
      ])
      assert.deepStrictEqual(statusAndCode(yield* call({}, "GET", "/agents")), [401, "unauthorized"])
    }))

  it.effect("a token manages agents within its scopes; updating and deleting one needs a session", () =>
    Effect.gen(function*() {
      const session = yield* owner
      const { id, path } = yield* newAgent(session)
      const token = yield* tokenOf(session, ["agents:read", "agents:write"])
      assert.strictEqual((yield* call(token, "GET", path)).status, 200)
      assert.deepStrictEqual(statusAndCode(yield* call(token, "PATCH", path, { name: "x" })), [403, "session_required"])
      assert.deepStrictEqual(statusAndCode(yield* call(token, "DELETE", path)), [403, "session_required"])
      const refusals = [
        yield* call(token, "PATCH", `${path}/key`, {}),
        yield* call(token, "PATCH", `${path}/budget`, { monthly_budget_cents: 1 }),
        yield* call(token, "POST", "/agents", { name: "x", monthly_budget_cents: 1 }),
        yield* call(token, "POST", `${path}/services`, { service: "echo", operations: ["*"], daily_request_limit: 1 }),
        yield* call(token, "POST", "/services", {}),
        yield* call(token, "GET", "/secrets"),
        yield* call(token, "GET", "/policies")
      ]
      assert.deepStrictEqual(refusals.map(({ body, status }) => [status, body.error.data.permission]), [
        [403, "agents:keys"],
        [403, "budgets:write"],
        [403, "budgets:write"],
        [403, "budgets:write"],
        [403, "catalog:write"],
        [403, "catalog:write"],
        [403, "workspace:write"]
      ])
      const changed = yield* call(session, "PATCH", path, {
        name: "Renamed",
        status: "paused",
        voiceConfig: { pitch: 1 }
      })
      assert.deepStrictEqual([changed.status, changed.body.name, changed.body.status, changed.body.voiceConfig], [
        200,
        "Renamed",
        "paused",
        { pitch: 1 }
      ])
      assert.deepStrictEqual(statusAndCode(yield* call(session, "PATCH", path, { monthly_budget_cents: 1 })), [
        400,
        "invalid_request"
      ])
      const fleet = yield* call(token, "GET", "/agents/fleet-health")
      assert.isTrue(
        fleet.body.data.some((health: { agent_id: string; status: string }) =>
          health.agent_id === id && health.status === "paused"
        )
      )
      assert.strictEqual((yield* call(session, "DELETE", path)).status, 204)
      assert.deepStrictEqual(statusAndCode(yield* call(session, "GET", path)), [404, "not_found"])
    }))

  it.effect("an agent reads itself, its callable operations, and its usage", () =>
    Effect.gen(function*() {
      const session = yield* owner
      const agent = yield* newAgent(session)
      const other = yield* newAgent(session)
      yield* call(session, "POST", "/balance/top-up", { amount_cents: 1_000 })
      const bound = yield* call(session, "POST", `${agent.path}/services`, {
        service: "echo",
        operations: ["say"],
        daily_request_limit: 2
      })
      assert.deepStrictEqual([bound.status, bound.headers.get("location")], [201, `/api/v1${agent.path}/services/echo`])
      assert.strictEqual(
        (yield* call(session, "POST", `${agent.path}/services`, {
          service: "echo",
          operations: ["*"],
          daily_request_limit: 2
        }))
          .status,
        200
      )
      assert.strictEqual((yield* call(agent.key, "GET", agent.path)).body.id, agent.id)
      const foreign = yield* call(agent.key, "GET", other.path)
      const missing = yield* call(agent.key, "GET", `/agents/agt_${"0".repeat(26)}`)
      assert.deepStrictEqual([statusAndCode(foreign), foreign.body.error.message], [
        [404, "not_found"],
        missing.body.error.message
      ])
      assert.strictEqual((yield* say(agent.key)).body.status, "executed")
      const services = yield* call(agent.key, "GET", "/services")
      assert.deepStrictEqual(
        services.body.data.map(({ name, remaining }: { name: string; remaining: object }) => [name, remaining]),
        [
          ["echo", { say: { daily_request_limit: 2, spent_this_month_cents: 1, held_cents: 0, used_today: 1 } }]
        ]
      )
      assert.deepStrictEqual(statusAndCode(yield* call(agent.key, "GET", "/services/email")), [404, "not_found"])
      const budget = yield* call(agent.key, "GET", `${agent.path}/budget`)
      assert.deepStrictEqual(
        [budget.body.spent_cents, budget.body.monthly_budget_cents, budget.body.operations.length],
        [
          1,
          null,
          1
        ]
      )
      yield* say(agent.key)
      assert.deepStrictEqual([(yield* say(agent.key)).body.reason_code], ["daily_limit_exceeded"])
      assert.deepStrictEqual((yield* say(other.key)).body.reason_code, "policy_violation")
    }))

  it.effect("a cap, a pause, a freeze, a disabled binding, and a rotated key take effect with their response", () =>
    Effect.gen(function*() {
      const session = yield* owner
      const agent = yield* newAgent(session)
      yield* call(session, "POST", "/balance/top-up", { amount_cents: 1_000 })
      yield* call(session, "POST", `${agent.path}/services`, { service: "echo", operations: ["*"] })
      const outcome = Effect.map(say(agent.key), ({ body }) => body.reason_code ?? body.result?.code ?? body.status)
      assert.strictEqual(yield* outcome, "executed")
      assert.strictEqual(
        (yield* call(session, "PATCH", `${agent.path}/budget`, { monthly_budget_cents: 1 })).body.remaining_cents,
        0
      )
      assert.strictEqual(yield* outcome, "agent_budget_exceeded")
      yield* call(session, "PATCH", `${agent.path}/budget`, { monthly_budget_cents: null })
      assert.strictEqual(yield* outcome, "executed")
      yield* call(session, "PATCH", agent.path, { frozen: true })
      assert.strictEqual(yield* outcome, "spending_frozen")
      yield* call(session, "PATCH", agent.path, { frozen: false, status: "paused" })
      assert.strictEqual(yield* outcome, "agent_disabled")
      yield* call(session, "PATCH", agent.path, { status: "active" })
      assert.strictEqual((yield* call(session, "DELETE", `${agent.path}/services/echo`)).status, 204)
      assert.strictEqual(yield* outcome, "policy_violation")
      yield* call(session, "POST", `${agent.path}/services`, { service: "echo", operations: ["*"] })
      yield* call(session, "PATCH", "/services/echo", { enabled: false })
      assert.strictEqual(yield* outcome, "policy_violation")
      yield* call(session, "PATCH", "/services/echo", { enabled: true, price: { type: "fixed", cents: 7 } })
      assert.strictEqual((yield* say(agent.key)).body.cost_cents, 7)
      yield* call(session, "PATCH", "/services/echo", { price: null })
      const rotated = yield* call(session, "PATCH", `${agent.path}/key`, {})
      assert.strictEqual(rotated.status, 200)
      assert.deepStrictEqual(statusAndCode(yield* say(agent.key)), [401, "unauthorized"])
      assert.strictEqual((yield* say(bearer(rotated.body.api_key))).body.status, "executed")
    }))

  it.effect("rules decide in order of position, and take effect with their response", () =>
    Effect.gen(function*() {
      const session = yield* owner
      const agent = yield* newAgent(session)
      yield* call(session, "POST", "/balance/top-up", { amount_cents: 1_000 })
      yield* call(session, "POST", `${agent.path}/services`, { service: "echo", operations: ["*"] })
      const rule = {
        name: "No secrets",
        when: `agent.id == '${agent.id}' && payload.text.contains('secret')`,
        then: "block"
      }
      const made = yield* call(session, "POST", "/policies", rule)
      assert.deepStrictEqual([made.status, made.headers.get("location"), made.body.position], [
        201,
        `/api/v1/policies/${made.body.id}`,
        1
      ])
      const blocked = yield* say(agent.key, "a secret")
      assert.deepStrictEqual([blocked.body.reason_code, blocked.body.block.policy_id], [
        "policy_violation",
        made.body.id
      ])
      assert.strictEqual((yield* say(agent.key, "open")).body.status, "executed")
      const replayed = yield* call(session, "POST", "/policies/test", {
        rule: { ...rule, when: "payload.text == 'open'" }
      })
      assert.deepStrictEqual([replayed.status, replayed.body.would_block], [200, 1])
      yield* call(session, "PATCH", `/policies/${made.body.id}`, { then: "require_approval", required_approvals: 2 })
      assert.strictEqual((yield* say(agent.key, "a secret")).body.status, "approval_required")
      assert.deepStrictEqual(
        statusAndCode(yield* call(session, "PATCH", `/policies/${made.body.id}`, { when: "payload." })),
        [
          400,
          "invalid_request"
        ]
      )
      // A rule that requires approval can be deleted only in a stepped-up session, also after it was changed to block.
      assert.strictEqual(
        (yield* call(session, "DELETE", `/policies/${made.body.id}`)).body.error.code,
        "step_up_required"
      )
      yield* call(session, "PATCH", `/policies/${made.body.id}`, { then: "block" })
      assert.strictEqual(
        (yield* call(session, "DELETE", `/policies/${made.body.id}`)).body.error.code,
        "step_up_required"
      )
      assert.strictEqual((yield* call(session, "POST", "/auth/step-up", { password })).status, 200)
      assert.strictEqual((yield* call(session, "DELETE", `/policies/${made.body.id}`)).status, 204)
      assert.strictEqual((yield* say(agent.key, "a secret")).body.status, "executed")
    }))

  it.effect("deleting an agent cancels its pending requests and ends its key", () =>
    Effect.gen(function*() {
      const session = yield* owner
      const agent = yield* newAgent(session)
      yield* call(session, "POST", `${agent.path}/services`, {
        service: "echo",
        operations: ["*"],
        approval_threshold_cents: 0
      })
      const waits = yield* say(agent.key)
      assert.strictEqual(waits.body.status, "approval_required")
      assert.strictEqual((yield* call(session, "DELETE", agent.path)).status, 204)
      const ended = yield* call(session, "GET", `/service-requests/${waits.body.id}`)
      assert.deepStrictEqual([ended.body.status, ended.body.reason_code], ["blocked", "approval_cancelled"])
      assert.deepStrictEqual(statusAndCode(yield* say(agent.key)), [401, "unauthorized"])
      assert.isTrue((yield* call(session, "GET", "/audit-logs/verify")).body.ok)
    }))

  it.effect("services and secrets can be declared, and no response contains a secret", () =>
    Effect.gen(function*() {
      const session = yield* owner
      const service = {
        name: "weather",
        kind: "http",
        base_url: "https://weather.example",
        auth: { type: "bearer", secret: "weather_key" },
        operations: [{
          name: "now",
          method: "GET",
          path: "/now",
          payload_schema: { type: "object" },
          price: { type: "fixed", cents: 1 }
        }]
      }
      const made = yield* call(session, "POST", "/services", service)
      assert.deepStrictEqual([made.status, made.headers.get("location"), made.body.missing_secrets], [
        201,
        "/api/v1/services/weather",
        ["weather_key"]
      ])
      assert.deepStrictEqual(statusAndCode(yield* call(session, "POST", "/services", service)), [409, "conflict"])
      assert.deepStrictEqual(statusAndCode(yield* call(session, "POST", "/services", { ...service, name: "echo" })), [
        409,
        "conflict"
      ])
      const wrong = yield* call(session, "POST", "/services", { ...service, name: "Bad", kind: "builtin", price: 1 })
      assert.deepStrictEqual(statusAndCode(wrong), [400, "invalid_request"])
      const put = yield* call(session, "PUT", "/secrets/weather_key", { value: "s3cret-value" })
      assert.deepStrictEqual([put.status, put.headers.get("location")], [201, "/api/v1/secrets/weather_key"])
      assert.strictEqual((yield* call(session, "PUT", "/secrets/weather_key", { value: "s3cret-value-2" })).status, 200)
      const answers = [
        put,
        yield* call(session, "GET", "/secrets"),
        yield* call(session, "GET", "/services/weather"),
        yield* call(session, "GET", "/audit-logs?limit=200")
      ]
      assert.isUndefined(answers[2]!.body.missing_secrets)
      assert.notInclude(JSON.stringify(answers.map(({ body }) => body)), "s3cret")
      assert.deepStrictEqual(statusAndCode(yield* call(session, "GET", "/secrets/weather_key")), [
        405,
        "method_not_allowed"
      ])
      assert.strictEqual((yield* call(session, "DELETE", "/secrets/weather_key")).status, 204)
      assert.strictEqual((yield* call(session, "DELETE", "/services/weather")).status, 204)
      assert.deepStrictEqual(statusAndCode(yield* call(session, "DELETE", "/services/weather")), [404, "not_found"])
      assert.deepStrictEqual(statusAndCode(yield* call(session, "DELETE", "/services/echo")), [409, "conflict"])
    }))
})
