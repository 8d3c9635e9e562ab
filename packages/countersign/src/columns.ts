/** The columns of each list. */
import type { Column } from "./output.ts"

const money = (key: string, title: string): Column => ({ key, title, kind: "money" })
const time = (key: string, title: string): Column => ({ key, title, kind: "time" })
const text = (key: string, title: string): Column => ({ key, title })
const id = text("id", "ID")

export const columns = {
  agents: [
    id,
    text("name", "NAME"),
    text("status", "STATUS"),
    money("spent_this_month_cents", "SPENT"),
    money("monthly_budget_cents", "BUDGET"),
    time("last_seen_at", "LAST SEEN")
  ],
  requests: [
    id,
    text("status", "STATUS"),
    text("service", "SERVICE"),
    text("operation", "OPERATION"),
    money("cost_cents", "COST"),
    money("ceiling_cents", "CEILING"),
    text("reason_code", "REASON"),
    time("created_at", "CREATED")
  ],
  approvals: [
    id,
    text("status", "STATUS"),
    text("agent.name", "AGENT"),
    text("service", "SERVICE"),
    text("operation", "OPERATION"),
    money("cost_cents", "AMOUNT"),
    time("expires_at", "EXPIRES")
  ],
  standing: [
    id,
    text("agent_id", "AGENT"),
    text("service", "SERVICE"),
    text("operation", "OPERATION"),
    money("max_cost_cents", "EACH"),
    money("max_total_cents", "TOTAL"),
    text("uses", "USES"),
    time("expires_at", "EXPIRES")
  ],
  policies: [
    id,
    text("position", "POSITION"),
    text("name", "NAME"),
    text("enabled", "ENABLED"),
    text("then", "THEN"),
    text("when", "WHEN")
  ],
  services: [text("name", "NAME"), text("kind", "KIND"), text("enabled", "ENABLED"), text("title", "TITLE")],
  secrets: [text("name", "NAME"), time("updated_at", "UPDATED")],
  audit: [
    text("seq", "SEQ"),
    time("created_at", "TIME"),
    text("action", "ACTION"),
    text("actor.name", "ACTOR"),
    text("subject.id", "SUBJECT"),
    money("cost_cents", "COST")
  ],
  usage: [
    id,
    text("agent_id", "AGENT"),
    text("service", "SERVICE"),
    text("operation", "OPERATION"),
    money("cost_cents", "COST"),
    time("created_at", "TIME")
  ],
  apps: [id, text("provider", "PROVIDER"), text("name", "NAME"), text("status", "STATUS")],
  webhooks: [id, text("url", "URL"), text("status", "STATUS")],
  devices: [
    id,
    text("name", "NAME"),
    text("platform", "PLATFORM"),
    text("state", "STATE"),
    text("presence", "PRESENCE")
  ],
  workspaces: [id, text("name", "NAME")],
  events: [
    text("event", "EVENT"),
    text("data.subject.type", "TYPE"),
    text("data.subject.id", "SUBJECT"),
    text("id", "ID")
  ]
} as const satisfies Readonly<Record<string, ReadonlyArray<Column>>>
