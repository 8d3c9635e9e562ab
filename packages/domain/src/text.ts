/** Text that people read: bounded, and free of what could hide or forge it. */
import { Schema } from "effect"

const linePattern = /^[^\p{Cc}\u2028\u2029]*$/u
const prosePattern = /^[\P{Cc}\n\r\t]*$/u
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
    Schema.isPattern(linePattern, { message: "expected text in one line, without control characters" }),
    Schema.isPattern(directionPattern, { message: "expected text without bidirectional overrides" }),
    Schema.makeFilter((text: string) =>
      text.trim() === text && text.isWellFormed() ? undefined : "expected no blanks at the ends, and well-formed text"
    )
  )

/** Several lines. */
export const Prose = (maximum: number) =>
  Schema.String.check(
    Schema.isMaxLength(maximum),
    Schema.isPattern(prosePattern, { message: "expected text without control characters, line breaks aside" }),
    Schema.isPattern(directionPattern, { message: "expected text without bidirectional overrides" }),
    Schema.makeFilter((text: string) => text.isWellFormed() ? undefined : "expected well-formed text")
  )
