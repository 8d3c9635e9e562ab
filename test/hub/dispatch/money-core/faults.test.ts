/** Connections to the database that are delayed, cut, half-closed, or lost in the middle of every kind of work. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expectHealthy, until } from "../../../support/health.ts"
import {
  type Answer,
  type Call,
  expectStatus,
  firstOwner,
  makeAgent,
  makeService,
  startHub,
  topUp
} from "../../../support/hub.ts"
import { type Fault, faultProxy } from "../../../support/pg-proxy.ts"
import { freshDatabase } from "../../../support/pg.ts"
import { chanceOf } from "../../../support/random.ts"
import { httpUpstream } from "../../../support/upstream.ts"

const priceCents = 3
const approvalCents = 2_000
const topUpCents = 100
const funds = 1_000_000
const patience = { statementMillis: 1_500, requestMillis: 3_000, beginMillis: 4_000, batchMillis: 1_500 }

layer(Layer.empty, { excludeTestServices: true })("over a faulty connection to the database", (it) => {
  it.effect(
    "begins, settlements, approvals, top-ups, and reads happen exactly once for a caller that retries",
    () =>
      Effect.gen(function*() {
        const chance = chanceOf(17)
        const database = yield* freshDatabase
        const proxy = yield* faultProxy(database)
        const hub = yield* startHub({ database: proxy.target, env: { HUB_EGRESS_ALLOW: "127.0.0.1" }, patience })
        const owner = yield* firstOwner(hub)
        const provider = yield* httpUpstream((_, response) =>
          void response.writeHead(200, { "content-type": "application/json" }).end("{}")
        )
        const operation = (name: string, cents: number) => ({
          name,
          method: "POST",
          path: `/${name}`,
          payload_schema: { type: "object" },
          price: { type: "fixed", cents }
        })
        yield* makeService(hub, owner, {
          name: "work",
          kind: "http",
          base_url: provider.origin,
          operations: [operation("quick", priceCents), operation("dear", approvalCents)]
        })
        yield* topUp(hub, owner, funds)
        const agent = yield* makeAgent(hub, owner, {
          bindings: [{ service: "work", operations: ["*"], approval_threshold_cents: 1_000 }]
        })
        const as = { cookie: owner.cookie }
        const body = (name: string) => ({ service: "work", operation: name, payload: {} })
        const pending = yield* Effect.all(Array.from({ length: 3 }, () =>
          Effect.map(hub.api("POST", "/service-requests", { key: agent.key, body: body("dear") }), (answer) =>
            expectStatus(answer, 200).body)))

        const faults: ReadonlyArray<Fault> = ["cut", "cut", "half_close", "half_close", "lose", { delayMillis: 40 }, {
          delayMillis: 40
        }, { delayMillis: 40 }]
        let commitsLost = 0
        proxy.mischief = (application, from, bytes) => {
          if (application !== "countersign" && application !== "countersign-tick") {
            return "pass"
          }
          // The commit happened, and its reply is lost.
          if (from === "server" && bytes.includes("COMMIT\0") && chance.int(4) === 0) {
            commitsLost++
            return "cut"
          }
          return chance.int(60) === 0 ? chance.one(faults) : "pass"
        }
        /** Retries as a client does: the same call again while the answer is 503, or in progress. */
        const retried = Effect.fnUntraced(
          function*(method: string, path: string, call: Call): Effect.fn.Return<Answer> {
            for (;;) {
              const answer = yield* hub.api(method, path, call)
              if (answer.status !== 503 && answer.body?.error?.code !== "idempotency_in_progress") {
                return answer
              }
            }
          }
        )
        const keyed = (key: string) => ({ headers: { "idempotency-key": key } })
        const [begun, toppedUp, approved] = yield* Effect.all([
          Effect.forEach(Array.from({ length: 50 }), (_, at) =>
            retried("POST", "/service-requests", { key: agent.key, body: body("quick"), ...keyed(`b${at}`) }), {
            concurrency: 10
          }),
          Effect.forEach(Array.from({ length: 12 }), (_, at) =>
            retried("POST", "/balance/top-up", { ...as, body: { amount_cents: topUpCents }, ...keyed(`t${at}`) }), {
            concurrency: 3
          }),
          Effect.forEach(pending, ({ approval_id: approval }) =>
            retried("POST", `/approvals/${approval}/approve`, { ...as, body: {} }), {
            concurrency: 3
          }),
          Effect.forEach(Array.from({ length: 30 }), (_, at) =>
            Effect.map(retried("GET", at % 2 === 0 ? "/agents" : "/service-requests", as), (answer) =>
              expectStatus(answer, 200)), { concurrency: 3 })
        ], { concurrency: "unbounded" })
        const faultsSeen = proxy.faults
        proxy.mischief = () =>
          "pass"
        assert.isAtLeast(faultsSeen, 10)
        assert.isAtLeast(commitsLost, 1)

        const finalOf = (id: string) => {
          let last: Answer["body"]
          const ended = Effect.map(hub.api("GET", `/service-requests/${id}`, as), (answer) => {
            last = answer.body
            return answer.status === 200 && last.status !== "running" && last.status !== "approval_required"
          })
          return Effect.map(until(`request ${id} has ended`, ended), () =>
            last)
        }
        const sent = (id: string) =>
          provider.received.filter(({ headers }) =>
            headers["idempotency-key"] === id
          ).length
        const ends = yield* Effect.forEach([
          ...begun.map(({ body }) =>
            body
          ),
          ...pending
        ], ({ id }) =>
          finalOf(id), { concurrency: 5 })
        for (const { id, result, status } of ends) {
          if (status === "executed") {
            assert.strictEqual(sent(id), 1, id)
          } else assert.deepStrictEqual([status, result?.code], ["failed", "interrupted"], id)
        }
        for (const answer of toppedUp) {
          expectStatus(answer, 201)
        }
        // A vote that was recorded although its reply was lost is answered as decided.
        for (const answer of approved) {
          assert.isTrue(answer.status === 200 || answer.status === 409, answer.text)
        }
        const spent = ends.reduce((sum, { cost_cents: cents }) =>
          sum + cents, 0)
        const { available_cents } = (yield* retried("GET", "/balance", as)).body
        assert.strictEqual(available_cents, funds + 12 * topUpCents - spent)
        yield* expectHealthy(database)
      })
  )
})
