/**
 * Submits the requests of firings, each once: a firing is stored with the id of its request before it is submitted, and
 * after a crash another hub submits the same id. Spec: reference/schedules.md "Firing".
 */
import { answered } from "@countersign/domain/dispatch-outcomes"
import { type ApiError, statusOf } from "@countersign/domain/errors"
import { scheduleRunDays } from "@countersign/domain/scheduled-tasks"
import { deliveryDays } from "@countersign/domain/triggers"
import { Context, Deferred, Effect, Layer, Semaphore } from "effect"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { DueWork } from "../platform/due-work.ts"
import { Owner } from "../platform/owner.ts"
import { Readiness } from "../platform/readiness.ts"
import { inBatches, repeatRounds } from "../platform/rounds.ts"
import { counting, firingsTotal } from "../platform/telemetry.ts"
import {
  dueFirings,
  type FiringOutcome,
  FiringsRepository,
  type FiringStatus,
  type NewFiring,
  type UnsentFiring
} from "./repository.ts"

const roundMillis = 1_000
const batchMax = 500
const retentionMillis = 300_000
const removedMax = 1_000
/** A pause between two batches of removals: other work has priority. */
const restMillis = 20
/** How long a caller waits for the begin of a request. */
const begunMillisMax = 10_000
/** Requests that begin at the same time in the background of this hub. */
const beginningMax = 32

/** The schedule of a firing that has ended. */
export interface ScheduleEnd {
  readonly schedule_id: string
  readonly outcome: FiringOutcome
  readonly reason_code: string | null
}

/** The schedules that firings report their ends to. */
export class ScheduleEnds extends Context.Service<ScheduleEnds, {
  /** Runs in the transaction that stores the outcomes. */
  readonly ended: (ends: ReadonlyArray<ScheduleEnd>) => Effect.Effect<void>
}>()("@countersign/hub/firings/ScheduleEnds") {}

