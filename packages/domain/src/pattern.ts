/** Text of one form. Whoever sends other text is answered in words: a regular expression is no error message. */
import { Schema } from "effect"

/** `expected` completes the sentence "expected …": "64 hexadecimal digits". */
export const matching = (pattern: RegExp, expected: string) =>
  Schema.isPattern(pattern, { message: `expected ${expected}` })
