/** The columns of a list of requests. */
import { useMemo } from "react"
import { useAgentChoices } from "../app/agent-choices.ts"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { revealTexts } from "../approvals/words.ts"
import { Badge } from "../components/badge.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { ServiceRequestRow } from "../hub/queries.ts"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { summaryText } from "../patterns/summary-text.ts"
import { approvalText } from "../text/approvals.ts"
import { requestsText as t } from "../text/requests.ts"
import { reasonOf } from "./reason.ts"
import styles from "./requests-screen.module.css"

const reveal = revealTexts(approvalText)

export const useRequestColumns = (): ReadonlyArray<Column<ServiceRequestRow>> => {
  const workspace = useWorkspaceId()
  const agents = useAgentChoices()
  const names = useMemo(() => new Map(agents.map(({ id, name }) => [id as string, name])), [agents])
  return [
    {
      id: "time",
      head: t.columns.time,
      sort: { field: "created_at", first: "descending" },
      width: "148px",
      narrow: "underTrail",
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    },
    {
      id: "status",
      head: t.columns.status,
      width: "112px",
      cell: ({ status }) => <StatusBadge status={status}>{t.statuses[status]}</StatusBadge>
    },
    {
      id: "operation",
      head: t.columns.operation,
      width: "minmax(144px, 1.4fr)",
      narrow: "lead",
      cell: (row) => (
        <span className="flex items-center gap-8 min-w-0">
          <span className={styles.narrowBadge}>
            <StatusBadge status={row.status}>{t.statuses[row.status]}</StatusBadge>
          </span>
          <Link
            quiet
            to="/w/$workspace/requests/$id"
            params={{ workspace, id: row.id }}
            className="min-w-0 overflow-hidden type-mono text-1 text-ellipsis"
            tabIndex={-1}
          >
            {row.service}.{row.operation}
          </Link>
          {row.mode === "test" && <Badge>{t.testMark}</Badge>}
        </span>
      )
    },
    {
      id: "summary",
      head: t.columns.summary,
      width: "minmax(124px, 1.4fr)",
      from: 900,
      cell: ({ summary }) => (
        <span className="block text-2 truncate">
          <RevealedText text={summaryText(summary)} texts={reveal} line />
        </span>
      )
    },
    {
      id: "agent",
      head: t.columns.agent,
      width: "minmax(104px, 1fr)",
      narrow: "under",
      cell: ({ agent_id, summary }) => (
        <>
          {names.get(agent_id) ?? (
            <span className="min-w-0 overflow-hidden type-mono text-1 text-ellipsis">{agent_id}</span>
          )}
          {summary !== undefined && summary.length > 0 && (
            <span className={styles.narrowOnly}>
              {" · "}
              <RevealedText text={summaryText(summary)} texts={reveal} line />
            </span>
          )}
        </>
      )
    },
    {
      id: "reason",
      head: t.columns.reason,
      width: "minmax(120px, 1fr)",
      from: 1_060,
      cell: (row) => <span className="text-2">{reasonOf(t, row)}</span>
    },
    {
      id: "asked",
      head: t.columns.asked,
      width: "128px",
      end: true,
      from: 760,
      cell: ({ ceiling_cents }) => (
        <span className="text-2">
          <Money cents={ceiling_cents} end />
        </span>
      )
    },
    {
      id: "cost",
      head: t.columns.cost,
      sort: { field: "cost_cents", first: "descending" },
      width: "128px",
      end: true,
      narrow: "trail",
      cell: ({ ceiling_cents, cost_cents, status }) =>
        status === "executed" ? <Money cents={cost_cents} end /> : (
          <>
            <span className={styles.wideOnly}>{t.noCost}</span>
            <span className={styles.narrowOnly}>
              <Money cents={ceiling_cents} end />
            </span>
          </>
        )
    }
  ]
}
