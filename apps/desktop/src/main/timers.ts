/** Time as services take it: a test gives its own. */

/** Does so after this time, unless what is returned is called before. Keeps no process alive. */
export type After = (millis: number, act: () => void) => () => void

/** Longer ones would be due at once. */
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
