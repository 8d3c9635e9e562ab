/**
 * Fires due schedules. Any number of hubs run it side by side: a transaction claims due rows with `skip locked`, stores
 * the firings, and sets the next due times. Spec: reference/schedules.md "Firing", "Missed times", "Overlap".
 */
import { newId } from "@countersign/domain/ids"
import { claimOf, failuresMax } from "@countersign/domain/schedule-rules"
import { dayMillis } from "@countersign/domain/time"
import { Context, Effect, Layer } from "effect"
import { requestOf } from "../firings/action.ts"
import type { NewFiring, UnsentFiring } from "../firings/repository.ts"
import { Firings } from "../firings/service.ts"
import { Db } from "../platform/db.ts"
import { DueWork } from "../platform/due-work.ts"
import { Owner } from "../platform/owner.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, repeatRounds } from "../platform/rounds.ts"
import { type Advance, ClaimsRepository, type DueSchedule, dueSchedules } from "./claims-repository.ts"
import { actionOf, firingAt, missedAt, unsentOf } from "./firing.ts"
import { SchedulePauses } from "./pauses.ts"
import { nextColumns, timingOf } from "./rules.ts"

const roundMillis = 1_000
/** Schedules of one transaction: it computes the due times of all of them. */
const claimMax = 50
const releaseMax = 50
const pauseMax = 100
const correctMax = 200
/** A pause between two batches of corrections: other work of the process has priority. */
const restMillis = 10
/** A schedule whose zone this hub does not have is left to others for this long. */
const unreadableMillis = 300_000
/** A smaller step back is a usual correction of the clock. */
const stepBackMillis = 1_000

interface Claim {
  readonly firings: ReadonlyArray<NewFiring>
  readonly unsent: ReadonlyArray<UnsentFiring>
  readonly next: Advance
}

export class Scheduler extends Context.Service<Scheduler, {
  /** Fires due schedules and queued runs, and pauses failing schedules. Returns how many schedules fired or were passed. */
  readonly round: Effect.Effect<number>
  /** Computes the due times of all schedules again; returns how many were different. */
  readonly correct: Effect.Effect<number>
}>()("@countersign/hub/schedules/Scheduler") {
  static readonly layer = Layer.effect(
    Scheduler,
    Effect.gen(function*() {
      const claims = yield* ClaimsRepository
      const firings = yield* Firings
      const pauses = yield* SchedulePauses
      const owner = yield* Owner
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const db = yield* Db
      const { eachLocked } = yield* backgroundTransactions
      let corrected = { at: 0, last: 0, elapsed: 0 }

      const claimOne = (schedule: DueSchedule, now: Date): Claim => {
        const timing = timingOf(schedule)
        if (timing === undefined) {
          const later = new Date(now.getTime() + unreadableMillis)
          return { firings: [], unsent: [], next: { id: schedule.id, due: schedule.due_at, fire: later } }
        }
        const claimed = claimOf(timing, schedule.due_at.getTime(), schedule.catch_up, now.getTime())
        const { fires, missed, next } = claimed
        const at = (due: number) => ({ due: new Date(due), now, manual: false })
        // Its id comes first, so that the firing is the latest run.
        const passed = missed === undefined ? [] : [missedAt(schedule, at(missed.due), missed.count)]
        const fired = fires === undefined ? undefined : firingAt(schedule, at(fires), owner.num())
        const unsent = fired === undefined ? undefined : unsentOf(schedule, fired)
        return {
          firings: [...passed, ...(fired === undefined ? [] : [fired])],
          unsent: unsent === undefined ? [] : [unsent],
          next: {
            id: schedule.id,
            due: next === undefined ? null : new Date(next.due),
            fire: next === undefined ? null : new Date(next.fire)
          }
        }
      }

      const claim = (now: Date) =>
        db.transaction(Effect.gen(function*() {
          const due = yield* claims.due(now, claimMax)
          if (due.length === 0) return 0
          const claimed = due.map((schedule) => claimOne(schedule, now))
          yield* claims.advance(claimed.map(({ next }) => next))
          const stored = yield* firings.store(claimed.flatMap(({ firings }) => firings))
          const unsent = claimed.flatMap(({ unsent }) => unsent).filter(({ id }) => stored.has(id))
          yield* db.afterCommit(firings.start(unsent))
          return due.length
        }))

      const release = db.transaction(Effect.gen(function*() {
        const queued = yield* claims.released(releaseMax)
        const unsent: Array<UnsentFiring> = []
        // Of one schedule only one is queued, except after a run by hand.
        for (const schedule of new Map(queued.map((one) => [one.id, one])).values()) {
          const submits = requestOf(actionOf(schedule))
          const request_id = newId("req")
          yield* claims.release(schedule.firing_id, owner.num(), request_id, submits)
          unsent.push({
            ...submits,
            id: schedule.firing_id,
            org_id: schedule.org_id,
            agent_id: schedule.agent_id,
            schedule_id: schedule.id,
            trigger_id: schedule.trigger_id,
            request_id
          })
        }
        yield* db.afterCommit(firings.start(unsent))
        return unsent.length
      }))

      const pauseFailing = Effect.gen(function*() {
        const failing = yield* claims.failing(failuresMax, pauseMax)
        yield* eachLocked("failing schedules", failing, ({ id, org_id }, at) => pauses.pauseFailing(org_id, id, at))
      })

      const correct = Effect.gen(function*() {
        const now = yield* claims.now
        if (now === null) return 0
        let count = 0
        for (let after = "";;) {
          const rows = yield* claims.upcoming(now, after, correctMax)
          for (const row of rows) {
            const timing = timingOf(row)
            if (timing === undefined) continue
            const { due_at: due, fire_at: fire } = nextColumns(timing, now.getTime())
            if (due?.getTime() === row.due_at.getTime()) continue
            count++
            yield* claims.correct(row.due_at, { id: row.id, due, fire })
          }
          const last = rows.at(-1)
          if (last === undefined || rows.length < correctMax) return count
          after = last.id
          yield* Effect.sleep(restMillis)
        }
      })

      /** At the start, daily, and after the database's clock went back. */
      const correctIfNeeded = (now: number) =>
        Effect.suspend(() => {
          const elapsed = performance.now()
          const wentBack = now - corrected.last < elapsed - corrected.elapsed - stepBackMillis
          corrected = { ...corrected, last: now, elapsed }
          if (!wentBack && corrected.at !== 0 && Math.abs(now - corrected.at) < dayMillis) return Effect.void
          return Effect.map(correct, () => void (corrected = { ...corrected, at: now }))
        })

      const round = Effect.gen(function*() {
        if (readiness.phase() === "draining" || !owner.alive()) return 0
        const now = yield* claims.now
        if (now === null) return 0
        yield* correctIfNeeded(now.getTime())
        let total = 0
        for (;;) {
          const count = yield* claim(now)
          total += count
          if (count < claimMax) break
        }
        total += yield* release
        yield* pauseFailing
        return total
      })
      yield* repeatRounds(readiness, "schedules", roundMillis, round, dueWork.wait(...dueSchedules))

      return Scheduler.of({ round, correct })
    })
  )
}
