/** Releases memory that only the start needed: V8 would keep it, a third of the process. */
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
