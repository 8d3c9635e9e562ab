import { Readiness } from "@countersign/hub/platform/readiness"
import { afterEach, assert, beforeEach, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { vi } from "vitest"

/** The readiness of a hub that nothing has used for 11 s. */
const quiet = Effect.gen(function*() {
  const readiness = yield* Readiness
  yield* Effect.sync(() => vi.advanceTimersByTime(11_000))
  return readiness
}).pipe(Effect.provide(Readiness.layerOf("serving")))

/** Whether the pause has ended `millis` after its begin. */
const hasEnded = Effect.fnUntraced(function*(pause: Fiber.Fiber<void>, millis: number) {
  yield* TestClock.adjust(millis)
  return pause.pollUnsafe() !== undefined
})

describe("the pause of a worker", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }))
  afterEach(() => void vi.useRealTimers())

  it.effect("lasts as long as asked while the hub is in use, and 2 s while it is quiet", () =>
    Effect.gen(function*() {
      const readiness = yield* quiet
      const long = yield* Effect.forkChild(readiness.pause(250))
      assert.isFalse(yield* hasEnded(long, 1_999))
      assert.isTrue(yield* hasEnded(long, 1))
      readiness.used()
      const short = yield* Effect.forkChild(readiness.pause(250))
      assert.isFalse(yield* hasEnded(short, 249))
      assert.isTrue(yield* hasEnded(short, 1))
    }))

  it.effect("ends within the usual time after the first use of a quiet hub", () =>
    Effect.gen(function*() {
      const readiness = yield* quiet
      const pause = yield* Effect.forkChild(readiness.pause(250))
      assert.isFalse(yield* hasEnded(pause, 500))
      readiness.used()
      assert.isTrue(yield* hasEnded(pause, 250))
    }))

  it.effect("ends at once when the worker is woken, and a rest or a longer pause is never stretched", () =>
    Effect.gen(function*() {
      const readiness = yield* quiet
      const wake = yield* Deferred.make<void>()
      const pause = yield* Effect.forkChild(readiness.pause(250, Deferred.await(wake)))
      assert.isFalse(yield* hasEnded(pause, 1_000))
      yield* Deferred.succeed(wake, undefined)
      assert.isTrue(yield* hasEnded(pause, 0))
      const rest = yield* Effect.forkChild(readiness.pause(20))
      assert.isTrue(yield* hasEnded(rest, 20))
      const longer = yield* Effect.forkChild(readiness.pause(5_000))
      assert.isTrue(yield* hasEnded(longer, 5_000))
    }))
})
