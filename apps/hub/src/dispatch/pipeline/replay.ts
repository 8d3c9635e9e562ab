/**
 * The second call with an idempotency key gets the first one's answer, and waits for it while it is in flight. Spec:
 * reference/conventions.md "Idempotency".
 */
import type { Answer } from "@countersign/domain/dispatch-outcomes"
import { conflict } from "@countersign/domain/errors"
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { type Effect, Option } from "effect"
import type { RequestsRepository, StoredRequest } from "../requests/repository.ts"
import { keyOf, keyScope, type Submission } from "./submission.ts"
import type { RequestWaiters } from "./waiters.ts"

/** How long the second call with a key waits for the first. */
const inFlightMillisMax = 30_000

export const keyConflict = (id: ServiceRequestId) =>
  conflict(
    "idempotency_conflict",
    "This idempotency-key was used with another request. Use a new key for a new request.",
    { service_request_id: id }
  )

const stillInFlight = (id: ServiceRequestId) =>
  conflict(
    "idempotency_in_progress",
    "The first request with this idempotency-key is still in progress. Retry shortly.",
    {
      retry_after_seconds: 1,
      service_request_id: id
    }
  )

export interface ReplayOptions {
  readonly repository: RequestsRepository["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  readonly stored: (org: OrgId, id: ServiceRequestId) => Promise<StoredRequest>
  /** Whether this hub stops: a second call then no longer waits for the first. */
  readonly stopped: () => boolean
  readonly waiters: RequestWaiters["Service"]
}

export const makeReplay = ({ repository, run, stopped, stored, waiters }: ReplayOptions) => {
  /** The answer stored for a key. */
  const replay = async (org: OrgId, id: ServiceRequestId): Promise<Answer> => {
    const until = performance.now() + inFlightMillisMax
    for (;;) {
      const facts = await stored(org, id)
      if (!facts.in_flight) return { facts, replayed: true }
      const left = until - performance.now()
      if (left <= 0 || stopped()) throw stillInFlight(id)
      await waiters.wait(org, id, Math.min(left, 1_000))
    }
  }

  /** The same for a submission that never reached the tick; `undefined` when its key is new. */
  const known = async (asked: Submission, hash: string): Promise<Answer | undefined> => {
    const key = keyOf(asked)
    if (key === undefined) return undefined
    const found = await run(repository.byKey(asked.org, keyScope(asked.agent, asked.mode), key))
    if (Option.isNone(found)) return undefined
    if (found.value.hash !== hash) throw keyConflict(found.value.request_id)
    return await replay(asked.org, found.value.request_id)
  }

  return { known, replay }
}

export type Replay = ReturnType<typeof makeReplay>
