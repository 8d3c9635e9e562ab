/** A search field over the address: what is typed shows at once, the address follows when the typing rests. */
import { useEffect, useRef, useState } from "react"

export const restMillis = 250

/** `commit` gets undefined for an empty field. A link or the back button that changes the address changes the field too. */
export const useSearchDraft = (value: string | undefined, commit: (value: string | undefined) => void) => {
  const said = value ?? ""
  const [draft, setDraft] = useState(said)
  const latest = useRef(commit)
  const committed = useRef(said)
  useEffect(() => {
    latest.current = commit
  })
  useEffect(() => {
    if (said === committed.current) return
    committed.current = said
    setDraft(said)
  }, [said])
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
