/**
 * The money core without HTTP: the ticker with many callers against one transaction for each begin and settle over
 * plain connections.
 */
import { newId } from "@countersign/domain/ids"
import type { Begin, Settle } from "@countersign/hub/dispatch/money-core/entries"
import { tickLimits } from "@countersign/hub/dispatch/money-core/queue"
import { openLane } from "@countersign/hub/dispatch/money-core/service"
import { Ticker } from "@countersign/hub/dispatch/money-core/ticker"
import { entryDataText } from "@countersign/hub/platform/audit-entry-data"
import { Database, Db } from "@countersign/hub/platform/db"
import { migrate } from "@countersign/hub/platform/migrations"
import { poolLayer } from "@countersign/hub/platform/pool"
import { Effect, Layer } from "effect"
import { makeWorkspace, type Workspace } from "../support/tick.ts"
import { atLeast, type Figure, info } from "./figures.ts"
import { interleaved, median, quantile, ratio, sorted } from "./rounds.ts"
import { type BenchDatabase, database, Stage } from "./stage.ts"

/** Callers without batching: more of them only wait for each other. */
const plainCallers = 8

const requestOf = (workspace: Workspace): { readonly begin: Begin; readonly settle: Settle } => {
  const { agent, hubOwner: _, org, wallet } = workspace
  const id = newId("req")
  const actor = `agent ${agent.id} Agent`
  const data = entryDataText({ service: "echo", operation: "say", mode: "live", ceiling_cents: 1 })
  return {
    begin: {
      id,
      org,
      agent: agent.id,
      agentVersion: 1,
      rulesVersion: 1,
      mode: "live",
      service: "echo",
      operation: "say",
      scope: `dispatch ${agent.id} live`,
      key: id,
      hash: "00".repeat(32),
      verdict: "admit",
      ceilingCents: 1,
      limits: [agent.day, agent.operationMonth, agent.month, wallet],
      wallet,
      check: null,
      payload: "{\"text\":\"hello\"}",
      reason: null,
      result: null,
      block: null,
      wait: null,
      origin: null,
      script: null,
      granted: null,
      audit: newId("aud"),
      actor,
      ip: "127.0.0.1",
      data
    },
    settle: {
      id,
      org,
      status: "executed",
      cents: 1,
      micro: 0,
      reason: null,
      result: "{\"echo\":{\"text\":\"hello\"}}",
      ref: null,
      dueMillis: null,
      deadlineMillis: null,
      audit: newId("aud"),
      move: newId("led"),
      actor,
      data
    }
  }
}

/** Begins and settles requests with this many callers at once. */
export const runCore = (ticker: Ticker, workspace: Workspace, callers: number, seconds: number) =>
  Effect.promise(async () => {
    const took: Array<number> = []
    const began = performance.now()
    const until = began + seconds * 1000
    await Promise.all(Array.from({ length: callers }, async () => {
      while (performance.now() < until) {
        const asked = performance.now()
        const { begin, settle } = requestOf(workspace)
        const admitted = await ticker.begin(begin)
        if (admitted.kind !== "admitted") throw new Error(`a begin was answered ${admitted.kind}`)
        const settled = await ticker.settle(settle)
        if (settled.kind !== "done") throw new Error(`a settle was answered ${settled.kind}`)
        took.push(performance.now() - asked)
      }
    }))
    const sizes = sorted(took)
    return {
      perSecond: took.length / (performance.now() - began) * 1000,
      p50: quantile(sizes, 0.5),
      p99: quantile(sizes, 0.99)
    }
  })

export const tickerOf = (target: BenchDatabase, workspace: Workspace, limits: typeof tickLimits) =>
  Effect.acquireRelease(
    Effect.sync(() =>
      new Ticker({
        limits,
        openLane: () => Effect.runPromise(openLane(target)),
        owner: () => workspace.hubOwner,
        committed: () => {},
        warn: (message, cause) => console.error(message, cause)
      })
    ),
    (ticker) => Effect.promise(() => ticker.close())
  )

/** What the ticker needs from a database, without a hub. */
export const coreLayer = (target: BenchDatabase) =>
  Layer.effectDiscard(migrate).pipe(
    Layer.provideMerge(Db.layer),
    Layer.provideMerge(poolLayer),
    Layer.provideMerge(Layer.succeed(Database, { target, embedded: false, announceDraining: Effect.void }))
  )

export const moneyCore: Effect.Effect<ReadonlyArray<Figure>, unknown, Stage> = Effect.gen(function*() {
  const { callers, rounds, seconds } = yield* Stage
  const target = yield* database
  const found = yield* Effect.gen(function*() {
    const workspace = yield* makeWorkspace({ funds: 1_000_000_000 })
    const batched = yield* tickerOf(target, workspace, tickLimits)
    const plain = yield* tickerOf(target, workspace, {
      entriesMax: 1,
      lanesMax: plainCallers + 1,
      lanesOfOrgMax: plainCallers
    })
    yield* runCore(batched, workspace, callers, 1)
    yield* runCore(plain, workspace, plainCallers, 1)
    return yield* interleaved(rounds, {
      batched: runCore(batched, workspace, callers, seconds),
      plain: runCore(plain, workspace, plainCallers, seconds)
    })
  }).pipe(Effect.provide(coreLayer(target)))
  const speeds = (name: keyof typeof found) => found[name].map(({ perSecond }) => perSecond)
  const infoOf = (name: keyof typeof found, count: number) =>
    info(
      `money core, ${count} callers: ${name}`,
      `${median(speeds(name)).toFixed(0)}/s (${speeds(name).map((x) => x.toFixed(0)).join(", ")}), p50 ${
        median(found[name].map(({ p50 }) => p50)).toFixed(1)
      } ms, p99 ${median(found[name].map(({ p99 }) => p99)).toFixed(1)} ms`
    )
  return [
    atLeast("money core: batched over one transaction a phase", 12, ratio(speeds("batched"), speeds("plain")), 1),
    infoOf("batched", callers),
    infoOf("plain", plainCallers)
  ]
}).pipe(Effect.scoped)
