/**
 * Patterns of imported schemas that RE2 does not support, such as look-aheads: each is removed and reported, so that
 * the importing person sees which checks only the provider makes. The remaining schema accepts every value that the
 * original accepted.
 */
import { compileRegex } from "@countersign/domain/regex"
import { Result } from "effect"
import { isObject, type MutableObject } from "./openapi-values.ts"

/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
export const schemaValues = [
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties"
]
export const schemaLists = ["allOf", "anyOf", "oneOf", "prefixItems"]
export const schemaMaps = ["properties", "dependentSchemas", "patternProperties"]

export interface LeftOutPattern {
  /** From the root of the schema: `["properties", "sku", "pattern"]`. */
  readonly place: ReadonlyArray<string>
  readonly reason: string
}

export interface RunnableSchema {
  readonly schema: boolean | MutableObject
  readonly leftOut: ReadonlyArray<LeftOutPattern>
}

const refusalOf = (pattern: string): string | undefined => {
  const compiled = compileRegex(pattern)
  return Result.isFailure(compiled) ? compiled.failure : undefined
}

/** Keywords that may refuse a value because a schema below them accepts more. */
const withoutNarrowing = (schema: MutableObject, widened: ReadonlySet<string>): MutableObject => {
  const { else: otherwise, if: condition, not, oneOf, then, ...rest } = schema
  const keep = (name: string, value: unknown) => value === undefined ? {} : { [name]: value }
  const isLoose = widened.has("oneOf")
  return {
    ...rest,
    ...widened.has("if") ? {} : { ...keep("if", condition), ...keep("then", then), ...keep("else", otherwise) },
    ...widened.has("not") ? {} : keep("not", not),
    ...isLoose
      ? { allOf: [...Array.isArray(rest["allOf"]) ? rest["allOf"] : [], { anyOf: oneOf }] }
      : keep("oneOf", oneOf)
  }
}

/** The schema without unsupported patterns, except in definitions. References are not followed. */
export const withoutUnrunnablePatterns = (
  given: boolean | MutableObject,
  place: ReadonlyArray<string>
): RunnableSchema => {
  if (typeof given === "boolean") return { schema: given, leftOut: [] }
  const leftOut: Array<LeftOutPattern> = []
  const widened = new Set<string>()
  const below = (keyword: string, part: unknown, ...steps: ReadonlyArray<string>): unknown => {
    if (!isObject(part)) return part
    const inner = withoutUnrunnablePatterns(part as MutableObject, [...place, keyword, ...steps])
    if (inner.leftOut.length > 0) widened.add(keyword)
    leftOut.push(...inner.leftOut)
    return inner.schema
  }
  const schema: MutableObject = { ...given }
  for (const keyword of schemaValues) if (isObject(schema[keyword])) schema[keyword] = below(keyword, schema[keyword])
  for (const keyword of schemaLists) {
    const list = schema[keyword]
    if (Array.isArray(list)) schema[keyword] = list.map((part, at) => below(keyword, part, String(at)))
  }
  for (const keyword of schemaMaps) {
    const map = schema[keyword]
    if (isObject(map)) {
      schema[keyword] = Object.fromEntries(
        Object.entries(map).map(([name, part]) => [name, below(keyword, part, name)])
      )
    }
  }
  const refusal = typeof schema["pattern"] === "string" ? refusalOf(schema["pattern"]) : undefined
  if (refusal !== undefined) {
    delete schema["pattern"]
    leftOut.push({ place: [...place, "pattern"], reason: refusal })
  }
  for (const pattern of Object.keys(isObject(schema["patternProperties"]) ? schema["patternProperties"] : {})) {
    const reason = refusalOf(pattern)
    if (reason === undefined) continue
    delete (schema["patternProperties"] as MutableObject)[pattern]
    // These apply to the fields that match no pattern, and the patterns are gone.
    delete schema["additionalProperties"]
    delete schema["unevaluatedProperties"]
    leftOut.push({ place: [...place, "patternProperties"], reason })
  }
  return { schema: widened.size > 0 ? withoutNarrowing(schema, widened) : schema, leftOut }
}

/** The field of a place: `items.*.sku`; in a definition, after its name. */
const fieldOf = (place: ReadonlyArray<string>): string => {
  const names: Array<string> = []
  for (let at = 0; at < place.length; at++) {
    const keyword = place[at] ?? ""
    if (keyword === "items" || keyword === "additionalProperties") names.push("*")
    else if (schemaLists.includes(keyword)) at++
    else if (keyword === "$defs" || schemaMaps.includes(keyword) && at + 1 < place.length) names.push(place[++at] ?? "")
  }
  return names.join(".")
}

/** The notice for the person who imports. */
export const leftOutText = ({ place, reason }: LeftOutPattern): string => {
  const field = fieldOf(place)
  const what = place.at(-1) === "pattern" ? "The pattern" : "A rule for names that match a pattern"
  return `${what} of ${
    field === "" ? "the payload" : `"${field}"`
  } is left out, and only the provider checks it. ${reason}`
}
