/**
 * Text of a fixed form. The error for other text is a sentence, because a regular expression is not an error message.
 */
import { Schema } from "effect"

/** The name of a service or of a secret. */
export const namePattern = /^[a-z][a-z0-9_-]{0,63}$/u

/** `expected` completes the sentence "expected …": "64 hexadecimal digits". */
export const matching = (pattern: RegExp, expected: string) =>
  Schema.isPattern(pattern, { message: `expected ${expected}` })
