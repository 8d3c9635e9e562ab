/** Which approvals were told of, over restarts: one notice and one reminder for each, ever. Bounded; the oldest are forgotten. */
import { Schema } from "effect"
import { wordsOf } from "../error-words.ts"
import { keptFile } from "../kept-file.ts"

export const keptMax = 4_000

const Kept = Schema.Struct({
  version: Schema.Literal(1),
  /** Hub and approval id, whether it was reminded of; oldest first. */
  told: Schema.Array(Schema.Tuple([Schema.String, Schema.Boolean]))
})

export interface ToldOf {
  readonly wasTold: (key: string) => boolean
  readonly wasReminded: (key: string) => boolean
  /** On the disk before anything is shown: after a crash nothing is told twice. */
  readonly tell: (keys: ReadonlyArray<string>, options?: { readonly reminded?: boolean }) => void
}

export const openTold = (
  path: string,
  log: (event: string, facts: Readonly<Record<string, unknown>>) => void
): ToldOf => {
  const file = keptFile(path, Kept)
  const read = file.read()
  if (read.aside !== undefined) log("notices_unreadable", { ...read.aside })
  const told = new Map(read.value?.told)
  return {
    wasTold: (key) => told.has(key),
    wasReminded: (key) => told.get(key) === true,
    tell: (keys, { reminded = false } = {}) => {
      for (const key of keys) {
        const was = told.get(key) === true
        told.delete(key)
        told.set(key, was || reminded)
      }
      for (const key of told.keys()) {
        if (told.size <= keptMax) break
        told.delete(key)
      }
      try {
        file.write({ version: 1, told: [...told] })
      } catch (error) {
        // In memory it holds for this run.
        log("notices_not_written", { problem: wordsOf(error) })
      }
    }
  }
}
