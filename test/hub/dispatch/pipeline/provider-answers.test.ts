/** Provider answers and agent payloads that must not harm the money core or a replay. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { expectHealthy } from "../../../support/health.ts"
import { type Answer, expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../../support/hub.ts"
import { httpUpstream } from "../../../support/upstream.ts"

/** Every answer's cost is between 0 and this. */
const ceiling = 40

let made = 0
/** An agent with a service whose provider answers these bytes to everything. */
const provider = Effect.fnUntraced(function*(
  body: string | Uint8Array,
  contentType = "application/json"
): Effect.fn.Return<
  (payload: unknown, idempotencyKey?: string) => Effect.Effect<Answer>,
  never,
  TestHub | Scope.Scope
> {
  const { api, owner } = yield* TestHub
  const upstream = yield* httpUpstream((_, response) =>
    response.writeHead(200, { "content-type": contentType }).end(body)
  )
  const name = `p${++made}`
  yield* makeService({ api }, owner, {
    name,
    kind: "http",
    base_url: upstream.origin,
    operations: [
      {
        name: "do",
        method: "POST",
        path: "/do",
        payload_schema: { type: "object" },
        price: { type: "quoted", ceiling: String(ceiling), actual: "/cost" }
      }
    ]
  })
  const { key } = yield* makeAgent({ api }, owner, { bindings: [{ service: name, operations: ["*"] }] })
  return (payload, idempotencyKey) =>
    api("POST", "/service-requests", {
      key,
      body: { service: name, operation: "do", payload },
      ...(idempotencyKey === undefined ? {} : { headers: { "idempotency-key": idempotencyKey } })
    })
})

const bodies: ReadonlyArray<readonly [name: string, body: string | Uint8Array, type?: string]> = [
  ["NUL in JSON", "{\"text\":\"a\\u0000b\",\"cost\":1}"],
  ["a number as 1e2, and keys out of order", "{\"z\":1e2,\"a\":1.50,\"cost\":1}"],
  ["raw NUL bytes", Buffer.from([0, 1, 2, 0]), "text/plain"],
  [
    "invalid UTF-8 that says it is JSON",
    Buffer.concat([Buffer.from("{\"text\":\""), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from("\"}")])
  ],
  ["a lone surrogate", "{\"text\":\"\\ud800\",\"cost\":1}"],
  ["20 MB of JSON", JSON.stringify({ text: "x".repeat(20 << 20), cost: 1 })],
  ["20 MB of nothing", Buffer.alloc(20 << 20), "application/octet-stream"],
  ["nesting a hundred thousand deep", "[".repeat(100_000) + "]".repeat(100_000)],
  ["__proto__ and its like", "{\"__proto__\":{\"polluted\":true},\"constructor\":1,\"cost\":1}"],
  ["no body", ""],
  ["JSON that breaks off", "{\"cost\":1,\"text\":\"unfin"]
]

const actuals: ReadonlyArray<readonly [name: string, cost: string, charged: number, readable: boolean]> = [
  ["negative", "-5", 0, true],
  ["minus zero", "-0.0", 0, true],
  ["huge", "1e300", ceiling, true],
  ["beyond every double", "1e400", ceiling, false],
  ["missing", "", ceiling, false],
  ["text", "\"7\"", ceiling, false],
  ["null", "null", ceiling, false],
  ["true", "true", ceiling, false],
  ["a list", "[7]", ceiling, false],
  ["a cent more than the ceiling", "41", ceiling, true],
  ["a fraction more than the ceiling", "40.2", ceiling, true],
  ["the ceiling", "40", ceiling, true],
  ["tiny", "1e-9", 0, true]
]

