/** The firings of a schedule or a trigger, newest first, each with its error and its request. */
import type { ReactNode } from "react"
import { Link } from "../app/link.tsx"
import { MoreButton, type MoreButtonProps } from "../app/more-button.tsx"
import { type Reading, ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Panel } from "../components/panel.tsx"
import type { ScheduleRun } from "../hub/queries.ts"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { requestsText } from "../text/requests.ts"

interface Firing extends Pick<ScheduleRun, "error" | "request_status" | "service_request_id"> {
  readonly id: string
}

export interface FiringListProps<R> {
  readonly texts: {
    readonly title: string
    readonly list: string
    readonly empty: string
    readonly more: string
    readonly request: string
  }
  readonly pages: Reading & MoreButtonProps["pages"]
  readonly rows: ReadonlyArray<R>
  /** The outcome, the time, and the facts of one firing. */
  readonly children: (row: R) => ReactNode
}

export const FiringList = <R extends Firing>({ children, pages, rows, texts: t }: FiringListProps<R>) => {
  const workspace = useWorkspaceId()
  return (
    <Panel title={t.title}>
      <ScreenState query={pages}>
        {rows.length === 0
          ? <p className="type-body text-2">{t.empty}</p>
          : (
            <ul className="grid gap-8" aria-label={t.list}>
              {rows.map((row) => (
                <li key={row.id} className="flex flex-wrap items-center gap-4 gap-x-12 type-body">
                  {children(row)}
                  {row.error !== undefined && <span className="text-stop wrap-anywhere">{row.error.message}</span>}
                  {row.service_request_id !== undefined && (
                    <span className="inline-flex items-center gap-8 ms-auto">
                      {row.request_status !== undefined && (
                        <StatusBadge status={row.request_status}>
                          {requestsText.statuses[row.request_status]}
                        </StatusBadge>
                      )}
                      <Link to="/w/$workspace/requests/$id" params={{ workspace, id: row.service_request_id }}>
                        {t.request}
                      </Link>
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )}
        {pages.hasNextPage && (
          <p className="mt-12">
            <MoreButton pages={pages}>{t.more}</MoreButton>
          </p>
        )}
      </ScreenState>
    </Panel>
  )
}
