/**
 * JSON Schema 2020-12 for payloads and answers; schema and value come from different external parties. Spec:
 * reference/services.md "JSON Schema".
 *
 * We have our own compiler, because the library that we evaluated (@cfworker/json-schema 4.1.6) cannot be bounded from
 * outside: 200,000 wrong items overflow its stack, `uniqueItems` over 20,000 took 0.4 s and grows quadratically, 22
 * doubled references took 8 s, and its `url` format is exponential. Here every validation has a step budget, patterns
 * run on RE2, and a check costs about a tenth.
 */
import { Result } from "effect"
import type { Detail } from "./errors.ts"
import { compileKeywords } from "./json-schema-compile.ts"
import { Exhausted, Run } from "./json-schema-run.ts"
import { type Schema, schemaProblems } from "./json-schema-shape.ts"

export interface Validator {
  /** The schema as given. */
  readonly schema: Schema
  /**
   * Every leaf problem of a value, at most 100, each once; empty when the value conforms. Paths are dotted and begin
   * with `at` (`payload.items.0.qty`). Never throws: a value that is too costly to check, or nested too deeply, is one
   * problem at `at`.
   */
  readonly validate: (value: unknown, at?: string) => ReadonlyArray<Detail>
}

/**
 * Checked on save: fails with every problem, paths beginning with `at`
 * (`operations.0.payload_schema.properties.a.type`). Refused are references out of the document, `$dynamicRef`, an
 * inner `$id`, other dialects, patterns that RE2 does not run, keywords of the wrong shape, reference cycles, more than
 * 64 levels or 20,000 values. Unknown keywords and formats are annotations.
 */
export const compileSchema = (schema: unknown, at = ""): Result.Result<Validator, ReadonlyArray<Detail>> => {
  try {
    const problems = schemaProblems(schema, at)
    if (problems.length > 0) return Result.fail(problems)
    const root = schema as Schema
    const check = compileKeywords(root)
    return Result.succeed({
      schema: root,
      validate: (value, at = "") => {
        const collecting = new Run(at, true)
        try {
          if (check(value, new Run(at, false))) return []
          check(value, collecting)
          return collecting.problems
        } catch (error) {
          if (error instanceof RangeError) return [{ path: at, message: "This is nested too deeply." }]
          if (!(error instanceof Exhausted)) throw error
          // The value is known not to conform: the problems found so far are correct, but may be incomplete.
          if (collecting.problems.length > 0) return collecting.problems
          return [{ path: at, message: "This is too large to be checked against its schema." }]
        }
      }
    })
  } catch (error) {
    if (error instanceof RangeError) {
      return Result.fail([{ path: at, message: "This schema is nested too deeply. Use $defs." }])
    }
    throw error
  }
}
