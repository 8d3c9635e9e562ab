/**
 * Follows the number of pending decisions: updates the tab's icon, and notifies or plays a tone if the person enabled
 * that.
 */
import { useEffect, useRef } from "react"
import { shellText as t } from "../text/shell.ts"
import { alertOfArrival, drawIcon } from "./alert-person.ts"
import { pendingCountText, usePendingCount } from "./pending-approvals.ts"

export const PendingAlerts = () => {
  const pending = usePendingCount()
  const count = pending?.total
  const label = pending?.label ?? ""
  const before = useRef<number>(undefined)
  useEffect(() => {
    if (count === undefined) return
    drawIcon(count === 0 ? "" : pendingCountText(count))
    if (before.current !== undefined && count > before.current) alertOfArrival(t.product, label)
    before.current = count
  }, [count, label])
  useEffect(() => () => drawIcon(""), [])
  return null
}

export default PendingAlerts
