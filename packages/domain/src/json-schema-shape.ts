/**
 * Checks of a JSON Schema before it is saved: keywords of the right shape, references inside the document, patterns
 * that run in linear time, and no reference cycle at the same value. The compiler relies on these checks.
 */
import { Result } from "effect"
import type { Detail } from "./errors.ts"
import { dottedPath, isJsonObject } from "./json.ts"
import { parsePointer, resolvePointer } from "./pointer.ts"
import { compileRegex } from "./regex.ts"

export type JsonObject = { readonly [name: string]: unknown }
export type Schema = boolean | JsonObject

/** Levels of JSON nesting in a schema. */
export const schemaDepthMax = 64
/** JSON values in a schema, over all levels. */
export const schemaSizeMax = 20_000
/** The most problems in one answer. */
export const problemsMax = 100

const isSchema = (value: unknown): value is Schema => typeof value === "boolean" || isJsonObject(value)

/** Keywords that apply a schema to the same value: a cycle of these alone would not terminate. */
const inPlace = new Set([
  "$ref",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependencies"
])

const schemaKeywords = [
  "additionalItems",
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
const schemaListKeywords = ["allOf", "anyOf", "items", "oneOf", "prefixItems"]
const schemaMapKeywords = [
  "$defs",
  "definitions",
  "dependencies",
  "dependentSchemas",
  "patternProperties",
  "properties"
]

export interface Subschema {
  readonly keyword: string
  /** Dotted, relative to the parent schema. */
  readonly path: string
  readonly schema: unknown
}

/** The direct subschemas, without following `$ref`. */
export const subschemas = (schema: JsonObject): ReadonlyArray<Subschema> => {
  const found: Array<Subschema> = []
  for (const keyword of schemaKeywords) {
    const inner = own(schema, keyword)
    if (inner !== undefined && !Array.isArray(inner)) found.push({ keyword, path: keyword, schema: inner })
  }
  for (const keyword of schemaListKeywords) {
    const list = own(schema, keyword)
    if (Array.isArray(list)) {
      list.forEach((inner, at) => found.push({ keyword, path: `${keyword}.${at}`, schema: inner }))
    }
  }
  for (const keyword of schemaMapKeywords) {
    const map = own(schema, keyword)
    if (!isJsonObject(map)) continue
    for (const name of Object.keys(map)) {
      if (keyword === "dependencies" && Array.isArray(map[name])) continue
      found.push({ keyword, path: `${keyword}.${name}`, schema: map[name] })
    }
  }
  return found
}

/** An own member: names of keywords and properties never reach a prototype. */
export const own = (object: JsonObject, name: string): unknown => Object.hasOwn(object, name) ? object[name] : undefined

/** The schema that a local reference names. */
export const resolveReference = (root: Schema, reference: string): Schema | undefined => {
  let fragment: string
  try {
    fragment = decodeURIComponent(reference.slice(1))
  } catch {
    return undefined
  }
  const pointer = parsePointer(fragment)
  if (Result.isFailure(pointer)) return undefined
  const target = resolvePointer(root, pointer.success)
  return target.found && isSchema(target.value) ? target.value : undefined
}

const isCount = (value: unknown): boolean => typeof value === "number" && Number.isInteger(value) && value >= 0
const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value)
const isBoolean = (value: unknown): boolean => typeof value === "boolean"
const isText = (value: unknown): boolean => typeof value === "string"
const isNames = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isSchemaList = (value: unknown): boolean => Array.isArray(value) && value.length > 0 && value.every(isSchema)
const isSchemaMap = (value: unknown): boolean => isJsonObject(value) && Object.values(value).every(isSchema)
const typeNames = new Set<unknown>(["array", "boolean", "integer", "null", "number", "object", "string"])

