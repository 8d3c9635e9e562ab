/**
 * A hub that is killed before each statement of a spawn, the end of a child, the approval of a budget request, and the
 * credit of a payment, and after each commit. What was committed has happened once, anything else not at all; the next
 * hub repeats the act with the same key, and then it has happened once.
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { eventOf, sessionObject, stripeCheckout } from "../support/checkout.ts"
import { expectHealthy } from "../support/health.ts"
import { quickRecovery, spawnHub } from "../support/hub-program.ts"
import {
  type Answer,
  type Api,
  expectStatus,
  firstOwner,
  makeAgent,
  masterKey,
  startHub,
  topUp
} from "../support/hub.ts"
import { chanceOf } from "../support/random.ts"
import { statementProxy } from "../support/statement-proxy.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

interface Target {
  readonly url: string
  readonly api: Api
}
/** An act on separate things, ready to be sent. */
interface Prepared {
  /** In the first of its statements that count. */
  readonly marker: string
  readonly send: (hub: Target) => Effect.Effect<Answer>
  /** How often it has happened. */
  readonly happened: Effect.Effect<number>
  /** The answer to a repetition after it has happened: the same as the first, or this refusal. */
  readonly refusal?: number
}

const echo = { service: "echo", operations: ["*"] }
/** At this scale the hub is killed at every statement; below, at a part of them, and once at least. */
const scaleOfAll = 10

