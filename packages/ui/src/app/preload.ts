/** Parts that the first screen does not need: loaded when the browser is idle. */
import { useEffect, useState } from "react"
import { forgetFailedStyles } from "../components/lazy-part.ts"

/** Calls back once the browser is idle; the answer cancels it. */
const whenIdle = (act: () => void): () => void => {
  // Safari has no idle callbacks.
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(act, 1_000)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(act, { timeout: 2_000 })
  return () => cancelIdleCallback(handle)
}

/** `load` is a function of its module: the same one at each render. */
export const usePreload = (load: () => Promise<unknown>): void => {
  useEffect(() => whenIdle(() => void load().catch(forgetFailedStyles)), [load])
}

let wasIdle = false

/** Whether the browser was idle since the page was loaded. */
export const useWasIdle = (): boolean => {
  const [isNow, setNow] = useState(wasIdle)
  useEffect(() =>
    isNow ? undefined : whenIdle(() => {
      wasIdle = true
      setNow(true)
    }), [isNow])
  return isNow
}
