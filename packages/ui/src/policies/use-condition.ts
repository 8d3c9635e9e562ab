/** Whether a policy's condition is valid. */
import { type Expression, useExpression } from "../conditions/use-expression.ts"

const check = async (when: string) => (await import("./sample-check.ts")).conditionProblem(when)

export const useCondition = (when: string): Expression => useExpression(when, check)
