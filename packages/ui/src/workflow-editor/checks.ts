/**
 * The hub's own checks of a definition: the contract's shape, then labels, the graph, templates, and conditions. Loaded
 * with the editor, since the rules are larger than any screen.
 */
import type { Detail } from "@countersign/domain/errors"
import { problemsOf } from "@countersign/domain/schema-problems"
import { WorkflowDefinition } from "@countersign/domain/workflow-definition"
import { definitionProblems } from "@countersign/domain/workflow-problems"
import { Result, Schema } from "effect"

const decode = Schema.decodeUnknownResult(WorkflowDefinition, { errors: "all", onExcessProperty: "error" })

export const checkDraft = (draft: unknown): ReadonlyArray<Detail> => {
  const decoded = decode(draft)
  return Result.isSuccess(decoded) ? definitionProblems(decoded.success) : problemsOf(decoded.failure.issue, draft)
}
