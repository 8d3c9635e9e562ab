/** Creates standing approvals with an approval: reads `remember`, checks whether it is allowed, and records it. */
import {
  applyToPendingMax,
  type ApproveInput,
  standingLifeSecondsMax,
  standingMax
} from "@countersign/domain/approvals"
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict, invalidField } from "@countersign/domain/errors"
import { problemText } from "@countersign/domain/expression-problem"
import { newId } from "@countersign/domain/ids"
import { standingConditionProblem, standingCovers } from "@countersign/domain/standing-conditions"
import { isDay, momentMillis, timeExample } from "@countersign/domain/time"
import { Effect } from "effect"
import type { RequestApproval } from "../approvals/approval-rows.ts"
import { type OrgRules, withinBounds } from "../approvals/rules.ts"
import { needsStepUp } from "../auth/step-up.ts"
import type { Configuration } from "../dispatch/decision/configuration.ts"
import { payloadSchemaOf } from "../dispatch/decision/decision.ts"
import { actorOf, type AuditLog } from "../platform/audit-log.ts"
import type { Db } from "../platform/db.ts"
import type { Signals } from "../platform/signals.ts"
import type { BacklogRepository } from "./backlog-repository.ts"
import type { Pending, StandingApprovalsRepository, StandingInput } from "./repository.ts"

/** Pending approvals that are read to find those that a new standing approval covers. */
const pendingReadMax = 1_000
/** How long the condition may run on all of them. Approvals that were not evaluated in time stay pending. */
export const judgingMillisMax = 1_000

export interface NewStanding extends StandingInput {
  readonly id: string
  readonly applyToPending: boolean
}

export interface StandingOptions {
  readonly audit: AuditLog["Service"]
  readonly backlog: BacklogRepository["Service"]
  readonly configuration: Configuration["Service"]
  readonly db: Db["Service"]
  readonly signals: Signals["Service"]
  readonly standings: StandingApprovalsRepository["Service"]
}

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
  org: string,
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

/** Those that a standing approval would decide: oldest first, until it is used up. */
export const withinStanding = <A extends { readonly cost_cents: number }>(
  standing: Parameters<typeof withinBounds>[0],
  matching: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const fits = withinBounds(standing)
  return matching.filter(({ cost_cents }) => fits(cost_cents)).slice(0, applyToPendingMax)
}

export const makeStanding = ({ audit, backlog, configuration, db, signals, standings }: StandingOptions) => ({
  /** 400 or 409 when it cannot be created on this approval. */
  standingOf: Effect.fnUntraced(function*(
    approval: RequestApproval,
    remember: NonNullable<ApproveInput["remember"]>
  ): Effect.fn.Return<NewStanding, ApiError> {
    if (approval.required_approvals > 1) {
      return yield* Effect.fail(
        conflict("standing_not_allowed", "A request that needs several approvals cannot have a standing approval.")
      )
    }
    const org = yield* Effect.promise(() => configuration.org(approval.org_id))
    const problem = remember.when === undefined
      ? undefined
      : standingConditionProblem(remember.when, payloadSchemaOf(org, approval))
    if (remember.when !== undefined && problem !== undefined) {
      return yield* Effect.fail(invalidField("remember.when", problemText(remember.when, problem)))
    }
    if (remember.max_total_cents !== undefined && remember.max_total_cents < remember.max_cost_cents) {
      return yield* Effect.fail(invalidField(
        "remember.max_total_cents",
        `a total below max_cost_cents (${remember.max_cost_cents}) does not cover one such request; raise it, or lower max_cost_cents`
      ))
    }
    const expires = new Date(momentMillis(remember.expires_at))
    const life = expires.getTime() - Date.now()
    if (isDay(remember.expires_at) || !(life > 0) || life > standingLifeSecondsMax * 1000) {
      return yield* Effect.fail(invalidField("remember.expires_at", `expected ${timeExample}, in the next 12 months`))
    }
    return {
      id: newId("sta"),
      applyToPending: remember.apply_to_pending === true,
      agent_id: approval.agent.id,
      service: approval.service,
      operation: approval.operation,
      mode: approval.mode,
      max_cost_cents: remember.max_cost_cents,
      max_total_cents: remember.max_total_cents,
      max_uses: remember.max_uses,
      when: remember.when,
      expires_at: expires
    }
  }),
  /** Call it under the workspace's lock. */
  mayRemember: Effect.fnUntraced(function*(
    user: UserPrincipal,
    org: OrgRules,
    { agent_id, max_cost_cents }: NewStanding
  ): Effect.fn.Return<void, ApiError> {
    if (org.step_up_cents !== null && max_cost_cents > org.step_up_cents) {
      yield* needsStepUp(user, "A standing approval of this amount")
    }
    if ((yield* standings.countOf(user.org_id, agent_id)) >= standingMax) {
      return yield* Effect.fail(
        conflict("limit_reached", `An agent may have ${standingMax} standing approvals; withdraw one first.`, {
          max: standingMax
        })
      )
    }
  }),
  /**
   * Call it before the transaction that grants the approval: a condition may take a second on all pending approvals.
   */
  judged: (org: string, standing: NewStanding, approval: string) =>
    standing.applyToPending
      ? Effect.suspend(() => judgePending(standings, org, standing, approval, performance.now() + judgingMillisMax))
      : Effect.succeed<Judged>({ matching: [], partial: false }),
  /**
   * Call it in the transaction that grants the approval. It adds to the backlog the pending approvals that the
   * condition covered before and that are still pending under the lock.
   */
  createStanding: Effect.fnUntraced(
    function*(user: UserPrincipal, approval: string, standing: NewStanding, judged: Judged) {
      yield* standings.add(user.org_id, standing.id, standing, user.user_id)
      yield* audit.record(user.org_id, actorOf(user), {
        action: "standing_approval.created",
        subject: { type: "standing_approval", id: standing.id },
        agent_id: standing.agent_id,
        data: {
          approval_id: approval,
          service: standing.service,
          operation: standing.operation,
          max_cost_cents: standing.max_cost_cents,
          ...(standing.when === undefined ? {} : { when: standing.when })
        }
      })
      if (judged.matching.length > 0) {
        const still = yield* standings.stillPending(user.org_id, standing, judged.matching.map(({ id }) => id))
        yield* backlog.add(user.org_id, standing.id, withinStanding(standing, still).map(({ id }) => id), user)
      }
      yield* db.afterCommit(Effect.sync(() => signals.config(user.org_id)))
    }
  )
})
