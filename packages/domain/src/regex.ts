/**
 * Regular expressions that outsiders write, on RE2: time grows with the text times the size of the pattern, never beyond. The
 * native engine took 17 s for 29 characters of `(a+)+$`, so it never sees a pattern or a text of a caller.
 */
import { Result } from "effect"
import { RE2JS } from "re2js"

export const patternLengthMax = 1_000

/** RE2 instructions; `a{1,1000}` has about a thousand. */
const programSizeMax = 4_000

export interface Regex {
  /** Whether some part of the text matches, as in JSON Schema and CEL. */
  readonly test: (text: string) => boolean
  /** Steps that a worst-case match of a text this long may take; about a hundred of them pass in a microsecond. */
  readonly cost: (length: number) => number
}

/** ECMAScript syntax as far as RE2 has it: no look-around, no back references, no repeat above 1,000. Fails with the reason. */
export const compileRegex = (source: string): Result.Result<Regex, string> => {
  if (source.length > patternLengthMax) return Result.fail(`A pattern may have ${patternLengthMax} characters.`)
  try {
    const re2 = RE2JS.compile(RE2JS.translateRegExp(source))
    const size = re2.programSize()
    if (size > programSizeMax) return Result.fail("The pattern repeats too much. Use smaller repeat counts.")
    return Result.succeed({ test: (text) => re2.test(text), cost: (length) => size * (length + 1) })
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "unknown syntax"
    return Result.fail(`The pattern is not one that can run in linear time (RE2 syntax): ${reason}.`)
  }
}
