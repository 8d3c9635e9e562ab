/**
 * Turns a schema that passed `schemaProblems` into closures. JSON Schema 2020-12, with the older `definitions` and item
 * lists.
 */
import {
  allOf,
  anyOf,
  conditional,
  contains,
  dependents,
  items,
  not,
  oneOf,
  properties,
  propertyNames,
  reference,
  unevaluatedItems,
  unevaluatedProperties
} from "./json-schema-applicators.ts"
import {
  atLeast,
  atMost,
  bound,
  choices,
  constant,
  count,
  format,
  isMultiple,
  itemCount,
  lengths,
  memberCount,
  pattern,
  required,
  type,
  uniqueItems
} from "./json-schema-assertions.ts"
import { type Check, type Compile, Evaluated, type Keyword } from "./json-schema-run.ts"
import type { JsonObject, Schema } from "./json-schema-shape.ts"
import { isJsonObject } from "./json.ts"

/** The check of a whole document. A recursive schema is compiled once. */
export const compileKeywords = (root: Schema): Check => {
  const compiled = new Map<unknown, Check>()
  const compile: Compile = (schema) => {
    if (schema === true) return () => true
    if (!isJsonObject(schema)) return (_, run) => run.fail("No value is allowed here.")
    const known = compiled.get(schema)
    if (known !== undefined) return known
    let check: Check | undefined
    compiled.set(schema, (value, run) => check!(value, run))
    check = node(keywords.flatMap((keyword) => keyword(schema, compile, root) ?? []), tracksEvaluated(schema))
    compiled.set(schema, check)
    return check
  }
  return compile(root)
}

const tracksEvaluated = (schema: JsonObject): boolean =>
  Object.hasOwn(schema, "unevaluatedProperties") || Object.hasOwn(schema, "unevaluatedItems")

const node = (checks: ReadonlyArray<Check>, tracks: boolean): Check => {
  const all: Check = (value, run) => {
    run.spend(1)
    let conforms = true
    for (let at = 0; at < checks.length; at++) {
      if (checks[at]!(value, run)) continue
      if (!run.collects) return false
      conforms = false
    }
    return conforms
  }
  return tracks
    ? (value, run) => {
      if (run.evaluated !== undefined) return all(value, run)
      run.evaluated = new Evaluated()
      const conforms = all(value, run)
      run.evaluated = undefined
      return conforms
    }
    : all
}

/** In the order of execution: the two that read the evaluations of the others come last. */
const keywords: ReadonlyArray<Keyword> = [
  type,
  constant,
  choices,
  bound("minimum", "at least", (value, limit) => value >= limit),
  bound("maximum", "at most", (value, limit) => value <= limit),
  bound("exclusiveMinimum", "more than", (value, limit) => value > limit),
  bound("exclusiveMaximum", "less than", (value, limit) => value < limit),
  bound("multipleOf", "a multiple of", isMultiple),
  lengths,
  pattern,
  format,
  count("minItems", "This must have at least # items.", itemCount, atLeast),
  count("maxItems", "This may have at most # items.", itemCount, atMost),
  uniqueItems,
  items,
  contains,
  count("minProperties", "This must have at least # members.", memberCount, atLeast),
  count("maxProperties", "This may have at most # members.", memberCount, atMost),
  required,
  properties,
  propertyNames,
  dependents,
  reference,
  allOf,
  anyOf,
  oneOf,
  not,
  conditional,
  unevaluatedItems,
  unevaluatedProperties
]
