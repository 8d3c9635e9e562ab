/** Signals between hubs that share a database: the hubs recover from the losses of a cut connection. */
import { singleConnection } from "@countersign/hub/platform/db"
import { Signals } from "@countersign/hub/platform/signals"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Queue } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac } from "node:crypto"
import { until } from "../../support/health.ts"
import {
  expectStatus,
  type HubInTest,
  HubTest,
  makeAgent,
  makeService,
  startHub,
  TestHub,
  topUp
} from "../../support/hub.ts"
import { httpUpstream } from "../../support/upstream.ts"

const env = { HUB_EGRESS_ALLOW: "127.0.0.1" }

layer(HubTest({ env }), { excludeTestServices: true })("signals", (it) => {
  const inside = <A extends object>(hub: HubInTest, statement: string, ...parameters: ReadonlyArray<unknown>) =>
    hub.run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (client) => client.unsafe<A>(statement, [...parameters]))))
  const listeners = (hub: HubInTest) =>
    Effect.map(
      inside<{ pid: number }>(
        hub,
        `select pid from pg_stat_activity
        where datname = current_database() and application_name = 'countersign-signals'`
      ),
      (rows) => rows.map(({ pid }) => pid)
    )
  /** Counts a hub's warnings that it may have missed signals. */
  const resyncs = (hub: HubInTest) =>
    hub.run(Effect.map(Signals, (signals) => {
      let count = 0
      signals.subscribe(({ kind }) => {
        if (kind === "resync") count++
      })
      return () => count
    }))
  /** Cuts every LISTEN connection except those to keep, again and again while `work` runs. */
  const withoutSignals = Effect.fnUntraced(
    function*<A, E, R>(other: HubInTest, keep: ReadonlyArray<number>, work: Effect.Effect<A, E, R>) {
      const cut = inside(
        other,
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
      and application_name = 'countersign-signals' and pid <> all(string_to_array($1, ',')::int[])`,
        keep.join(",")
      )
      yield* cut
      const cutting = yield* Effect.forkChild(Effect.forever(Effect.andThen(cut, Effect.sleep("5 millis"))))
      const done = yield* work
      yield* Fiber.interrupt(cutting)
      return done
    }
  )

  it.effect("lost with a cut connection leave nothing stale: prices, callback secrets, and other settings apply without a restart", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { owner } = hub
      const [mine] = yield* listeners(hub)
      assert.isNumber(mine)
      const other = yield* startHub({ env, database: hub.target })
      const upstream = yield* httpUpstream((_, response) =>
        void response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ id: "job" }))
      )
      const operation = (cents: number, secret: string) => ({
        name: "run",
        method: "POST",
        path: "/run",
        payload_schema: { type: "object" },
        price: { type: "fixed", cents },
        async: { mode: "callback", secret, ref: "/id", status: "/state", executed: ["done"], failed: ["bad"] }
      })
      const definition = { name: "shop", kind: "http", base_url: upstream.origin, operations: [operation(10, "old")] }
      yield* topUp(hub, owner, 1_000)
      yield* makeService(hub, owner, definition)
      for (const secret of ["old", "new"]) {
        expectStatus(
          yield* hub.api("PUT", `/secrets/${secret}`, { cookie: owner.cookie, body: { value: `${secret} value` } }),
          201
        )
      }
      const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "shop", operations: ["*"] }] })
      const estimate = Effect.map(
        hub.api("POST", "/service-requests/estimate", {
          key: agent.key,
          body: { service: "shop", operation: "run", payload: {} }
        }),
        ({ body }) => body.ceiling_cents
      )
      const running = yield* hub.api("POST", "/service-requests", {
        key: agent.key,
        body: { service: "shop", operation: "run", payload: {} }
      })
      const callback = (secret: string) => {
        const text = JSON.stringify({ service_request_id: running.body.id, status: "running" })
        return Effect.map(
          hub.api("POST", `/webhooks/shop/reconcile?org=${owner.org}`, {
            body: text,
            headers: { "x-svc-signature": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}` }
          }),
          ({ status }) => status
        )
      }
      assert.deepStrictEqual([yield* estimate, yield* callback("old value"), yield* callback("new value")], [
        10,
        200,
        401
      ])

      const resyncCount = yield* resyncs(hub)
      const keep = (yield* listeners(other)).filter((pid) => pid !== mine)
      yield* withoutSignals(
        other,
        keep,
        Effect.scoped(Effect.gen(function*() {
          const notified = yield* Effect.orDie(
            Effect.flatMap(singleConnection(other.target, "test"), (client) => client.listen("countersign"))
          )
          expectStatus(
            yield* other.api("PATCH", "/services/shop", {
              cookie: owner.cookie,
              body: { operations: [operation(25, "new")] }
            }),
            200
          )
          yield* Effect.orDie(Queue.take(notified)).pipe(
            Effect.repeat({ until: ({ payload }) => payload.includes(`config ${owner.org}`) })
          )
        }))
      )
      yield* until("the hub listens again", Effect.sync(() => resyncCount() > 0))
      assert.deepStrictEqual([yield* estimate, yield* callback("old value"), yield* callback("new value")], [
        25,
        401,
        200
      ])
    }))
})
