/** What the agent did last, out of its own log, over its restarts and the app's: the ends of the file and of the older one. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { makeMask } from "../../device/masker.ts"
import { files } from "../../device/state.ts"

export const linesMax = 200
/** Of each file; more is not read, however large it is. */
export const tailBytes = 65_536

const mask = makeMask([])

/** Whole lines at the end of a file; none when there is none. */
const endOf = (path: string): ReadonlyArray<string> => {
  let descriptor: number
  try {
    descriptor = openSync(path, "r")
  } catch {
    return []
  }
  try {
    const { size } = fstatSync(descriptor)
    const from = Math.max(0, size - tailBytes)
    const bytes = Buffer.alloc(size - from)
    const read = readSync(descriptor, bytes, 0, bytes.length, from)
    const lines = bytes.toString("utf8", 0, read).split("\n")
    // What is cut off at its begin, and what is being written.
    return lines.slice(from > 0 ? 1 : 0, -1)
  } catch {
    return []
  } finally {
    closeSync(descriptor)
  }
}

/** The newest last, masked. `folder`: the agent's. */
export const logTail = (folder: string): ReadonlyArray<string> => {
  const path = join(folder, files.log)
  const now = endOf(path)
  const lines = now.length >= linesMax ? now : [...endOf(`${path}.1`), ...now]
  return lines.slice(-linesMax).map(mask.text)
}
