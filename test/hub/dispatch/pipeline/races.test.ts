/** Racing requests: exactly as many pass as fit, and one key is executed once, in one hub and over two processes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectHealthy } from "../../../support/health.ts"
import { spawnHub } from "../../../support/hub-program.ts"
import { type Answer, type Api, HubTest, makeAgent, TestHub, topUp } from "../../../support/hub.ts"

const racers = 200
const fitting = 50

const say = (api: Api, key: string, idempotencyKey?: string) =>
  api("POST", "/service-requests", {
    key,
    body: { service: "echo", operation: "say", payload: { text: "hello" } },
    ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } })
  })

const outcomes = (answers: ReadonlyArray<Answer>) =>
  Object.fromEntries(
    Object.entries(
      Object.groupBy(
        answers,
        ({ body, status }) => (status === 200 ? (body.reason_code ?? body.status) : String(status))
      )
    ).map(([name, list]) => [name, list!.length])
  )

/** Alternates between the hubs. */
const race = (apis: ReadonlyArray<Api>, count: number, ask: (api: Api) => Effect.Effect<Answer>) =>
  Effect.forEach(Array.from({ length: count }), (_, at) => ask(apis[at % apis.length]!), { concurrency: "unbounded" })

const limits = [
  {
    name: "an operation's month",
    reason: "monthly_budget_exceeded",
    agent: { bindings: [{ service: "echo", operations: ["*"], monthly_cap_cents: fitting }] }
  },
  {
    name: "a day's count",
    reason: "daily_limit_exceeded",
    agent: { bindings: [{ service: "echo", operations: ["*"], daily_request_limit: fitting }] }
  },
  { name: "an agent's budget", reason: "agent_budget_exceeded", agent: { monthly_budget_cents: fitting } }
]

/** The same races for any hubs of the database. */
const races = (hubs: ReadonlyArray<Api>) =>
  Effect.gen(function*() {
    const { api, owner, target } = yield* TestHub
    yield* topUp({ api }, owner, fitting * (limits.length + 1) + 10)
    for (const { agent, name, reason } of limits) {
      const { key } = yield* makeAgent({ api }, owner, agent)
      assert.deepStrictEqual(
        outcomes(yield* race(hubs, racers, (hub) => say(hub, key))),
        { executed: fitting, [reason]: racers - fitting },
        name
      )
    }
    // The wallet, last: first all except this amount is spent.
    const { key } = yield* makeAgent({ api }, owner)
    const balance = (yield* api("GET", "/balance", { cookie: owner.cookie })).body
    yield* Effect.forEach(Array.from({ length: balance.available_cents - fitting }), () => say(api, key))
    assert.deepStrictEqual(outcomes(yield* race(hubs, racers, (hub) => say(hub, key))), {
      executed: fitting,
      insufficient_balance: racers - fitting
    })
    assert.strictEqual((yield* api("GET", "/balance", { cookie: owner.cookie })).body.available_cents, 0)
    yield* expectHealthy(target)
  })

const oneKey = (hubs: ReadonlyArray<Api>) =>
  Effect.gen(function*() {
    const { api, owner, target } = yield* TestHub
    yield* topUp({ api }, owner, 100)
    const { key } = yield* makeAgent({ api }, owner)
    const before = (yield* api("GET", "/balance", { cookie: owner.cookie })).body.available_cents
    const answers = yield* race(hubs, 100, (hub) => say(hub, key, "once"))
    assert.deepStrictEqual([...new Set(answers.map(({ text }) => text))], [answers[0]!.text])
    assert.deepStrictEqual(outcomes(answers), { executed: 100 })
    assert.strictEqual(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true").length, 99)
    assert.strictEqual((yield* api("GET", "/balance", { cookie: owner.cookie })).body.available_cents, before - 1)
    // A race with another payload: one call wins, calls with its payload replay it, the rest conflict.
    const mixed = yield* race(hubs, 60, (hub) =>
      hub("POST", "/service-requests", {
        key,
        body: { service: "echo", operation: "say", payload: { n: Math.floor(Math.random() * 2) } },
        headers: { "idempotency-key": "mixed" }
      }))
    const executed = mixed.filter(({ status }) => status === 200)
    assert.strictEqual(new Set(executed.map(({ text }) => text)).size, 1)
    assert.deepStrictEqual(
      [...new Set(mixed.filter(({ status }) => status !== 200).map(({ body }) => body.error.code))],
      ["idempotency_conflict"]
    )
    yield* expectHealthy(target)
  })

layer(HubTest(), { excludeTestServices: true })("racing requests at one hub", (it) => {
  it.effect(
    `of ${racers} pass exactly as many as fit a cap, a count, a budget, a wallet`,
    () => Effect.flatMap(TestHub, ({ api }) => races([api]))
  )

  it.effect(
    "with one key execute once and get a hundred equal answers",
    () => Effect.flatMap(TestHub, ({ api }) => oneKey([api]))
  )
})

layer(HubTest(), { excludeTestServices: true })(
  "racing requests at two hub processes on one database",
  (it) => {
    it.effect(
      "pass and are replayed as at one hub",
      () =>
        Effect.gen(function*() {
          const { target } = yield* TestHub
          const hubs = yield* Effect.all([spawnHub({ database: target }), spawnHub({ database: target })], {
            concurrency: "unbounded"
          })
          const apis = hubs.map(({ api }) => api)
          yield* races(apis)
          yield* oneKey(apis)
        })
    )
  }
)
