/** Releases memory that V8 would keep: what only the start needed, a third of the process, and buffers of streams. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** After the first requests of the callers that waited for the start. */
const afterMillis = 1_000

type Collect = (
  options: { readonly type: "major"; readonly execution: "async"; readonly flavor: "last-resort" }
) => Promise<void>

/** Releases it once, a moment later: a pause of some tens of milliseconds. Does not keep the process alive. */
export const releaseStartMemory = (): void => {
  setTimeout(() => {
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as Collect | undefined
    void collect?.({ type: "major", execution: "async", flavor: "last-resort" })
  }, afterMillis).unref()
}

/** Received between two collections, in bytes. */
const streamedBytesMax = 4 << 20

let collectYoung: (() => void) | undefined

/**
 * Counts the bytes of a stream and frees its used buffers now and then, in some hundred microseconds. V8 does not count
 * buffers as its own memory and would keep 64 MB of them.
 */
export const streamedBytes = (): (bytes: number) => void => {
  let total = 0
  return (bytes) => {
    total += bytes
    if (total < streamedBytesMax) return
    total = 0
    if (collectYoung === undefined) {
      setFlagsFromString("--expose-gc")
      const collect = runInNewContext("gc") as ((options: { readonly type: "minor" }) => void) | undefined
      collectYoung = () => collect?.({ type: "minor" })
    }
    collectYoung()
  }
}
