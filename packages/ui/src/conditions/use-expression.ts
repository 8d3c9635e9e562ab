/** Whether an expression can be read, a moment after the typing rests. */
import type { ExpressionProblem } from "@countersign/domain/expression-problem"
import { useEffect, useState } from "react"

/** `absent`: the code that checks could not be loaded; the hub checks it. */
export type Expression =
  | { readonly state: "empty" | "checking" | "reads" | "absent" }
  | ({ readonly state: "wrong" } & ExpressionProblem)

const restMillis = 300

/** `check` loads the language, which is large. Keep it one function, such as one at module level. */
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

/** A value once it has rested, as JSON compares it. */
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
