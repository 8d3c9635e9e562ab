/** The schedules of cron triggers: one row of `schedules` each, with the trigger's id under the prefix of schedules. */
import type { ApiError } from "@countersign/domain/errors"
import { type AgentId, type OrgId, withPrefix } from "@countersign/domain/ids"
import type { FiringAction } from "@countersign/domain/scheduled-tasks"
import type { UpdateTriggerInput } from "@countersign/domain/triggers"
import { Context, Effect, Layer, Option } from "effect"
import { type ScheduleChange, type ScheduleRow, SchedulesRepository } from "../schedules/repository.ts"
import { checkedTiming, nextColumns } from "../schedules/rules.ts"
import type { TriggerRow } from "./repository.ts"

interface NewClock {
  readonly agent_id: AgentId
  readonly name: string
  readonly action: FiringAction
  readonly cron: string
  readonly timezone: string
  readonly enabled: boolean
}

const noDue = { due_at: null, fire_at: null }

export class TriggerClock extends Context.Service<TriggerClock, {
  readonly schedulesOf: (
    org: OrgId,
    triggers: ReadonlyArray<TriggerRow>
  ) => Effect.Effect<ReadonlyMap<string, ScheduleRow>>
  /** 400 for an invalid expression or zone. Call these in the transaction of the trigger's change, under the lock. */
  readonly create: (org: OrgId, trigger: string, clock: NewClock, at: Date) => Effect.Effect<void, ApiError>
  readonly update: (org: OrgId, trigger: string, input: UpdateTriggerInput, at: Date) => Effect.Effect<void, ApiError>
  readonly remove: (org: OrgId, trigger: string, at: Date) => Effect.Effect<void>
}>()("@countersign/hub/triggers/TriggerClock") {
  static readonly layer = Layer.effect(
    TriggerClock,
    Effect.gen(function*() {
      const schedules = yield* SchedulesRepository
      return TriggerClock.of({
        schedulesOf: (org, triggers) =>
          Effect.map(
            schedules.ofTriggers(org, triggers.filter(({ kind }) => kind === "cron").map(({ id }) => id)),
            (rows) => new Map(rows.flatMap((row) => row.trigger_id === null ? [] : [[row.trigger_id, row] as const]))
          ),
        create: Effect.fnUntraced(function*(org, trigger, { action, agent_id, cron, enabled, name, timezone }, at) {
          const id = withPrefix("sch", trigger)
          const timing = yield* checkedTiming(id, { cron, timezone, jitter_seconds: 0 })
          yield* schedules.insert(org, id, trigger, {
            agent_id,
            name,
            action: JSON.stringify(action),
            cron,
            timezone,
            catch_up: "once",
            overlap: "skip",
            jitter_seconds: 0,
            status: enabled ? "active" : "paused",
            paused_by: enabled ? null : "person",
            failures: 0,
            ...(enabled ? nextColumns(timing, at.getTime()) : noDue)
          }, at)
        }),
        update: Effect.fnUntraced(function*(org, trigger, { action, agent_id, cron, name, status, timezone }, at) {
          const found = yield* schedules.ofTrigger(org, trigger)
          if (Option.isNone(found)) return yield* Effect.die(`trigger ${trigger} has no schedule`)
          const before = found.value
          const timing = yield* checkedTiming(before.id, {
            cron: cron ?? before.cron,
            timezone: timezone ?? before.timezone,
            jitter_seconds: 0
          })
          const next = status ?? before.status
          const change: Partial<ScheduleChange> = {
            ...(agent_id === undefined ? {} : { agent_id }),
            ...(name === undefined ? {} : { name }),
            ...(action === undefined ? {} : { action: JSON.stringify(action) }),
            ...(cron === undefined ? {} : { cron }),
            ...(timezone === undefined ? {} : { timezone }),
            ...(next === before.status
              ? {}
              : { status: next, paused_by: next === "paused" ? "person" as const : null, failures: 0 }),
            ...(next === "paused" ? noDue : nextColumns(timing, at.getTime()))
          }
          yield* schedules.update(org, before.id, change, at)
          if (next === "paused") yield* schedules.skipQueued([before.id])
        }),
        remove: Effect.fnUntraced(function*(org, trigger, at) {
          const id = withPrefix("sch", trigger)
          yield* schedules.skipQueued([id])
          yield* schedules.remove(org, id, at)
        })
      })
    })
  )
}
