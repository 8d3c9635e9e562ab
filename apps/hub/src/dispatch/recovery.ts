/**
 * Drives on what no call is at any more: holds whose hub died, work that runs at a provider, approvals past their life. Several
 * hubs do this side by side: each takes rows by compare-and-set, a killed hub's leases lapse. Spec: contract 2 "Hub killed at any
 * instant".
 */
import { pollMillisDefault } from "@countersign/domain/services"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import { hubActor } from "../audit/service.ts"
import { Settings } from "../config.ts"
import { Readiness } from "../platform/readiness.ts"
import { Signals } from "../platform/signals.ts"
import { Adapters } from "./adapters.ts"
import { Dispatch } from "./service.ts"
import { failedResult } from "./work.ts"
import { Execution } from "./execution.ts"
import { Owner } from "../platform/owner.ts"
import { RecoveryRepository } from "./recovery-repository.ts"
import { heldRequest, type OpenHold, RequestsRepository } from "./repository.ts"

/** Rows taken at a time. */
const batchMax = 100
/** Provider calls of this kind at a time. */
const concurrency = 8
/** A poll that learned nothing is tried again after at most so long. */
const pollBackoffMillisMax = 300_000
/** How long a claimed poll is this hub's. */
const pollLeaseSeconds = 660

export class Recovery extends Context.Service<Recovery, {
  /** Takes over the holds of dead owners and begins to end them by the rule of unknown fate; answers how many. */
  readonly sweep: Effect.Effect<number>
  /** Polls what is due; answers how many. */
  readonly poll: Effect.Effect<number>
  readonly expire: Effect.Effect<number>
}>()("@countersign/hub/dispatch/Recovery") {
  static readonly layer = Layer.effect(Recovery, Effect.gen(function*() {
    const waiting = yield* RecoveryRepository
    const owner = yield* Owner
    const dispatch = yield* Dispatch
    const execution = yield* Execution
    const repository = yield* RequestsRepository
    const adapters = yield* Adapters
    const signals = yield* Signals
    const { ownerGraceSeconds } = yield* Settings

    const context = yield* Effect.context<never>()
    const run = Effect.runPromiseWith(context)
    const scope = yield* Effect.scope

    /** One that breaks must not keep a round from the others. */
    const oneOfMany = (name: string, id: string, work: Effect.Effect<unknown>) =>
      Effect.catchCause(work, (cause) => Effect.logWarning(`${name} of ${id} failed; it will be tried again`, cause))

    const workOf = (hold: OpenHold) =>
      Effect.promise(() => dispatch.workOf(hold.org_id, heldRequest(hold, null)))

    /** The service is gone, so nobody can say what came of it: its money goes back, and a person reads why. */
    const abandon = (hold: OpenHold) =>
      Effect.promise(() =>
        execution.settleOrphan(
          hold,
          failedResult("interrupted", "Its fate is unknown: the service is not in the catalog any more.")
        )
      )

    const resume = Effect.fnUntraced(function*(id: string) {
      const hold = yield* repository.openHold(id)
      if (Option.isNone(hold) || hold.value.phase !== 1) return
      const work = yield* workOf(hold.value)
      const stored = yield* repository.find(hold.value.org_id, id)
      if (work === undefined || Option.isNone(stored)) return yield* abandon(hold.value)
      yield* Effect.promise(() => execution.resume({ ...work, script: stored.value.script }, hold.value.sends))
    })

    /** Not waited for: some are sent again, and a slow provider must not hold up the others. */
    const resumeAll = (ids: ReadonlyArray<string>) =>
      Effect.forEach(ids, (id) =>
        Effect.promise(() => execution.atWork(id, () => run(resume(id)))).pipe(
          Effect.catchCause((cause) =>
            Effect.logWarning(`request ${id} could not be ended after an accident; it will be tried again`, cause)
          ),
          Effect.forkIn(scope)
        ), { discard: true })

    const sweep = Effect.gen(function*() {
      const dead = yield* waiting.endDeadOwners(owner.num(), ownerGraceSeconds)
      if (dead > 0) yield* Effect.logWarning(`took over from ${dead} hub process(es) that ended without a goodbye`)
      // Owners that ended in good order may still have left some.
      const taken = yield* waiting.takeOrphans(owner.num(), batchMax)
      const stranded = yield* waiting.strandedBut(owner.num(), [...execution.active(), ...taken], batchMax)
      yield* resumeAll([...taken, ...stranded])
      return taken.length
    })

    const pollOne = Effect.fnUntraced(function*(id: string) {
      const hold = yield* repository.openHold(id)
      if (Option.isNone(hold) || hold.value.phase !== 2) return
      const { deadline_passed, poll_attempt, provider_ref, started } = hold.value
      const work = yield* workOf(hold.value)
      if (work === undefined) return yield* abandon(hold.value)
      const definition = work.operation.definition
      const async = "async" in definition ? definition.async : undefined
      const later = (millis: number) => waiting.postpone(id, millis)
      const adapter = adapters.of(work.service.definition, work.mode)
      if (provider_ref !== null && async?.mode === "poll" && adapter.poll !== undefined) {
        const outcome = yield* adapter.poll(work.service.definition, provider_ref, execution.callOf(work))
        if (outcome.kind === "executed" || outcome.kind === "failed") {
          return yield* Effect.promise(() =>
            execution.conclude(work, outcome, {
              type: "provider",
              id: work.service.definition.name,
              name: work.service.definition.name
            }, started)
          )
        }
        if (!deadline_passed) {
          const interval = async.interval_ms ?? pollMillisDefault
          return yield* later(
            outcome.kind === "running" ? interval : Math.min(interval * 2 ** Math.min(poll_attempt, 10), pollBackoffMillisMax)
          )
        }
      }
      if (!deadline_passed) return yield* later(pollBackoffMillisMax)
      // No news by the deadline: unknown fate.
      if (definition.unknown === "hold") return yield* waiting.leaveToPerson(id)
      yield* Effect.promise(() =>
        execution.settleAs(work, "failed", {
          cents: 0,
          result: failedResult("adapter_error", "Its fate is unknown: the provider did not say by the deadline."),
          actor: hubActor,
          data: { fate: "unknown" }
        })
      )
    })

    const poll = Effect.gen(function*() {
      const due = yield* waiting.takeDue(pollLeaseSeconds, batchMax)
      yield* Effect.forEach(due, (id) => oneOfMany("poll", id, pollOne(id)), { concurrency, discard: true })
      return due.length
    })

    const expire = Effect.gen(function*() {
      const due = yield* waiting.dueApprovals(batchMax)
      for (const approval of due) {
        yield* oneOfMany("expiry", approval.id, waiting.expireApproval(approval, hubActor))
        dispatch.moved(approval.request_id)
        signals.log(approval.org_id)
      }
      return due.length
    })

    const readiness = yield* Readiness
    const every = (name: string, millis: number, work: Effect.Effect<unknown>) =>
      work.pipe(
        Effect.tap(() => Effect.sync(() => readiness.beat(name, millis * 10 + 30_000))),
        Effect.catchCause((cause) => Effect.logWarning(`${name} could not finish a round; it will try again`, cause)),
        Effect.repeat(Schedule.spaced(millis)),
        Effect.forkScoped
      )
    yield* every("sweeper", 1_000, sweep)
    yield* every("poller", 250, poll)
    yield* every("expiry", 500, expire)
    yield* every("housekeeping", 60_000, waiting.forget)
    return Recovery.of({ sweep, poll, expire })
  }))
}
