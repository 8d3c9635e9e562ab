/**
 * One caller at a time: the latency that the hub adds to a direct call of the provider, in commits of a single row. A
 * second hub on the same database sends each entry as a batch of one instead of by the short path.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { Agent, request } from "node:http"
import { httpUpstream } from "../support/upstream.ts"
import { below, type Figure, info } from "./figures.ts"
import { cpuSeconds } from "./machine.ts"
import { interleaved, median, quantile, timed } from "./rounds.ts"
import { bearer, type BenchHub, database, makeWorkspace, Stage, startHub } from "./stage.ts"

const payload = { text: "hello" }

/** A caller with one kept-alive connection. */
const caller = (
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  expect: string
) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const fields = { ...headers, "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }
  return Effect.promise(() =>
    new Promise<void>((resolve, reject) => {
      request({ host: "127.0.0.1", port, path, method: "POST", agent, headers: fields }, (response) => {
        let text = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          text += chunk
        })
        response.on("end", () =>
          text.includes(expect) ? resolve() : reject(new Error(`an answer was not what it should be: ${text}`)))
      }).on("error", reject).end(body)
    })
  )
}

export const singleCaller: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { postgresPid, rounds, seconds } = yield* Stage
  const provider = yield* httpUpstream((_, response) => {
    response.setHeader("content-type", "application/json")
    response.end("{\"said\":\"hello\"}")
  })
  const target = yield* database
  const env = { HUB_EGRESS_ALLOW: `127.0.0.1:${provider.port}` }
  const hub = yield* startHub(target, { env })
  const batching = yield* startHub(target, { env: { ...env, BENCH_NO_SHORT_PATH: "1" } })
  const workspace = yield* makeWorkspace(hub, [{
    name: "speaker",
    kind: "http",
    base_url: provider.origin,
    operations: [{
      name: "say",
      method: "POST",
      path: "/say",
      payload_schema: { type: "object" },
      price: { type: "fixed", cents: 1 }
    }]
  }])
  const dispatch = ({ port }: BenchHub, service: string) =>
    caller(
      port,
      "/api/v1/service-requests",
      bearer(workspace),
      JSON.stringify({ service, operation: "say", payload }),
      "\"status\":\"executed\""
    )
  const sql = yield* singleConnection(target, "bench")
  yield* sql.unsafe("create table commits (id bigint generated always as identity primary key, body text not null)")

  /** Times in milliseconds; CPU of a hub and of PostgreSQL in microseconds per call. */
  const of = (once: Effect.Effect<unknown, unknown>, { pid }: BenchHub = hub) =>
    Effect.gen(function*() {
      const processes = [pid, (yield* postgresPid) ?? 0]
      const before = processes.map(cpuSeconds)
      const took = yield* timed(once, { millis: seconds * 500 })
      const [hubMicros = 0, postgresMicros = 0] = processes.map((process, at) =>
        (cpuSeconds(process) - before[at]!) * 1e6 / took.length
      )
      provider.received.length = 0
      return { p50: quantile(took, 0.5), p99: quantile(took, 0.99), hubMicros, postgresMicros }
    })
  const found = yield* interleaved(rounds, {
    commit: of(sql`insert into commits (body) values ('hello')`),
    direct: of(caller(provider.port, "/say", {}, JSON.stringify(payload), "hello")),
    governed: of(dispatch(hub, "speaker")),
    batched: of(dispatch(batching, "speaker"), batching),
    echo: of(dispatch(hub, "echo"))
  })
  const added = (of: "governed" | "batched") =>
    median(found[of].map(({ p50 }, at) => (p50 - found.direct[at]!.p50) / found.commit[at]!.p50))
  const micros = (of: "governed" | "batched", key: "hubMicros" | "postgresMicros") =>
    median(found[of].map((round) => round[key])).toFixed(0)
  const cpu = (of: "governed" | "batched") =>
    `hub ${micros(of, "hubMicros")} µs, PostgreSQL ${micros(of, "postgresMicros")} µs`
  const infoOf = (name: string, key: keyof typeof found) =>
    info(
      name,
      `p50 ${median(found[key].map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${
        median(found[key].map(({ p99 }) => p99)).toFixed(2)
      } ms`
    )
  return [
    below("one caller: what the hub adds to the provider, in single commits", 6, added("governed")),
    info("the same without the short path", added("batched").toFixed(1)),
    info("CPU a request by the short path", cpu("governed")),
    info("CPU a request without it", cpu("batched")),
    infoOf("one row committed on one connection", "commit"),
    infoOf("the provider called directly", "direct"),
    infoOf("the provider through the hub", "governed"),
    infoOf("`echo.say`", "echo")
  ]
}).pipe(Effect.scoped)
