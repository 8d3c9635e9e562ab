/** Text that people read: bounded, and free of what could hide or forge it. */
import { Schema } from "effect"
import { matching } from "./pattern.ts"

/** Control characters, as a range of a pattern's class: `\p{Cc}` stops generators of clients whose patterns have no properties. */
export const controlRange = String.raw`\u0000-\u001f\u007f-\u009f`

const linePattern = new RegExp(String.raw`^[^${controlRange}\u2028\u2029]*$`, "u")
/** Of the control characters only tab, line feed, and carriage return. */
const prosePattern = new RegExp(String.raw`^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]*$`, "u")
/** Embeddings, overrides and isolates: they make text read as something else than it is. */
const directionPattern = /^[^\u202a-\u202e\u2066-\u2069]*$/u

/**
 * One line, such as a name: not blank, no blank ends. Control characters, line and paragraph separators and bidirectional
 * overrides are refused.
 */
export const Label = (maximum: number) =>
  Schema.String.check(
    Schema.isNonEmpty(),
    Schema.isMaxLength(maximum),
    matching(linePattern, "text in one line, without control characters"),
    matching(directionPattern, "text without bidirectional overrides"),
    Schema.makeFilter((text: string) =>
      text.trim() === text && text.isWellFormed() ? undefined : "expected no blanks at the ends, and well-formed text"
    )
  )

/** Several lines. */
export const Prose = (maximum: number) =>
  Schema.String.check(
    Schema.isMaxLength(maximum),
    matching(prosePattern, "text without control characters, line breaks aside"),
    matching(directionPattern, "text without bidirectional overrides"),
    Schema.makeFilter((text: string) => text.isWellFormed() ? undefined : "expected well-formed text")
  )
