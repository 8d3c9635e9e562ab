/**
 * Events of a workspace at a steady rate to ten webhook endpoints, one of them dead and one that takes ten seconds for
 * each answer: how soon the healthy ones get them, and how much memory the hub takes. `--rows` limits the events.
 */
import { Effect } from "effect"
import { expectStatus } from "../support/hub.ts"
import { closedPort } from "../support/upstream.ts"
import { webhookReceiver } from "../support/webhook-receiver.ts"
import { below, type Figure, info } from "./figures.ts"
import { cpuSeconds, residentBytes } from "./machine.ts"
import { quantile, sorted } from "./rounds.ts"
import { bearer, type BenchHub, database, makeWorkspace, sayHello, Stage, startHub, type Workspace } from "./stage.ts"

const eventsMax = 10_000
const healthyCount = 8
const perSecond = 50
const slowMillis = 10_000
const sampleMillis = 100

/** Requests at a steady rate, each with one event; resolves when all are answered. */
const makeEvents = (hub: BenchHub, workspace: Workspace, count: number) =>
  Effect.promise(async () => {
    const url = `http://127.0.0.1:${hub.port}/api/v1/service-requests`
    const headers = { ...bearer(workspace), "content-type": "application/json" }
    const answers: Array<Promise<void>> = []
    const began = performance.now()
    for (let at = 0; at < count; at++) {
      const wait = began + at * 1_000 / perSecond - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      answers.push(
        fetch(url, { method: "POST", headers, body: JSON.stringify(sayHello) }).then(async (response) => {
          const text = await response.text()
          if (response.status !== 200) throw new Error(`a request was answered with ${response.status}: ${text}`)
        })
      )
    }
    await Promise.all(answers)
  })

export const webhooks: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { rows } = yield* Stage
  const count = Math.min(eventsMax, rows)
  const hub = yield* startHub(yield* database, { env: { HUB_EGRESS_ALLOW: "127.0.0.1" } })
  const workspace = yield* makeWorkspace(hub)
  const delays: Array<number> = []
  const healthy = yield* Effect.forEach(
    Array.from({ length: healthyCount }),
    () =>
      webhookReceiver(({ body }, response) => {
        const { timestamp } = JSON.parse(body) as { readonly timestamp: string }
        delays.push(Date.now() - Date.parse(timestamp))
        response.writeHead(204).end()
      })
  )
  const slow = yield* webhookReceiver((_message, response) =>
    void setTimeout(() => response.writeHead(204).end(), slowMillis)
  )
  const urls = [...healthy.map(({ url }) => url), slow.url, `http://127.0.0.1:${yield* closedPort}/`]
  for (const url of urls) {
    const body = { url, types: ["service_request.updated"] }
    expectStatus(yield* hub.api("POST", "/webhook-endpoints", { cookie: workspace.cookie, body }), 201)
  }
  const idle = residentBytes(hub.pid)
  const memory: Array<number> = []
  const timer = setInterval(() => memory.push(residentBytes(hub.pid)), sampleMillis)
  yield* Effect.addFinalizer(() => Effect.sync(() => clearInterval(timer)))
  const cpu = cpuSeconds(hub.pid)
  const began = performance.now()
  yield* makeEvents(hub, workspace, count)
  const made = performance.now()
  yield* Effect.forEach(healthy, (receiver) => receiver.messages(count), { concurrency: "unbounded", discard: true })
  const arrived = performance.now()
  const micros = (cpuSeconds(hub.pid) - cpu) * 1e6 / (count * healthyCount)
  const seconds = (from: number, to: number) => ((to - from) / 1_000).toFixed(1)
  const at = sorted(delays)
  // The first half grows the heap to its working size; memory is flat if the second adds nothing.
  const [first, second] = [memory.slice(0, memory.length / 2), memory.slice(memory.length / 2)]
    .map((half) => Math.max(...half))
  const mebibytes = (bytes = 0) => bytes / 2 ** 20
  return [
    below(
      `${count} events to 10 endpoints: a healthy receiver after the event, p95`,
      1_000,
      quantile(at, 0.95),
      0,
      " ms"
    ),
    info("the same, p50 and p99", `${quantile(at, 0.5).toFixed(0)} ms, ${quantile(at, 0.99).toFixed(0)} ms`),
    below(
      "memory of the hub: its peak in the second half above that of the first",
      50,
      mebibytes(second) - mebibytes(first),
      0,
      " MB"
    ),
    info(
      "memory of the hub when idle, its peak",
      `${mebibytes(idle).toFixed(0)} MB, ${mebibytes(Math.max(...memory)).toFixed(0)} MB`
    ),
    info("CPU of the hub a message, the request that made its event included", `${micros.toFixed(0)} µs`),
    info("events made in, received by the healthy ones in", `${seconds(began, made)} s, ${seconds(began, arrived)} s`),
    info(
      "messages that the slow receiver got, that arrived twice",
      `${slow.received.length}, ${delays.length - count * healthyCount}`
    )
  ]
}).pipe(Effect.scoped)
