/** The status of a delegated task as a glyph, a word, and a color. */
import type { Row } from "@countersign/hub-client/contract"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { tasksText } from "../text/tasks.ts"

export type Task = Row<"delegated_tasks.listAll">
export type TaskStatus = Task["status"]

/** The status of the console's own list of looks (`patterns/status.ts`). */
export const lookOf: Readonly<Record<TaskStatus, string>> = {
  accepted: "pending",
  in_progress: "running",
  completed: "executed",
  failed: "failed",
  cancelled: "cancelled"
}

export const hasEnded = (status: TaskStatus): boolean =>
  status === "completed" || status === "failed" || status === "cancelled"

export const TaskState = ({ status }: { readonly status: TaskStatus }) => (
  <StatusBadge status={lookOf[status]}>{tasksText.statuses[status]}</StatusBadge>
)
