/**
 * Wakes workers that have due work. One statement asks for all of them, in place of one or more of each worker, so that
 * an idle hub uses little. It is advice only: a worker also runs without it at an interval.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Readiness } from "./readiness.ts"
import { repeatRounds } from "./rounds.ts"

/** Time between two statements. */
const roundMillis = 250
/** A worker runs after this long without due work. */
const fallbackMillis = 10_000

export class DueWork extends Context.Service<DueWork, {
  /**
   * Waits until one of these queries has a row, for 10 s at most. A query is text without parameters, and may return
   * rows without due work. A failed statement wakes all workers.
   */
  readonly wait: (...queries: ReadonlyArray<string>) => Effect.Effect<void>
}>()("@countersign/hub/platform/DueWork") {
  static readonly layer = Layer.effect(
    DueWork,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const readiness = yield* Readiness
      const workers: Array<{ readonly condition: string; readonly waiting: Set<() => void> }> = []

      const wake = (isDue: (at: number) => boolean) => {
        for (const [at, { waiting }] of workers.entries()) {
          if (isDue(at)) { for (const resume of waiting) resume() }
        }
      }
      const round = Effect.suspend(() =>
        workers.every(({ waiting }) => waiting.size === 0)
          ? Effect.void
          : sql<{ due: ReadonlyArray<boolean> }>`select array[${
            sql.literal(workers.map(({ condition }) => condition).join(", "))
          }] as due`.pipe(
            Effect.map(([row]) => wake((at) => row?.due[at] ?? true)),
            Effect.tapCause(() => Effect.sync(() => wake(() => true))),
            Effect.orDie
          )
      )
      yield* repeatRounds(readiness, "due work", roundMillis, round)

      return DueWork.of({
        wait: (...queries) => {
          const waiting = new Set<() => void>()
          workers.push({ condition: queries.map((query) => `exists (${query})`).join(" or "), waiting })
          return Effect.callback<void>((resume) => {
            const end = () => {
              waiting.delete(end)
              resume(Effect.void)
            }
            waiting.add(end)
            return Effect.sync(() => void waiting.delete(end))
          }).pipe(Effect.timeoutOption(fallbackMillis), Effect.asVoid)
        }
      })
    })
  )
}
