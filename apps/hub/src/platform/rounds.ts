/** Work that a hub repeats while it runs. */
import { Cause, Effect, Schedule } from "effect"
import { isPassing } from "./db.ts"
import type { Readiness } from "./readiness.ts"

/** A round may take this much longer than ten intervals before the hub counts as not ready. */
const patienceMillis = 30_000

/**
 * Repeats a round for the life of the scope, with a pause between two. A failed round is logged and repeated; each
 * successful one is a heartbeat of the worker, which counts as silent before the first.
 */
export const repeatRounds = (
  readiness: Readiness["Service"],
  worker: string,
  pauseMillis: number,
  round: Effect.Effect<unknown>
) => {
  readiness.expect(worker)
  return round.pipe(
    Effect.tap(() => Effect.sync(() => readiness.beat(worker, pauseMillis * 10 + patienceMillis))),
    Effect.catchCause((cause) => Effect.logWarning(`${worker}: a round failed and will be repeated`, cause)),
    Effect.repeat(Schedule.spaced(pauseMillis)),
    Effect.forkScoped
  )
}

/** Workspaces whose items a round processes at the same time; each may take a connection of the pool. */
const workspacesAtOnce = 4

/**
 * Processes the items of a round, those of one workspace in order, a few workspaces at a time. A failed item is logged
 * and left to the next round; the rest of its workspace continues, unless the workspace is locked or the database is
 * unavailable.
 */
export const eachWorkspace = <A extends { readonly org_id: string }>(
  what: string,
  items: ReadonlyArray<A>,
  work: (item: A) => Effect.Effect<unknown>
): Effect.Effect<void> =>
  Effect.forEach(Map.groupBy(items, ({ org_id }) => org_id), ([org, own]) =>
    Effect.gen(function*() {
      for (const item of own) {
        const left = yield* Effect.matchCauseEffect(work(item), {
          onSuccess: () => Effect.succeed(false),
          onFailure: (cause) =>
            Effect.as(
              Effect.logWarning(`${what} of ${org} failed and will be repeated`, cause),
              isPassing(Cause.squash(cause))
            )
        })
        if (left) return
      }
    }), { concurrency: workspacesAtOnce, discard: true })
