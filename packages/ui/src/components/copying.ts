/** Puts text on the clipboard and tells for a moment that it is there. */
import { useCallback, useEffect, useRef, useState } from "react"

export type Copied = "idle" | "copied" | "refused"
const toldFor_ms = 2000

export const useCopying = (value: string): readonly [Copied, () => void] => {
  const [state, setState] = useState<Copied>("idle")
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const copy = useCallback(() => {
    const tell = (next: Copied) => {
      setState(next)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => setState("idle"), toldFor_ms)
    }
    // absent where the page is not served safely, such as plain http on another host
    if (navigator.clipboard === undefined) return tell("refused")
    navigator.clipboard.writeText(value).then(() => tell("copied"), () => tell("refused"))
  }, [value])
  return [state, copy]
}
