/** Opaque cursors of lists: base64url of the place that the next page starts after. A malformed one is 400. */
import { invalidField } from "@countersign/domain/errors"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Effect } from "effect"

export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** `as_of` is the `/events` cursor from which a reader of this page continues. */
export interface PageOf<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string | null
  readonly as_of: string
}

export const encodeCursor = (parts: ReadonlyArray<string | number>): string =>
  Buffer.from(JSON.stringify(parts)).toString("base64url")

/** The parts of a cursor, each checked by its pattern; `undefined` without a cursor. */
export const decodeCursor = (cursor: string | undefined, patterns: ReadonlyArray<RegExp>) =>
  Effect.suspend(() => {
    if (cursor === undefined) return Effect.succeed(undefined)
    try {
      const bytes = Buffer.from(cursor, "base64url")
      const parts: unknown = JSON.parse(bytes.toString("utf8"))
      // The decoder ignores characters that base64 does not have.
      const ours = bytes.toString("base64url") === cursor && Array.isArray(parts) && parts.length === patterns.length &&
        parts.every((part) => typeof part === "string" || typeof part === "number")
      if (ours && patterns.every((pattern, at) => pattern.test(String(parts[at])))) {
        return Effect.succeed(parts.map(String))
      }
    } catch {
      // reported below
    }
    return Effect.fail(invalidField("cursor", "it is not a cursor of this list"))
  })

/** A page out of `limit + 1` rows, and the cursor of its last row when there are more. */
export const toPage = <A>(
  rows: ReadonlyArray<A>,
  limit: number | undefined,
  cursorOf: (row: A) => ReadonlyArray<string | number>
) => {
  const size = limit ?? pageLimitDefault
  const data = rows.slice(0, size)
  const last = data.at(-1)
  return { data, next_cursor: rows.length > size && last !== undefined ? encodeCursor(cursorOf(last)) : null }
}
