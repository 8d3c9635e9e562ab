import type { Activity } from "@countersign/domain/activity"
import { HubApi } from "@countersign/domain/api"
import type { AuditEntry } from "@countersign/domain/audit"
import { CurrentPrincipal } from "@countersign/domain/auth"
import { isEmail } from "@countersign/domain/identity"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Agents } from "../agents/service.ts"
import { AuditTrail } from "./trail.ts"

/** Agents do not receive e-mail addresses: a person without a name would appear under theirs. */
const withoutAddress = ({ name, ...actor }: AuditEntry["actor"]) => ({
  ...actor,
  name: actor.type === "user" && isEmail(name) ? "" : name
})

/** An entry without the log's internal fields: chain, data, network addresses. */
const activityOf = (
  { action, actor, cost_cents, created_at, id, outcome, reason_code, subject }: AuditEntry
): Activity => ({
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

export const ActivityHttp = HttpApiBuilder.group(
  HubApi,
  "activity",
  Effect.fn(function*(handlers) {
    const agents = yield* Agents
    const trail = yield* AuditTrail
    return handlers.handleAll({
      list: Effect.fnUntraced(function*({ params, query: { type, ...page } }) {
        const principal = yield* CurrentPrincipal
        // Fails when the agent does not exist or the caller may not see it.
        yield* agents.get(principal, params.id)
        const { data, ...rest } = yield* trail.list(principal.org_id, {
          ...page,
          agent_id: params.id,
          ...type === undefined ? {} : { action: `${type}.*` },
          ...principal.kind === "agent" ? { mode: principal.mode } : {}
        })
        return {
          ...rest,
          data: data.map((entry) =>
            activityOf(principal.kind === "agent" ? { ...entry, actor: withoutAddress(entry.actor) } : entry)
          )
        }
      })
    })
  })
)
