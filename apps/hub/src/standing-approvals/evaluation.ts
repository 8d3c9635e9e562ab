/** Evaluates the condition of a standing approval on pending approvals and on past requests, within a bounded time. */
import { applyToPendingMax } from "@countersign/domain/approvals"
import type { OrgId } from "@countersign/domain/ids"
import { compileStandingCondition, standingCovers } from "@countersign/domain/standing-conditions"
import { Effect, Result } from "effect"
import type { Past, Pending, StandingApprovalsRepository, StandingInput } from "./repository.ts"
import { withinBounds } from "./rules.ts"

/** Pending approvals that are read to find those that a new standing approval covers. */
const pendingReadMax = 1_000
/** How long the condition may run on all of them. Approvals that were not evaluated in time stay pending. */
export const judgingMillisMax = 1_000

export interface Judged {
  /** Pending approvals that the condition covers, oldest first. */
  readonly matching: ReadonlyArray<Pick<Pending, "id" | "cost_cents">>
  /** Not all were evaluated: there are too many, or the condition took too long. */
  readonly partial: boolean
}

/**
 * Evaluates pending approvals by the condition alone, outside any lock. The limits decide later which of them are
 * covered.
 */
export const judgePending = Effect.fnUntraced(function*(
  standings: Pick<StandingApprovalsRepository["Service"], "pending">,
  org: OrgId,
  standing: Omit<StandingInput, "expires_at">,
  except: string | undefined,
  until: number,
  payloadOf: (text: string) => unknown = JSON.parse
): Effect.fn.Return<Judged> {
  const { found, rows } = yield* standings.pending(org, standing, except, pendingReadMax)
  const covers = standing.when === undefined ? () => true : standingCovers(standing.when)
  const fits = withinBounds(standing)
  const matching: Array<Pick<Pending, "id" | "cost_cents">> = []
  let fitting = 0
  for (const { cost_cents, id, payload } of rows) {
    if (fitting === applyToPendingMax) return { matching, partial: false }
    if (performance.now() > until) return { matching, partial: true }
    if (covers(payloadOf(payload))) {
      matching.push({ id, cost_cents })
      if (fits(cost_cents)) fitting++
    }
    // A condition may take tens of milliseconds on one payload: let other fibers run in between.
    yield* Effect.yieldNow
  }
  return { matching, partial: found > rows.length }
})

/** Whether the condition holds for each of these requests; those that were not evaluated in time are missing. */
export const judgePast = Effect.fnUntraced(function*(
  past: ReadonlyArray<Past>,
  when: string | undefined,
  payloadOf: (text: string) => unknown
): Effect.fn.Return<ReadonlyMap<string, Result.Result<boolean, unknown>>> {
  const condition = when === undefined ? undefined : compileStandingCondition(when)
  const matched = new Map<string, Result.Result<boolean, unknown>>()
  const until = performance.now() + judgingMillisMax
  for (const request of past) {
    if (performance.now() > until) break
    matched.set(
      request.id,
      condition === undefined || Result.isFailure(condition)
        ? Result.succeed(condition === undefined)
        : condition.success.evaluate({ payload: payloadOf(request.payload) })
    )
    // A condition may take tens of milliseconds on one payload: let other fibers run in between.
    yield* Effect.yieldNow
  }
  return matched
})
