/**
 * How long the built-in engine rests between two texts of documents while the hub is busy. The lowest priority is not enough for that:
 * the engine shares caches and cores with the hub, and uses each moment in which the hub waits for the database. Spec:
 * reference/knowledge.md "Embedding".
 */
import { performance } from "node:perf_hooks"

/** The engine rests from this part of the time on that the hub's event loop is busy, and rests longest from the second one on. */
const busyMin = 0.15
const busyMax = 0.4
/** The part of a processor's time that a busy hub leaves to the engine. */
const shareMin = 0.1
/** An engine that rests for longer would continue too late when the hub is free again. */
const restMillisMax = 10_000

/** The part of the time that the engine may work, from `shareMin` to 1, beside an event loop that is busy for this part of it. */
export const shareOf = (busy: number): number =>
  Math.min(1, Math.max(shareMin, 1 - (1 - shareMin) * (busy - busyMin) / (busyMax - busyMin)))

export const restMillisOf = (busy: number, workedMillis: number): number =>
  Math.min(restMillisMax, workedMillis * (1 / shareOf(busy) - 1))

/** The part of the time since its last call that the event loop was busy. */
export const makeBusyMeter = (): () => number => {
  let last = performance.eventLoopUtilization()
  return () => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}
