/**
 * The phase of this hub: starting, serving, draining. Workers report each finished round, and `/ready` names those that
 * have not finished one in time. They pause longer between two rounds while nothing uses the hub.
 */
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config.ts"

export type Phase = "starting" | "serving" | "draining"

/** How long work in progress may take to finish after the signal to stop; the rest is cut off. */
export const drainSeconds = 30

/** A hub is quiet when nothing has used it for this long. */
const quietAfterMillis = 10_000
/** The shortest pause of a worker of a quiet hub: what becomes due then may begin this much later. */
const quietPauseMillis = 2_000
/** A shorter pause is a rest between two rounds of a worker that signals wake. It stays as it is. */
const pauseMillisMin = 100

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
  /** Something changed, on this hub or another one: workers look for work at their own pace for a while. */
  readonly used: () => void
  /** The pause of a worker between two rounds, at least 2 s while the hub is quiet; `wake` ends it early. */
  readonly pause: (millis: number, wake?: Effect.Effect<unknown>) => Effect.Effect<void>
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
      let usedAt = performance.now()
      const resting = new Set<() => void>()
      /** Ends with the first use. A worker takes up its own pace somewhere within it: all at once would delay the use. */
      const rest = (millis: number) =>
        Effect.callback<void>((resume) => {
          const end = () => resume(Effect.sleep(Math.random() * millis))
          resting.add(end)
          return Effect.sync(() => void resting.delete(end))
        }).pipe(Effect.timeoutOption(quietPauseMillis))
      return Readiness.of({
        expect: (worker) => void (beats.has(worker) || beats.set(worker, -Infinity)),
        beat: (worker, millis) => void beats.set(worker, performance.now() + millis),
        used: () => {
          usedAt = performance.now()
          for (const end of resting) end()
          resting.clear()
        },
        pause: (millis, wake = Effect.never) =>
          Effect.suspend(() => {
            const isStretched = millis >= pauseMillisMin && millis < quietPauseMillis &&
              performance.now() - usedAt > quietAfterMillis
            return Effect.asVoid(Effect.raceFirst(wake, isStretched ? rest(millis) : Effect.sleep(millis)))
          }),
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
