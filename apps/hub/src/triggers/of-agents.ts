/**
 * The end of an agent, and the departure of its owner, for its schedules and triggers. Spec: reference/schedules.md
 * "Agents and people".
 */
import { Effect, Layer } from "effect"
import { AgentFirings } from "../agents/service.ts"
import { FiringsOfMember } from "../members/departure.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { SchedulePauses } from "../schedules/pauses.ts"
import { TriggersRepository } from "./repository.ts"

export const agentFiringsLayer = Layer.effect(
  AgentFirings,
  Effect.gen(function*() {
    const triggers = yield* TriggersRepository
    const pauses = yield* SchedulePauses
    const audit = yield* AuditLog
    return AgentFirings.of({
      endOfAgent: Effect.fnUntraced(function*(org, agent, actor, at) {
        const schedules = yield* pauses.endOfAgent(org, agent, actor, at)
        const owned = yield* triggers.ofAgent(org, agent)
        for (const { id } of owned) {
          yield* triggers.remove(org, id, at)
          yield* audit.record(org, actor, {
            action: "trigger.deleted",
            subject: { type: "trigger", id },
            agent_id: agent,
            data: { reason: "agent_deleted" }
          })
        }
        return schedules + owned.length
      })
    })
  })
)

export const firingsOfMemberLayer = Layer.effect(
  FiringsOfMember,
  Effect.gen(function*() {
    const triggers = yield* TriggersRepository
    const pauses = yield* SchedulePauses
    const audit = yield* AuditLog
    const signals = yield* Signals
    const db = yield* Db
    return FiringsOfMember.of({
      pause: Effect.fnUntraced(function*({ actor, org, user }, at) {
        const schedules = yield* pauses.pauseOfOwner(org, user, actor, at)
        const webhooks = yield* triggers.activeWebhooksOfOwner(org, user)
        for (const { agent_id, id } of webhooks) {
          yield* triggers.update(org, id, { status: "paused", paused_by: "member_removed" }, at)
          yield* audit.record(org, actor, {
            action: "trigger.paused",
            subject: { type: "trigger", id },
            agent_id,
            data: { reason: "member_removed" }
          })
        }
        if (webhooks.length > 0) yield* db.afterCommit(Effect.sync(() => signals.config(org)))
        return schedules + webhooks.length
      })
    })
  })
)
