/** What was asked of main and is not answered yet, and in words what it did not do. One at a time. */
import { useText } from "@countersign/ui/text/catalogue"
import { useState } from "react"
import type { Answer } from "../../bridge/contract.ts"
import { ownerText } from "./text.ts"

export interface Problem {
  readonly code: string
  readonly message: string
  /** Where it does not fit, when that was told. */
  readonly places: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

export interface Asking {
  readonly busy: boolean
  readonly problem: Problem | undefined
  /** `onDone` when it was done. */
  readonly ask: <A>(work: () => Promise<Answer<A>>, onDone?: (value: A) => void) => Promise<void>
  readonly forget: () => void
}

export const useAsking = (): Asking => {
  const t = useText(ownerText)
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
        const said = await work()
        if (said.ok) onDone?.(said.value)
        else setProblem({ code: said.error.code, message: said.error.message, places: said.error.details ?? [] })
      } catch {
        setProblem({ code: "refused", message: t.broken, places: [] })
      } finally {
        setBusy(false)
      }
    }
  }
}
