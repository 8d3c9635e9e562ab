/** The key guard of the decision shortcuts over the content of a component. */
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react"
import { type KeyGuard, makeKeyGuard } from "./key-guard.ts"

export interface Guarded {
  /** Whether the shortcuts act now; shown on their caps. */
  readonly isLive: boolean
  /** Checked at the key press itself. */
  readonly mayAct: () => boolean
}

/**
 * `what` names the visible content (id and digest). A change of `state` with the same `what` is a change without user
 * action.
 */
export const useKeyGuard = (what: string, state: string): Guarded => {
  const made = useRef<KeyGuard>(undefined)
  made.current ??= makeKeyGuard()
  const guard = made.current
  const before = useRef({ what, state })
  const [isLive, setLive] = useState(false)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const settle = useCallback(() => {
    clearTimeout(timer.current)
    const from = guard.actsFrom()
    const left = from === undefined ? undefined : from - performance.now()
    setLive(left !== undefined && left <= 0)
    if (left !== undefined && left > 0) timer.current = setTimeout(settle, left + 1)
  }, [guard])

  useLayoutEffect(() => {
    const look = () => {
      guard.show(document.visibilityState === "visible" ? what : undefined, performance.now())
      settle()
    }
    look()
    document.addEventListener("visibilitychange", look)
    return () => document.removeEventListener("visibilitychange", look)
  }, [guard, settle, what])

  useLayoutEffect(() => {
    if (before.current.what === what && before.current.state !== state) {
      guard.change(performance.now())
      settle()
    }
    before.current = { what, state }
  }, [guard, settle, state, what])

  useEffect(() => () => clearTimeout(timer.current), [])

  return {
    isLive,
    mayAct: () => {
      const from = guard.actsFrom()
      return from !== undefined && performance.now() >= from && document.visibilityState === "visible"
    }
  }
}
