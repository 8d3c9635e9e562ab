/**
 * Decides the pending approvals that a new standing approval covers. They are in the backlog from the transaction that
 * created it, and each leaves the backlog in the transaction that decides it, so that a crash loses none and repeats
 * none: another hub continues. Spec: reference/approvals.md "Pending approvals of a standing approval".
 */
import { type AppliedApproval, approveWaitMillisMax } from "@countersign/domain/approvals"
import type { UserPrincipal } from "@countersign/domain/auth"
import { type ApiError, conflict } from "@countersign/domain/errors"
import { newId, type OrgId } from "@countersign/domain/ids"
import { Cause, Deferred, Effect, Fiber, Metric, type Scope, Semaphore } from "effect"
import type { LimitsRepository } from "../dispatch/decision/limits-repository.ts"
import type { Dispatch } from "../dispatch/pipeline/service.ts"
import { actorOf, type AuditLog, hubActor } from "../platform/audit-log.ts"
import { type Db, isPassing } from "../platform/db.ts"
import type { Signals } from "../platform/signals.ts"
import { standingGivenUp } from "../platform/telemetry.ts"
import type { BacklogItem, BacklogRepository } from "../standing-approvals/backlog-repository.ts"
import type { StoredApproval } from "./approval-rows.ts"

/** Maximum number of concurrent executions: of one standing approval, or of one workspace in a round. */
const executingMax = 16
/** After this many failed tries for unknown reasons a pending approval is left to a person. */
export const triesMax = 10
/**
 * A standing approval that expires within this time decides no more approvals: it must be valid until the decision is
 * written.
 */
const endingMillis = 5_000

type Outcome = { readonly status: "approved" } | { readonly error: { readonly code: string; readonly message: string } }

/**
 * The result of one try: its outcome, `away` when the database or the workspace could not be reached, or undefined when
 * it failed for another reason.
 */
type TryResult = Outcome | "away" | undefined

export interface ApplyingOptions {
  readonly audit: AuditLog["Service"]
  readonly backlog: BacklogRepository["Service"]
  readonly db: Db["Service"]
  readonly dispatch: Dispatch["Service"]
  readonly limits: LimitsRepository["Service"]
  readonly scope: Scope.Scope
  readonly signals: Signals["Service"]
  /** Checks a decision with the person's current rights, under the workspace's lock. */
  readonly heldRights: (
    user: UserPrincipal,
    approval: string
  ) => Effect.Effect<{ readonly approval: StoredApproval; readonly at: Date }, ApiError>
}

/** A standing approval that is being applied: the outcomes so far, and the fiber to wait for. */
export interface Applying {
  readonly items: ReadonlyArray<BacklogItem>
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly fiber: Fiber.Fiber<void>
}

