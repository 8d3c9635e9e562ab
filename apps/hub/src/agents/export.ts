/** The export of agents. */
import type { Agent } from "@countersign/domain/agents"
import type { UserPrincipal } from "@countersign/domain/auth"
import { pageLimitMax } from "@countersign/domain/pagination"
import { Effect, Option, Stream } from "effect"
import type { Agents } from "./service.ts"

type Query = Omit<Parameters<Agents["Service"]["list"]>[1], "cursor" | "limit">

/** In the order of the list; pages are read as the client consumes them. */
export const exported = (agents: Pick<Agents["Service"], "list">, user: UserPrincipal, query: Query) =>
  Stream.paginate(
    undefined as string | undefined,
    (cursor) =>
      agents.list(user, { ...query, limit: pageLimitMax, ...cursor === undefined ? {} : { cursor } }).pipe(
        Effect.map(({ data, next_cursor }) => [data.map(csvRow), Option.fromNullOr(next_cursor)] as const),
        // The list made the cursors, so they are valid.
        Effect.orDie
      )
  )

export const csvColumns = [
  "id",
  "name",
  "description",
  "kind",
  "status",
  "frozen",
  "category",
  "owner_user_id",
  "team_id",
  "parent_agent_id",
  "services",
  "monthly_budget_cents",
  "approval_threshold_cents",
  "spent_this_month_cents",
  "key_hint",
  "last_seen_at",
  "created_at",
  "updated_at"
] as const

const csvRow = (agent: Agent) => ({
  id: agent.id,
  name: agent.name,
  description: agent.description,
  kind: agent.kind,
  status: agent.status,
  frozen: String(agent.frozen),
  category: agent.category ?? undefined,
  owner_user_id: agent.owner_user_id ?? undefined,
  team_id: agent.team_id,
  parent_agent_id: agent.parent_agent_id,
  services: agent.bindings.filter(({ enabled }) => enabled).map(({ service }) => service).join(" "),
  monthly_budget_cents: agent.monthly_budget_cents,
  approval_threshold_cents: agent.approval_threshold_cents,
  spent_this_month_cents: agent.spent_this_month_cents,
  key_hint: agent.key_hint ?? undefined,
  last_seen_at: agent.last_seen_at,
  created_at: agent.created_at,
  updated_at: agent.updated_at
})
