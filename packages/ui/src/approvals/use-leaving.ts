/** Reports rows that the selection leaves, so that decided ones are removed then and not while they are read. */
import { useEffect, useRef } from "react"

/** Returns a function: the next change of the selection keeps this row, and the change after it reports it. */
export const useLeaving = (
  open: string | undefined,
  leave: (ids: ReadonlyArray<string>) => void
): (id: string) => void => {
  const last = useRef(open)
  const trail = useRef<string>(undefined)
  const kept = useRef<string>(undefined)
  useEffect(() => {
    const left = last.current
    last.current = open
    if (left === open) return
    const leaving = [trail.current, left].filter((id) => id !== undefined && id !== kept.current && id !== open)
    trail.current = kept.current
    kept.current = undefined
    leave(leaving.filter((id) => id !== undefined))
    // Only a change of the selection leaves a row.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [open])
  return (id) => {
    kept.current = id
  }
}
