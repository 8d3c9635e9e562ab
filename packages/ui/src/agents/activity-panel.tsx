/** What an agent asked for last, and what was changed of it. */
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "../app/link.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Panel } from "../components/panel.tsx"
import { Tabs } from "../components/tabs.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { agentsText } from "../text/agents.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./activity-panel.module.css"
import { agentChanges, agentRequests } from "./queries.ts"

export const ActivityPanel = ({ agent }: { readonly agent: string }) => {
  const t = useText(agentsText).activity
  const workspace = useWorkspaceId()
  const can = useCan()
  const [shown, setShown] = useState<"requests" | "changes">("requests")
  const all = shown === "requests"
    ? <Link to={`/w/${workspace}/requests?agent_id=${agent}` as never}>{t.all}</Link>
    : can("audit:read") && <Link to="/w/$workspace/audit" params={{ workspace }} search={{ subject_id: agent } as never}>{t.allChanges}</Link>
  return (
    <Panel title={t.title} flush>
      <div className={styles.tabs}>
        <Tabs
          label={t.label}
          tabs={[{ value: "requests", text: t.requests }, { value: "changes", text: t.changes }]}
          value={shown}
          onChange={setShown}
          aside={all || undefined}
        >
          {shown === "requests" ? <Requests agent={agent} /> : can("audit:read") ? <Changes agent={agent} /> : <p className={styles.note}>{t.noAudit}</p>}
        </Tabs>
      </div>
    </Panel>
  )
}

const Requests = ({ agent }: { readonly agent: string }) => {
  const t = useText(agentsText).activity
  const workspace = useWorkspaceId()
  const requests = useQuery(agentRequests(workspace, agent))
  const rows = requests.data?.data ?? []
  return (
    <ScreenState query={requests}>
      {rows.length === 0 ? <EmptyState>{t.emptyRequests}</EmptyState> : (
        <ul className={styles.rows}>
          {rows.map((request) => (
            <li key={request.id} className={styles.row}>
              <span className={styles.status}><StatusBadge status={request.status}>{t.statuses[request.status]}</StatusBadge></span>
              <Link quiet className={styles.what ?? ""} to={`/w/${workspace}/requests/${request.id}` as never}>{`${request.service}.${request.operation}`}</Link>
              <span className={styles.reason}>{request.reason_code}</span>
              <Money cents={request.status === "executed" ? request.cost_cents : request.ceiling_cents} />
              <span className={styles.when}><RelativeTime at={request.created_at} now={hubClock.now} /></span>
            </li>
          ))}
        </ul>
      )}
    </ScreenState>
  )
}

const Changes = ({ agent }: { readonly agent: string }) => {
  const t = useText(agentsText).activity
  const workspace = useWorkspaceId()
  const changes = useQuery(agentChanges(workspace, agent))
  const rows = changes.data?.data ?? []
  return (
    <ScreenState query={changes}>
      {rows.length === 0 ? <EmptyState>{t.emptyChanges}</EmptyState> : (
        <ul className={styles.rows}>
          {rows.map((entry) => (
            <li key={entry.id} className={styles.row}>
              <span className={styles.action}>{entry.action}</span>
              <span className={styles.reason}>{t.by(entry.actor.name)}</span>
              <span className={styles.when}><RelativeTime at={entry.created_at} now={hubClock.now} /></span>
            </li>
          ))}
        </ul>
      )}
    </ScreenState>
  )
}
