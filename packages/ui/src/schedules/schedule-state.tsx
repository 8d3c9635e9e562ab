/** The status of a schedule or a trigger as a glyph, a word, and a color. */
import { StatusBadge } from "../patterns/status-badge.tsx"
import { schedulesText } from "../text/schedules.ts"

export const ScheduleState = ({ status }: { readonly status: "active" | "paused" }) => (
  <StatusBadge status={status === "active" ? "running" : "expired"}>{schedulesText.statuses[status]}</StatusBadge>
)
