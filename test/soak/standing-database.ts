/**
 * A database that hangs or silently loses every connection under load. Every request is answered in time, no refused
 * request is executed, no outcome is lost, and the hub serves again when the database is back.
 */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { ServerResponse } from "node:http"
import { expectHealthy, inDatabase, until } from "../support/health.ts"
import {
  type Answer,
  type Call,
  expectStatus,
  firstOwner,
  makeAgent,
  makeService,
  startHub,
  topUp
} from "../support/hub.ts"
import { faultProxy } from "../support/pg-proxy.ts"
import { freshDatabase } from "../support/pg.ts"
import { type Chance, chanceOf } from "../support/random.ts"
import { httpUpstream } from "../support/upstream.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

const priceCents = 3
const approvalCents = 50_000
const funds = 10_000_000
/** A tenth of a hub's defaults, so that a round takes seconds. */
const patience = {
  statementMillis: 1_500,
  requestMillis: 2_000,
  beginMillis: 1_500,
  settleMillis: 1_500,
  batchMillis: 2_000,
  beginsMax: 40
}
/** The requirement, with the default times: answered within 30 s. */
const answerMillisMax = 30_000

interface Outcome {
  readonly what: string
  readonly answer: Answer
  readonly millis: number
}

const run = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed)
    const database = yield* freshDatabase
    const proxy = yield* faultProxy(database)
    const hub = yield* startHub({
      database: proxy.target,
      env: { HUB_EGRESS_ALLOW: "127.0.0.1", HUB_LOG_LEVEL: "error" },
      patience
    })
    const owner = yield* firstOwner(hub)
    let held: Array<ServerResponse> = []
    let isHolding = false
    const finish = (response: ServerResponse) =>
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    const provider = yield* httpUpstream((_, response) => void (isHolding ? held.push(response) : finish(response)))
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
    const agents = yield* Effect.all(
      ["live", "live"].map(() =>
        makeAgent(hub, owner, { bindings: [{ service: "work", operations: ["*"], approval_threshold_cents: 1_000 }] })
      )
    )
    const body = (name: string) => ({ service: "work", operation: name, payload: {} })
    const call = (what: string, method: string, path: string, options: Call): Effect.Effect<Outcome> =>
      Effect.suspend(() => {
        const began = performance.now()
        return Effect.map(
          hub.api(method, path, options),
          (answer) => ({ what, answer, millis: performance.now() - began })
        )
      })
    const submit = (name: string, key: string, agent = agents[0]!) =>
      call(name, "POST", "/service-requests", { key: agent.key, body: body(name), headers: { "idempotency-key": key } })
    const count = (statement: string) =>
      inDatabase(
        database,
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            Effect.map(
              sql.unsafe<{ count: number }>(`select count(*)::int as count from ${statement}`),
              ([row]) => row!.count
            )
        )
      ).pipe(Effect.orDie)
    const as = { cookie: owner.cookie }

    /** All calls to the hub during an outage. */
    const asked = (
      round: number,
      pending: { readonly id: string; readonly approval_id: string }
    ): ReadonlyArray<Effect.Effect<Outcome>> => [
      ...Array.from({ length: 60 }, (_, at) => submit("quick", `r${round}-${at}`, agents[at % 2])),
      ...Array.from({ length: 4 }, (_, at) => submit("dear", `d${round}-${at}`)),
      ...Array.from({ length: 15 }, () => call("requests", "GET", "/service-requests", as)),
      ...Array.from({ length: 15 }, () => call("agents", "GET", "/agents", as)),
      ...Array.from({ length: 5 }, () => call("balance", "GET", "/balance", as)),
      call("wait", "GET", `/service-requests/${pending.id}?wait=30`, { key: agents[0]!.key }),
      call("events", "GET", "/events", as),
      call("login", "POST", "/auth/login", { body: { email: owner.email, password: owner.password } }),
      call("new agent", "POST", "/agents", { ...as, body: { name: `late ${round}` } }),
      call("top-up", "POST", "/balance/top-up", {
        ...as,
        body: { amount_cents: 500 },
        headers: { "idempotency-key": `t${round}` }
      }),
      call("approve", "POST", `/approvals/${pending.approval_id}/approve`, { ...as, body: {} })
    ]

    const round = Effect.fnUntraced(function*(at: number, chance: Chance) {
      const pending = expectStatus((yield* submit("dear", `p${at}`)).answer, 200).body
      assert.strictEqual(pending.status, "approval_required")
      for (const agent of agents) expectStatus((yield* submit("quick", `w${at}-${agent.id}`, agent)).answer, 200)
      // One request is at its provider when the outage begins, and one long poll is open.
      isHolding = true
      const underWay = Effect.runPromise(submit("quick", `u${at}`))
      yield* until("the provider has a request", Effect.sync(() => held.length === 1))
      isHolding = false
      const waiting = Effect.runPromise(
        call("wait", "GET", `/service-requests/${pending.id}?wait=30`, { key: agents[0]!.key })
      )
      const calls = provider.received.length

      const kind = chance.one(["still", "lost"] as const)
      if (kind === "still") proxy.stop()
      else proxy.mischief = () => "lose"
      if (kind === "lost") proxy.loseAll()
      for (const response of held.splice(0)) finish(response)
      const outcomes = yield* Effect.all(asked(at, pending), { concurrency: "unbounded" })
      const [during, polled] = yield* Effect.promise(() => Promise.all([underWay, waiting]))
      for (const { answer, millis, what } of [...outcomes, polled]) {
        assert.deepStrictEqual(
          [answer.status, answer.body?.error.code],
          [503, "unavailable"],
          `${what}: ${answer.text}`
        )
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
        assert.isBelow(millis, answerMillisMax, what)
      }
      // Its provider has executed it: the hub does not refuse it, and does not lose its outcome.
      assert.deepStrictEqual([during.answer.status, during.answer.body.status], [202, "running"])

      if (kind === "still") proxy.resume()
      else proxy.mischief = () => "pass"
      yield* until(
        "the executed request is settled",
        Effect.map(
          hub.api("GET", `/service-requests/${during.answer.body.id}`, as),
          ({ body }) => body?.status === "executed"
        )
      )
      yield* until("no hold is left", Effect.map(count("holds"), (open) => open === 0))
      yield* until(
        "no approval of a refused request is left",
        Effect.map(count("approvals where status = 'pending'"), (left) => left <= at + 1)
      )
      assert.strictEqual(provider.received.length, calls, "a refused request was executed")
      // Retries with the same keys: each request is executed now, or has ended unsent.
      const again = yield* Effect.all(
        Array.from({ length: 60 }, (_, key) => submit("quick", `r${at}-${key}`, agents[key % 2])),
        { concurrency: 20 }
      )
      const reasons = new Set(
        again.flatMap(({ answer }) => answer.body.status === "executed" ? [] : [JSON.stringify(answer.body.result)])
      )
      if (reasons.size > 0) log([...reasons].join(" "))
      const statuses = again.map(({ answer }) => `${answer.status} ${answer.body.status}`)
      assert.deepStrictEqual(
        statuses.filter((status) => status !== "200 executed" && status !== "200 failed"),
        []
      )
      const executed = statuses.filter((status) => status === "200 executed").length
      assert.strictEqual(provider.received.length, calls + executed)
      const slowest = Math.max(...outcomes.map(({ millis }) => millis))
      log(
        `round ${at}: ${kind}, ${outcomes.length} refused, slowest ${
          Math.round(slowest)
        } ms; again ${executed} of 60 executed`
      )
      return kind
    })

    for (let at = 0; at < scale; at++) yield* round(at, chance)
    const [spent] = yield* inDatabase(
      database,
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql<{ cents: number }>`select coalesce(sum(cost_cents), 0)::int8 as cents from settlements`
      )
    ).pipe(Effect.orDie)
    assert.strictEqual(spent!.cents, provider.received.length * priceCents)
    held = []
    yield* expectHealthy(database)
  }).pipe(Effect.scoped, Effect.runPromise)

export const soak: SoakScenario = {
  name: "standing-database",
  summary:
    "the database stops responding or vanishes under load: every request is answered in time, nothing refused is executed",
  run
}