export class Firings extends Context.Service<Firings, {
  /**
   * Stores firings in the caller's transaction. Returns the ids of the stored: a due time or a delivery id that has a
   * firing is left out.
   */
  readonly store: (firings: ReadonlyArray<NewFiring>) => Effect.Effect<ReadonlySet<string>>
  /** Submits stored firings of this hub in the background. Call it after the commit. */
  readonly start: (firings: ReadonlyArray<UnsentFiring>) => Effect.Effect<void>
  /** The same for one, until its request has begun. It continues when the caller disconnects. */
  readonly submit: (firing: UnsentFiring) => Effect.Effect<void, ApiError>
  /** Waits until this hub has submitted a firing, at most for a few seconds. */
  readonly begun: (id: string) => Effect.Effect<void>
  /** Takes over what other hubs left, and stores outcomes; returns how many firings had one. */
  readonly round: Effect.Effect<number>
  /** Deletes firings after their retention. */
  readonly forget: Effect.Effect<void>
}>()("@countersign/hub/firings/Firings") {
  static readonly layer = Layer.effect(
    Firings,
    Effect.gen(function*() {
      const repository = yield* FiringsRepository
      const ends = yield* ScheduleEnds
      const dispatch = yield* Dispatch
      const owner = yield* Owner
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const db = yield* Db
      const count = counting(firingsTotal, yield* Effect.context<never>())
      const beginning = yield* Semaphore.make(beginningMax)
      const scope = yield* Effect.scope
      /** Firings that this process submits, and their ends. */
      const active = new Map<string, Deferred.Deferred<void>>()
      const enter = (id: string) => {
        const known = active.get(id)
        if (known === undefined) active.set(id, Deferred.makeUnsafe<void>())
        return known === undefined
      }
      const leave = (id: string) =>
        Effect.sync(() => {
          const ended = active.get(id)
          active.delete(id)
          if (ended !== undefined) Deferred.doneUnsafe(ended, Effect.void)
        })

      const counted = ({ schedule_id }: { readonly schedule_id: string | null }, status: FiringStatus) =>
        count({ source: schedule_id === null ? "webhook" : "schedule", status })

      /** 400 and the like: no later call would be accepted. */
      const isFinal = (error: ApiError) => statusOf(error) < 500 && statusOf(error) !== 429

      const refuse = (firing: UnsentFiring, { error: { code, details, message } }: ApiError) =>
        db.transaction(Effect.gen(function*() {
          const error = { code, message, ...(details === undefined ? {} : { details }) }
          if (!(yield* repository.refuse(firing.id, JSON.stringify(error)))) return
          if (firing.schedule_id === null) return
          yield* ends.ended([{ schedule_id: firing.schedule_id, outcome: "failed", reason_code: code }])
        })).pipe(Effect.tap(() => Effect.sync(() => counted(firing, "refused"))))

      const submitOnce = Effect.fnUntraced(function*(firing: UnsentFiring, again: boolean) {
        const { agent_id, operation, org_id, payload, request_id, schedule_id, service, trigger_id } = firing
        const submission = dispatch.submit({
          mode: "live",
          org: org_id,
          agent: agent_id,
          actor: hubActor,
          service,
          operation,
          payload: JSON.parse(payload) as Record<string, unknown>,
          id: request_id,
          again,
          until: "begun",
          door: trigger_id === null ? "schedule" : "trigger",
          origin: trigger_id === null ? { schedule_id: schedule_id ?? "" } : { trigger_id }
        })
        yield* Effect.tapError(
          Effect.uninterruptible(answered(submission)),
          (error) => isFinal(error) ? refuse(firing, error) : Effect.void
        )
        yield* repository.begun(firing.id)
        counted(firing, "fired")
      })

      const tracked = (firing: UnsentFiring, again: boolean): Effect.Effect<void, ApiError> =>
        Effect.suspend(() => {
          enter(firing.id)
          return submitOnce(firing, again)
        }).pipe(Effect.ensuring(leave(firing.id)))

      const inBackground = (firings: ReadonlyArray<UnsentFiring>, again: boolean) =>
        Effect.forEach(firings, (firing) =>
          Effect.suspend(() => {
            if (!enter(firing.id)) return Effect.void
            return beginning.withPermits(1)(tracked(firing, again)).pipe(
              Effect.catchCause((cause) => Effect.logInfo(`the request of ${firing.id} did not begin`, cause)),
              Effect.forkIn(scope),
              Effect.asVoid
            )
          }), { discard: true })

      const store = Effect.fnUntraced(function*(firings: ReadonlyArray<NewFiring>) {
        const stored = yield* repository.insert(firings)
        yield* db.afterCommit(Effect.sync(() => {
          for (const firing of firings) {
            if (stored.has(firing.id) && firing.status !== "fired") counted(firing, firing.status)
          }
        }))
        return stored
      })

      const takeOver = Effect.gen(function*() {
        const orphans = yield* repository.takeOrphans(owner.num(), batchMax)
        const stranded = yield* repository.strandedExcept(owner.num(), [...active.keys()], batchMax)
        yield* inBackground([...orphans, ...stranded], true)
      })

      const storeOutcomes = db.transaction(Effect.gen(function*() {
        const ended = yield* repository.end(batchMax)
        const ofSchedules = ended.flatMap(({ outcome, reason_code, schedule_id }) =>
          schedule_id === null ? [] : [{ schedule_id, outcome, reason_code }]
        )
        if (ofSchedules.length > 0) yield* ends.ended(ofSchedules)
        return ended.length
      }))

      const round = Effect.gen(function*() {
        if (readiness.phase() === "draining") return 0
        yield* takeOver
        return yield* inBatches(batchMax, storeOutcomes)
      })
      yield* repeatRounds(readiness, "firings", roundMillis, round, dueWork.wait(...dueFirings))

      const forget = Effect.gen(function*() {
        for (const [source, days] of [["schedule", scheduleRunDays], ["webhook", deliveryDays]] as const) {
          yield* inBatches(removedMax, repository.remove(source, days, removedMax), restMillis)
        }
        yield* repository.removeSources(scheduleRunDays, removedMax)
      })
      yield* repeatRounds(readiness, "retention of firings", retentionMillis, forget)

      return Firings.of({
        store,
        start: (firings) => inBackground(firings, false),
        submit: (firing) => tracked(firing, false),
        begun: (id) =>
          Effect.suspend(() => {
            const ended = active.get(id)
            return ended === undefined
              ? Effect.void
              : Effect.asVoid(Effect.timeoutOption(Deferred.await(ended), begunMillisMax))
          }),
        round,
        forget
      })
    })
  )
}
