/** The columns that the lists of schedules and triggers have in common. */
import { Link } from "../app/link.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { ScheduledTask } from "../hub/queries.ts"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { schedulesText as t } from "../text/schedules.ts"
import { ActionText } from "./action-text.tsx"
import { ScheduleState } from "./schedule-state.tsx"

interface Automation extends Pick<ScheduledTask, "name" | "status" | "action"> {
  readonly id: string
}

export interface AutomationPlace {
  readonly to: "/w/$workspace/schedules/$id" | "/w/$workspace/triggers/$id"
  readonly params: { readonly workspace: string; readonly id: string }
}

export const nameColumn = <R extends Automation>(head: string, place: (id: string) => AutomationPlace): Column<R> => ({
  id: "name",
  head,
  width: "minmax(140px, 2fr)",
  narrow: "lead",
  cell: ({ id, name }) => <Link quiet className="block truncate" title={name} tabIndex={-1} {...place(id)}>{name}</Link>
})

export const statusColumn = <R extends Automation>(): Column<R> => ({
  id: "status",
  head: t.status,
  width: "104px",
  narrow: "trail",
  cell: ({ status }) => <ScheduleState status={status} />
})

export const actionColumn = <R extends Automation>(width: string): Column<R> => ({
  id: "action",
  head: t.detail.action,
  width,
  from: 640,
  cell: ({ action }) => (
    <span className="block truncate">
      <ActionText action={action} />
    </span>
  )
})

/** A time that may not have come yet. */
export const LastTime = ({ at }: { readonly at: string | undefined }) =>
  at === undefined ? <span className="text-3">{t.never}</span> : <RelativeTime at={at} now={hubClock.now} />
