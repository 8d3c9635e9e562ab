/** Loaded when a condition is written: the language is large. */
export { standingConditionProblem } from "@countersign/domain/standing-conditions"
