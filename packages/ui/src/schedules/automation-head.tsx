/** The head of a schedule or a trigger: its name, its status with the reason of a pause, and its actions. */
import type { ReactNode } from "react"
import { Button } from "../components/button.tsx"
import type { ScheduledTask } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { schedulesText as t } from "../text/schedules.ts"
import { ScheduleState } from "./schedule-state.tsx"

export interface AutomationHeadProps {
  readonly of: Pick<ScheduledTask, "name" | "status" | "paused_by">
  /** Only with the permission to change it. */
  readonly acts?: {
    readonly onEdit: () => void
    readonly onToggle: () => void
    readonly isToggling: boolean
    readonly more?: ReactNode
  } | undefined
}

export const AutomationHead = ({ acts, of: { name, paused_by, status } }: AutomationHeadProps) => {
  const mayAct = useMayAct()
  return (
    <header className="flex flex-wrap items-center gap-8 gap-x-12 mb-24">
      <h2 className="type-title tracking-large wrap-anywhere">{name}</h2>
      <ScheduleState status={status} />
      {paused_by !== undefined && <span className="type-body text-2">{t.pausedBy[paused_by]}</span>}
      {acts !== undefined && (
        <div className="flex flex-wrap gap-8 ms-auto">
          <Button disabled={!mayAct} onClick={acts.onEdit}>{t.edit.act}</Button>
          <Button disabled={!mayAct} pending={acts.isToggling} onClick={acts.onToggle}>
            {status === "active" ? t.detail.pause : t.detail.resume}
          </Button>
          {acts.more}
        </div>
      )}
    </header>
  )
}
