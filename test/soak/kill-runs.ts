/**
 * Hubs that are killed amid runs of workflows, and in the long form also PostgreSQL: every run ends, no effect happens
 * twice at the provider, and the books agree.
 */
import { assert } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { setTimeout } from "node:timers/promises"
import { expectHealthy, inDatabase, until } from "../support/health.ts"
import { quickRecovery, spawnHub } from "../support/hub-program.ts"
import { expectStatus, firstOwner, makeAgent, makeService, masterKey, startHub, topUp } from "../support/hub.ts"
import { urlOf } from "../support/pg.ts"
import { chanceOf } from "../support/random.ts"
import { httpUpstream } from "../support/upstream.ts"
import { getRun, makeWorkflow, say } from "../support/workflows.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

/** Runs started before each kill: in the short form, and in the long one, whose scale of 10 makes 1,000 runs. */
const runsShort = 6
const runsLong = 100
/** In the long form, each third kill ends PostgreSQL too. Other tests use the server of the short form. */
const databaseEvery = 3

const run = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed)
    /** How often the provider executed the work of each key. */
    const executed = new Map<string, number>()
    const upstream = yield* httpUpstream((request, response) => {
      const key = String(request.headers["idempotency-key"])
      // A provider with idempotency keys: the same key again is the same work.
      if (!executed.has(key)) executed.set(key, 0)
      const work = request.body
      void setTimeout(chance.int(120)).then(() => {
        executed.set(key, 1)
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ work }))
      })
    })
    const env = { HUB_EGRESS_ALLOW: "127.0.0.1", ...quickRecovery }
    const checker = yield* startHub({ env })
    const owner = yield* firstOwner(checker)
    yield* topUp(checker, owner, 100_000)
    yield* makeService(checker, owner, {
      name: "shop",
      kind: "http",
      base_url: upstream.origin,
      operations: [{
        name: "buy",
        method: "POST",
        path: "/buy",
        price: { type: "fixed", cents: 2 },
        idempotent: true,
        payload_schema: { type: "object", additionalProperties: true }
      }]
    })
    const agent = yield* makeAgent(checker, owner, {
      bindings: [{ service: "shop", operations: ["*"] }, { service: "echo", operations: ["*"] }]
    })
    const buy = (label: string) => ({
      label,
      type: "service_call",
      config: { service: "shop", operation: "buy", payload: { label, run: "${run.id}" } }
    })
    const child = yield* makeWorkflow(checker, owner, { steps: [buy("Inner")] }, [agent])
    const workflow = yield* makeWorkflow(checker, owner, {
      steps: [
        buy("First"),
        say("Echo"),
        { label: "Pause", type: "delay", config: { seconds: 1 } },
        { label: "Child", type: "run_workflow", config: { workflow_id: child } },
        buy("Last")
      ],
      edges: [
        { from: "First", to: "Echo" },
        { from: "First", to: "Pause" },
        { from: "Pause", to: "Child" },
        { from: "Echo", to: "Child" },
        { from: "Child", to: "Last" }
      ]
    }, [agent])

    const start = Effect.gen(function*() {
      const scope = yield* Effect.acquireRelease(Scope.make(), (scope) => Scope.close(scope, Exit.void))
      return yield* Scope.provide(
        spawnHub({ env: { ...env, DATABASE_URL: urlOf(checker.target.database), HUB_MASTER_KEY: masterKey } }),
        scope
      )
    })
    /** As after a crash of the server: without one of its processes it ends all others and recovers from its log. */
    const crashDatabase = Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [backend] = yield* sql<{ pid: number }>`
        select pid from pg_stat_activity
        where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid() limit 1`
      if (backend === undefined) return yield* Effect.die(new Error("no connection to the database is open"))
      process.kill(backend.pid, "SIGKILL")
    })
    const runsEach = scale === 1 ? runsShort : runsLong
    let crashes = 0
    let hub = yield* start
    const started: Array<string> = []
    for (let kill = 0; kill < scale; kill++) {
      for (let at = 0; at < runsEach; at++) {
        const answer = yield* hub.api("POST", `/workflows/${workflow}/runs`, { cookie: owner.cookie, body: {} })
        started.push(expectStatus(answer, 202).body.run.id)
      }
      yield* Effect.sleep(chance.int(1_500))
      if (kill % databaseEvery === databaseEvery - 1) {
        yield* inDatabase(checker.target, crashDatabase)
        crashes++
        yield* Effect.sleep(chance.int(300))
      }
      process.kill(hub.pid, "SIGKILL")
      yield* hub.ended
      hub = yield* start
    }
    for (const id of started) {
      yield* until(
        `the end of run ${id}`,
        Effect.map(getRun(checker, owner, id), ({ status }) => status === "succeeded" || status === "failed"),
        60
      ).pipe(Effect.catchCause(() =>
        Effect.flatMap(getRun(checker, owner, id), (run) => Effect.die(new Error(JSON.stringify(run))))
      ))
      const ended = yield* getRun(checker, owner, id)
      assert.strictEqual(ended.status, "succeeded", JSON.stringify(ended))
      assert.strictEqual(ended.cost_cents, 7, id)
    }
    // Each run bought three times, under three keys.
    assert.strictEqual(executed.size, 3 * started.length)
    const works = new Set(upstream.received.map(({ body, headers }) =>
      `${String(headers["idempotency-key"])} ${body}`
    ))
    assert.strictEqual(works.size, executed.size)
    yield* expectHealthy(checker.target)
    log(
      `${started.length} runs over ${scale} killed hubs and ${crashes} crashes of PostgreSQL; ${upstream.received.length} calls for ${executed.size} keys`
    )
  }).pipe(Effect.scoped, Effect.runPromise)

export const soak: SoakScenario = {
  name: "kill-runs",
  summary: "hubs killed amid runs of workflows: all runs end, and nothing is bought twice",
  run
}
