/** A search field bound to the address: typed text shows at once, and the address follows after a pause. */
import { useEffect, useRef, useState } from "react"

export const restMillis = 250

/**
 * `commit` gets undefined for an empty field. A link or the back button that changes the address also changes the
 * field.
 */
export const useSearchDraft = (value: string | undefined, commit: (value: string | undefined) => void) => {
  const current = value ?? ""
  const [draft, setDraft] = useState(current)
  const latest = useRef(commit)
  const committed = useRef(current)
  useEffect(() => {
    latest.current = commit
  })
  useEffect(() => {
    if (current === committed.current) return
    committed.current = current
    setDraft(current)
  }, [current])
  useEffect(() => {
    if (draft.trim() === committed.current) return
    const timer = setTimeout(() => {
      committed.current = draft.trim()
      latest.current(committed.current === "" ? undefined : committed.current)
    }, restMillis)
    return () => clearTimeout(timer)
  }, [draft])
  return [draft, setDraft] as const
}
