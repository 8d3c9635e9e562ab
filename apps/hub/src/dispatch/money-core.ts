/** The ticker as a service: lanes on connections of their own, closed only when every outcome is written. */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { ClockWatch } from "../clock/watch.ts"
import { Database, type DatabaseTarget, singleConnection } from "../platform/db.ts"
import { Owner } from "../platform/owner.ts"
import { DatabasePatience } from "../platform/patience.ts"
import { Readiness } from "../platform/readiness.ts"
import { Signals } from "../platform/signals.ts"
import { counting, tickDuration, tickEntries, timing } from "../platform/telemetry.ts"
import { RequestsRepository } from "./repository.ts"
import type { Begin, BeginAnswer } from "./tick-entries.ts"
import type { Lane } from "./tick-lanes.ts"
import { tickLimits } from "./tick-queue.ts"
import { readSingleBegin, singleBegin } from "./tick-statement.ts"
import { Ticker, type TickerOptions } from "./ticker.ts"

/**
 * A lane's session: the plan of the tick is made once and for any table size; nothing that a server's owner set as a default may
 * weaken a commit. Spec: guides on the money core.
 */
const laneParameters = {
  enable_seqscan: "off",
  plan_cache_mode: "force_generic_plan",
  jit: "off",
  statement_timeout: "0"
}

/** A hub that stops waits at least this long for its last settlements. */
const closeMillisMin = 1_000

/** For benches: see `TickLimits`. */
export class TickCut
  extends Context.Reference("@countersign/hub/dispatch/TickCut", { defaultValue: () => tickLimits })
{}

/** A connection for ticks. */
export const openLane = (target: DatabaseTarget) =>
  Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const run = Effect.runPromiseWith(context)
    const scope = yield* Scope.make()
    const client = yield* singleConnection(target, "countersign-tick", laneParameters).pipe(
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    const lane: Lane = {
      run: (text, parameters) => run(client.unsafe(text, parameters as Array<unknown>)) as never,
      close: () => run(Scope.close(scope, Exit.void))
    }
    return lane
  })

export class MoneyCore extends Context.Service<MoneyCore, {
  readonly ticker: Ticker
  /**
   * One begin, decided inside a transaction of the caller's that holds the workspace's lock. `again`: an earlier transaction with the
   * same begin may have been committed; what it wrote is recognized.
   */
  readonly decideWithin: (begin: Begin, again?: boolean) => Effect.Effect<BeginAnswer>
  /** Sets the handler of begins whose callers got `unavailable`; dispatch sets it once. See `TickerOptions`. */
  readonly onOrphaned: (handler: TickerOptions["orphaned"]) => void
}>()("@countersign/hub/dispatch/MoneyCore") {
  static readonly layer = Layer.effect(
    MoneyCore,
    Effect.gen(function*() {
      const { target } = yield* Database
      const owner = yield* Owner
      const limits = yield* TickCut
      const patience = yield* DatabasePatience
      const readiness = yield* Readiness
      const signals = yield* Signals
      const clock = yield* ClockWatch
      const requests = yield* RequestsRepository
      const context = yield* Effect.context<never>()
      const run = Effect.runPromiseWith(context)
      const count = counting(tickEntries, context)
      const time = timing(tickDuration, context)
      let orphaned: TickerOptions["orphaned"] = () => {}
      let warned = 0

      const ticker = yield* Effect.acquireRelease(
        Effect.sync(() =>
          new Ticker({
            limits,
            patience,
            openLane: () => run(openLane(target)),
            owner: owner.num,
            committed: (orgs) => {
              for (const org of orgs) signals.log(org)
            },
            observe: (entries, millis) => {
              count({ kind: "all" }, entries)
              time(millis)
            },
            warn: (message, cause) => {
              // A database that is away says so once a second, not once a try.
              if (performance.now() - warned < 1_000) return
              warned = performance.now()
              Effect.runForkWith(context)(Effect.logWarning(message, cause))
            },
            orphaned: (begin, answer) => orphaned(begin, answer),
            clockIsRight: () => run(clock.check)
          })
        ),
        (ticker) => Effect.promise(() => ticker.close(Math.max(closeMillisMin, readiness.drainMillisLeft())))
      )
      return MoneyCore.of({
        decideWithin: (begin, again = false) =>
          Effect.suspend(() => {
            const num = owner.num()
            return Effect.map(requests.tickWithin(singleBegin(num, begin, again)), (row) => readSingleBegin(row, num))
          }),
        ticker,
        onOrphaned: (handler) => void (orphaned = handler)
      })
    })
  )
}
