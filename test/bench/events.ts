/** A thousand open consoles of the busy workspace on one hub: the cost in memory and in dispatch. */
import { Effect } from "effect"
import { join } from "node:path"
import { spawnProgram } from "../support/hub-program.ts"
import { atLeast, below, type Figure, info } from "./figures.ts"
import { cpuSeconds, residentBytes } from "./machine.ts"
import type { ReadersOptions, ReadersResult } from "./readers.ts"
import { interleaved, median, quantile, ratio, sorted } from "./rounds.ts"
import { type BenchHub, database, load, makeWorkspace, sayLoad, Stage, startHub, type Workspace } from "./stage.ts"

const streams = 1_000
/** Decisions whose delay to a second console is measured. */
const changes = 30

const readers = Effect.fnUntraced(function*(hub: BenchHub, { cookie }: Workspace) {
  const options: ReadersOptions = { port: hub.port, streams, path: "/api/v1/events?workspace=all", headers: { cookie } }
  const program = yield* spawnProgram([
    process.execPath,
    join(import.meta.dirname, "readers.ts"),
    JSON.stringify(options)
  ])
  yield* program.line(/^open$/)
  return {
    end: Effect.gen(function*() {
      yield* program.send("")
      const [line] = yield* program.line(/^\{.*\}$/)
      const result = JSON.parse(line) as ReadersResult
      if (result.open !== streams) return yield* Effect.die(new Error(`${streams - result.open} streams were cut`))
      return result
    })
  }
})

/** Milliseconds from the answer to a change until its event on another stream. */
const delay = (hub: BenchHub, { cookie }: Workspace) =>
  Effect.promise(async () => {
    const abort = new AbortController()
    const base = `http://127.0.0.1:${hub.port}/api/v1`
    const response = await fetch(`${base}/events?workspace=all`, { headers: { cookie }, signal: abort.signal })
    const waiting: Array<() => void> = []
    const read = async () => {
      const decoder = new TextDecoder()
      for await (const chunk of response.body!) {
        if (!decoder.decode(chunk as Uint8Array).includes("event: balance.changed")) continue
        for (const done of waiting.splice(0)) done()
      }
    }
    const reading = read().catch(() => {})
    const took: Array<number> = []
    const body = JSON.stringify({ amount_cents: 1 })
    for (let at = 0; at < changes; at++) {
      const arrived = new Promise<void>((resolve) => waiting.push(resolve))
      const began = performance.now()
      await fetch(`${base}/balance/top-up`, {
        method: "POST",
        headers: { cookie, "content-type": "application/json" },
        body
      })
      await arrived
      took.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, 40))
    }
    abort.abort()
    await reading
    return quantile(sorted(took), 0.5)
  })

export const events: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, rounds, seconds } = yield* Stage
  const target = yield* database
  const hub = yield* startHub(target)
  const workspace = yield* makeWorkspace(hub)
  const measure = Effect.gen(function*() {
    const before = cpuSeconds(hub.pid)
    const { good, perSecond } = yield* load(sayLoad(workspace, [hub.port], { callers, seconds }))
    return { perSecond, micros: (cpuSeconds(hub.pid) - before) * 1e6 / good }
  })
  // Memory that a hub keeps after a load must not count for the streams.
  yield* measure
  const grown: Array<number> = []
  const got: Array<ReadersResult> = []
  const found = yield* interleaved(rounds, {
    none: measure,
    open: Effect.scoped(Effect.gen(function*() {
      const before = residentBytes(hub.pid)
      const opened = yield* readers(hub, workspace)
      grown.push(residentBytes(hub.pid) - before)
      const found = yield* measure
      got.push(yield* opened.end)
      return found
    }))
  })
  const alone = yield* delay(hub, workspace)
  const among = yield* Effect.scoped(Effect.gen(function*() {
    const opened = yield* readers(hub, workspace)
    const found = yield* delay(hub, workspace)
    yield* opened.end
    return found
  }))
  const speeds = (name: keyof typeof found) => found[name].map(({ perSecond }) => perSecond)
  const cpu = (name: keyof typeof found) => median(found[name].map(({ micros }) => micros)).toFixed(0)
  const megabytes = (bytes: number) => bytes / 2 ** 20
  return [
    below(`${streams} event streams: memory`, 100, megabytes(median(grown)), 0, " MB"),
    atLeast(
      `${streams} event streams: dispatch over the same without them`,
      0.8,
      ratio(speeds("open"), speeds("none"))
    ),
    info(
      "dispatch without streams, with them",
      `${median(speeds("none")).toFixed(0)}/s, ${median(speeds("open")).toFixed(0)}/s`
    ),
    info("CPU of the hub a request, without streams, with them", `${cpu("none")} µs, ${cpu("open")} µs`),
    info(
      "what one stream got in that time",
      got.map(({ events, resets }) => `${events} events, ${resets} resets`).join("; ")
    ),
    info("what all streams got", `${megabytes(median(got.map(({ bytes }) => bytes))).toFixed(0)} MB`),
    info(
      "a change's call to its event elsewhere, p50",
      `${alone.toFixed(1)} ms alone, ${among.toFixed(1)} ms among ${streams}`
    )
  ]
}).pipe(Effect.scoped)
