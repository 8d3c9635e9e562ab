/** Opaque cursors of lists: base64url of what the next page starts after. A malformed one is 400. */
import { invalidField } from "@countersign/domain/errors"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Effect } from "effect"

export const encodeCursor = (parts: ReadonlyArray<string | number>): string => Buffer.from(JSON.stringify(parts)).toString("base64url")

/** The parts of a cursor, checked by pattern one by one; `undefined` without one. */
export const decodeCursor = (cursor: string | undefined, patterns: ReadonlyArray<RegExp>) =>
  Effect.suspend(() => {
    if (cursor === undefined) return Effect.succeed(undefined)
    try {
      const parts: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"))
      if (Array.isArray(parts) && parts.length === patterns.length && patterns.every((pattern, at) => pattern.test(String(parts[at])))) {
        return Effect.succeed(parts.map(String))
      }
    } catch {
      // told below
    }
    return Effect.fail(invalidField("cursor", "it is not a cursor that this list gave"))
  })

/** A page out of `limit + 1` rows, and the cursor of its last one when there is more. */
export const toPage = <A>(rows: ReadonlyArray<A>, limit: number | undefined, cursorOf: (row: A) => ReadonlyArray<string | number>) => {
  const size = limit ?? pageLimitDefault
  const data = rows.slice(0, size)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > size && last !== undefined ? encodeCursor(cursorOf(last)) : null }
}
