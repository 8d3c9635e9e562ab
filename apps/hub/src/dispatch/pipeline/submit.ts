/** Takes an attempt to its answer: repeats the decision while the configuration changes. */
import { invalidRequest, notFound, unauthorized, unavailable } from "@countersign/domain/errors"
import { canonicalize } from "@countersign/domain/json"
import type { Effect } from "effect"
import type { Configuration } from "../decision/configuration.ts"
import type { Begin, BeginAnswer } from "../money-core/entries.ts"
import type { MoneyCore } from "../money-core/service.ts"
import type { RequestsRepository } from "../requests/repository.ts"
import type { Attempts } from "./attempts.ts"
import type { Attempt } from "./begin.ts"
import type { Execution } from "./execution.ts"
import type { Early, Proceed } from "./proceed.ts"
import { keyConflict, type Replay } from "./replay.ts"
import { type Answer, keyHash, type Submission } from "./submission.ts"
import { endedByHub, failedResult } from "./work.ts"

/**
 * How often a stale decision is repeated before it is made under the workspace's lock, where no configuration can
 * change.
 */
export const staleTriesMax = 3

export const attemptOf = (asked: Submission, id: string, granting?: Attempt["granting"]): Attempt => {
  const canonical = canonicalize(asked.payload)
  // The hash is needed only with a key.
  return { asked, id, canonical, hash: asked.key === undefined ? "" : keyHash(asked, canonical), granting }
}

const keyGone = () =>
  unauthorized("The agent key is no longer valid. This endpoint requires an agent key.", { wants: "agent" })

/** `sent`: the database may have begun it. This hub will not send it then; a hub that takes over from it might. */
const unreachable = (sent: boolean) =>
  unavailable(
    sent
      ? "The hub cannot reach its database. Retry shortly with the same idempotency-key: only a retry shows whether this request was started."
      : "The hub cannot reach its database. This request was not executed and will not be. Try again shortly."
  )

/** How long a caller waits for a decision under the workspace's lock. */
const lockedMillisMax = 25_000

export interface SubmitOptions {
  readonly attempts: Attempts
  /** Cancels the approval of a request if it is pending. Retries while the database is unavailable. */
  readonly cancelPending: (org: string, request: string) => Promise<void>
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
  const { ticker } = options.core
  const { cancelPending } = options
  const { known, replay } = options.replay

  const endUnsent = (begin: Pick<Begin, "id" | "org" | "service" | "operation" | "mode">) =>
    ticker.settle(
      endedByHub(begin, failedResult("interrupted", "The hub could not reach its database in time. Nothing was sent."))
    )

  /** For a caller that got 503: nothing is sent, and the approval is canceled. */
  const endRefused = async (begin: Begin, answer: BeginAnswer | undefined): Promise<void> => {
    if (answer?.kind === "admitted") await endUnsent(begin)
    // After a lost reply the approval is known only by the request's own id.
    else if (
      answer?.kind === "waits" || (answer?.kind === "known" && answer.id === begin.id && begin.granted === null)
    ) {
      await cancelPending(begin.org, begin.id)
    }
  }

  /** As `beginLocked`, with a time limit for the caller: a later decision is ended unsent. */
  const beginInTime = (attempt: Attempt, since: number): ReturnType<typeof beginLocked> =>
    new Promise((resolve, reject) => {
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        reject(unreachable(true))
      }, since + lockedMillisMax - performance.now())
      const decided = beginLocked(attempt).finally(() => clearTimeout(timer))
      void execution.track(
        attempt.id,
        () =>
          decided.then((begun) =>
            isLate && typeof begun === "object" ? endRefused(begun.made, begun.answer) : resolve(begun)
          ).catch(reject)
      )
    })

  const keyIsAlive = (asked: Submission) =>
    asked.keyId === undefined ? Promise.resolve(true) : run(repository.keyIsAlive(asked.org, asked.keyId))

  /** Rejects with the `ApiError`, or with a defect. */
  return async (attempt: Attempt, early: Early): Promise<Answer> => {
    const since = performance.now()
    const { asked, id } = attempt
    let { keyVersion } = asked
    for (let tries = 0;; tries++) {
      const found = configuration.peek(asked.org, asked.agent) ?? await configuration.load(asked.org, asked.agent)
      if (found === undefined) throw asked.keyId === undefined ? notFound("agent") : keyGone()
      // The key was read with an older version of the configuration and may have been revoked with it; later
      // revocations are caught by the tick.
      if (asked.keyId !== undefined && found.agent.version !== keyVersion) {
        if (!await keyIsAlive(asked)) throw keyGone()
        keyVersion = found.agent.version
      }
      // Creating counter rows takes the lock, so they are created before this transaction takes it.
      if (tries === staleTriesMax) {
        await configuration.limits(asked.org, asked.agent, asked.mode, asked.service, asked.operation)
      }
      const locked = tries < staleTriesMax ? undefined : await beginInTime(attempt, since)
      if (locked === "nothing to end") throw new Error("there was nothing to end")
      const { decision, made } = locked ?? await prepare(attempt, found)
      if (made === undefined) {
        const replayed = await known(asked, attempt.hash)
        if (replayed !== undefined) return replayed
        throw invalidRequest(decision.message, decision.details)
      }
      const answer = locked?.answer ?? await ticker.begin(made, since)
      switch (answer.kind) {
        case "known": {
          const first = await replay(asked.org, answer.id)
          // The request's own id, after a lost reply: it has already ended, or another hub took it over.
          return answer.id === id ? { ...first, replayed: false } : first
        }
        case "conflict":
          throw keyConflict(answer.id)
        case "not_pending":
          throw new Error("a new request has no approval to consume")
        case "unavailable":
          // It stays work of this process until the database has decided it.
          if (answer.sent) void execution.track(id, async () => endRefused(made, await answer.decided))
          throw unreachable(answer.sent)
        case "refused":
          throw new Error("the money core refused this request", { cause: answer.cause })
        case "stale":
          // No configuration can change under the lock, so a counter row of the request is missing.
          if (locked !== undefined) throw new Error(`a limit of a request of agent ${asked.agent} is missing`)
          configuration.forget(asked.org)
          continue
        default: {
          const facts = await proceed({ made, decision, answer, found: locked?.found ?? found }, asked, early)
          return { facts, replayed: false }
        }
      }
    }
  }
}
