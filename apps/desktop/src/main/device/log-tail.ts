/**
 * The agent's latest log lines, over restarts of the agent and the app: the ends of the current and the previous log
 * file.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { makeMask } from "../../device/results/masker.ts"
import { files } from "../../device/state.ts"

export const linesMax = 200
/** Per file; no more is read, independent of the file's size. */
export const tailBytes = 65_536

const mask = makeMask([])

/** Complete lines at the end of a file; empty when the file does not exist. */
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
    // Drops a truncated first line and an incomplete last line.
    return lines.slice(from > 0 ? 1 : 0, -1)
  } catch {
    return []
  } finally {
    closeSync(descriptor)
  }
}

/** Newest last, masked. `folder`: the agent's state folder. */
export const logTail = (folder: string): ReadonlyArray<string> => {
  const path = join(folder, files.log)
  const now = endOf(path)
  const lines = now.length >= linesMax ? now : [...endOf(`${path}.1`), ...now]
  return lines.slice(-linesMax).map(mask.text)
}
