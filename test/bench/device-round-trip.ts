/**
 * The time from an operator's call that queues `true` until the operator's event stream reports its end, in commits of
 * a single row.
 */
import { singleConnection } from "@countersign/hub/platform/db"
import { Effect } from "effect"
import { Agent, request } from "node:http"
import { startDevice } from "./device-stage.ts"
import { below, type Figure, info } from "./figures.ts"
import { interleaved, median, quantile, timed } from "./rounds.ts"
import { database, makeWorkspace, Stage, startHub } from "./stage.ts"

/** A client of an operator with one kept-alive connection. */
const operator = (port: number, cookie: string) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 2 })
  return (method: string, path: string, body?: unknown, accept = "application/json"): Promise<string> =>
    new Promise((resolve, reject) => {
      const text = body === undefined ? "" : JSON.stringify(body)
      const headers = {
        cookie,
        accept,
        ...body === undefined ? {} : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }
      }
      request({ host: "127.0.0.1", port, path: `/api/v1${path}`, method, agent, headers }, (response) => {
        let got = ""
        response.setEncoding("utf8")
        response.on("data", (chunk: string) => {
          got += chunk
          // The event has arrived; the hub's close of the stream is not part of the measurement.
          if (got.includes("event: command\n")) resolve(got)
        })
        response.on("end", () => (response.statusCode ?? 500) < 300 ? resolve(got) : reject(new Error(got)))
      }).on("error", reject).end(text)
    })
}

export const deviceRoundTrip: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rounds, seconds } = yield* Stage
  const target = yield* database
  const hub = yield* startHub(target)
  const workspace = yield* makeWorkspace(hub)
  const rules = { rules: [{ effect: "allow", tool: "shell.run", argv: ["true"] }] }
  const bare = yield* startDevice(hub, workspace, () => ({ ...rules, sandbox: "off" }))
  const boxed = yield* startDevice(hub, workspace, () => rules)
  const call = operator(hub.port, workspace.cookie)
  const trip = (session: string) =>
    Effect.promise(async () => {
      const { id } = JSON.parse(
        await call("POST", `/devices/sessions/${session}/commands`, { tool: "shell.run", input: { argv: ["true"] } })
      )
      const events = await call("GET", `/devices/commands/${id}/output`, undefined, "text/event-stream")
      if (!events.includes("\"status\":\"done\"")) throw new Error(`an end was not what it should be: ${events}`)
    })
  const sql = yield* singleConnection(target, "bench")
  yield* sql.unsafe("create table commits (id bigint generated always as identity primary key, body text not null)")
  const of = (once: Effect.Effect<unknown, unknown>) =>
    Effect.map(
      timed(once, { millis: seconds * 500 }),
      (took) => ({ p50: quantile(took, 0.5), p99: quantile(took, 0.99) })
    )
  yield* of(trip(bare.session))
  const found = yield* interleaved(rounds, {
    commit: of(sql`insert into commits (body) values ('hello')`),
    bare: of(trip(bare.session)),
    boxed: of(trip(boxed.session))
  })
  const over = (name: "bare" | "boxed") => median(found[name].map(({ p50 }, at) => p50 / found.commit[at]!.p50))
  const infoOf = (name: string, key: keyof typeof found) =>
    info(
      name,
      `p50 ${median(found[key].map(({ p50 }) => p50)).toFixed(2)} ms, p99 ${
        median(found[key].map(({ p99 }) => p99)).toFixed(2)
      } ms`
    )
  return [
    below("a command from its queueing until its end is seen, in single commits", 10, over("bare"), 1),
    info("the same in a sandbox, where there is one", over("boxed").toFixed(1)),
    infoOf("one row committed on one connection", "commit"),
    infoOf("`true` on a device", "bare"),
    infoOf("`true` on a device, in a sandbox", "boxed")
  ]
}).pipe(Effect.scoped)
