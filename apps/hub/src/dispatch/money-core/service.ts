/** The ticker as a service. Its lanes have separate connections, which close only after every outcome is written. */
import { Context, Effect, Exit, Layer, Scope } from "effect"
import { ClockWatch } from "../../clock/watch.ts"
import { Database, type DatabaseTarget, isDiskFull, keptPlanParameters, singleConnection } from "../../platform/db.ts"
import { Owner } from "../../platform/owner.ts"
import { DatabasePatience } from "../../platform/patience.ts"
import { Readiness } from "../../platform/readiness.ts"
import { Signals } from "../../platform/signals.ts"
import { counting, tickDuration, tickEntries, timing } from "../../platform/telemetry.ts"
import type { Begin, BeginAnswer } from "./entries.ts"
import type { Lane } from "./lanes.ts"
import { tickLimits } from "./queue.ts"
import { MoneyCoreRepository } from "./repository.ts"
import { readSingleBegin, singleBegin } from "./statement.ts"
import { Ticker } from "./ticker.ts"

/** A lane's session keeps the plan of the tick, and no default of the server's owner ends one. */
const laneParameters = { ...keptPlanParameters, statement_timeout: "0" }

/** A stopping hub waits at least this long for its last settlements. */
const closeMillisMin = 1_000

/** For benchmarks: see `TickLimits`. */
export class TickCut
  extends Context.Reference("@countersign/hub/dispatch/money-core/TickCut", { defaultValue: () => tickLimits })
{}

/** A connection for ticks. */
export const openLane = (target: DatabaseTarget) =>
  Effect.gen(function*() {
    const context = yield* Effect.context<never>()
    const run = Effect.runPromiseWith(context)
    const scope = yield* Scope.make()
    // Reserved for the lane's lifetime: the client would compile and trace each statement and acquire a connection for
    // it.
    const connection = yield* singleConnection(target, "countersign-tick", laneParameters).pipe(
      Effect.flatMap(({ reserve }) => reserve),
      Scope.provide(scope),
      Effect.onError((cause) => Scope.close(scope, Exit.failCause(cause)))
    )
    const lane: Lane = {
      run: (text, parameters) => run(connection.execute(text, parameters, undefined)),
      close: () => run(Scope.close(scope, Exit.void))
    }
    return lane
  })

export class MoneyCore extends Context.Service<MoneyCore, {
  readonly ticker: Ticker
  /**
   * One begin, decided in the caller's transaction, which holds the workspace's lock. `again`: an earlier transaction
   * with the same begin may have been committed; its rows are recognized.
   */
  readonly decideWithin: (begin: Begin, again?: boolean) => Effect.Effect<BeginAnswer>
}>()("@countersign/hub/dispatch/money-core/MoneyCore") {
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
      const repository = yield* MoneyCoreRepository
      const context = yield* Effect.context<never>()
      const run = Effect.runPromiseWith(context)
      const count = counting(tickEntries, context)
      const time = timing(tickDuration, context)
      let warned = 0

      const ticker = yield* Effect.acquireRelease(
        Effect.sync(() =>
          new Ticker({
            limits,
            patience,
            openLane: () => run(openLane(target)),
            owner: owner.num,
            isShort: () => limits.isShort !== false,
            committed: (orgs) => {
              for (const org of orgs) signals.log(org)
            },
            observe: (entries, millis) => {
              count({}, entries)
              time(millis)
            },
            warn: (message, cause) => {
              if (isDiskFull(cause)) readiness.setDiskFull(true)
              // Logs an unavailable database once a second instead of at every attempt.
              if (performance.now() - warned < 1_000) return
              warned = performance.now()
              Effect.runForkWith(context)(Effect.logWarning(message, cause))
            },
            clockIsRight: () => run(clock.check)
          })
        ),
        (ticker) => Effect.promise(() => ticker.close(Math.max(closeMillisMin, readiness.drainMillisLeft())))
      )
      return MoneyCore.of({
        decideWithin: (begin, again = false) =>
          Effect.suspend(() => {
            const num = owner.num()
            return Effect.map(repository.tickWithin(singleBegin(num, begin, again)), (row) => readSingleBegin(row, num))
          }),
        ticker
      })
    })
  )
}
