/** The status of a run or of a step as a glyph, a word, and a color. */
import type { RunStep, WorkflowRun } from "../hub/queries.ts"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { runsText } from "../text/runs.ts"

export type RunStatus = WorkflowRun["status"]
export type StepStatus = RunStep["status"]

/** The status of the console's own list of looks (`patterns/status.ts`). */
const runLooks: Readonly<Record<RunStatus, string>> = {
  queued: "pending",
  running: "running",
  waiting: "pending",
  succeeded: "executed",
  failed: "failed",
  cancelled: "cancelled"
}

export const stepLooks: Readonly<Record<StepStatus, string>> = {
  pending: "expired",
  running: "running",
  waiting: "pending",
  succeeded: "executed",
  failed: "failed",
  skipped: "expired",
  cancelled: "cancelled"
}

export const RunState = ({ status }: { readonly status: RunStatus }) => (
  <StatusBadge status={runLooks[status]}>{runsText.statuses[status]}</StatusBadge>
)

export const StepState = ({ status }: { readonly status: StepStatus }) => (
  <StatusBadge status={stepLooks[status]}>{runsText.stepStatuses[status]}</StatusBadge>
)

export const hasEnded = (status: RunStatus): boolean =>
  status === "succeeded" || status === "failed" || status === "cancelled"
