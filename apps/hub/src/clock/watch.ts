/**
 * Watches the database's clock and this process's clock. Once a second it compares the database's time with the
 * machine's uptime, and confirms it in the database (`clock_watch`); time-based decisions there wait while no hub
 * confirms it. A jump of more than five minutes is refused until the clock is back, or has been steady for
 * `HUB_CLOCK_STEADY_SECONDS`.
 */
import { Context, Effect, Layer, Metric, Option, Schedule, Semaphore } from "effect"
import { readFileSync } from "node:fs"
import { uptime } from "node:os"
import { Settings } from "../config.ts"
import { ClockRepository } from "./repository.ts"
import { type Doubt, expectedAt, judge, type Reading, skewMillisMax } from "./rules.ts"

const roundMillis = 1_000
/** Earlier trusted clocks, to recognize a return to one of them at once. */
const earlierMax = 4

const aheadGauge = Metric.gauge("countersign_clock_ahead_seconds", {
  description: "How far the database clock is ahead of the expected time while it is in doubt; 0 while it is believed."
})

/**
 * The boot of this machine, if the system provides it: uptimes of one boot can be compared over a restart of the hub.
 */
const bootId = (): string | null => {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()
  } catch {
    return null
  }
}

export class ClockWatch extends Context.Service<ClockWatch, {
  /**
   * Whether the clocks of database and hub are trusted. Cheap; also detects a jump of this process's clock since the
   * last check.
   */
  readonly trusted: () => boolean
  /** Compares now. False while the clocks are in doubt. */
  readonly check: Effect.Effect<boolean>
  /** Why the clocks are in doubt, as a text for people; `undefined` while they are trusted. */
  readonly problem: () => string | undefined
}>()("@countersign/hub/clock/ClockWatch") {
  static readonly layer = Layer.effect(
    ClockWatch,
    Effect.gen(function*() {
      const repository = yield* ClockRepository
      const { clockSteadySeconds: steadySeconds } = yield* Settings
      const hub = crypto.randomUUID()
      const boot = bootId()
      /** The last confirmed reading, and its moment by the process's monotonic clock. */
      let confirmed: Reading & { readonly at: number } | undefined
      let earlier: ReadonlyArray<Reading> = []
      let doubt: Doubt | undefined
      let aheadSeconds = 0

      /**
       * The difference between the process's clock and the database's, which has advanced since the last confirmation.
       */
      const skewMillis = () =>
        confirmed === undefined ? 0 : Date.now() - (confirmed.millis + performance.now() - confirmed.at)

      const expected = Effect.fnUntraced(function*(now: number) {
        if (confirmed !== undefined) return { millis: expectedAt(confirmed, now), accept: false }
        // The first check: an earlier start in this machine's boot, or another hub, gives the expected time.
        const last = yield* repository.last
        if (Option.isNone(last)) return { millis: Date.now(), accept: true }
        const { boot: itsBoot, millis, uptime: itsUptime, witnessed } = last.value
        if (boot !== null && itsBoot === boot && itsUptime <= now) {
          return { millis: expectedAt({ millis, uptime: itsUptime }, now), accept: false }
        }
        return { millis, accept: !witnessed }
      })

      const trust = (reading: Reading, at: number) => {
        confirmed = { ...reading, at }
        doubt = undefined
        aheadSeconds = 0
      }

      const compare = Effect.gen(function*() {
        const now = uptime()
        const at = performance.now()
        const wanted = yield* expected(now)
        const first = yield* repository.confirm({ hub, boot, uptime: now }, wanted.millis, wanted.accept)
        const reading = { millis: first.millis, uptime: now }
        if (first.ahead === null) {
          if (doubt !== undefined) yield* Effect.logWarning("the database clock is right again; requests are accepted")
          return trust(reading, at)
        }
        confirmed ??= { millis: wanted.millis, uptime: now, at }
        const verdict = judge(reading, doubt, earlier, {
          skewMillis: Math.abs(Date.now() - first.millis),
          steadySeconds
        })
        if (verdict.kind === "doubt") {
          if (doubt === undefined) {
            yield* Effect.logError(
              `the database clock jumped by ${
                Math.round(first.ahead)
              } s; requests are declined until it is right, or steady for ${steadySeconds} s`
            )
          }
          doubt = verdict.doubt
          aheadSeconds = first.ahead
          return
        }
        yield* repository.confirm({ hub, boot, uptime: now }, first.millis, true)
        yield* Effect.logWarning(
          verdict.kind === "return"
            ? "the database clock is back at a time known before"
            : `the database clock has been steady for ${steadySeconds} s and is believed`
        )
        earlier = [confirmed, ...earlier].slice(0, earlierMax)
        trust(reading, at)
      })

      const trusted = () => doubt === undefined && Math.abs(skewMillis()) <= skewMillisMax
      const lock = yield* Semaphore.make(1)
      const check = lock.withPermits(1)(compare).pipe(
        Effect.catchCause((cause) => Effect.logDebug("the database clock could not be read", cause)),
        Effect.andThen(Effect.suspend(() => Metric.update(aheadGauge, aheadSeconds))),
        Effect.andThen(Effect.sync(trusted))
      )
      yield* check
      yield* Effect.forkScoped(Effect.repeat(check, Schedule.spaced(roundMillis)))

      return ClockWatch.of({
        trusted,
        check,
        problem: () => {
          if (doubt !== undefined) {
            const direction = aheadSeconds >= 0 ? "ahead of" : "behind"
            return `the database's clock is ${Math.abs(Math.round(aheadSeconds))} s ${direction} the expected time`
          }
          const skew = Math.abs(skewMillis())
          return skew > skewMillisMax
            ? `this hub's clock is ${Math.round(skew / 1000)} s off the database's`
            : undefined
        }
      })
    })
  )
}
