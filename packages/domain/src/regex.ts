/**
 * Regular expressions of external origin, on RE2: time is at most proportional to the text times the size of the
 * pattern. The native engine took 17 s for 29 characters of `(a+)+$`, so it never runs a pattern or a text of a caller.
 */
import { Result } from "effect"
import { RE2JS } from "re2js"

export const patternLengthMax = 1_000

/** RE2 instructions; `a{1,1000}` has about a thousand. */
const programSizeMax = 4_000

export interface Regex {
  /** Whether some part of the text matches, as in JSON Schema and CEL. */
  readonly test: (text: string) => boolean
  /** Steps of a worst-case match of a text of this length; about a hundred take a microsecond. */
  readonly cost: (length: number) => number
}

/** Characters in ECMAScript's `\s` beyond RE2's. */
const whitespace = "\\s\\x0b\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}"

/** Long names of Unicode categories; RE2 has only the short ones and the bare names of scripts. */
const categories: ReadonlyMap<string, string> = new Map([
  ["Letter", "L"],
  ["Lowercase_Letter", "Ll"],
  ["Uppercase_Letter", "Lu"],
  ["Mark", "M"],
  ["Number", "N"],
  ["Decimal_Number", "Nd"],
  ["digit", "Nd"],
  ["Punctuation", "P"],
  ["punct", "P"],
  ["Symbol", "S"],
  ["Separator", "Z"],
  ["Space_Separator", "Zs"]
])

/** Rewrites syntax that the two dialects spell or define differently; `translateRegExp` does the rest. */
const fromEcmaScript = (source: string): string => {
  let inClass = false
  return source.replace(/\\[pP]\{[^}]*\}|\\[^]|\[|\]/g, (token) => {
    if (token === "[") inClass = true
    else if (token === "]") inClass = false
    else if (token === "\\s") return inClass ? whitespace : `[${whitespace}]`
    else if (token === "\\S" && !inClass) return `[^${whitespace}]`
    else if (token.endsWith("}")) {
      const name = token.slice(3, -1).replace(/^(?:Script|sc|General_Category|gc)=/, "")
      return `${token.slice(0, 3)}${categories.get(name) ?? name}}`
    }
    return token
  })
}

/**
 * ECMAScript syntax as far as RE2 supports it: no look-around, no back references, no repeat above 1,000. Fails with
 * the reason.
 */
export const compileRegex = (source: string): Result.Result<Regex, string> => {
  if (source.length > patternLengthMax) return Result.fail(`A pattern can have at most ${patternLengthMax} characters.`)
  try {
    const re2 = RE2JS.compile(RE2JS.translateRegExp(fromEcmaScript(source)))
    const size = re2.programSize()
    if (size > programSizeMax) return Result.fail("The pattern repeats too much. Use smaller repeat counts.")
    return Result.succeed({ test: (text) => re2.test(text), cost: (length) => size * (length + 1) })
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^error parsing regexp: /, "") : "unknown syntax"
    return Result.fail(`The pattern cannot run in linear time (RE2 syntax): ${reason}.`)
  }
}
