/** An agent's latest requests and the latest changes to it. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "../app/link.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { useAuditWords } from "../audit/action-words.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { Tabs } from "../components/tabs.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { activityPages, requestPages } from "../hub/queries.ts"
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

/** Types of activity beside requests, which have a tab. */
const activityTypes = [
  "agent",
  "binding",
  "approval",
  "standing_approval",
  "budget_request",
  "delegated_task",
  "child",
  "memory",
  "skill",
  "service_request",
  "device_command"
] as const
type ActivityType = (typeof activityTypes)[number]
/** The choice of all types. */
const everything = ""

export const ActivityPanel = ({ agent }: { readonly agent: string }) => {
  const t = agentsText.activity
  const workspace = useWorkspaceId()
  const can = useCan()
  const [shown, setShown] = useState<"requests" | "changes">("requests")
  const [type, setType] = useState<ActivityType>()
  const requests = useArrivals("service_requests.list", workspace)
  const changes = useArrivals("activity.list", workspace)
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
            : (
              <>
                <div className={styles.types}>
                  <Select
                    label={t.type}
                    labelHidden
                    value={type ?? everything}
                    onChange={(next) => setType(activityTypes.find((each) => each === next))}
                    options={[
                      { value: everything, text: t.types.all },
                      ...activityTypes.map((value) => ({ value, text: t.types[value] }))
                    ]}
                  />
                </div>
                <Changes key={type} agent={agent} type={type} />
              </>
            )}
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

const Changes = ({ agent, type }: { readonly agent: string; readonly type: ActivityType | undefined }) => {
  const words = useAuditWords()
  const t = agentsText.activity
  const workspace = useWorkspaceId()
  const changes = useInfiniteQuery(activityPages(workspace, agent, type === undefined ? {} : { type }))
  const [isWhole, setWhole] = useState(false)
  const all = rowsOf(changes.data)
  const rows = isWhole ? all : all.slice(0, shownMax)
  return (
    <ScreenState query={changes}>
      {rows.length === 0
        ? changes.hasNextPage
          ? <p className={`type-body text-2 ${styles.note}`}>{t.noneHere}</p>
          : <EmptyState>{type === undefined ? t.emptyChanges : t.emptyType}</EmptyState>
        : (
          <ul className={styles.rows}>
            {rows.map((entry) => (
              <li key={entry.id} className={`flex items-center gap-12 type-body ${styles.row}`}>
                <span className="min-w-0 truncate" title={entry.action}>{words.action(entry.action)}</span>
                <span className={`flex-1 min-w-0 type-note text-3 truncate ${styles.reason}`}>
                  {t.by(entry.actor.name)}
                </span>
                {entry.cost_cents !== undefined && <Money cents={entry.cost_cents} />}
                <span className={`flex-none type-note text-2 text-end ${styles.when}`}>
                  <RelativeTime at={entry.created_at} now={hubClock.now} />
                </span>
              </li>
            ))}
          </ul>
        )}
      {(all.length > rows.length || changes.hasNextPage) && (
        <p className="py-8">
          <Button
            size="small"
            pending={changes.isFetchingNextPage}
            onClick={() => {
              if (all.length > rows.length) setWhole(true)
              else {
                setWhole(true)
                void changes.fetchNextPage()
              }
            }}
          >
            {t.more}
          </Button>
        </p>
      )}
    </ScreenState>
  )
}
