/**
 * Pauses and ends schedules without a person's call: after failures in a row, and with the agent or its owner. Spec:
 * reference/schedules.md "Failures", "Agents and people".
 */
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { failuresMax } from "@countersign/domain/schedule-rules"
import type { PauseReason } from "@countersign/domain/scheduled-tasks"
import { Context, Effect, Layer, Option } from "effect"
import { type Actor, AuditLog, hubActor } from "../platform/audit-log.ts"
import { type OwnedSchedule, SchedulesRepository } from "./repository.ts"

export class SchedulePauses extends Context.Service<SchedulePauses, {
  /** Pauses a schedule that still has too many failures in a row. Call it under the workspace's lock, at its time. */
  readonly pauseFailing: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
  /** Pauses the active schedules of a person's agents, under the workspace's lock. Returns their number. */
  readonly pauseOfOwner: (org: OrgId, user: string, actor: Actor, at: Date) => Effect.Effect<number>
  /** Deletes an agent's schedules, under the workspace's lock. Returns their number. */
  readonly endOfAgent: (org: OrgId, agent: AgentId, actor: Actor, at: Date) => Effect.Effect<number>
}>()("@countersign/hub/schedules/SchedulePauses") {
  static readonly layer = Layer.effect(
    SchedulePauses,
    Effect.gen(function*() {
      const schedules = yield* SchedulesRepository
      const audit = yield* AuditLog

      const pause = Effect.fnUntraced(function*(
        org: OrgId,
        { agent_id, id, trigger_id }: OwnedSchedule,
        reason: PauseReason,
        { actor, at, data }: { readonly actor: Actor; readonly at: Date; readonly data: object }
      ) {
        yield* schedules.update(org, id, { status: "paused", paused_by: reason, due_at: null, fire_at: null }, at)
        yield* schedules.skipQueued([id])
        // A cron trigger records its own entry.
        if (trigger_id !== null) yield* schedules.pauseTrigger(org, trigger_id, reason, at)
        yield* audit.record(org, actor, {
          action: trigger_id === null ? "schedule.paused" : "trigger.paused",
          subject: trigger_id === null ? { type: "schedule", id } : { type: "trigger", id: trigger_id },
          agent_id,
          data: { reason, ...data }
        })
      })

      return SchedulePauses.of({
        pauseFailing: Effect.fnUntraced(function*(org, id, at) {
          const row = Option.getOrUndefined(yield* schedules.find(org, id))
          if (row === undefined || row.status === "paused" || row.failures < failuresMax) return
          yield* pause(org, row, "failures", { actor: hubActor, at, data: { failures: row.failures } })
        }),
        pauseOfOwner: Effect.fnUntraced(function*(org, user, actor, at) {
          const active = yield* schedules.activeOfOwner(org, user)
          for (const one of active) yield* pause(org, one, "member_removed", { actor, at, data: {} })
          return active.length
        }),
        endOfAgent: Effect.fnUntraced(function*(org, agent, actor, at) {
          const owned = yield* schedules.ofAgent(org, agent)
          yield* schedules.skipQueued(owned.map(({ id }) => id))
          for (const { id, trigger_id } of owned) {
            yield* schedules.remove(org, id, at)
            if (trigger_id !== null) continue
            yield* audit.record(org, actor, {
              action: "schedule.deleted",
              subject: { type: "schedule", id },
              agent_id: agent,
              data: { reason: "agent_deleted" }
            })
          }
          return owned.length
        })
      })
    })
  )
}
