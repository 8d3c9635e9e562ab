/**
 * Votes on approvals. One transaction checks the right to vote, records the vote and, with the last vote, grants the
 * approval, checks the request again with today's figures, and writes its hold or its settlement. Then the request is
 * executed. Spec: reference/approvals.md "Outcome of an approval".
 */
import { conflict, unavailable } from "@countersign/domain/errors"
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Effect, Option } from "effect"
import type { Configuration, Found } from "../decision/configuration.ts"
import type { MoneyCore } from "../money-core/service.ts"
import type { RequestsRepository, StoredRequest } from "../requests/repository.ts"
import type { Commits } from "./commits.ts"
import type { Decide } from "./decide.ts"
import type { Early, Execute } from "./execute.ts"
import type { Attempt, Begun, Decided } from "./states.ts"
import type { GrantAnswer, Vote } from "./submission.ts"
import { staleTriesMax } from "./submit.ts"

/** Rolls back a grant that was decided on an old configuration. */
class StaleDecision extends Error {}

/** Rolls back a vote on an approval that another transaction decided. */
class NotPending extends Error {}

type Outcome = { readonly kind: "added" } | { readonly kind: "known" } | {
  readonly kind: "begun"
  readonly begun: Begun
}

export interface GrantsOptions {
  readonly commits: Commits
  readonly configuration: Configuration["Service"]
  readonly decide: Decide
  readonly decideWithin: MoneyCore["Service"]["decideWithin"]
  readonly execute: Execute
  readonly repository: RequestsRepository["Service"]
  readonly stored: (org: OrgId, id: ServiceRequestId) => Promise<StoredRequest>
}

/** Queues the votes of one workspace here: votes that wait for its lock would each occupy a connection of the pool. */
const makeTurns = () => {
  const last = new Map<string, Promise<void>>()
  return async <A>(org: OrgId, work: () => Promise<A>): Promise<A> => {
    const before = last.get(org)
    const mine = Promise.withResolvers<void>()
    last.set(org, mine.promise)
    await before
    try {
      return await work()
    } finally {
      mine.resolve()
      if (last.get(org) === mine.promise) last.delete(org)
    }
  }
}

export const makeGrants = (options: GrantsOptions) => {
  const { commits, configuration, decide, decideWithin, execute, repository, stored } = options
  const inTurn = makeTurns()

  const decidedOn = async (attempt: Attempt, found: Found): Promise<Decided> => {
    const { decision, made } = await decide.prepare(attempt, found)
    // A granted request that no longer fits is decided as failed.
    if (made === undefined) throw new Error(`the grant of request ${attempt.id} was refused: ${decision.message}`)
    return { decision, made, found }
  }

  /**
   * One transaction. `prepared`: the decision on the configuration in memory; without it, the decision is made under
   * the lock.
   */
  const record = (attempt: Attempt, vote: Vote, prepared: Decided | undefined): Promise<Outcome> => {
    const { asked, granting } = attempt
    const { approvalId, entry, standing } = granting!.grant
    /** The begin that was sent last: a transaction with an unknown outcome may have committed it. */
    let sent: Decided | undefined
    const outcome = (begun: Begun): Outcome =>
      begun.answer.kind === "known" ? { kind: "known" } : { kind: "begun", begun }

    const work = Effect.gen(function*() {
      if ((yield* vote.cast) === "added") return { kind: "added" } as const
      sent = prepared ?? (yield* decide.readWithin(attempt))
      if (sent === undefined) return yield* Effect.fail(new NotPending())
      const answer = yield* decideWithin(sent.made)
      if (answer.kind === "stale") return yield* Effect.fail(new StaleDecision())
      if (answer.kind === "not_pending") return yield* Effect.fail(new NotPending())
      // A standing approval replaces the threshold, never a rule, and not a rule that was created after the request was
      // filed.
      if (standing !== undefined && sent.decision.kind === "admit" && sent.decision.ruled === true) {
        return yield* Effect.fail(
          conflict("standing_not_allowed", "A policy rule requires a person to approve this request.")
        )
      }
      yield* vote.granted
      return outcome({ ...sent, answer })
    })
    const committed = Effect.gen(function*() {
      yield* repository.lock(asked.org)
      const action = yield* repository.entryAction(asked.org, approvalId, entry)
      if (action === undefined) return Option.none<Outcome>()
      if (action !== "approval.approved" || sent === undefined) return Option.some<Outcome>({ kind: "added" })
      return Option.some(outcome({ ...sent, answer: yield* decideWithin(sent.made, true) }))
    })
    return commits({ work, committed })
  }

  /**
   * Rejects with an `ApiError` when the vote is not allowed, or with a defect; in both cases nothing was recorded. A
   * vote whose caller disconnected before its turn is not cast.
   */
  return async (attempt: Attempt, vote: Vote, abandoned: () => boolean, early: Early): Promise<GrantAnswer> => {
    const { asked, id } = attempt
    for (let tries = 0;; tries++) {
      // Creating counter rows takes the lock, so they are created before this transaction takes it.
      const locked = tries >= staleTriesMax
      if (locked) await configuration.limits(asked)
      const found = configuration.peek(asked.org, asked.agent) ?? await configuration.load(asked.org, asked.agent)
      if (found === undefined) return { kind: "not_pending" }
      const decided = locked ? undefined : await decidedOn(attempt, found)
      try {
        const outcome = await inTurn(asked.org, async () => {
          if (abandoned()) {
            throw unavailable("The hub could not record this vote in time. Nothing was recorded; try again.")
          }
          return await record(attempt, vote, decided)
        })
        if (outcome.kind === "added") return outcome
        return {
          kind: "begun",
          facts: outcome.kind === "known" ? await stored(asked.org, id) : await execute(outcome.begun, asked, early)
        }
      } catch (error) {
        if (error instanceof NotPending) return { kind: "not_pending" }
        if (!(error instanceof StaleDecision)) throw error
        // No configuration can change under the lock, so a counter row of the request is missing.
        if (locked) {
          const { approvalId } = attempt.granting!.grant
          throw new Error(`approval ${approvalId} stays pending: a limit of request ${id} is missing`, { cause: error })
        }
        configuration.forget(asked.org)
      }
    }
  }
}

export type Grants = ReturnType<typeof makeGrants>
