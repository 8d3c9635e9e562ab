/** An agent's latest requests and the latest changes to it. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "../app/link.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { useAuditWords } from "../audit/action-words.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { Tabs } from "../components/tabs.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { auditPages, requestPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { arrivalsMax, useArrivals } from "../live/arrivals.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { reasonOf } from "../requests/reason.ts"
import { agentsText } from "../text/agents.ts"
import { listingText as listing } from "../text/listing.ts"
import { requestsText as words } from "../text/requests.ts"
import styles from "./activity-panel.module.css"

/** The panel lists only the latest entries; its link opens the full list. */
const shownMax = 8

export const ActivityPanel = ({ agent }: { readonly agent: string }) => {
  const t = agentsText.activity
  const workspace = useWorkspaceId()
  const can = useCan()
  const [shown, setShown] = useState<"requests" | "changes">("requests")
  const requests = useArrivals("service_requests.list", workspace)
  const changes = useArrivals("audit.list", workspace)
  const arrived = shown === "requests" ? requests : changes
  const all = shown === "requests"
    ? (
      <Link to="/w/$workspace/requests" params={{ workspace }} search={{ agent_id: agent }}>
        {t.all}
      </Link>
    )
    : (
      can("audit:read") && (
        <Link to="/w/$workspace/audit" params={{ workspace }} search={{ subject_id: agent }}>
          {t.allChanges}
        </Link>
      )
    )
  return (
    <Panel title={t.title} flush>
      <div className={styles.tabs}>
        <Tabs
          label={t.label}
          tabs={[
            { value: "requests", text: t.requests },
            { value: "changes", text: t.changes }
          ]}
          value={shown}
          onChange={setShown}
          aside={
            <span className="inline-flex items-center gap-12 type-body">
              {arrived.count > 0 && (
                <Button size="small" onClick={() => void arrived.show()}>
                  {listing.fresh(arrived.count, arrived.count >= arrivalsMax)}
                </Button>
              )}
              {all}
            </span>
          }
        >
          {shown === "requests"
            ? <Requests agent={agent} />
            : can("audit:read")
            ? <Changes agent={agent} />
            : <p className={`type-body text-2 ${styles.note}`}>{t.noAudit}</p>}
        </Tabs>
      </div>
    </Panel>
  )
}

const Requests = ({ agent }: { readonly agent: string }) => {
  const t = agentsText.activity
  const workspace = useWorkspaceId()
  const requests = useInfiniteQuery(requestPages(workspace, { agent_id: agent }))
  const rows = rowsOf(requests.data).slice(0, shownMax)
  return (
    <ScreenState query={requests}>
      {rows.length === 0 ? <EmptyState>{t.emptyRequests}</EmptyState> : (
        <ul className={styles.rows}>
          {rows.map((request) => (
            <li key={request.id} className={`flex items-center gap-12 type-body ${styles.row}`}>
              <span className={styles.status}>
                <StatusBadge status={request.status}>{words.statuses[request.status]}</StatusBadge>
              </span>
              <Link
                quiet
                className={`min-w-0 truncate ${styles.what}`}
                to="/w/$workspace/requests/$id"
                params={{ workspace, id: request.id }}
              >
                {`${request.service}.${request.operation}`}
              </Link>
              <span className={`flex-1 min-w-0 type-note text-3 truncate ${styles.reason}`}>
                {reasonOf(words, request)}
              </span>
              <Money cents={request.status === "executed" ? request.cost_cents : request.ceiling_cents} />
              <span className={`flex-none type-note text-2 text-end ${styles.when}`}>
                <RelativeTime at={request.created_at} now={hubClock.now} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </ScreenState>
  )
}

const Changes = ({ agent }: { readonly agent: string }) => {
  const words = useAuditWords()
  const t = agentsText.activity
  const workspace = useWorkspaceId()
  const changes = useInfiniteQuery(auditPages(workspace, { subject_id: agent }))
  const rows = rowsOf(changes.data).slice(0, shownMax)
  return (
    <ScreenState query={changes}>
      {rows.length === 0 ? <EmptyState>{t.emptyChanges}</EmptyState> : (
        <ul className={styles.rows}>
          {rows.map((entry) => (
            <li key={entry.id} className={`flex items-center gap-12 type-body ${styles.row}`}>
              <span className="min-w-0 truncate" title={entry.action}>{words.action(entry.action)}</span>
              <span className={`flex-1 min-w-0 type-note text-3 truncate ${styles.reason}`}>
                {t.by(entry.actor.name)}
              </span>
              <span className={`flex-none type-note text-2 text-end ${styles.when}`}>
                <RelativeTime at={entry.created_at} now={hubClock.now} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </ScreenState>
  )
}
