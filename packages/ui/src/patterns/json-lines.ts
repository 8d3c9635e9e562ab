/** JSON as numbered, foldable lines, so that a value of any size is rendered one screen at a time. */
import { isMask } from "@countersign/domain/mask"

export interface JsonLine {
  /** A pointer (RFC 6901) to the value, with `#end` for a closing bracket. */
  readonly id: string
  readonly depth: number
  /** The member's name; undefined in an array and at the root. */
  readonly name: string | undefined
  readonly kind: "string" | "number" | "boolean" | "null" | "masked" | "open" | "close"
  /** The scalar as JSON writes it, or the bracket. */
  readonly text: string
  /** For an opening line: the number of its members. */
  readonly size: number
  readonly last: boolean
  /** For an opening line: it is folded, without its members and closing line. */
  readonly folded: boolean
}

type Json = unknown
const isObject = (value: Json): value is Readonly<Record<string, Json>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const step = (key: string | number) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`

/** Members in their order; `folded` has the ids of folded values. */
export const jsonLines = (value: Json, folded: ReadonlySet<string> = new Set()): ReadonlyArray<JsonLine> => {
  const lines: Array<JsonLine> = []
  const walk = (value: Json, id: string, depth: number, name: string | undefined, last: boolean): void => {
    const line = { id, depth, name, last, size: 0, folded: false }
    if (isMask(value)) return void lines.push({ ...line, kind: "masked", text: "" })
    const array = Array.isArray(value)
    if (!array && !isObject(value)) {
      const kind = value === null || value === undefined ? "null" : typeof value as "string" | "number" | "boolean"
      return void lines.push({ ...line, kind, text: JSON.stringify(value ?? null) })
    }
    const entries: ReadonlyArray<readonly [string | number, Json]> = array
      ? value.map((item, at) => [at, item])
      : Object.entries(value)
    const closed = folded.has(id) && entries.length > 0
    const brackets = array ? "[]" : "{}"
    const whole = entries.length === 0 || closed
    lines.push({
      ...line,
      kind: "open",
      text: whole ? brackets : brackets.charAt(0),
      size: entries.length,
      folded: closed
    })
    if (whole) return
    for (const [at, [key, item]] of entries.entries()) {
      walk(item, id + step(key), depth + 1, array ? undefined : String(key), at === entries.length - 1)
    }
    lines.push({ ...line, id: `${id}#end`, kind: "close", name: undefined, text: brackets.charAt(1) })
  }
  walk(value, "", 0, undefined, true)
  return lines
}

/** Ids of lines whose name or text contains the search text, ignoring case. */
export const searchLines = (lines: ReadonlyArray<JsonLine>, sought: string): ReadonlyArray<string> => {
  const low = sought.trim().toLowerCase()
  if (low === "") return []
  const searchable = (line: JsonLine) => `${line.name ?? ""}\n${line.kind === "close" ? "" : line.text}`.toLowerCase()
  return lines.filter((line) => searchable(line).includes(low)).map((line) => line.id)
}
