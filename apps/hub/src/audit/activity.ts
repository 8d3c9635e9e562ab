/**
 * The activity of one agent: its part of the audit log, as people and the agent itself read it. Spec:
 * reference/agents.md "Activity".
 */
import type { Activity, ActivityType } from "@countersign/domain/activity"
import type { AuditEntry } from "@countersign/domain/audit"
import type { Principal } from "@countersign/domain/auth"
import type { ApiError } from "@countersign/domain/errors"
import { isEmail } from "@countersign/domain/identity"
import type { AgentId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { ownAgentIn } from "../agents/own-agent.ts"
import { AgentsRepository } from "../agents/repository.ts"
import type { PageOf, PageQuery } from "../platform/cursor.ts"
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

export interface ActivityPageQuery extends PageQuery {
  readonly type?: ActivityType
}

export class AgentActivity extends Context.Service<AgentActivity, {
  /** Newest first; 404 when the agent does not exist, or the caller may not see it. */
  readonly list: (
    principal: Principal,
    agent: AgentId,
    query: ActivityPageQuery
  ) => Effect.Effect<PageOf<Activity>, ApiError>
}>()("@countersign/hub/audit/AgentActivity") {
  static readonly layer = Layer.effect(
    AgentActivity,
    Effect.gen(function*() {
      const ownAgent = ownAgentIn(yield* AgentsRepository)
      const trail = yield* AuditTrail
      const list: AgentActivity["Service"]["list"] = Effect.fnUntraced(function*(principal, agent, { type, ...page }) {
        yield* ownAgent(principal, agent)
        const { data, ...rest } = yield* trail.list(principal.org_id, {
          ...page,
          agent_id: agent,
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
      return AgentActivity.of({ list })
    })
  )
}
