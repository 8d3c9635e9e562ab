/** Loaded when a person edits a condition, since the expression language is large. */
export { standingConditionProblem } from "@countersign/domain/standing-conditions"