const run = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed)
    const stripe = yield* stripeCheckout
    const checker = yield* startHub({ env: stripe.env })
    const { api } = checker
    const owner = yield* firstOwner(checker)
    const as = { cookie: owner.cookie }
    yield* topUp(checker, owner, 10_000)
    const proxy = yield* statementProxy(checker.target)
    const start = Effect.gen(function*() {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      const env = { ...stripe.env, ...quickRecovery, DATABASE_URL: proxy.url, HUB_MASTER_KEY: masterKey }
      return yield* Scope.provide(spawnHub({ env }), scope)
    })

    const budgetOf = ({ id }: { readonly id: string }) =>
      Effect.map(api("GET", `/agents/${id}/budget`, as), ({ body }) => body)
    const spawn = (hub: Pick<Target, "api">, parent: { readonly key: string }, headers = {}) =>
      hub.api("POST", "/agents/spawn", {
        key: parent.key,
        headers,
        body: { name: "Child", services: [echo], monthly_budget_cents: 20 }
      })
    const family = Effect.gen(function*() {
      const parent = yield* makeAgent(checker, owner, { monthly_budget_cents: 100 })
      const { body } = expectStatus(yield* spawn(checker, parent), 201)
      return { parent, child: { id: body.id as string, key: body.api_key as string } }
    })
    let made = 0

    const acts: Readonly<Record<string, Effect.Effect<Prepared>>> = {
      spawn: Effect.gen(function*() {
        const parent = yield* makeAgent(checker, owner, { monthly_budget_cents: 100 })
        const key = `spawn-${++made}`
        return {
          marker: key,
          send: (hub) => spawn(hub, parent, { "idempotency-key": key }),
          happened: Effect.gen(function*() {
            const { data } = (yield* api("GET", `/agents?parent_agent_id=${parent.id}`, as)).body
            assert.strictEqual((yield* budgetOf(parent)).committed_cents, 20 * data.length)
            return data.length
          })
        }
      }),
      end: Effect.gen(function*() {
        const { child, parent } = yield* family
        const body = { service: "echo", operation: "say", payload: {} }
        for (let times = 0; times < 3; times++) {
          expectStatus(yield* api("POST", "/service-requests", { key: child.key, body }), 200)
        }
        return {
          marker: child.id,
          send: (hub) => hub.api("DELETE", `/agents/${child.id}`, as),
          happened: Effect.gen(function*() {
            const isGone = (yield* api("GET", `/agents/${child.id}`, as)).status === 404
            const { committed_cents, spent_cents } = yield* budgetOf(parent)
            assert.deepStrictEqual([committed_cents, spent_cents], isGone ? [0, 3] : [20, 0])
            return isGone ? 1 : 0
          }),
          refusal: 404
        }
      }),
      approval: Effect.gen(function*() {
        const { child, parent } = yield* family
        const body = { amount_cents: 15, period: "month", reason: "more" }
        const { id } = expectStatus(yield* api("POST", "/budget-requests", { key: child.key, body }), 201).body
        return {
          marker: id,
          send: (hub) => hub.api("PATCH", `/budget-requests/${id}`, { ...as, body: { status: "approved" } }),
          happened: Effect.gen(function*() {
            const isDone = (yield* api("GET", `/budget-requests/${id}`, as)).body.status === "approved"
            const cents = isDone ? 35 : 20
            assert.strictEqual((yield* budgetOf(child)).monthly_budget_cents, cents)
            assert.strictEqual((yield* budgetOf(parent)).committed_cents, cents)
            return isDone ? 1 : 0
          }),
          refusal: 409
        }
      }),
      payment: Effect.gen(function*() {
        const call = { ...as, body: { amount_cents: 500 } }
        const { id } = expectStatus(yield* api("POST", "/billing/checkout-sessions", call), 201).body
        const session = stripe.sessionOf(id)
        Object.assign(session, { status: "complete", paid: true })
        const event = eventOf("checkout.session.completed", sessionObject(session))
        const balance = Effect.map(api("GET", "/balance", as), ({ body }) => body.balance_cents as number)
        const before = yield* balance
        return {
          marker: id,
          send: (hub) => stripe.deliver(hub, event),
          happened: Effect.gen(function*() {
            const { status } = (yield* api("GET", `/billing/checkout-sessions/${id}`, as)).body
            const credited = (yield* balance) - before
            assert.strictEqual(status, credited === 0 ? "open" : "paid")
            return credited / 500
          })
        }
      })
    }

    /** Repeats an act at a hub that lives. */
    const repeat = Effect.fnUntraced(function*(hub: Target, { happened, refusal, send }: Prepared) {
      const known = yield* happened
      const first = yield* send(hub)
      assert.isTrue(known === 1 && refusal !== undefined ? first.status === refusal : first.status < 300, first.text)
      assert.strictEqual(yield* happened, 1)
      const second = yield* send(hub)
      assert.strictEqual(second.status, refusal ?? first.status, second.text)
      assert.strictEqual(yield* happened, 1)
      if (first.headers.get("idempotent-replayed") === "true") assert.strictEqual(second.text, first.text)
    })

    let hub = yield* start
    for (const [name, prepare] of Object.entries(acts)) {
      const whole = yield* prepare
      proxy.arm({ marker: whole.marker, at: Number.POSITIVE_INFINITY, lost: "statement", reached: () => {} })
      yield* whole.send(hub)
      const statements = proxy.disarm()
      yield* repeat(hub, whole)
      assert.isAtLeast(statements, 3, name)
      // Before each statement, the commit included, and after the commit.
      const places = Array.from({ length: statements + 1 }, (_, at) => at + 1)
      while (places.length > Math.max(1, Math.floor((statements + 1) * scale / scaleOfAll))) {
        places.splice(chance.int(places.length), 1)
      }
      for (const place of places) {
        const act = yield* prepare
        const isCommitted = place > statements
        let reached = false
        proxy.arm({
          marker: act.marker,
          at: Math.min(place, statements),
          lost: isCommitted ? "reply" : "statement",
          reached: () => {
            reached = true
            process.kill(hub.pid, "SIGKILL")
          }
        })
        const exit = yield* Effect.exit(act.send(hub))
        proxy.disarm()
        const about = `${name}, statement ${place} of ${statements}`
        assert.isTrue(reached && Exit.isFailure(exit), about)
        yield* hub.ended
        assert.strictEqual(yield* act.happened, isCommitted ? 1 : 0, about)
        yield* expectHealthy(checker.target)
        hub = yield* start
        yield* repeat(hub, act)
      }
      log(`${name}: ${statements} statements, killed at ${places.join(", ")}`)
    }
    yield* expectHealthy(checker.target)
  }).pipe(Effect.scoped, Effect.runPromise)

export const soak: SoakScenario = {
  name: "kill-between-writes",
  summary: "a hub killed between any two writes of a spawn, an end, an approval of a budget, and a payment",
  run
}
