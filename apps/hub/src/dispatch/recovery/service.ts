/**
 * Ends work that no call handles any longer: holds whose hub died, and expired approvals. Several hubs do this side by
 * side: each takes rows by compare-and-set. Spec: reference/requests.md "Recovery".
 */
import type { OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { Settings } from "../../config.ts"
import { hubActor } from "../../platform/audit-log.ts"
import { DueWork } from "../../platform/due-work.ts"
import { Owner } from "../../platform/owner.ts"
import { Readiness } from "../../platform/readiness.ts"
import { repeatRounds } from "../../platform/rounds.ts"
import { Signals } from "../../platform/signals.ts"
import { Execution } from "../pipeline/execution.ts"
import { Dispatch } from "../pipeline/service.ts"
import { serviceGone } from "../pipeline/work.ts"
import { heldRequest, type OpenHold, RequestsRepository } from "../requests/repository.ts"
import { type DueApproval, dueSweep, expiredApprovals, RecoveryRepository } from "./repository.ts"

/** Rows taken at a time. */
const batchMax = 100
/**
 * Workspaces whose approvals are expired at the same time: each takes a connection of the pool while it waits for its
 * lock.
 */
const expiringMax = 4

export class Recovery extends Context.Service<Recovery, {
  /** Takes over the holds of dead owners and starts to end them by the rule of unknown outcomes; returns how many. */
  readonly sweep: Effect.Effect<number>
  /** Starts to expire due approvals, workspace by workspace; returns how many. */
  readonly expire: Effect.Effect<number>
}>()("@countersign/hub/dispatch/recovery/Recovery") {
  static readonly layer = Layer.effect(
    Recovery,
    Effect.gen(function*() {
      const waiting = yield* RecoveryRepository
      const owner = yield* Owner
      const dispatch = yield* Dispatch
      const execution = yield* Execution
      const repository = yield* RequestsRepository
      const signals = yield* Signals
      const { ownerGraceSeconds } = yield* Settings

      const context = yield* Effect.context<never>()
      const run = Effect.runPromiseWith(context)
      const scope = yield* Effect.scope

      const workOf = (hold: OpenHold) => Effect.promise(() => dispatch.workOf(hold.org_id, heldRequest(hold, null)))

      const resume = Effect.fnUntraced(function*(id: ServiceRequestId) {
        const hold = yield* repository.openHold(id)
        if (Option.isNone(hold) || hold.value.phase !== 1) return
        const work = yield* workOf(hold.value)
        const stored = yield* repository.find(hold.value.org_id, id)
        if (work === undefined || Option.isNone(stored)) {
          return yield* Effect.promise(() => execution.settleOrphan(hold.value, serviceGone))
        }
        yield* Effect.promise(() => execution.resume({ ...work, script: stored.value.script }, hold.value.sends))
      })

      /** Not awaited: some are sent again, and a slow provider must not delay the others. */
      const resumeAll = (ids: ReadonlyArray<ServiceRequestId>) =>
        Effect.forEach(ids, (id) =>
          Effect.promise(() => execution.track(id, () => run(resume(id)))).pipe(
            Effect.catchCause((cause) =>
              Effect.logWarning(`request ${id} could not be ended after an accident; it will be tried again`, cause)
            ),
            Effect.forkIn(scope)
          ), { discard: true })

      const sweep = Effect.gen(function*() {
        const dead = yield* waiting.endDeadOwners(owner.num(), ownerGraceSeconds)
        if (dead > 0) {
          yield* Effect.logWarning(`took over the requests of ${dead} hub process(es) that ended without a drain`)
        }
        // Owners that stopped in order may still have left holds.
        const taken = yield* waiting.takeOrphans(owner.num(), batchMax)
        const stranded = yield* waiting.strandedExcept(owner.num(), [...execution.active(), ...taken], batchMax)
        // The query may have waited for its connection: a request that began here meanwhile is not stranded.
        const active = new Set(execution.active())
        yield* resumeAll([...taken, ...stranded.filter((id) => !active.has(id))])
        return taken.length
      })

      /** Workspaces whose approvals are being expired. A locked workspace delays only itself. */
      const expiring = new Set<string>()
      const expireOf = (org: OrgId, due: ReadonlyArray<DueApproval>) =>
        Effect.sync(() => void expiring.add(org)).pipe(
          Effect.andThen(Effect.forEach(due, (approval) =>
            Effect.map(waiting.expireApproval(approval, hubActor), () => {
              dispatch.moved(approval.request_id)
              signals.log(org)
            }), { discard: true })),
          Effect.catchCause((cause) =>
            Effect.logWarning(`approvals of ${org} could not be expired; they will be tried again`, cause)
          ),
          Effect.ensuring(Effect.sync(() => expiring.delete(org))),
          Effect.forkIn(scope, { startImmediately: true })
        )
      const expire = Effect.gen(function*() {
        const free = expiringMax - expiring.size
        if (free <= 0) return 0
        const due = yield* waiting.dueApprovals(batchMax, [...expiring])
        const batches = [...Map.groupBy(due, ({ org_id }) => org_id)].slice(0, free)
        yield* Effect.forEach(batches, ([org, approvals]) => expireOf(org, approvals), { discard: true })
        return batches.reduce((sum, [, approvals]) => sum + approvals.length, 0)
      })

      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      yield* repeatRounds(readiness, "sweeper", 1_000, sweep, dueWork.wait(...dueSweep))
      yield* repeatRounds(readiness, "expiry", 500, expire, dueWork.wait(expiredApprovals))
      yield* repeatRounds(readiness, "housekeeping", 60_000, waiting.forget)
      return Recovery.of({ sweep, expire })
    })
  )
}