type Rule = readonly [accepts: (value: unknown) => boolean, expectation: string]
const countRule: Rule = [isCount, "a whole number, 0 or more"]
const numberRule: Rule = [isNumber, "a number"]
const schemaRule: Rule = [isSchema, "a schema"]
const schemaListRule: Rule = [isSchemaList, "a list of one or more schemas"]
const schemaMapRule: Rule = [isSchemaMap, "an object of schemas"]
const textRule: Rule = [isText, "a string"]

const rules: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["type", [
    (value) =>
      typeNames.has(value) || Array.isArray(value) && value.length > 0 && value.every((name) => typeNames.has(name)),
    "one of array, boolean, integer, null, number, object, string, or a list of them"
  ]],
  ["enum", [Array.isArray, "a list"]],
  ["multipleOf", [(value) => isNumber(value) && (value as number) > 0, "a number above 0"]],
  ["minimum", numberRule],
  ["maximum", numberRule],
  ["exclusiveMinimum", numberRule],
  ["exclusiveMaximum", numberRule],
  ["minLength", countRule],
  ["maxLength", countRule],
  ["minItems", countRule],
  ["maxItems", countRule],
  ["minContains", countRule],
  ["maxContains", countRule],
  ["minProperties", countRule],
  ["maxProperties", countRule],
  ["uniqueItems", [isBoolean, "true or false"]],
  ["writeOnly", [isBoolean, "true or false"]],
  ["pattern", textRule],
  ["format", textRule],
  ["$ref", textRule],
  ["$comment", textRule],
  ["required", [isNames, "a list of names"]],
  ["dependentRequired", [
    (value) => isJsonObject(value) && Object.values(value).every(isNames),
    "an object of lists of names"
  ]],
  ["dependencies", [
    (value) => isJsonObject(value) && Object.values(value).every((one) => isSchema(one) || isNames(one)),
    "an object of schemas or lists of names"
  ]],
  ["items", [(value) => isSchema(value) || Array.isArray(value) && value.every(isSchema), "a schema"]],
  ["allOf", schemaListRule],
  ["anyOf", schemaListRule],
  ["oneOf", schemaListRule],
  ["prefixItems", schemaListRule],
  ["properties", schemaMapRule],
  ["patternProperties", schemaMapRule],
  ["dependentSchemas", schemaMapRule],
  ["$defs", schemaMapRule],
  ["definitions", schemaMapRule],
  ...schemaKeywords.filter((keyword) => keyword !== "items").map((keyword): [string, Rule] => [keyword, schemaRule])
])

/** Refused: these change the meaning of other keywords, or their target is determined only at run time. */
const refusedKeywords = ["$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary"]

const knownDialects = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12|draft\/2019-09|draft-07|draft-06)\/schema#?$/

/** All problems that prevent a schema from being saved; empty when it may be saved. Each path begins with `at`. */
export const schemaProblems = (root: unknown, at: string): ReadonlyArray<Detail> => {
  const problems: Array<Detail> = []
  const refuse: Refuse = (path, message) => {
    if (problems.length < problemsMax) problems.push({ path: dottedPath(at, path), message })
  }
  if (!isSchema(root)) return [{ path: at, message: "A JSON Schema must be an object, true, or false." }]
  const oversize = sizeProblem(root)
  if (oversize !== undefined) return [{ path: at, message: oversize }]

  const seen = new Set<Schema>([root])
  const queue: Array<{ readonly schema: Schema; readonly path: string }> = [{ schema: root, path: "" }]
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const { schema, path } = next
    if (typeof schema === "boolean") continue
    keywordProblems(schema, path, schema === root, refuse)
    const reference = own(schema, "$ref")
    const inner = subschemas(schema).map((one) => ({ path: dottedPath(path, one.path), schema: one.schema }))
    if (typeof reference === "string") {
      if (reference !== "#" && !reference.startsWith("#/")) {
        refuse(dottedPath(path, "$ref"), "Only references inside this schema are followed: begin with \"#/\".")
      } else {
        const target = resolveReference(root, reference)
        if (target === undefined) refuse(dottedPath(path, "$ref"), "There is no schema at this place.")
        else inner.push({ path: reference.slice(2).replaceAll("/", "."), schema: target })
      }
    }
    for (const one of inner) {
      if (!isSchema(one.schema) || seen.has(one.schema)) continue
      seen.add(one.schema)
      queue.push({ schema: one.schema, path: one.path })
    }
  }
  if (problems.length === 0 && hasEndlessReference(root, seen)) {
    refuse("", "A $ref leads back to itself without descending into the value. It would never end.")
  }
  return problems
}

