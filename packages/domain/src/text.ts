/** Text of several lines that people read: bounded, and free of what could hide or forge it. One-line names: `labels.ts`. */
import { Schema } from "effect"

const prosePattern = /^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]*$/u

/** Control characters, line breaks and tabs aside, and bidirectional overrides are refused. */
export const Prose = (maximum: number) =>
  Schema.String.check(
    Schema.isMaxLength(maximum),
    Schema.isPattern(prosePattern, { message: "expected text without control characters, line breaks aside" })
  )
