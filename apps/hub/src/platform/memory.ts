/** Memory that the start took and nothing needs any more: V8 would keep it for a busier time, a third of the process. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"

/** Past the first requests of whoever waited for the start. */
const afterMillis = 1_000

type Collect = (
  options: { readonly type: "major"; readonly execution: "async"; readonly flavor: "last-resort" }
) => Promise<void>

/** Gives it back a moment later, once: a pause of some tens of milliseconds. Does not keep the process alive. */
export const releaseStartMemory = (): void => {
  setTimeout(() => {
    setFlagsFromString("--expose-gc")
    const collect = runInNewContext("gc") as Collect | undefined
    void collect?.({ type: "major", execution: "async", flavor: "last-resort" })
  }, afterMillis).unref()
}
