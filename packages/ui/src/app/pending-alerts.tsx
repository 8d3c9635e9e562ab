/** Follows the number of pending approvals: the tab's icon, and a notification or a tone where the person turned them on. */
import { useEffect, useRef } from "react"
import { useText } from "../text/catalogue.ts"
import { shellText } from "../text/shell.ts"
import { alertOfArrival, drawIcon } from "./alert-person.ts"
import { useWaitingCount, waitingText } from "./waiting.ts"

export const PendingAlerts = () => {
  const t = useText(shellText)
  const count = useWaitingCount()
  const before = useRef<number>(undefined)
  useEffect(() => {
    if (count === undefined) return
    drawIcon(count === 0 ? "" : waitingText(count))
    if (before.current !== undefined && count > before.current) alertOfArrival(t.product, t.waiting(count))
    before.current = count
  }, [count, t])
  useEffect(() => () => drawIcon(""), [])
  return null
}

export default PendingAlerts