/** The stored part of a price above the ceiling: whole cents, at most the largest exact integer. */
const over: Readonly<Record<string, number>> = {
  huge: Number.MAX_SAFE_INTEGER,
  "a cent more than the ceiling": 41,
  "a fraction more than the ceiling": 41
}

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "a provider's answer",
  (it) => {
    it.effect(
      "of any bytes is settled, replayed the same, and read the same by id",
      () =>
        Effect.gen(function*() {
          const { api, owner, target } = yield* TestHub
          yield* topUp({ api }, owner, 10_000)
          for (const [name, body, type] of bodies) {
            const ask = yield* provider(body, type)
            const first = yield* ask({ a: 1 }, "k")
            assert.strictEqual(first.status, 200, name)
            assert.include(["executed", "failed"], first.body.status, name)
            const again = yield* ask({ a: 1 }, "k")
            assert.strictEqual(again.text, first.text, name)
            assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
            assert.strictEqual(
              (yield* api("GET", `/service-requests/${first.body.id}`, { cookie: owner.cookie })).text,
              first.text,
              name
            )
            assert.isBelow(first.text.length, 3 << 20, name)
          }
          yield* expectHealthy(target)
        })
    )

    it.effect(
      "costs between nothing and the ceiling, whatever it reports",
      () =>
        Effect.gen(function*() {
          const { api, owner, target } = yield* TestHub
          yield* topUp({ api }, owner, 10_000)
          for (const [name, cost, charged, readable] of actuals) {
            const ask = yield* provider(cost === "" ? "{\"done\":true}" : `{"done":true,"cost":${cost}}`)
            const before = (yield* api("GET", "/balance", { cookie: owner.cookie })).body.available_cents
            const { body } = yield* ask({})
            assert.deepInclude(body, { status: "executed", cost_cents: charged, ceiling_cents: ceiling }, name)
            const reported = over[name]
            assert.strictEqual(body.reported_cost_cents, reported, name)
            assert.deepStrictEqual(
              (yield* api("GET", `/service-requests/${body.id}`, { cookie: owner.cookie })).body,
              body,
              name
            )
            assert.strictEqual(
              (yield* api("GET", "/balance", { cookie: owner.cookie })).body.available_cents,
              before - charged,
              name
            )
            const log = (yield* api("GET", `/audit-logs?subject_id=${body.id}`, { cookie: owner.cookie })).body.data
            assert.strictEqual(
              log.some((entry: { data: { price_unreadable?: boolean } }) => entry.data.price_unreadable === true),
              !readable,
              name
            )
            assert.deepStrictEqual(
              log.filter(({ data }: { data: object }) => "reported_cost_cents" in data)
                .map((
                  { action, data }: { action: string; data: Record<string, unknown> }
                ) => [action, data["reported_cost_cents"]]).toSorted(),
              reported === undefined
                ? []
                : [["service_request.executed", reported], ["service_request.price_over_ceiling", reported]],
              name
            )
          }
          yield* expectHealthy(target)
        })
    )

    it.effect("in fractions of a cent is charged to the last millionth, and never rounded up per call", () =>
      Effect.gen(function*() {
        const { api, owner, target } = yield* TestHub
        yield* topUp({ api }, owner, 10_000)
        const ask = yield* provider("{\"cost\":0.3000005}")
        const before = (yield* api("GET", "/balance", { cookie: owner.cookie })).body.available_cents
        const costs = yield* Effect.forEach(
          Array.from({ length: 100 }),
          () => Effect.map(ask({}), ({ body }) => body.cost_cents as number),
          { concurrency: 20 }
        )
        // 0.3000005 rounded to six decimals, a hundred times.
        assert.strictEqual(
          costs.reduce((sum, cost) => sum + cost, 0),
          30
        )
        assert.isTrue(costs.every((cost) => cost === 0 || cost === 1))
        assert.strictEqual((yield* api("GET", "/balance", { cookie: owner.cookie })).body.available_cents, before - 30)
        yield* expectHealthy(target)
      }))
  }
)

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "an agent's payload",
  (it) => {
    it.effect(
      "with NUL, odd numbers, and every script is kept, replayed to the byte, and equal to a payload with another spelling",
      () =>
        Effect.gen(function*() {
          const { api, owner, target } = yield* TestHub
          yield* topUp({ api }, owner, 1_000)
          const { key } = yield* makeAgent({ api }, owner)
          const ask = (payload: string, idempotencyKey: string) =>
            api("POST", "/service-requests", {
              key,
              body: `{"service":"echo","operation":"say","payload":${payload}}`,
              headers: { "idempotency-key": idempotencyKey }
            })
          const pairs = [
            ["{\"a\":\"x\\u0000y\"}", "{ \"a\" : \"x\\u0000y\" }"],
            ["{\"n\":1e2,\"m\":0.1}", "{\"m\":1e-1,\"n\":100}"],
            ["{\"ö\":\"\\u00f6 \\ud83d\\ude00\"}", "{\"\\u00f6\":\"ö 😀\"}"],
            ["{\"\":-0}", "{\"\":0}"]
          ]
          for (const [at, [one, other]] of pairs.entries()) {
            const first = yield* ask(one!, `k${at}`)
            assert.strictEqual(first.body.status, "executed", first.text)
            const second = yield* ask(other!, `k${at}`)
            assert.strictEqual(second.text, first.text)
            assert.strictEqual((yield* ask("{\"another\":1}", `k${at}`)).body.error.code, "idempotency_conflict")
          }
          for (const bad of ["{\"a\":1,\"a\":2}", "{\"a\":\"\\ud800\"}", "{\"a\":9007199254740993}"]) {
            assert.strictEqual((yield* ask(bad, "bad")).status, 400, bad)
          }
          // A refusal stores no key.
          assert.strictEqual((yield* ask("{\"a\":1}", "bad")).body.status, "executed")
          yield* expectHealthy(target)
        })
    )

    it.effect("differs from the same one in test mode only by the mode", () =>
      Effect.gen(function*() {
        const { api, owner, target } = yield* TestHub
        yield* topUp({ api }, owner, 1_000)
        const live = yield* makeAgent({ api }, owner)
        const test = expectStatus(
          yield* api("PATCH", `/agents/${live.id}/key`, { cookie: owner.cookie, body: { mode: "test" } }),
          200
        ).body.api_key
        const ask = (key: string) =>
          api("POST", "/service-requests", {
            key,
            body: { service: "echo", operation: "say", payload: {} },
            headers: { "idempotency-key": "one" }
          })
        const [a, b] = yield* Effect.all([ask(live.key), ask(test)], { concurrency: 2 })
        assert.deepStrictEqual([a.body.mode, a.body.cost_cents, b.body.mode, b.body.cost_cents], ["live", 1, "test", 0])
        assert.notStrictEqual(a.body.id, b.body.id)
        assert.deepStrictEqual([(yield* ask(live.key)).text, (yield* ask(test)).text], [a.text, b.text])
        yield* expectHealthy(target)
      }))
  }
)
