/** The pending call to the main process, with the error of the last one. One call at a time. */
import { useState } from "react"
import type { Answer } from "../../bridge/answer.ts"
import { ownerText as t } from "./text.ts"

export interface Problem {
  readonly code: string
  readonly message: string
  /** Paths of invalid values, where the error lists them. */
  readonly places: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

export interface BridgeCall {
  readonly busy: boolean
  readonly problem: Problem | undefined
  /** `onDone` is called after a success. */
  readonly ask: <A>(work: () => Promise<Answer<A>>, onDone?: (value: A) => void) => Promise<void>
  readonly forget: () => void
}

export const useBridgeCall = (): BridgeCall => {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<Problem>()
  return {
    busy,
    problem,
    forget: () => setProblem(undefined),
    ask: async (work, onDone) => {
      if (busy) return
      setBusy(true)
      setProblem(undefined)
      try {
        const answer = await work()
        if (answer.ok) onDone?.(answer.value)
        else setProblem({ code: answer.error.code, message: answer.error.message, places: answer.error.details ?? [] })
      } catch {
        setProblem({ code: "refused", message: t.broken, places: [] })
      } finally {
        setBusy(false)
      }
    }
  }
}
