/** Shows the password dialog for calls that require it (`hub/step-up.ts`). One answer serves all pending calls. */
import { useQueryClient } from "@tanstack/react-query"
import { Suspense, useEffect, useRef, useState } from "react"
import { lazyPart } from "../components/lazy-part.ts"
import { setStepUp } from "../hub/step-up.ts"
import { PendingOverlay } from "./pending-overlay.ts"

const StepUpDialog = lazyPart(() => import("./step-up-dialog.tsx"))

export const StepUp = () => {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const resolvers = useRef<Array<(lifted: boolean) => void>>([])
  useEffect(() => {
    const left = resolvers.current
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
    for (const resolve of resolvers.current.splice(0)) resolve(lifted)
  }
  if (!isOpen) return null
  return (
    <Suspense fallback={<PendingOverlay onCancel={() => end(false)} />}>
      <StepUpDialog onEnd={end} />
    </Suspense>
  )
}
