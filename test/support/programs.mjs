/** Runs test programs in parallel: their output one after the other, and the CPU time of each. */
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const showMillis = 250
const chunkBytes = 64 * 1024
/** USER_HZ, which Linux fixes at this value for programs. */
const ticksPerSecond = 100

/**
 * The output of a program, and a callback for its end.
 * @typedef {{ stdio: "inherit" | ["inherit", number, number], finished: () => void }} Output
 */

/** Writes to a file. `open` prints its content, and from then on what is appended. */
const keptOutput = () => {
  const folder = mkdtempSync(join(tmpdir(), "countersign-output-"))
  const file = openSync(join(folder, "output"), "a+")
  let shown = 0
  /** @type {NodeJS.Timeout | undefined} */
  let timer
  const show = () => {
    for (;;) {
      const chunk = Buffer.alloc(chunkBytes)
      const length = readSync(file, chunk, 0, chunkBytes, shown)
      if (length === 0) return
      process.stdout.write(chunk.subarray(0, length))
      shown += length
    }
  }
  return {
    file,
    open: () => {
      show()
      timer = setInterval(show, showMillis)
    },
    close: () => {
      clearInterval(timer)
      show()
      closeSync(file)
      rmSync(folder, { recursive: true, force: true })
    }
  }
}

/**
 * The first program writes to the terminal. The output of the others is kept, and printed when all programs before them
 * have ended.
 * @param {number} count
 * @returns {ReadonlyArray<Output>}
 */
export const outputsInTurn = (count) => {
  const kept = Array.from({ length: count }, (_, at) => at === 0 ? undefined : keptOutput())
  const ended = kept.map(() => false)
  let turn = 0
  const finished = (/** @type {number} */ at) => () => {
    ended[at] = true
    while (turn < count && ended[turn]) {
      kept[turn]?.close()
      turn++
      kept[turn]?.open()
    }
  }
  return kept.map((output, at) => ({
    stdio: output === undefined ? "inherit" : ["inherit", output.file, output.file],
    finished: finished(at)
  }))
}

let counted = 0

/** CPU seconds of the programs that ended since the last call, with their children; undefined except on Linux. */
export const childrenCpuSeconds = () => {
  if (process.platform !== "linux") return undefined
  const fields = readFileSync("/proc/self/stat", "utf8").replace(/^.*\) /su, "").split(" ")
  const before = counted
  counted = (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
  return counted - before
}
