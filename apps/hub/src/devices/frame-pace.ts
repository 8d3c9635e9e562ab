/** How fast one device socket may send frames. A faster sender is read more slowly; TCP then slows it down. */
import { Clock, Effect } from "effect"

/** After a burst: a device resends at most some hundred chunks of output at once. */
export const framesPerSecond = 500
export const frameBurst = 1_000

/** To be run before each frame is handled; waits while the sender is ahead of its rate. */
export const makeFramePace = Effect.gen(function*() {
  const intervalMillis = 1_000 / framesPerSecond
  /** The time at which the bucket is full again. */
  let fullAt = yield* Clock.currentTimeMillis
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    fullAt = Math.max(now, fullAt) + intervalMillis
    const ahead = fullAt - now - frameBurst * intervalMillis
    if (ahead > 0) yield* Effect.sleep(ahead)
  })
})
