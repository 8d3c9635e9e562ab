/** What the agent did and refused, one JSON object a line: to the terminal, and appended to a file that only its owner reads. Spec: D21. */
import { chmodSync, closeSync, fstatSync, openSync, renameSync, rmSync, statSync, writeSync } from "node:fs"

const fileBytesMax = 32 * 1024 * 1024
/** The older file goes when nothing in it is younger. */
const keptMillis = 7 * 86_400_000

export type Facts = Readonly<Record<string, unknown>>

export interface Log {
  readonly write: (event: string, facts?: Facts) => void
  readonly close: () => void
}

/** `mask` goes over every line: an argument may hold a secret. One older file is kept, for 7 days. */
export const openLog = (path: string, { mask, print }: { readonly mask: (text: string) => string; readonly print: (line: string) => void }): Log => {
  const open = () => {
    const older = statSync(`${path}.1`, { throwIfNoEntry: false })
    if (older !== undefined && Date.now() - older.mtimeMs > keptMillis) rmSync(`${path}.1`, { force: true })
    const descriptor = openSync(path, "a", 0o600)
    chmodSync(path, 0o600)
    return descriptor
  }
  let descriptor = open()
  return {
    write: (event, facts = {}) => {
      const line = mask(JSON.stringify({ at: new Date().toISOString(), event, ...facts }))
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
