/**
 * The approvals and requests that were notified, over restarts: one notification and one reminder each. Bounded; the
 * oldest are removed.
 */
import { Schema } from "effect"
import { wordsOf } from "../platform/error-words.ts"
import { keptFile } from "../platform/kept-file.ts"

export const keptMax = 4_000

const Kept = Schema.Struct({
  version: Schema.Literal(1),
  /** Hub and id, and whether a reminder was shown; oldest first. */
  told: Schema.Array(Schema.Tuple([Schema.String, Schema.Boolean]))
})

export interface NoticeRecord {
  readonly wasShown: (key: string) => boolean
  readonly wasReminded: (key: string) => boolean
  /** Written to the disk before anything is shown, so that a crash causes no duplicates. */
  readonly add: (keys: ReadonlyArray<string>, options?: { readonly reminded?: boolean }) => void
}

export const openNoticeRecord = (
  path: string,
  log: (event: string, facts: Readonly<Record<string, unknown>>) => void
): NoticeRecord => {
  const file = keptFile(path, Kept)
  const read = file.read()
  if (read.aside !== undefined) log("notices_unreadable", { ...read.aside })
  const shown = new Map(read.value?.told)
  return {
    wasShown: (key) => shown.has(key),
    wasReminded: (key) => shown.get(key) === true,
    add: (keys, { reminded = false } = {}) => {
      for (const key of keys) {
        const was = shown.get(key) === true
        shown.delete(key)
        shown.set(key, was || reminded)
      }
      for (const key of shown.keys()) {
        if (shown.size <= keptMax) break
        shown.delete(key)
      }
      try {
        file.write({ version: 1, told: [...shown] })
      } catch (error) {
        // The record in memory applies to this run.
        log("notices_not_written", { problem: wordsOf(error) })
      }
    }
  }
}
