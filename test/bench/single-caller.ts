/** One caller at a time: what the hub adds to calling the provider oneself, in commits of a single row. */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { Agent, request } from "node:http"
import { httpUpstream } from "../support/upstream.ts"
import { below, type Figure, told } from "./figures.ts"
import { interleaved, median, quantile, timed } from "./rounds.ts"
import { bearer, database, makeWorkspace, Stage, startHub } from "./stage.ts"

const payload = { text: "hello" }

/** A caller with one kept connection. */
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
  const { rounds, seconds } = yield* Stage
  const provider = yield* httpUpstream((_, response) => {
    response.setHeader("content-type", "application/json")
    response.end("{\"said\":\"hello\"}")
  })
  const target = yield* database
  const hub = yield* startHub(target, { env: { HUB_EGRESS_ALLOW: `127.0.0.1:${provider.port}` } })
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
  const dispatch = (service: string) =>
    caller(
      hub.port,
      "/api/v1/service-requests",
      bearer(workspace),
      JSON.stringify({ service, operation: "say", payload }),
      "\"status\":\"executed\""
    )
  const sql = yield* singleConnection(target, "bench")
  yield* sql.unsafe("create table commits (id bigint generated always as identity primary key, body text not null)")

  const of = (once: Effect.Effect<unknown, unknown>) =>
    Effect.map(timed(once, { millis: seconds * 500 }), (took) => {
      provider.received.length = 0
      return { p50: quantile(took, 0.5), p99: quantile(took, 0.99) }
    })
  const found = yield* interleaved(rounds, {
    commit: of(sql`insert into commits (body) values ('hello')`),
    direct: of(caller(provider.port, "/say", {}, JSON.stringify(payload), "hello")),
    governed: of(dispatch("speaker")),
    echo: of(dispatch("echo"))
  })
  const added = found.governed.map(({ p50 }, at) => (p50 - found.direct[at]!.p50) / found.commit[at]!.p50)
  const tell = (name: string, key: keyof typeof found) =>
    told(
      name,
      `p50 ${median(found[key].map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${
        median(found[key].map(({ p99 }) => p99)).toFixed(2)
      } ms`
    )
  return [
    below("one caller: what the hub adds to the provider, in single commits", 4, median(added)),
    tell("one row committed on one connection", "commit"),
    tell("the provider called directly", "direct"),
    tell("the provider through the hub", "governed"),
    tell("`echo.say`", "echo")
  ]
}).pipe(Effect.scoped)
