/**
 * Work that runs at a provider, ended from several sides at once over two hubs: one end applies, and the money matches
 * it.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { createHmac } from "node:crypto"
import { expectHealthy, until } from "../../../support/health.ts"
import {
  type Answer,
  type Api,
  expectStatus,
  firstOwner,
  makeAgent,
  makeService,
  startHub,
  topUp
} from "../../../support/hub.ts"
import { httpUpstream } from "../../../support/upstream.ts"

const env = { HUB_EGRESS_ALLOW: "127.0.0.1" }
const ceiling = 10
const concurrently = <A>(asked: ReadonlyArray<Effect.Effect<A>>) => Effect.all(asked, { concurrency: "unbounded" })
const shuffled = <A>(values: ReadonlyArray<A>) =>
  values
    .map((value) => [Math.random(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value)

const world = Effect.gen(function*() {
  const first = yield* startHub({ env })
  const second = yield* startHub({ database: first.target, env })
  const owner = yield* firstOwner(first)
  const as = { cookie: owner.cookie }
  const run = Effect.runPromiseWith(yield* Effect.context<never>())
  let jobs = 0
  let eager: Api | undefined
  const call = (api: Api, body: unknown) => {
    const text = JSON.stringify(body)
    return api("POST", `/webhooks/work/reconcile?org=${owner.org}`, {
      body: text,
      headers: { "x-svc-signature": `sha256=${createHmac("sha256", "hook_secret").update(text).digest("hex")}` }
    })
  }
  const upstream = yield* httpUpstream((_, response) => {
    const id = `job${++jobs}`
    const answer = () => response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ id }))
    if (eager === undefined) return answer()
    // Done before the provider answered with a reference: the callback arrives before that answer, at the same time, or
    // after.
    const called = run(call(eager, { id, state: "done", out: { id }, cents: 4 }))
    if (jobs % 3 === 0) void called.then(answer)
    else answer()
  })
  yield* makeService(first, owner, {
    name: "work",
    kind: "http",
    base_url: upstream.origin,
    operations: [
      {
        name: "do",
        method: "POST",
        path: "/job",
        payload_schema: { type: "object" },
        price: { type: "fixed", cents: ceiling },
        async: {
          mode: "callback",
          secret: "hook",
          ref: "/id",
          status: "/state",
          executed: ["done"],
          failed: ["bad"],
          result: "/out",
          cost_cents: "/cents",
          detail: "/why"
        }
      }
    ]
  })
  expectStatus(yield* first.api("PUT", "/secrets/hook", { ...as, body: { value: "hook_secret" } }), 201)
  yield* topUp(first, owner, 100_000)
  const agent = yield* makeAgent(first, owner, { bindings: [{ service: "work", operations: ["*"] }] })
  const ask = (api: Api) =>
    api("POST", "/service-requests", { key: agent.key, body: { service: "work", operation: "do", payload: {} } })
  const read = (id: string) => Effect.map(first.api("GET", `/service-requests/${id}`, as), ({ body }) => body)
  const balance = Effect.map(first.api("GET", "/balance", as), ({ body }) => body)
  return {
    first,
    second,
    owner,
    as,
    agent,
    ask,
    read,
    balance,
    call,
    jobs: () => jobs,
    eager: (api: Api) => Effect.sync(() => void (eager = api)),
    target: first.target
  }
})

layer(Layer.empty, { excludeTestServices: true })("running work", (it) => {
  it.effect(
    "ends once when its provider, twice, and two people end it at once; true late outcomes are kept",
    () =>
      Effect.gen(function*() {
        const { as, ask, balance, call, first, jobs, owner, read, second, target } = yield* world
        const seen = new Set<string>()
        let charged = 0
        for (let round = 0; round < 24; round++) {
          const { id, status } = (yield* ask(first.api)).body
          assert.strictEqual(status, "running")
          const job = `job${jobs()}`
          const settle = (api: Api, body: object) =>
            api("POST", `/service-requests/${id}/settle`, { ...as, body: { comment: "seen on their page", ...body } })
          const [one, other] = shuffled([first.api, second.api])
          const ends: ReadonlyArray<readonly [kind: string, settling: Effect.Effect<Answer>]> = [
            ["called", call(one!, { id: job, state: "done", out: { by: "provider" }, cents: 7 })],
            ["called", call(other!, { id: job, state: "done", out: { by: "provider" }, cents: 7 })],
            ["refused", call(other!, { id: job, state: "bad", why: "no" })],
            ["settled", settle(one!, { status: "executed", cost_cents: 2, result: { by: "person" } })],
            ["dropped", settle(other!, { status: "failed" })]
          ]
          const answers = yield* concurrently(
            shuffled(ends.map(([kind, settling]) => Effect.map(settling, (answer) => [kind, answer] as const)))
          )
          const now = yield* read(id)
          const winner = now.status === "failed"
            ? now.result.code === "settled_failed"
              ? "dropped"
              : "refused"
            : now.result.by === "person"
            ? "settled"
            : "called"
          seen.add(winner)
          const cost = { called: 7, refused: 0, settled: 2, dropped: 0 }[winner]!
          assert.deepInclude(now, {
            status: winner === "called" || winner === "settled" ? "executed" : "failed",
            cost_cents: cost
          })
          charged += cost
          // Callers with the outcome that applies get it as the answer; all others get a conflict.
          for (const [kind, { body, status }] of answers) {
            if (kind === winner) assert.strictEqual(status, 200, JSON.stringify(body))
            else assert.strictEqual(status, 409, JSON.stringify(body))
          }
          // The provider reported success: a person must see that.
          if (winner !== "called") {
            assert.deepInclude(now.late_result, { status: "executed", result: { by: "provider" } })
          }
          const log = (yield* first.api("GET", `/audit-logs?subject_id=${id}`, as)).body.data.map(
            ({ action }: { action: string }) => action
          )
          assert.strictEqual(
            log.filter((action: string) => action === "service_request.executed" || action === "service_request.failed")
              .length,
            1
          )
          assert.strictEqual(
            log.filter((action: string) => action === "service_request.late_result").length,
            winner === "called" ? 0 : 1,
            log.join()
          )
        }
        assert.isAtLeast(seen.size, 2)
        assert.deepInclude(yield* balance, { available_cents: 100_000 - charged, held_cents: 0 })
        assert.isString(owner.org)
        yield* expectHealthy(target)
      })
  )

  it.effect(
    "does not run forever when its end is reported before, while, and after it begins to run",
    () =>
      Effect.gen(function*() {
        const { ask, balance, eager, first, read, second, target } = yield* world
        yield* eager(second.api)
        const made = yield* Effect.forEach(Array.from({ length: 45 }), () => ask(first.api), { concurrency: 9 })
        for (const { body } of made) {
          yield* until(
            "it is settled",
            Effect.map(read(body.id), ({ status }) => status === "executed")
          )
          assert.deepInclude(yield* read(body.id), { cost_cents: 4 })
        }
        assert.deepInclude(yield* balance, { available_cents: 100_000 - 45 * 4, held_cents: 0 })
        yield* expectHealthy(target)
      })
  )

  it.effect(
    "in test mode, canceled and settled at once, has one of the two outcomes",
    () =>
      Effect.gen(function*() {
        const { agent, as, first, read, second, target } = yield* world
        const { api_key: key } = expectStatus(
          yield* first.api("PATCH", `/agents/${agent.id}/key`, { ...as, body: { mode: "test" } }),
          200
        ).body
        for (let round = 0; round < 12; round++) {
          const {
            body: { id }
          } = expectStatus(
            yield* first.api("POST", "/service-requests", {
              key,
              headers: { "x-test-outcome": "running" },
              body: { service: "work", operation: "do", payload: {} }
            }),
            202
          )
          const answers = yield* concurrently(
            shuffled(
              [first.api, second.api, first.api, second.api].map((api, at) =>
                at < 2
                  ? api("POST", `/service-requests/${id}/cancel`, { key })
                  : api("POST", `/service-requests/${id}/settle`, {
                    ...as,
                    body: { status: "executed", comment: "done" }
                  })
              )
            )
          )
          assert.deepStrictEqual(
            answers
              .map(({ body, status }) => (status === 200 ? 200 : body.error.code))
              .sort()
              .slice(0, 1),
            [200]
          )
          assert.strictEqual(answers.filter(({ status }) => status === 200).length, 1)
          const won = answers.find(({ status }) => status === 200)!
          const now = yield* read(id)
          assert.deepStrictEqual([now.status, now.cost_cents, now.result?.code], [
            won.body.status,
            0,
            won.body.result?.code
          ])
        }
        yield* expectHealthy(target)
      })
  )
})
