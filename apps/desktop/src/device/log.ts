/**
 * The agent's log of actions and refusals, one JSON object per line: printed to the terminal and appended to a file
 * with mode 0600. The length of a line is limited, and so are events that a hub triggers by messages alone. Spec:
 * reference/devices.md "D21: local log".
 */
import { createHash } from "node:crypto"
import { chmodSync, closeSync, fstatSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs"

const fileBytesMax = 32 * 1024 * 1024
/** The older file is deleted when all its lines are older. */
const keptMillis = 7 * 86_400_000

/** A longer value is written as its beginning, its size, and its digest. */
const valueLengthMax = 2_000
const valueShownMax = 500
/** Lines per minute of each event that a hub can trigger without running a command. */
const noiseMax = 60
const noisy: ReadonlySet<string> = new Set([
  "hub_refused",
  "hub_asks",
  "malformed_frame",
  "command_repeated",
  "too_many_commands",
  "end_unconfirmed",
  "output_unconfirmed"
])

export type Facts = Readonly<Record<string, unknown>>

export interface Log {
  readonly write: (event: string, facts?: Facts) => void
  readonly close: () => void
}

/** Masks before it cuts: the mask would not recognize half a secret. */
const shortened = (value: unknown, mask: (text: string) => string): unknown => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  if (text === undefined || text.length <= valueLengthMax) return value
  return {
    begins: mask(text).slice(0, valueShownMax).toWellFormed(),
    bytes: Buffer.byteLength(text),
    sha256: createHash("sha256").update(text).digest("hex")
  }
}

/** Limits noisy events per minute. Returns undefined to skip the line, or the number of lines skipped before it. */
const noiseLimit = (): (event: string) => number | undefined => {
  const counts = new Map<string, { since: number; written: number; left: number }>()
  return (event) => {
    if (!noisy.has(event)) return 0
    const now = performance.now()
    const before = counts.get(event)
    const count = before === undefined || now - before.since > 60_000
      ? { since: now, written: 0, left: before?.left ?? 0 }
      : before
    counts.set(event, count)
    if (count.written >= noiseMax) {
      count.left++
      return undefined
    }
    count.written++
    const { left } = count
    count.left = 0
    return left
  }
}

/** Applies `mask` to every line: an argument may contain a secret. Keeps one older file for 7 days. */
export const openLog = (
  path: string,
  { mask, print }: { readonly mask: (text: string) => string; readonly print: (line: string) => void }
): Log => {
  const open = () => {
    const older = statSync(`${path}.1`, { throwIfNoEntry: false })
    if (older !== undefined && Date.now() - older.mtimeMs > keptMillis) rmSync(`${path}.1`, { force: true })
    const descriptor = openSync(path, "a", 0o600)
    chmodSync(path, 0o600)
    return descriptor
  }
  let descriptor = open()
  const limit = noiseLimit()
  return {
    write: (event, facts = {}) => {
      const left = limit(event)
      if (left === undefined) return
      const short = Object.fromEntries(Object.entries(facts).map(([name, value]) => [name, shortened(value, mask)]))
      const line = mask(
        JSON.stringify({
          at: new Date().toISOString(),
          event,
          ...short,
          ...(left === 0 ? {} : { left_out_before: left })
        })
      )
      print(line)
      try {
        writeSync(descriptor, `${line}\n`)
        if (fstatSync(descriptor).size > fileBytesMax) {
          closeSync(descriptor)
          renameSync(path, `${path}.1`)
          descriptor = open()
        }
      } catch {
        // A full disk must not stop running commands; the journal refuses new ones.
      }
    },
    close: () => closeSync(descriptor)
  }
}
