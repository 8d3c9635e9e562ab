/** Retries of the Effect client. Spec: reference/clients.md "Retries". */
import { Effect, Random } from "effect"
import type { ClientError } from "./client-errors.ts"
import { backoffMillis, isTransientStatus } from "./retry-rules.ts"

/** A longer `Retry-After` is not waited out: the 429 is raised at once and carries it. */
export const retryAfterMillisMax = 300_000

/** Network errors, 429, 502, 503, 504. */
export const isTransient = (error: ClientError): boolean =>
  error._tag === "NetworkError" ||
  ((error._tag === "StatusError" || error._tag === "RateLimitError") && isTransientStatus(error.status ?? 0))

/** The pause before the next try; undefined when the answer requires a longer one than `retryAfterMillisMax`. */
const pauseMillis = (error: ClientError, attempt: number, random: number): number | undefined => {
  if (error._tag !== "RateLimitError" || error.retry_after_millis === undefined) return backoffMillis(attempt, random)
  return error.retry_after_millis <= retryAfterMillisMax ? error.retry_after_millis : undefined
}

/**
 * Runs `attempt` again, at most `retries` times, while it fails with a transient error. The last error is raised,
 * except one of a repeated attempt for which `settled` has the answer.
 */
export const retrying = <A, R>(
  attempt: Effect.Effect<A, ClientError, R>,
  retries: number,
  settled: (error: ClientError) => A | undefined = () => undefined
): Effect.Effect<A, ClientError, R> => {
  const from = (count: number): Effect.Effect<A, ClientError, R> =>
    Effect.catch(attempt, (error) => {
      const answer = count === 0 ? undefined : settled(error)
      if (answer !== undefined) return Effect.succeed(answer)
      return count < retries && isTransient(error)
        ? Effect.flatMap(Random.next, (random) => {
          const pause = pauseMillis(error, count, random)
          return pause === undefined ? Effect.fail(error) : Effect.andThen(Effect.sleep(pause), from(count + 1))
        })
        : Effect.fail(error)
    })
  return from(0)
}
