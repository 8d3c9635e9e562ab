/** Whether a condition can be read, a moment after the typing rests. */
import { useEffect, useState } from "react"

export type Condition =
  | { readonly state: "empty" | "checking" | "reads" | "absent" }
  | { readonly state: "wrong"; readonly message: string }

const restMillis = 300

export const useCondition = (when: string): Condition => {
  const [condition, setCondition] = useState<Condition>({ state: "empty" })
  useEffect(() => {
    if (when.trim() === "") return setCondition({ state: "empty" })
    let isLatest = true
    setCondition({ state: "checking" })
    const timer = setTimeout(() => {
      import("./sample-check.ts").then(({ conditionProblem }) => {
        if (!isLatest) return
        const message = conditionProblem(when)
        setCondition(message === undefined ? { state: "reads" } : { state: "wrong", message })
      }, () => {
        if (isLatest) setCondition({ state: "absent" })
      })
    }, restMillis)
    return () => {
      isLatest = false
      clearTimeout(timer)
    }
  }, [when])
  return condition
}
