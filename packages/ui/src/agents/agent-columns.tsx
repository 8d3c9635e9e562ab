/** Columns of the agent list. */
import type { Row } from "@countersign/hub-client/contract"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Avatar } from "../components/avatar.tsx"
import { Badge } from "../components/badge.tsx"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { agentsText as t } from "../text/agents.ts"
import { figure } from "../text/catalogue.ts"
import { familiesText as family } from "../text/families.ts"
import { listingText as listing } from "../text/listing.ts"
import { AgentState } from "./agent-state.tsx"
import styles from "./agents-screen.module.css"
import { AlertMark, type AlertMarkProps } from "./alert-mark.tsx"
import { percentText } from "./percent-text.ts"

export type Agent = Row<"agents.list">
type Health = Row<"agents.fleetHealth">

/** `agent_key_live_…v3QM` as `live …v3QM`: every key starts with `agent_key_`. */
const hintText = (hint: string): string => hint.replace(/^agent_key_(live|test)_/u, "$1 ")

export const useAgentColumns = (
  health: ReadonlyMap<string, Health>,
  alertsOf: ReadonlyMap<string, AlertMarkProps["alerts"]>
): ReadonlyArray<Column<Agent>> => {
  const workspace = useWorkspaceId()
  return [
    {
      id: "agent",
      head: t.columns.agent,
      sort: { field: "name", first: "ascending" },
      width: "minmax(160px, 2fr)",
      narrow: "lead",
      cell: (agent) => (
        <span className={`flex items-center gap-8 min-w-0 ${styles.agent}`}>
          <Avatar kind="agent" name={agent.name} />
          <Link quiet to="/w/$workspace/agents/$id" params={{ workspace, id: agent.id }}>
            {agent.name}
          </Link>
          {agent.kind === "yupi" && <Badge>{family.assistant}</Badge>}
          {agent.parent_agent_id !== undefined && (
            <Link
              quiet
              className="flex-none type-note text-3 whitespace-nowrap"
              to="/w/$workspace/agents/families"
              params={{ workspace }}
              search={{ root: agent.parent_agent_id }}
              title={family.childAbout(agent.depth)}
              tabIndex={-1}
            >
              {family.child(agent.depth)}
            </Link>
          )}
        </span>
      )
    },
    {
      id: "state",
      head: t.columns.state,
      width: "96px",
      narrow: "underTrail",
      cell: (agent) => <AgentState agent={agent} />
    },
    {
      id: "services",
      head: t.columns.services,
      width: "minmax(120px, 2fr)",
      from: 760,
      narrow: "under",
      cell: ({ bindings }) => {
        const names = bindings.filter(({ enabled }) => enabled).map(({ service }) => service)
        return names.length === 0 ? <span className="text-3">{t.noServices}</span> : names.join(", ")
      }
    },
    {
      id: "waiting",
      head: t.columns.waiting,
      width: "64px",
      end: true,
      from: 860,
      cell: ({ id }) => {
        const count = health.get(id)?.pending_approvals ?? 0
        return <span className={count > 0 ? "weight-strong text-hold" : "text-3"}>{figure(count)}</span>
      }
    },
    {
      id: "requests",
      head: t.columns.requests,
      width: "128px",
      end: true,
      from: 960,
      cell: ({ id }) => {
        const one = health.get(id)
        if (one === undefined) return <span className="text-3">{listing.none}</span>
        const failed = one.error_rate_24h > 0 ? percentText(one.error_rate_24h) : undefined
        return (
          <span className={failed === undefined ? undefined : "text-stop"}>
            {t.requests(one.requests_24h, failed)}
          </span>
        )
      }
    },
    {
      id: "key",
      head: t.columns.key,
      width: "104px",
      from: 1080,
      cell: ({ id, key_hint }) =>
        key_hint === null
          ? <span className="text-3">{t.noKey}</span>
          : (health.get(id)?.stale_keys ?? 0) > 0
          ? <Badge tone="hold">{t.oldKey}</Badge>
          : (
            <span className="type-mono" title={key_hint}>
              {hintText(key_hint)}
            </span>
          )
    },
    {
      id: "seen",
      head: t.columns.seen,
      sort: { field: "last_seen_at", first: "descending" },
      width: "116px",
      from: 640,
      cell: ({ last_seen_at }) =>
        last_seen_at === undefined
          ? <span className="text-3">{t.never}</span>
          : <RelativeTime at={last_seen_at} now={hubClock.now} />
    },
    {
      id: "spent",
      head: t.columns.spent,
      sort: { field: "spent_this_month_cents", first: "descending" },
      width: "224px",
      end: true,
      narrow: "trail",
      cell: ({ id, monthly_budget_cents: cap, spent_this_month_cents: spent }) => (
        <span className="inline-flex items-baseline justify-end gap-4 max-w-full whitespace-nowrap">
          <AlertMark alerts={alertsOf.get(id) ?? []} />
          <span className={cap !== undefined && spent >= cap && spent > 0 ? "text-stop" : undefined}>
            <Money cents={spent} />
          </span>{" "}
          {cap !== undefined && <span className="type-note text-3">{t.ofCap(formatMoney(cap))}</span>}
        </span>
      )
    }
  ]
}