export const makeApplying = ({ audit, backlog, db, dispatch, heldRights, limits, scope, signals }: ApplyingOptions) => {
  const mayApply = Effect.fnUntraced(function*(item: BacklogItem) {
    const { approval, at } = yield* heldRights(item.user, item.approval_id)
    if (approval.required_approvals > 1 || approval.policy_id !== null) {
      return yield* Effect.fail(conflict("standing_not_allowed", "A standing approval cannot decide this approval."))
    }
    const isEnding = item.expires_at.getTime() <= at.getTime() + endingMillis
    if (isEnding || (yield* limits.tight(item.org_id, item.limits, item.cost_cents)) !== undefined) {
      return yield* Effect.fail(
        conflict("standing_used_up", "The standing approval was used up, revoked, or has expired.")
      )
    }
    return at.getTime()
  })

  /** Counts a failed try; after the last one it leaves the approval to a person, with an audit entry. */
  const failed = Effect.fnUntraced(function*(item: BacklogItem, cause: Cause.Cause<unknown>) {
    const tries = yield* backlog.failed(item)
    if (tries < triesMax) {
      return yield* Effect.logWarning(
        `approval ${item.approval_id} could not be decided by its standing approval; it will be tried again`,
        cause
      )
    }
    yield* db.transaction(Effect.gen(function*() {
      yield* backlog.remove(item)
      yield* audit.record(item.org_id, hubActor, {
        action: "standing_approval.not_applied",
        subject: { type: "standing_approval", id: item.standing_id },
        data: { approval_id: item.approval_id, service_request_id: item.request_id, tries }
      })
      yield* db.afterCommit(Effect.sync(() => signals.log(item.org_id)))
    }))
    yield* Metric.update(standingGivenUp, 1)
    yield* Effect.logError(
      `approval ${item.approval_id} was not decided by standing approval ${item.standing_id} after ${tries} tries; a person must decide it`,
      cause
    )
  })

  /** Completes `decided` as soon as the decision is recorded; runs on until the request has been executed. */
  const decide = Effect.fnUntraced(
    function*(item: BacklogItem, decided: Deferred.Deferred<TryResult>, executing: Semaphore.Semaphore) {
      let usedAt = 0
      const complete = (outcome: TryResult) => Effect.asVoid(Deferred.succeed(decided, outcome))
      const refuse = ({ error }: ApiError) =>
        // The database was unreachable or the workspace locked: the item stays in the backlog.
        error.code === "unavailable"
          ? complete("away")
          : Effect.andThen(backlog.remove(item), complete({ error: { code: error.code, message: error.message } }))
      yield* dispatch.grant(item.org_id, {
        approvalId: item.approval_id,
        requestId: item.request_id,
        entry: newId("aud"),
        approvedCeilingCents: item.cost_cents,
        by: item.user.user_id,
        actor: actorOf(item.user),
        standing: { id: item.standing_id, limits: item.limits }
      }, {
        cast: Effect.map(mayApply(item), (at) => {
          usedAt = at
          return "last" as const
        }),
        granted: Effect.gen(function*() {
          yield* backlog.remove(item)
          yield* db.afterCommit(
            Effect.andThen(Effect.sync(() => signals.log(item.org_id)), complete({ status: "approved" }))
          )
          yield* db.afterCommit(Effect.suspend(() => limits.standingUsed(item.org_id, item.standing_id, usedAt)))
        })
      }, approveWaitMillisMax).pipe(
        Effect.matchEffect({
          onSuccess: ({ kind }) =>
            kind === "not_pending"
              ? refuse(conflict("approval_not_pending", "This approval is already decided."))
              : complete({ status: "approved" }),
          onFailure: refuse
        }),
        Effect.catchCause((cause) =>
          isPassing(Cause.squash(cause))
            ? Effect.andThen(
              Effect.logWarning(
                `approval ${item.approval_id} could not be decided by its standing approval; it will be tried again`,
                cause
              ),
              complete("away")
            )
            : Effect.andThen(
              Effect.catchCause(
                failed(item, cause),
                (other) => Effect.logWarning(`a failed try of approval ${item.approval_id} could not be counted`, other)
              ),
              complete(undefined)
            )
        ),
        executing.withPermits(1),
        Effect.ensuring(complete(undefined))
      )
    }
  )

  /** Decides in the given order, each after the one before it is recorded, as long as the workspace can be reached. */
  const apply = Effect.fnUntraced(function*(items: ReadonlyArray<BacklogItem>): Effect.fn.Return<Applying> {
    const outcomes = new Map<string, Outcome>()
    // A separate semaphore: a slow provider of one workspace does not delay the others.
    const executing = Semaphore.makeUnsafe(executingMax)
    const fiber = yield* Effect.gen(function*() {
      for (const item of items) {
        if (signals.stopped()) return
        const decided = yield* Deferred.make<TryResult>()
        yield* Effect.forkIn(decide(item, decided, executing), scope)
        const outcome = yield* Deferred.await(decided)
        // Each of the others would wait as long; a later round decides them.
        if (outcome === "away") return
        if (outcome !== undefined) outcomes.set(item.approval_id, outcome)
      }
    }).pipe(Effect.forkIn(scope))
    return { items, outcomes, fiber }
  })

  return {
    /** Applies one standing approval; its backlog is in the database. */
    ofStanding: (org: OrgId, standing: string) => Effect.flatMap(backlog.of(org, standing), apply),
    /** One round over the items that other hubs did not decide in time. */
    round: (limit: number) =>
      Effect.flatMap(
        backlog.takeDue(limit),
        (items) =>
          Effect.forEach(Map.groupBy(items, ({ org_id }) => org_id).values(), (own) =>
            Effect.flatMap(apply(own), ({ fiber }) => Fiber.join(fiber)), { concurrency: 4, discard: true })
      ),
    /** The outcomes after at most `millis`. */
    outcomesOf: Effect.fnUntraced(function*({ fiber, items, outcomes }: Applying, millis: number) {
      yield* Effect.timeoutOption(Fiber.join(fiber), Math.max(0, millis))
      return items.map(({ approval_id, request_id }) => {
        const outcome = outcomes.get(approval_id)
        return {
          id: approval_id,
          service_request_id: request_id,
          ...(outcome === undefined
            ? { status: "pending" }
            : "status" in outcome
            ? outcome
            : { status: "pending", ...outcome })
        } as AppliedApproval
      })
    })
  }
}
