/**
 * Transactions whose outcome must be known. A connection may be cut between the COMMIT and its reply, and work that
 * depends on the commit must not start before its outcome is known.
 */
import { unavailable } from "@countersign/domain/errors"
import { Effect, Option } from "effect"
import { type Db, isConflict, isPassing } from "../../platform/db.ts"

/** How long a transaction that was not committed is retried before its caller gets 503. */
const patienceMillis = 20_000
const firstPauseMillis = 25
const pauseMillisMax = 1_000

const mayRetry = (error: unknown): boolean => isPassing(error) || isConflict(error)

export interface CommitsOptions {
  readonly db: Db["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
}

export interface Doubtful<A, E> {
  readonly work: Effect.Effect<A, E>
  /**
   * Runs first when an earlier attempt may have been committed, in a separate transaction. It takes the workspace's
   * lock, which the earlier transaction holds until it ends, and returns what that transaction committed.
   */
  readonly committed: Effect.Effect<Option.Option<A>, E>
}

export const makeCommits = ({ db, run }: CommitsOptions) => {
  /** Runs `work` in one transaction until its commit or failure is certain. Rejects as `run` does. */
  return async <A, E>({ committed, work }: Doubtful<A, E>): Promise<A> => {
    const started = performance.now()
    let inDoubt = false
    for (let pause = firstPauseMillis;; pause = Math.min(pause * 2, pauseMillisMax)) {
      try {
        if (inDoubt) {
          const found = await run(db.transaction(committed))
          if (Option.isSome(found)) return found.value
          inDoubt = false
          if (performance.now() - started > patienceMillis) {
            throw unavailable("The hub cannot reach its database. Nothing was recorded; try again.")
          }
        }
        return await run(db.transaction(work))
      } catch (error) {
        if (!mayRetry(error)) throw error
        inDoubt = true
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }
}

export type Commits = ReturnType<typeof makeCommits>
