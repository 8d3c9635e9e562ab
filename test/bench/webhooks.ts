/**
 * Events of a workspace at a steady rate to ten webhook endpoints, one of them dead and one that takes ten seconds for
 * each answer: how soon the healthy ones get them, and whether the memory of the hub grows with their number, after a
 * collection at the end of each of some equal batches. `--rows` limits the events.
 */
import { Effect } from "effect"
import { expectStatus } from "../support/hub.ts"
import { closedPort } from "../support/upstream.ts"
import { webhookReceiver } from "../support/webhook-receiver.ts"
import { below, type Figure, info } from "./figures.ts"
import { cpuSeconds } from "./machine.ts"
import { quantile, sorted } from "./rounds.ts"
import { bearer, type BenchHub, database, makeWorkspace, sayHello, Stage, startHub, type Workspace } from "./stage.ts"

const eventsMax = 10_000
const healthyCount = 8
const perSecond = 50
const slowMillis = 10_000
const batches = 5
const mebibytes = (bytes = 0) => bytes / 2 ** 20

/** The memory that the hub uses after a collection; `number` counts the calls from 1. */
const usedBytes = (hub: BenchHub, number: number) =>
  Effect.andThen(
    hub.kill("SIGHUP"),
    Effect.map(hub.line(new RegExp(`^memory ${number}: (\\d+)$`)), ([, bytes]) => Number(bytes))
  )

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
  const batch = Math.ceil(Math.min(eventsMax, rows) / batches)
  const count = batch * batches
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
  const used: Array<number> = []
  const cpu = cpuSeconds(hub.pid)
  const began = performance.now()
  let making = 0
  for (let number = 1; number <= batches; number++) {
    const start = performance.now()
    yield* makeEvents(hub, workspace, batch)
    making += performance.now() - start
    yield* Effect.forEach(healthy, (receiver) => receiver.messages(number * batch), {
      concurrency: "unbounded",
      discard: true
    })
    used.push(yield* usedBytes(hub, number))
  }
  const arrived = performance.now()
  const micros = (cpuSeconds(hub.pid) - cpu) * 1e6 / (count * healthyCount)
  const seconds = (millis: number) => (millis / 1_000).toFixed(1)
  const at = sorted(delays)
  return [
    below(
      `${count} events to 10 endpoints: a healthy receiver after the event, p95`,
      1_000,
      quantile(at, 0.95),
      0,
      " ms"
    ),
    info("the same, p50 and p99", `${quantile(at, 0.5).toFixed(0)} ms, ${quantile(at, 0.99).toFixed(0)} ms`),
    // The first batch fills what every later one reuses: compiled code, plans, connections.
    below(
      `memory of the hub after the last of ${batches} batches above that after the first`,
      10,
      mebibytes(used.at(-1)) - mebibytes(used[0]),
      1,
      " MB"
    ),
    info("the same after each batch", `${used.map((bytes) => mebibytes(bytes).toFixed(1)).join(", ")} MB`),
    info("CPU of the hub a message, the request that made its event included", `${micros.toFixed(0)} µs`),
    info("events made in, received by the healthy ones in", `${seconds(making)} s, ${seconds(arrived - began)} s`),
    info(
      "messages that the slow receiver got, that arrived twice",
      `${slow.received.length}, ${delays.length - count * healthyCount}`
    )
  ]
}).pipe(Effect.scoped)
