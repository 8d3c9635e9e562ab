/** From an attempt to its answer: decided and begun again for as long as the configuration moves under it. */
import { invalidRequest, unauthorized, unavailable } from "@countersign/domain/errors"
import { canonicalize } from "@countersign/domain/json"
import type { Effect } from "effect"
import type { Attempts } from "./attempts.ts"
import type { Attempt } from "./begin.ts"
import type { Configuration } from "./configuration.ts"
import type { Execution } from "./execution.ts"
import type { MoneyCore } from "./money-core.ts"
import type { Proceed } from "./proceed.ts"
import { keyConflict, type Replay } from "./replay.ts"
import type { RequestsRepository } from "./repository.ts"
import { type Answer, keyHash, type Submission } from "./submission.ts"
import { endedByHub, failedResult } from "./work.ts"

/** A decision on an old configuration is made again so often; then under the workspace's lock, where nothing can change. */
const staleTriesMax = 3

export const attemptOf = (asked: Submission, id: string, granting?: Attempt["granting"]): Attempt => {
  const canonical = canonicalize(asked.payload)
  // Nobody asks for the hash without a key.
  return { asked, id, canonical, hash: asked.key === undefined ? "" : keyHash(asked, canonical), granting }
}

const keyGone = () => unauthorized("The agent key is not valid any more. This endpoint wants an agent key.", { wants: "agent" })

export interface SubmitOptions {
  readonly attempts: Attempts
  readonly configuration: Configuration["Service"]
  readonly core: MoneyCore["Service"]
  readonly execution: Execution["Service"]
  readonly proceed: Proceed
  readonly replay: Replay
  readonly repository: RequestsRepository["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
}

export const makeSubmit = (options: SubmitOptions) => {
  const { configuration, execution, proceed, repository, run } = options
  const { beginLocked, prepare } = options.attempts
  const { onOrphaned, ticker } = options.core
  const { known, replay } = options.replay

  /** Begins whose callers were sent away: this process stays at them until the ticker knows what became of them. */
  const sentAway = new Map<string, () => void>()
  onOrphaned((begin, admitted) => {
    const over = () => {
      sentAway.get(begin.id)?.()
      sentAway.delete(begin.id)
    }
    if (!admitted) return over()
    const result = failedResult("interrupted", "The hub could not reach its database in time. Nothing was sent.")
    void ticker.settle(endedByHub(begin, result)).then(over)
  })

  const keyIsAlive = (asked: Submission) =>
    asked.keyId === undefined ? Promise.resolve(true) : run(repository.keyIsAlive(asked.org, asked.keyId))

  /** Rejects with the `ApiError`, or with a defect. Only a grant can find nothing pending. */
  return async (attempt: Attempt): Promise<Answer | { readonly notPending: true }> => {
    const { asked, id } = attempt
    let { keyVersion } = asked
    for (let tries = 0;; tries++) {
      const found = configuration.peek(asked.org, asked.agent) ?? await configuration.load(asked.org, asked.agent)
      if (found === undefined) {
        // An agent that is deleted has nothing that waits.
        if (attempt.granting !== undefined) return { notPending: true }
        throw keyGone()
      }
      // Read before this configuration, the key may have died with the version in between; from here on the tick sees it.
      if (asked.keyId !== undefined && found.agent.version !== keyVersion) {
        if (!await keyIsAlive(asked)) throw keyGone()
        keyVersion = found.agent.version
      }
      // Rows that count are made before the lock is taken: making them takes it too.
      if (tries === staleTriesMax) {
        await configuration.limits(asked.org, asked.agent, asked.mode, asked.service, asked.operation)
      }
      const locked = tries < staleTriesMax ? undefined : await beginLocked(attempt)
      if (locked === "nothing to end") throw new Error("there was nothing to end")
      const { decision, made } = locked ?? await prepare(attempt, found)
      if (made === undefined) {
        const replayed = await known(asked, attempt.hash)
        if (replayed !== undefined) return replayed
        throw invalidRequest(decision.message, decision.details)
      }
      const answer = locked?.answer ?? await ticker.begin(made)
      switch (answer.kind) {
        case "known": {
          const first = await replay(asked.org, answer.id)
          // Its own id, after a lost reply: it ended already, or another hub took it over.
          return answer.id === id ? { ...first, replayed: false } : first
        }
        case "conflict": throw keyConflict(answer.id)
        case "not_pending": return { notPending: true }
        case "unavailable":
          void execution.atWork(id, () => new Promise<void>((resolve) => sentAway.set(id, resolve)))
          throw unavailable("The hub cannot reach its database. Try again with the same idempotency-key.")
        case "refused": throw new Error("the money core refused this request", { cause: answer.cause })
        case "stale":
          configuration.forget(asked.org)
          continue
        default: {
          const facts = await proceed({ made, decision, answer, found: locked?.found ?? found }, asked.payload)
          return { facts, replayed: false }
        }
      }
    }
  }
}
