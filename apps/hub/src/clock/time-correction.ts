/**
 * Sets the time of workspaces that are ahead of the clock back to it, before the hub serves and every few seconds
 * after.
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { unhurried } from "../platform/pool.ts"
import { ClockRepository } from "./repository.ts"
import { ClockWatch } from "./watch.ts"

const roundMillis = 5_000

export class TimeCorrection extends Context.Service<TimeCorrection, {
  /** One round over all workspaces; returns the number of corrected ones. Does nothing while the clock is in doubt. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/clock/TimeCorrection") {
  static readonly layer = Layer.effect(
    TimeCorrection,
    Effect.gen(function*() {
      const repository = yield* ClockRepository
      const audit = yield* AuditLog
      const clock = yield* ClockWatch
      const db = yield* Db

      const setBack = (org: OrgId) =>
        db.transaction(Effect.gen(function*() {
          const ahead = yield* repository.setBack(org)
          if (Option.isNone(ahead)) return 0
          const seconds = Math.round(ahead.value)
          yield* audit.record(org, hubActor, {
            action: "workspace.time_corrected",
            subject: { type: "org", id: org },
            data: { ahead_seconds: seconds }
          })
          yield* Effect.logWarning(`the time of workspace ${org} was ${seconds} s ahead and was taken back`)
          return 1
        })).pipe(unhurried) // Reads every settlement of the workspace.

      const round = Effect.gen(function*() {
        if (!clock.trusted()) return 0
        let count = 0
        for (const org of yield* repository.ahead) {
          // The failure of one workspace must not stop the round for the others.
          count += yield* Effect.catchCause(setBack(org), (cause) =>
            Effect.as(
              Effect.logWarning(`the time of workspace ${org} could not be taken back; it will be tried again`, cause),
              0
            ))
        }
        return count
      })

      yield* round
      yield* round.pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning("workspaces ahead of the clock are looked for again in a while", cause)
        ),
        Effect.repeat(Schedule.spaced(roundMillis)),
        Effect.forkScoped
      )
      return TimeCorrection.of({ round })
    })
  )
}
