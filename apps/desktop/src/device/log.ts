/**
 * What the agent did and refused, one JSON object a line: to the terminal, and appended to a file that only its owner reads. Whatever a hub
 * sends, a line is short, and events that a hub causes by mere messages are limited. Spec: D21.
 */
import { createHash } from "node:crypto"
import { chmodSync, closeSync, fstatSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs"

const fileBytesMax = 32 * 1024 * 1024
/** The older file goes when nothing in it is younger. */
const keptMillis = 7 * 86_400_000

/** A longer value stands as its beginning, its size, and its digest. */
const valueLengthMax = 2_000
const valueShownMax = 500
/** Lines a minute of each event that a hub causes without any command running. */
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

/** Masked before it is cut: half a secret would not be recognized. */
const shortened = (value: unknown, mask: (text: string) => string): unknown => {
  const text = typeof value === "string" ? value : JSON.stringify(value)
  if (text === undefined || text.length <= valueLengthMax) return value
  return {
    begins: mask(text).slice(0, valueShownMax).toWellFormed(),
    bytes: Buffer.byteLength(text),
    sha256: createHash("sha256").update(text).digest("hex")
  }
}

/** Counts lines of noisy events by the minute. Undefined: not to be written; else how many were left out before this line. */
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

/** `mask` goes over every line: an argument may hold a secret. One older file is kept, for 7 days. */
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
        // A full disk stops no command that is under way; the journal refuses new ones.
      }
    },
    close: () => closeSync(descriptor)
  }
}
