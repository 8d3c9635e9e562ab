/** Copies text to the clipboard and confirms it for a moment. */
import { useCallback, useEffect, useRef, useState } from "react"

export type Copied = "idle" | "copied" | "refused"
const confirmedFor_ms = 2000

export const useCopying = (value: string): readonly [Copied, () => void] => {
  const [state, setState] = useState<Copied>("idle")
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = useCallback(() => {
    const report = (next: Copied) => {
      setState(next)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => setState("idle"), confirmedFor_ms)
    }
    // absent on insecure pages, such as plain http from another host
    if (navigator.clipboard === undefined) return report("refused")
    navigator.clipboard.writeText(value).then(() => report("copied"), () => report("refused"))
  }, [value])
  return [state, copy]
}
