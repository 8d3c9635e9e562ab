/** The frame rate limit of one device socket. A faster sender is read more slowly, so that TCP slows it down. */
import { Clock, Effect } from "effect"

/** Applies after a burst: a device resends at most a few hundred chunks of output at once. */
export const framesPerSecond = 500
export const frameBurst = 1_000

/** Run it before each frame; it waits while the sender exceeds its rate. */
export const makeFramePace = Effect.gen(function*() {
  const intervalMillis = 1_000 / framesPerSecond
  /** The time at which the bucket is full again, in milliseconds. */
  let fullAt = yield* Clock.currentTimeMillis
  return Effect.gen(function*() {
    const now = yield* Clock.currentTimeMillis
    fullAt = Math.max(now, fullAt) + intervalMillis
    const ahead = fullAt - now - frameBurst * intervalMillis
    if (ahead > 0) yield* Effect.sleep(ahead)
  })
})
