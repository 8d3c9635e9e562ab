/** Timers as services receive them; tests pass their own. */

/** Calls `act` after `millis` unless the returned function is called first. Does not keep the process alive. */
export type After = (millis: number, act: () => void) => () => void

/** Node fires longer timers at once. */
const timerMillisMax = 2_147_483_647

export const after: After = (millis, act) => {
  const timer = setTimeout(act, Math.min(millis, timerMillisMax))
  timer.unref()
  return () => clearTimeout(timer)
}

export const every = (millis: number, act: () => void): () => void => {
  const timer = setInterval(act, millis)
  timer.unref()
  return () => clearInterval(timer)
}
