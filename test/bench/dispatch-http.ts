/**
 * One hot workspace and wallet, many callers of `echo.say` over HTTP: the whole pipeline against the same with one transaction for each
 * phase, and against a bare server that answers the same bytes.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { join } from "node:path"
import { expectStatus } from "../support/hub.ts"
import { describe, summarize } from "./cpu-profile.ts"
import { atLeast, below, type Figure, told } from "./figures.ts"
import type { LoadResult } from "./load.ts"
import { cpuSeconds } from "./machine.ts"
import { interleaved, median, ratio } from "./rounds.ts"
import {
  bearer,
  type BenchHub,
  database,
  load,
  makeWorkspace,
  sayHello,
  sayLoad,
  Stage,
  startBare,
  startHub,
  type Workspace
} from "./stage.ts"

interface Measured extends LoadResult {
  /** CPU microseconds of the server's thread and of PostgreSQL for each request; the generator's are in `cpuSeconds`. */
  readonly serverMicros: number
  readonly postgresMicros: number
}

const headersToKeep = new Set(["content-type", "ratelimit", "ratelimit-policy", "x-request-id"])

/** What was acknowledged is what the tables hold: nobody was quick by leaving something out. */
const checkBooks = Effect.fnUntraced(
  function*(target: Parameters<typeof singleConnection>[0], { org }: Workspace, acknowledged: number) {
    const sql = yield* singleConnection(target, "bench")
    const [row] = yield* sql<
      { requests: number; executed: number; moved: number; told: number; used: number; spent: number }
    >`select
    (select count(*) from requests where org_id = ${org}) requests,
    (select count(*) from settlements where org_id = ${org} and status = 'executed') executed,
    (select coalesce(sum(amount_cents), 0)::int8 from movements where org_id = ${org} and cause_type = 'service_request') moved,
    (select count(*) from audit where org_id = ${org} and action = 'service_request.executed') told,
    (select sum(executed)::int8 from usage_days where org_id = ${org}) used,
    (select used from limits where org_id = ${org} and kind = 1) spent`
    const wrong = Object.entries(row ?? {}).filter(([, count]) => count !== acknowledged)
    if (wrong.length > 0 || row === undefined) {
      return yield* Effect.die(
        new Error(`${acknowledged} requests were acknowledged, the tables hold ${JSON.stringify(row)}`)
      )
    }
  },
  Effect.scoped,
  Effect.orDie
)

export const dispatchHttp: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, out, postgresPid, rounds, seconds } = yield* Stage
  const target = yield* database
  const profile = join(out, "dispatch-http.cpuprofile")
  const batched = yield* startHub(target, { profile })
  const workspace = yield* makeWorkspace(batched)
  const single = yield* startHub(target, { oneByOne: true })
  const sample = expectStatus(
    yield* batched.api("POST", "/service-requests", { headers: bearer(workspace), body: sayHello }),
    200
  )
  const bare = yield* startBare({
    headers: Object.fromEntries([...sample.headers].filter(([name]) => headersToKeep.has(name))),
    body: sample.text
  })
  let acknowledged = 1

  const measure = (
    server: Pick<BenchHub, "pid" | "port">,
    more: { readonly keyPrefix?: string; readonly hub?: boolean } = {}
  ) =>
    Effect.gen(function*() {
      const postgres = (yield* postgresPid) ?? 0
      const before = [cpuSeconds(server.pid), cpuSeconds(postgres)] as const
      const result = yield* load({
        ...sayLoad(workspace, [server.port], { callers, seconds }),
        ...(more.keyPrefix === undefined ? {} : { keyPrefix: more.keyPrefix })
      })
      if (more.hub !== false) acknowledged += result.good
      const micros = (now: number, then: number) => (now - then) * 1e6 / result.good
      return {
        ...result,
        serverMicros: micros(cpuSeconds(server.pid), before[0]),
        postgresMicros: micros(cpuSeconds(postgres), before[1])
      } satisfies Measured
    })

  let keyed = 0
  const found = yield* interleaved(rounds, {
    batched: measure(batched),
    single: measure(single),
    bare: measure(bare, { hub: false }),
    keyed: Effect.suspend(() => measure(batched, { keyPrefix: `bench-${++keyed}-` }))
  })
  yield* batched.kill("SIGUSR2")
  yield* batched.line(/^profiling$/)
  yield* measure(batched)
  yield* batched.kill("SIGUSR2")
  yield* batched.line(/^profiled$/)
  yield* checkBooks(target, workspace, acknowledged)
  process.stdout.write(`\n${describe(summarize(profile))}\n\n`)

  const speeds = (name: keyof typeof found) => found[name].map(({ perSecond }) => perSecond)
  const tell = (name: keyof typeof found) => {
    const of = (pick: (result: Measured) => number) => median(found[name].map(pick))
    return told(
      `HTTP, ${callers} callers: ${name}`,
      `${of((x) => x.perSecond).toFixed(0)}/s (${speeds(name).map((x) => x.toFixed(0)).join(", ")}), p50 ${
        of((x) => x.p50).toFixed(1)
      } ms, p99 ${of((x) => x.p99).toFixed(1)} ms; CPU a request: server ${
        of((x) => x.serverMicros).toFixed(0)
      } µs, PostgreSQL ${of((x) => x.postgresMicros).toFixed(0)} µs, generator ${
        of((x) => x.cpuSeconds * 1e6 / x.requests).toFixed(0)
      } µs`
    )
  }
  return [
    atLeast("HTTP: whole pipeline over one transaction a phase", 8, ratio(speeds("batched"), speeds("single")), 1),
    atLeast("HTTP: whole pipeline over bare `node:http`", 0.15, ratio(speeds("batched"), speeds("bare")), 3),
    below("HTTP: p99 over p50", 5, median(found.batched.map(({ p50, p99 }) => p99 / p50))),
    told("HTTP: the same with an `idempotency-key` each, over bare", ratio(speeds("keyed"), speeds("bare")).toFixed(3)),
    tell("batched"),
    tell("single"),
    tell("bare"),
    tell("keyed")
  ]
}).pipe(Effect.scoped)
