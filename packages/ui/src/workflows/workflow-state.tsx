/** The status of a workflow as a glyph, a word, and a color. */
import type { Workflow } from "../hub/queries.ts"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { workflowsText } from "../text/workflows.ts"

/** The status of the console's own list of looks (`patterns/status.ts`). */
const lookOf = { draft: "expired", pending_review: "pending", published: "approved" } as const

export const WorkflowState = ({ status }: Pick<Workflow, "status">) => (
  <StatusBadge status={lookOf[status]}>{workflowsText.statuses[status]}</StatusBadge>
)

/* Limits of the contract. Its module is not loaded here, because it contains every schema. */
export const workflowNameMax = 100
export const workflowDescriptionMax = 2_000
