/**
 * Text of a fixed form. The error for other text is a sentence, because a regular expression is not an error message.
 */
import { Schema } from "effect"

/** `expected` completes the sentence "expected …": "64 hexadecimal digits". */
export const matching = (pattern: RegExp, expected: string) =>
  Schema.isPattern(pattern, { message: `expected ${expected}` })
