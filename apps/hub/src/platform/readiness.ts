/**
 * The phase of this hub: starting, serving, draining. Workers report each finished round, and `/ready` names those that
 * have not finished one in time.
 */
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config.ts"

export type Phase = "starting" | "serving" | "draining"

/** How long work in progress may take to finish after the signal to stop; the rest is cut off. */
export const drainSeconds = 30

/** Workers that a paused copy does not run. Outbound calls of all others are refused. Spec: reference/operation.md "Copies". */
const pausedWorkers: ReadonlySet<string> = new Set([
  "apps",
  "app revocations",
  "chat",
  "firings",
  "mails",
  "mcp-services",
  "notice channels",
  "payments",
  "poller",
  "pushes",
  "runs",
  "schedules",
  "webhook attempts"
])

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
  /** Whether this worker does nothing: the hub is a paused copy, and the worker sends, or begins work by itself. */
  readonly isPaused: (worker: string) => boolean
  /** Workers that have been silent for too long. */
  readonly silent: () => ReadonlyArray<string>
  /** Whether the database's disk has no space for changes. */
  readonly isDiskFull: () => boolean
  readonly setDiskFull: (isFull: boolean) => void
}>()("@countersign/hub/platform/Readiness") {
  static readonly layerOf = (first: Phase, paused = false) =>
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
        isPaused: (worker) => paused && pausedWorkers.has(worker),
        isDiskFull: () => isDiskFull,
        setDiskFull: (isFull) => {
          isDiskFull = isFull
        },
        silent: () => [...beats].filter(([, until]) => performance.now() > until).map(([worker]) => worker)
      })
    })
  /** For a starting hub: it refuses requests until `serve`. */
  static readonly layer = Layer.unwrap(Effect.map(Settings, ({ paused }) => Readiness.layerOf("starting", paused)))
}

/** Opens the hub: before that `/ready` answers 503, and so does everything except health and metrics. */
export const beginServing = Effect.map(Readiness, (readiness) => readiness.serve())
