/**
 * One hot workspace and wallet, many callers over HTTP: the whole pipeline of `echo.say` against the same with one
 * transaction for each phase, against a bare server that sends the same bytes, and `llm.chat` with a model provider on
 * loopback against `echo.say`.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { join } from "node:path"
import { expectStatus } from "../support/hub.ts"
import { describe, summarize } from "./cpu-profile.ts"
import { atLeast, below, type Figure, info } from "./figures.ts"
import type { LoadResult } from "./load.ts"
import { cpuSeconds } from "./machine.ts"
import { interleaved, median, ratio } from "./rounds.ts"
import {
  bearer,
  type BenchHub,
  chatRequest,
  database,
  dispatchLoad,
  load,
  makeWorkspace,
  sayHello,
  Stage,
  startBare,
  startHub,
  startModels,
  type Workspace
} from "./stage.ts"

interface Measured extends LoadResult {
  /** CPU microseconds per request of the server's thread and of PostgreSQL; the generator's are in `cpuSeconds`. */
  readonly serverMicros: number
  readonly postgresMicros: number
}

const headersToKeep = new Set(["content-type", "ratelimit", "ratelimit-policy", "x-request-id"])

/**
 * Compares acknowledged requests with the tables, so that no variant is fast by leaving work out. A chat costs less
 * than a cent, so the money is compared with the settlements; each `echo.say` costs one cent.
 */
const checkBooks = Effect.fnUntraced(
  function*(target: Parameters<typeof singleConnection>[0], { org }: Workspace, says: number, chats: number) {
    const sql = yield* singleConnection(target, "bench")
    const [row] = yield* sql<
      {
        requests: number
        executed: number
        audited: number
        used: number
        said: number
        settled: number
        moved: number
        spent: number
      }
    >`select
    (select count(*) from requests where org_id = ${org}) requests,
    (select count(*) from settlements where org_id = ${org} and status = 'executed') executed,
    (select count(*) from audit where org_id = ${org} and action = 'service_request.executed') audited,
    (select sum(executed)::int8 from usage_days where org_id = ${org}) used,
    (select coalesce(sum(cost_cents), 0)::int8 from settlements where org_id = ${org} and service = 'echo') said,
    (select coalesce(sum(cost_cents), 0)::int8 from settlements where org_id = ${org}) settled,
    (select coalesce(sum(amount_cents), 0)::int8 from movements where org_id = ${org} and cause_type = 'service_request') moved,
    (select used from limits where org_id = ${org} and kind = 1) spent`
    const isRight = row !== undefined &&
      [row.requests, row.executed, row.audited, row.used].every((count) => count === says + chats) &&
      row.said === says && row.moved === row.settled && row.spent === row.settled
    if (!isRight) {
      return yield* Effect.die(
        new Error(`${says} and ${chats} requests were acknowledged, the tables hold ${JSON.stringify(row)}`)
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
  const models = yield* startModels
  const batched = yield* startHub(target, {
    profile,
    env: { HUB_LLM_BASE_URL: `http://127.0.0.1:${models.port}/v1`, HUB_LLM_API_KEY: "sk-bench-0123456789" }
  })
  const workspace = yield* makeWorkspace(batched, [], ["llm"])
  const single = yield* startHub(target, { oneByOne: true })
  const sample = expectStatus(
    yield* batched.api("POST", "/service-requests", { headers: bearer(workspace), body: sayHello }),
    200
  )
  const bare = yield* startBare({
    headers: Object.fromEntries([...sample.headers].filter(([name]) => headersToKeep.has(name))),
    body: sample.text
  })
  let says = 1, chats = 0

  interface More {
    readonly keyPrefix?: string
    readonly kind?: "say" | "chat" | "bare"
  }
  const measure = (server: Pick<BenchHub, "pid" | "port">, { keyPrefix, kind = "say" }: More = {}) =>
    Effect.gen(function*() {
      const postgres = (yield* postgresPid) ?? 0
      const before = [cpuSeconds(server.pid), cpuSeconds(postgres)] as const
      const request = kind === "chat" ? chatRequest : sayHello
      const result = yield* load({
        ...dispatchLoad(workspace, [server.port], request, { callers, seconds }),
        ...(keyPrefix === undefined ? {} : { keyPrefix })
      })
      if (kind === "say") says += result.good
      else if (kind === "chat") chats += result.good
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
    bare: measure(bare, { kind: "bare" }),
    chat: measure(batched, { kind: "chat" }),
    keyed: Effect.suspend(() => measure(batched, { keyPrefix: `bench-${++keyed}-` }))
  })
  yield* batched.kill("SIGUSR2")
  yield* batched.line(/^profiling$/)
  yield* measure(batched, { kind: "chat" })
  yield* batched.kill("SIGUSR2")
  yield* batched.line(/^profiled$/)
  yield* checkBooks(target, workspace, says, chats)
  process.stdout.write(`\nllm.chat: ${describe(summarize(profile))}\n\n`)

  const speeds = (name: keyof typeof found) => found[name].map(({ perSecond }) => perSecond)
  const infoOf = (name: keyof typeof found) => {
    const of = (pick: (result: Measured) => number) => median(found[name].map(pick))
    return info(
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
    atLeast("HTTP: whole pipeline over bare `node:http`", 0.22, ratio(speeds("batched"), speeds("bare")), 3),
    atLeast("HTTP: `llm.chat` over `echo.say`", 0.8, ratio(speeds("chat"), speeds("batched"))),
    below("HTTP: p99 over p50", 3, median(found.batched.map(({ p50, p99 }) => p99 / p50))),
    below("HTTP: p99 over p50 of `llm.chat`", 3, median(found.chat.map(({ p50, p99 }) => p99 / p50))),
    info("HTTP: the same with an `idempotency-key` each, over bare", ratio(speeds("keyed"), speeds("bare")).toFixed(3)),
    infoOf("batched"),
    infoOf("single"),
    infoOf("bare"),
    infoOf("chat"),
    infoOf("keyed")
  ]
}).pipe(Effect.scoped)
