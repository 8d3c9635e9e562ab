/**
 * Whether this hub does its work: workers beat, and `/ready` tells which has been silent for too long, or that the hub drains.
 */
import { Context, Layer } from "effect"

export class Readiness extends Context.Service<Readiness, {
  /** A worker did a round; it is missed when the next does not come within `millis`. */
  readonly beat: (worker: string, millis: number) => void
  readonly drain: () => void
  readonly draining: () => boolean
  /** Workers that have been silent for too long. */
  readonly silent: () => ReadonlyArray<string>
}>()("@countersign/hub/platform/Readiness") {
  static readonly layer = Layer.sync(Readiness, () => {
    const beats = new Map<string, number>()
    let draining = false
    return Readiness.of({
      beat: (worker, millis) => void beats.set(worker, performance.now() + millis),
      drain: () => void (draining = true),
      draining: () => draining,
      silent: () => [...beats].filter(([, until]) => performance.now() > until).map(([worker]) => worker)
    })
  })
}
