/**
 * The stage `begin`: an entry of a batch, or a transaction under the workspace's lock. A begin whose caller got an error
 * is ended unsent once the database has decided it.
 */
import { type ApiError, unavailable } from "@countersign/domain/errors"
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Effect, Option } from "effect"
import { markTaken } from "../../pick-ups/pick-up.ts"
import type { PickUpsRepository } from "../../pick-ups/repository.ts"
import type { Owner } from "../../platform/owner.ts"
import type { Begin, BeginAnswer } from "../money-core/entries.ts"
import type { MoneyCore } from "../money-core/service.ts"
import type { RequestsRepository } from "../requests/repository.ts"
import type { Commits } from "./commits.ts"
import type { Decide } from "./decide.ts"
import type { Execution } from "./execution.ts"
import type { Attempt, Begun, Decided } from "./states.ts"
import type { Submission } from "./submission.ts"
import { endedByHub, failedResult } from "./work.ts"

/** How long a caller waits for a decision under the workspace's lock. */
const lockedMillisMax = 25_000

/** `sent`: the database may have begun it. This hub will not send it then; a hub that takes over from it might. */
const unreachable = (sent: boolean) =>
  unavailable(
    sent
      ? "The hub cannot reach its database. Retry shortly with the same idempotency-key: only a retry shows whether this request was started."
      : "The hub cannot reach its database. This request was not executed and will not be. Try again shortly."
  )

export interface BeginOptions {
  readonly owner: Owner["Service"]
  readonly pickUps: PickUpsRepository["Service"]
  readonly run: <A, E>(effect: Effect.Effect<A, E>) => Promise<A>
  /** Cancels the approval of a request if it is pending. Retries while the database is unavailable. */
  readonly cancelPending: (org: OrgId, request: ServiceRequestId) => Promise<void>
  readonly commits: Commits
  readonly core: MoneyCore["Service"]
  readonly decide: Decide
  readonly execution: Execution["Service"]
  readonly repository: RequestsRepository["Service"]
}

export const makeBegin = (
  { cancelPending, commits, core, decide, execution, owner, pickUps, repository, run }: BeginOptions
) => {
  const { decideWithin, ticker } = core

  const endUnsent = (begin: Begin) =>
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

  /** Rejects with 503 when the database does not decide in time, or with a defect when it refuses the entry. */
  const batched = async ({ asked, id }: Attempt, { decision, found, made }: Decided, since: number): Promise<Begun> => {
    const answer = await ticker.begin(made, since, asked.again)
    if (answer.kind === "refused") throw new Error("the money core refused this request", { cause: answer.cause })
    if (answer.kind !== "unavailable") return { made, decision, found, answer }
    // It stays work of this process until the database has decided it.
    if (answer.sent) void execution.track(id, async () => endRefused(made, await answer.decided))
    throw unreachable(answer.sent)
  }

  /**
   * One transaction that decides under the lock, for a workspace whose rules change faster than a request is decided.
   * `first` runs before this function takes the lock, and may take it. A failure rolls `first` back.
   */
  const locked = (
    attempt: Attempt,
    first: Effect.Effect<boolean, ApiError> = Effect.succeed(true)
  ): Promise<Begun | "nothing to end" | undefined> => {
    const { asked, id } = attempt
    let sent: Decided | undefined
    return commits({
      work: Effect.gen(function*() {
        if (!(yield* first)) return "nothing to end" as const
        yield* repository.lock(asked.org)
        sent = yield* decide.readWithin(attempt)
        return sent === undefined ? undefined : { ...sent, answer: yield* decideWithin(sent.made) }
      }),
      committed: Effect.gen(function*() {
        yield* repository.lock(asked.org)
        if (sent === undefined || !(yield* repository.exists(asked.org, id))) return Option.none()
        return Option.some({ ...sent, answer: yield* decideWithin(sent.made, true) })
      })
    })
  }

  /** As `locked`, with a time limit for the caller: a later decision is ended unsent. */
  const lockedInTime = (attempt: Attempt, since: number): ReturnType<typeof locked> =>
    new Promise((resolve, reject) => {
      let isLate = false
      const timer = setTimeout(() => {
        isLate = true
        reject(unreachable(true))
      }, since + lockedMillisMax - performance.now())
      const decided = locked(attempt).finally(() => clearTimeout(timer))
      void execution.track(
        attempt.id,
        () =>
          decided.then((begun) =>
            isLate && typeof begun === "object" ? endRefused(begun.made, begun.answer) : resolve(begun)
          ).catch(reject)
      )
    })

  /** Takes the pick-up of a submission before its begin. */
  const pickedUp = async ({ agent, mode, org, pickUp }: Submission): Promise<void> => {
    if (pickUp === undefined || pickUp.isTaken) return
    markTaken(pickUp, await run(pickUps.take({ org, agent, mode, hash: pickUp.hash }, pickUp.key, owner.num())))
  }

  return { batched, isIdle: () => ticker.isIdle, locked, lockedInTime, pickedUp }
}

export type BeginStage = ReturnType<typeof makeBegin>
