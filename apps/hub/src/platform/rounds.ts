/** Work that a hub repeats while it runs. */
import type { OrgId } from "@countersign/domain/ids"
import { Cause, Effect, FiberHandle, Queue } from "effect"
import { Db, isPassing } from "./db.ts"
import { OrgHeads } from "./org-heads.ts"
import type { Readiness } from "./readiness.ts"
import type { Signal, Signals } from "./signals.ts"

/** A round may take this much longer than ten intervals before the hub counts as not ready. */
const patienceMillis = 30_000

const logFailure = (worker: string) => (round: Effect.Effect<unknown>): Effect.Effect<unknown> =>
  Effect.catchCause(round, (cause) => Effect.logWarning(`${worker}: a round failed and will be repeated`, cause))

/**
 * Repeats a round for the life of the scope, with a pause between two. A failed round is logged and repeated; each
 * successful one is a heartbeat of the worker, which counts as silent before the first. `wait`, such as for a
 * wake-up, precedes each round but the first: a hub is ready only after the first rounds.
 */
export const repeatRounds = (
  readiness: Readiness["Service"],
  worker: string,
  pauseMillis: number,
  round: Effect.Effect<unknown>,
  wait: Effect.Effect<unknown> = Effect.void
) => {
  const isPaused = readiness.isPaused(worker)
  if (!isPaused) readiness.expect(worker)
  return (isPaused ? Effect.never : round).pipe(
    Effect.tap(() => Effect.sync(() => readiness.beat(worker, pauseMillis * 10 + patienceMillis))),
    logFailure(worker),
    Effect.andThen(Effect.suspend(() => readiness.pause(pauseMillis))),
    Effect.andThen(wait),
    Effect.forever,
    Effect.forkScoped
  )
}

/**
 * The same for rounds that can take longer than the hub may count as not ready: the worker begins the next round only
 * after the last one, and a round in progress is no silence.
 */
export const repeatLongRounds = (
  readiness: Readiness["Service"],
  worker: string,
  pauseMillis: number,
  round: Effect.Effect<unknown>,
  wait?: Effect.Effect<unknown>
) =>
  Effect.flatMap(FiberHandle.make<unknown>(), (inProgress) =>
    repeatRounds(
      readiness,
      worker,
      pauseMillis,
      FiberHandle.run(inProgress, logFailure(worker)(round), { onlyIfMissing: true }),
      wait
    ))

/** A log may have new entries. */
export const isOfLogs = ({ kind }: Signal): boolean => kind === "log" || kind === "resync"

/**
 * Wakes a worker for the life of the scope: by the signals that it selects, and by `wake`. All wake-ups before a `wait`
 * count as one.
 */
export const makeWakeUps = Effect.fnUntraced(function*(
  signals: Signals["Service"],
  wakes: (signal: Signal) => boolean
) {
  const queue = yield* Queue.sliding<void>(1)
  const wake = () => void Queue.offerUnsafe(queue, undefined)
  const unsubscribe = signals.subscribe((signal) => {
    if (wakes(signal)) wake()
  })
  yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
  return { wake, wait: Queue.take(queue) }
})

/**
 * Repeats a batch, which returns how many items it processed, until one has fewer than `max`; returns the sum.
 * `restMillis`: a pause between two, so that other work has priority.
 */
export const inBatches = Effect.fnUntraced(function*<E, R>(
  max: number,
  batch: Effect.Effect<number, E, R>,
  restMillis = 0
) {
  let total = 0
  for (;;) {
    const count = yield* batch
    total += count
    if (count < max) return total
    if (restMillis > 0) yield* Effect.sleep(restMillis)
  }
})

/** Workspaces whose items a round processes at the same time; each may take a connection of the pool. */
const workspacesAtOnce = 4

/**
 * Processes the items of a round, those of one workspace in order, a few workspaces at a time. A failed item is logged
 * and left to the next round; the rest of its workspace continues, unless the workspace is locked or the database is
 * unavailable.
 */
export const eachWorkspace = <A extends { readonly org_id: OrgId }>(
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

/**
 * Transactions of background work. Each fails when a lock is not free soon, so that its work is left to a later round
 * and a locked workspace delays only itself.
 */
export const backgroundTransactions = Effect.gen(function*() {
  const heads = yield* OrgHeads
  const db = yield* Db
  const briefly = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    db.transaction(Effect.andThen(heads.waitBriefly, work))
  /** Under the workspace's lock; `at` is its time. */
  const locked = <A, E, R>(org: OrgId, work: (at: Date) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    briefly(Effect.flatMap(heads.lock(org), work))
  return {
    briefly,
    locked,
    /** `eachWorkspace` with a transaction for each item. */
    eachBriefly: <A extends { readonly org_id: OrgId }>(
      what: string,
      items: ReadonlyArray<A>,
      work: (item: A) => Effect.Effect<unknown>
    ) => eachWorkspace(what, items, (item) => briefly(work(item))),
    /** The same, each under its workspace's lock. */
    eachLocked: <A extends { readonly org_id: OrgId }>(
      what: string,
      items: ReadonlyArray<A>,
      work: (item: A, at: Date) => Effect.Effect<unknown>
    ) => eachWorkspace(what, items, (item) => locked(item.org_id, (at) => work(item, at)))
  }
})
