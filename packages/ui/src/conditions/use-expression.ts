/** Validates an expression shortly after typing stops. */
import type { ExpressionProblem } from "@countersign/domain/expression-problem"
import { useEffect, useState } from "react"

/** `absent`: the checker could not be loaded; the hub validates the expression. */
export type Expression =
  | { readonly state: "empty" | "checking" | "reads" | "absent" }
  | ({ readonly state: "wrong" } & ExpressionProblem)

const restMillis = 300

/**
 * `check` loads the expression language, which is large. Pass the same function at each render, such as a module-level
 * one.
 */
export const useExpression = (
  text: string,
  check: (text: string) => Promise<ExpressionProblem | undefined>
): Expression => {
  const [expression, setExpression] = useState<Expression>({ state: "empty" })
  useEffect(() => {
    if (text.trim() === "") return setExpression({ state: "empty" })
    let isLatest = true
    setExpression({ state: "checking" })
    const timer = setTimeout(() => {
      check(text).then((problem) => {
        if (isLatest) setExpression(problem === undefined ? { state: "reads" } : { state: "wrong", ...problem })
      }, () => {
        if (isLatest) setExpression({ state: "absent" })
      })
    }, restMillis)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [text, check])
  return expression
}

/** A value that has been stable for `millis`, compared as JSON. */
export const useRested = <A>(value: A, millis = restMillis): A => {
  const [rested, setRested] = useState(value)
  const text = JSON.stringify(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), millis)
    return () => clearTimeout(timer)
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [text, millis])
  return rested
}
