/** Every executed request of the period. */
import type { UsageRecord } from "@countersign/domain/usage"
import { useNavigate } from "@tanstack/react-router"
import { Link } from "../app/link.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { recordPages, type UsageScope } from "../hub/queries.ts"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { usageText } from "../text/usage.ts"
import styles from "./usage-screen.module.css"

export interface UsageRecordsProps {
  readonly workspace: string
  readonly scope: UsageScope
  /** Names by id. */
  readonly agents: ReadonlyMap<string, string>
  readonly onClear: (() => void) | undefined
}

export const UsageRecords = ({ agents, onClear, scope, workspace }: UsageRecordsProps) => {
  const t = usageText.records
  const navigate = useNavigate()
  const held = useHeldRows<UsageRecord>(recordPages(workspace, scope))
  const columns: ReadonlyArray<Column<UsageRecord>> = [
    {
      id: "time",
      head: t.columns.time,
      width: "148px",
      narrow: "underTrail",
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    },
    {
      id: "operation",
      head: t.columns.operation,
      width: "minmax(140px, 1fr)",
      narrow: "lead",
      cell: ({ operation, service }) => <span className="type-mono">{service}.{operation}</span>
    },
    {
      id: "agent",
      head: t.columns.agent,
      width: "minmax(120px, 1fr)",
      narrow: "under",
      cell: ({ agent_id }) => agents.get(agent_id) ?? <Id value={agent_id} />
    },
    {
      id: "cost",
      head: t.columns.cost,
      width: "112px",
      end: true,
      narrow: "trail",
      cell: ({ cost_cents }) => <Money cents={cost_cents} end />
    },
    {
      id: "request",
      head: t.columns.request,
      width: "160px",
      from: 640,
      cell: ({ service_request_id: id }) => (
        <Link quiet to="/w/$workspace/requests/$id" params={{ workspace, id }} tabIndex={-1}>
          <Id value={id} />
        </Link>
      )
    }
  ]
  return (
    <Panel title={t.title} flush>
      <div className={styles.records}>
        <HubTable
          endpoint="usage.report"
          workspace={workspace}
          held={held}
          label={t.list}
          columns={columns}
          onOpen={({ service_request_id: id }) =>
            void navigate({ to: "/w/$workspace/requests/$id", params: { workspace, id } })}
          empty={{ text: t.empty }}
          noMatch={t.noMatch}
          onClear={onClear}
        />
      </div>
    </Panel>
  )
}