type Refuse = (path: string, message: string) => void

const keywordProblems = (schema: JsonObject, path: string, isRoot: boolean, refuse: Refuse): void => {
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    const here = dottedPath(path, keyword)
    const rule = rules.get(keyword)
    if (rule !== undefined && !rule[0](value)) refuse(here, `This must be ${rule[1]}.`)
    else if (refusedKeywords.includes(keyword)) refuse(here, `${keyword} is not supported. Use $ref and $defs.`)
    else if (keyword === "$id" && !(isRoot && typeof value === "string")) {
      refuse(here, "$id is allowed only at the root. Use $defs and local references.")
    } else if (keyword === "$schema" && !(typeof value === "string" && knownDialects.test(value))) {
      refuse(here, "This dialect is not supported. Use https://json-schema.org/draft/2020-12/schema.")
    } else if (keyword === "pattern") {
      const regex = compileRegex(String(value))
      if (Result.isFailure(regex)) refuse(here, regex.failure)
    } else if (keyword === "patternProperties" && isJsonObject(value)) {
      for (const pattern of Object.keys(value)) {
        const regex = compileRegex(pattern)
        if (Result.isFailure(regex)) refuse(dottedPath(here, pattern), regex.failure)
      }
    }
  }
}

/** Checked before any recursion: a schema is external input. */
const sizeProblem = (root: Schema): string | undefined => {
  const stack: Array<{ readonly value: unknown; readonly depth: number }> = [{ value: root, depth: 1 }]
  let size = 0
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, depth } = next
    if (++size > schemaSizeMax) return `A schema can have at most ${schemaSizeMax} values. Make it smaller.`
    if (typeof value === "object" && value !== null) {
      if (depth > schemaDepthMax) return `A schema can be nested at most ${schemaDepthMax} levels deep. Use $defs.`
      for (const inner of Object.values(value)) stack.push({ value: inner, depth: depth + 1 })
    } else if (
      value === undefined || typeof value === "bigint" || typeof value === "function" || typeof value === "symbol"
    ) {
      return "A schema is JSON."
    }
  }
  return undefined
}

/** Depth-first over the edges at the same value; an edge back to an open schema closes a cycle. */
const hasEndlessReference = (root: Schema, schemas: ReadonlySet<Schema>): boolean => {
  const edges = (schema: Schema): Array<Schema> => {
    if (typeof schema === "boolean") return []
    const targets = subschemas(schema).filter((one) => inPlace.has(one.keyword)).map((one) => one.schema as Schema)
    const reference = own(schema, "$ref")
    const target = typeof reference === "string" ? resolveReference(root, reference) : undefined
    return target === undefined ? targets : [...targets, target]
  }
  const closed = new Set<Schema>()
  const open = new Set<Schema>()
  for (const start of schemas) {
    const stack: Array<{ readonly schema: Schema; readonly rest: Array<Schema> }> = []
    const enter = (schema: Schema): boolean => {
      if (open.has(schema) && typeof schema !== "boolean") return true
      if (!closed.has(schema)) {
        open.add(schema)
        stack.push({ schema, rest: edges(schema) })
      }
      return false
    }
    enter(start)
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.rest.pop()
      if (next === undefined) {
        stack.pop()
        open.delete(top.schema)
        closed.add(top.schema)
      } else if (enter(next)) return true
    }
  }
  return false
}
