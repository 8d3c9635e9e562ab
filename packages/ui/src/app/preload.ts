/** Preloads parts that the first screen does not need when the browser is idle. */
import { startTransition, useEffect, useState } from "react"

/** Calls back once the browser is idle; returns a function that cancels it. */
const whenIdle = (act: () => void): () => void => {
  // Safari has no idle callbacks.
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(act, 1_000)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(act, { timeout: 2_000 })
  return () => cancelIdleCallback(handle)
}

/** `load` must be a module-level function: the same one at each render. */
export const usePreload = (load: () => Promise<unknown>): void => {
  useEffect(() => whenIdle(() => void load().catch(() => {})), [load])
}

/**
 * Whether to render a part before it is used, so that it then opens at once: when it is loaded and the browser is idle,
 * and again after each use. `load` must be a module-level function.
 */
export const usePrepared = (load: () => Promise<unknown>, isUsed: boolean): boolean => {
  const [isPrepared, setPrepared] = useState(false)
  // Each use ends with the removal of its part.
  if (isUsed && isPrepared) setPrepared(false)
  useEffect(() => {
    if (isUsed) return
    let isOver = false
    const prepare = () => {
      if (!isOver) cancel = whenIdle(() => startTransition(() => setPrepared(true)))
    }
    let cancel = whenIdle(() => void load().then(prepare, () => {}))
    return () => {
      isOver = true
      cancel()
    }
  }, [isUsed, load])
  return isPrepared
}

let wasIdle = false

/** Whether the browser has been idle since the page loaded. */
export const useWasIdle = (): boolean => {
  const [isNow, setNow] = useState(wasIdle)
  useEffect(() =>
    isNow ? undefined : whenIdle(() => {
      wasIdle = true
      setNow(true)
    }), [isNow])
  return isNow
}
