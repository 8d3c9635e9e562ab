/**
 * The phase of this hub: starting, serving, draining. Workers report each finished round, and `/ready` names those that
 * have not finished one in time.
 */
import { Context, Effect, Layer } from "effect"

export type Phase = "starting" | "serving" | "draining"

/** How long work in progress may take to finish after the signal to stop; the rest is cut off. */
export const drainSeconds = 30

export class Readiness extends Context.Service<Readiness, {
  /** Counts a worker as silent until its first `beat`. */
  readonly expect: (worker: string) => void
  /** A worker finished a round; it counts as silent if the next one does not finish within `millis`. */
  readonly beat: (worker: string, millis: number) => void
  /** Ends the start phase. Does nothing once the hub drains. */
  readonly serve: () => void
  readonly drain: () => void
  readonly phase: () => Phase
  /** Milliseconds until work in progress is cut off: the whole drain period before the drain begins, at least 0. */
  readonly drainMillisLeft: () => number
  /** Workers that have been silent for too long. */
  readonly silent: () => ReadonlyArray<string>
  /** Whether the database's disk has no space for changes. */
  readonly isDiskFull: () => boolean
  readonly setDiskFull: (isFull: boolean) => void
}>()("@countersign/hub/platform/Readiness") {
  static readonly layerOf = (first: Phase) =>
    Layer.sync(Readiness, () => {
      const beats = new Map<string, number>()
      let phase = first
      let drainUntil: number | undefined
      let isDiskFull = false
      return Readiness.of({
        expect: (worker) => void (beats.has(worker) || beats.set(worker, -Infinity)),
        beat: (worker, millis) => void beats.set(worker, performance.now() + millis),
        serve: () => {
          if (phase === "starting") phase = "serving"
        },
        drain: () => {
          phase = "draining"
          drainUntil ??= performance.now() + drainSeconds * 1_000
        },
        phase: () => phase,
        drainMillisLeft: () =>
          drainUntil === undefined ? drainSeconds * 1_000 : Math.max(0, drainUntil - performance.now()),
        isDiskFull: () => isDiskFull,
        setDiskFull: (isFull) => {
          isDiskFull = isFull
        },
        silent: () => [...beats].filter(([, until]) => performance.now() > until).map(([worker]) => worker)
      })
    })
  /** For a starting hub: it refuses requests until `serve`. */
  static readonly layer = Readiness.layerOf("starting")
}

/** Opens the hub: before that `/ready` answers 503, and so does everything except health and metrics. */
export const beginServing = Effect.map(Readiness, (readiness) => readiness.serve())
