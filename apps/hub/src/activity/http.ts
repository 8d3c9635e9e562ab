import type { Activity } from "@countersign/domain/activity"
import { HubApi } from "@countersign/domain/api"
import type { AuditEntry } from "@countersign/domain/audit"
import { CurrentPrincipal } from "@countersign/domain/auth"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Agents } from "../agents/service.ts"
import { AuditTrail } from "../audit/trail.ts"

/** Without what belongs to the log alone: its chain, its facts, addresses. */
const activityOf = ({ action, actor, cost_cents, created_at, id, outcome, reason_code, subject }: AuditEntry): Activity => ({
  id,
  type: action.slice(0, action.indexOf(".")),
  action,
  actor,
  ...subject === undefined ? {} : { subject },
  ...outcome === undefined ? {} : { outcome },
  ...reason_code === undefined ? {} : { reason_code },
  ...cost_cents === undefined ? {} : { cost_cents },
  created_at
})

export const ActivityHttp = HttpApiBuilder.group(HubApi, "activity", Effect.fn(function*(handlers) {
  const agents = yield* Agents
  const trail = yield* AuditTrail
  return handlers.handleAll({
    list: Effect.fnUntraced(function*({ params, query: { type, ...page } }) {
      const principal = yield* CurrentPrincipal
      // Refuses whoever may not see the agent, and what is none.
      yield* agents.get(principal, params.id)
      const { data, ...rest } = yield* trail.list(principal.org_id, {
        ...page, agent_id: params.id, ...type === undefined ? {} : { action: `${type}.*` }
      })
      return { ...rest, data: data.map(activityOf) }
    })
  })
}))
