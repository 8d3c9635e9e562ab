/**
 * Runs of a workflow of five `echo.say` steps: how many a hub ends in a second, as a part of what the money core could
 * settle for them; what one run takes beside one dispatch; what a second hub adds; and what 10,000 waiting runs cost.
 */
import { tickLimits } from "@countersign/hub/dispatch/money-core/queue"
import { Effect } from "effect"
import { makeWorkspace as makeCoreWorkspace } from "../support/tick.ts"
import { makeWorkflow, say } from "../support/workflows.ts"
import { atLeast, below, type Figure, info } from "./figures.ts"
import type { LoadOptions } from "./load.ts"
import { cpuSeconds } from "./machine.ts"
import { coreLayer, runCore, tickerOf } from "./money-core.ts"
import { interleaved, median, ratio } from "./rounds.ts"
import { database, load, makeWorkspace, sayLoad, Stage, startHub, type Workspace } from "./stage.ts"

const labels = ["One", "Two", "Three", "Four", "Five"]
const chain = {
  steps: labels.map((label) => say(label)),
  edges: labels.slice(1).map((to, at) => ({ from: labels[at], to }))
}
/** A run that is answered at its end occupies one connection. */
const runsAtOnce = 128
const waitingRuns = 10_000
const watchedSeconds = 20

const runLoad = (
  { cookie }: Workspace,
  workflow: string,
  ports: ReadonlyArray<number>,
  more: Partial<LoadOptions>
): LoadOptions => ({
  ports,
  connections: runsAtOnce,
  warmMillis: 1_000,
  millis: 5_000,
  requestsMax: 2_000_000,
  method: "POST",
  path: `/api/v1/workflows/${workflow}/runs`,
  headers: { cookie },
  body: JSON.stringify({ input: {}, wait_seconds: 30 }),
  expect: "\"status\":\"succeeded\"",
  ...more
})

const core = Effect.gen(function*() {
  const target = yield* database
  return yield* Effect.gen(function*() {
    const workspace = yield* makeCoreWorkspace({ funds: 1_000_000_000 })
    return { workspace, ticker: yield* tickerOf(target, workspace, tickLimits) }
  }).pipe(Effect.provide(coreLayer(target)))
})

export const workflows: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, rounds, seconds } = yield* Stage
  const target = yield* database
  const first = yield* startHub(target)
  const workspace = yield* makeWorkspace(first)
  const agents = [{ id: workspace.agent }]
  const workflow = yield* makeWorkflow(first, workspace, chain, agents)
  const delay = { label: "Wait", type: "delay", config: { seconds: 3_600 } }
  const waiting = yield* makeWorkflow(first, workspace, { steps: [delay] }, agents)
  const second = yield* startHub(target)
  const { ticker, workspace: coreWorkspace } = yield* core

  const millis = seconds * 1_000
  const runs = (...ports: ReadonlyArray<number>) => load(runLoad(workspace, workflow, ports, { millis }))
  const one = { connections: 1, millis }
  yield* runs(first.port, second.port)
  const found = yield* interleaved(rounds, {
    core: runCore(ticker, coreWorkspace, callers, seconds),
    hub: runs(first.port),
    hubs: runs(first.port, second.port),
    run: load(runLoad(workspace, workflow, [first.port], one)),
    dispatch: load({ ...sayLoad(workspace, [first.port], { callers: 1, seconds }) })
  })
  const rates = (name: keyof typeof found) => found[name].map(({ perSecond }) => perSecond)
  const p50s = (name: keyof typeof found) => found[name].map(({ p50 }) => p50)

  const cpuOf = Effect.gen(function*() {
    const before = cpuSeconds(first.pid)
    yield* Effect.sleep(watchedSeconds * 1_000)
    return (cpuSeconds(first.pid) - before) / watchedSeconds * 100
  })
  const idle = yield* cpuOf
  yield* load(runLoad(workspace, waiting, [first.port], {
    warmMillis: 0,
    millis: 600_000,
    requestsMax: waitingRuns,
    body: "{}",
    expect: "\"status\":\""
  }))
  // The last starts have been saved before anything is measured.
  yield* Effect.sleep(5_000)
  const watched = yield* cpuOf

  return [
    atLeast(
      `runs of ${labels.length} steps per second over a ${labels.length}th of the money core's requests per second`,
      0.3,
      ratio(rates("hub"), rates("core").map((rate) => rate / labels.length))
    ),
    below("one run from start to end, in single dispatches", 12, ratio(p50s("run"), p50s("dispatch")), 1),
    atLeast("two hubs together over one", 1.2, ratio(rates("hubs"), rates("hub"))),
    below(
      `processor of a hub for ${waitingRuns.toLocaleString("en")} waiting runs, above idle`,
      1,
      watched - idle,
      2,
      " %"
    ),
    ...(["hub", "hubs", "run"] as const).map((name) =>
      info(name, `${median(rates(name)).toFixed(0)} runs/s, p50 ${median(p50s(name)).toFixed(1)} ms`)
    ),
    info("dispatch, one caller", `p50 ${median(p50s("dispatch")).toFixed(1)} ms`),
    info("money core", `${median(rates("core")).toFixed(0)} requests/s`),
    info("idle hub", `${idle.toFixed(2)} % of one processor`)
  ]
}).pipe(Effect.scoped)
