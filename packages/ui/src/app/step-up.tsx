/** Where an act that wants the password waits for it (`hub/step-up.ts`). Several that wait are answered together. */
import { useQueryClient } from "@tanstack/react-query"
import { Suspense, useEffect, useRef, useState } from "react"
import { lazyPart } from "../components/lazy-part.ts"
import { setStepUp } from "../hub/step-up.ts"
import { PendingOverlay } from "./pending-overlay.ts"

const StepUpDialog = lazyPart(() => import("./step-up-dialog.tsx"))

export const StepUp = () => {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const waiting = useRef<Array<(lifted: boolean) => void>>([])
  useEffect(() => {
    const left = waiting.current
    const forget = setStepUp(queries, () =>
      new Promise((resolve) => {
        left.push(resolve)
        setOpen(true)
      }))
    return () => {
      forget()
      for (const resolve of left.splice(0)) resolve(false)
    }
  }, [queries])
  const end = (lifted: boolean) => {
    setOpen(false)
    for (const resolve of waiting.current.splice(0)) resolve(lifted)
  }
  if (!isOpen) return null
  return (
    <Suspense fallback={<PendingOverlay onCancel={() => end(false)} />}>
      <StepUpDialog onEnd={end} />
    </Suspense>
  )
}
