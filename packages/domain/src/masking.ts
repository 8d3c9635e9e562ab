/**
 * Masked fields: values whose schema has `writeOnly: true` are shown as `{ "$masked": true }`, and a mask sent back
 * keeps the original. Spec: reference/approvals.md "Masked fields".
 *
 * A place is masked when any schema that may apply there requires it, for any branch of an `anyOf`: hiding a value
 * needlessly is better than showing a secret. A value that is too costly to walk is masked as a whole.
 */
import { Result } from "effect"
import type { Detail } from "./errors.ts"
import { type JsonObject, own, resolveReference, type Schema, subschemas } from "./json-schema-shape.ts"
import { dottedPath, isJsonObject } from "./json.ts"
import { isMask, maskedValue } from "./mask.ts"
import { compileRegex, type Regex } from "./regex.ts"

/** Pairs of a value and an applicable schema that one walk visits. */
const maskingStepsMax = 400_000
const matchStepsPerStep = 16
/** Levels of a value; a request body has 64 at most. */
const depthMax = 128

/** Keywords whose schemas apply to the value itself. */
const inPlace = new Set(["$ref", "allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies"])

type Path = ReadonlyArray<string | number>
type Visit = (value: unknown, path: Path) => unknown

/**
 * Replaces each masked place by the result of `visit`; returns a value without masked places unchanged. Throws
 * `TooCostly`.
 */
class Places {
  readonly #root: Schema
  /** Schemas with a masked schema below or beside them; no others are visited. */
  readonly #leading: ReadonlySet<unknown>
  readonly #regexes = new Map<string, Regex | undefined>()
  readonly #inPlace = new Map<JsonObject, ReadonlyArray<unknown>>()
  #steps = maskingStepsMax

  constructor(root: Schema) {
    this.#root = root
    this.#leading = leadingToMasks(root)
  }

  get none(): boolean {
    return !this.#leading.has(this.#root)
  }

  replace(value: unknown, visit: Visit): unknown {
    this.#steps = maskingStepsMax
    const walk = (schemas: ReadonlyArray<unknown>, value: unknown, path: Path): unknown => {
      const applying = this.#applying(schemas)
      this.#spend(1 + applying.length)
      if (path.length > depthMax) throw new TooCostly()
      if (applying.some((schema) => own(schema, "writeOnly") === true)) return visit(value, path)
      if (applying.length === 0) return value
      if (Array.isArray(value)) {
        return value.map((item, at) => walk(applying.flatMap((schema) => itemSchemas(schema, at)), item, [...path, at]))
      }
      if (!isJsonObject(value)) return value
      return Object.fromEntries(
        Object.keys(value).map((name) => [
          name,
          walk(applying.flatMap((schema) => this.#memberSchemas(schema, name)), value[name], [...path, name])
        ])
      )
    }
    return walk([this.#root], value, [])
  }

  /** The given schemas and their in-place subschemas, as far as they lead to a mask. */
  #applying(schemas: ReadonlyArray<unknown>): ReadonlyArray<JsonObject> {
    const found = new Set<JsonObject>()
    const add = (schema: unknown): void => {
      if (!isJsonObject(schema) || !this.#leading.has(schema) || found.has(schema)) return
      found.add(schema)
      this.#besideOf(schema).forEach(add)
    }
    schemas.forEach(add)
    return [...found]
  }

  #besideOf(schema: JsonObject): ReadonlyArray<unknown> {
    let inner = this.#inPlace.get(schema)
    if (inner === undefined) {
      inner = neighbours(this.#root, schema).filter((one) => inPlace.has(one.keyword)).map((one) => one.schema)
      this.#inPlace.set(schema, inner)
    }
    return inner
  }

  #memberSchemas(schema: JsonObject, name: string): ReadonlyArray<unknown> {
    const found: Array<unknown> = []
    const listed = own(schema, "properties")
    if (isJsonObject(listed) && Object.hasOwn(listed, name)) found.push(listed[name])
    const patterned = own(schema, "patternProperties")
    if (isJsonObject(patterned)) {
      for (const source of Object.keys(patterned)) if (this.#matches(source, name)) found.push(patterned[source])
    }
    if (found.length === 0) found.push(own(schema, "additionalProperties"))
    found.push(own(schema, "unevaluatedProperties"))
    return found
  }

  #matches(source: string, name: string): boolean {
    if (!this.#regexes.has(source)) this.#regexes.set(source, Result.getOrUndefined(compileRegex(source)))
    const regex = this.#regexes.get(source)
    if (regex === undefined) return true
    this.#spend(regex.cost(name.length) / matchStepsPerStep)
    return regex.test(name)
  }

  #spend(steps: number): void {
    this.#steps -= steps
    if (this.#steps < 0) throw new TooCostly()
  }
}

class TooCostly extends Error {}

const itemSchemas = (schema: JsonObject, at: number): ReadonlyArray<unknown> => {
  const items = own(schema, "items")
  const prefix = Array.isArray(items) ? items : own(schema, "prefixItems")
  const rest = Array.isArray(items) ? own(schema, "additionalItems") : items
  return [
    Array.isArray(prefix) && at < prefix.length ? prefix[at] : rest,
    own(schema, "contains"),
    own(schema, "unevaluatedItems")
  ]
}

const neighbours = (
  root: Schema,
  schema: JsonObject
): ReadonlyArray<{ readonly keyword: string; readonly schema: unknown }> => {
  const reference = own(schema, "$ref")
  const target = typeof reference === "string" ? resolveReference(root, reference) : undefined
  return target === undefined ? subschemas(schema) : [...subschemas(schema), { keyword: "$ref", schema: target }]
}

/** Reverse reachability: from the masking schemas back to all that may lead there. */
const leadingToMasks = (root: Schema): ReadonlySet<unknown> => {
  const parents = new Map<unknown, Array<unknown>>([[root, []]])
  const queue: Array<unknown> = [root]
  const masking: Array<unknown> = []
  for (let schema = queue.pop(); schema !== undefined; schema = queue.pop()) {
    if (!isJsonObject(schema)) continue
    if (own(schema, "writeOnly") === true) masking.push(schema)
    for (const inner of neighbours(root, schema)) {
      if (inner.keyword === "$defs" || inner.keyword === "definitions" || !isJsonObject(inner.schema)) continue
      const known = parents.get(inner.schema)
      if (known === undefined) {
        parents.set(inner.schema, [schema])
        queue.push(inner.schema)
      } else known.push(schema)
    }
  }
  const leading = new Set<unknown>(masking)
  for (let schema = masking.pop(); schema !== undefined; schema = masking.pop()) {
    for (const parent of parents.get(schema) ?? []) {
      if (leading.has(parent)) continue
      leading.add(parent)
      masking.push(parent)
    }
  }
  return leading
}

const placesBySchema = new WeakMap<object, Places>()

const placesOf = (schema: Schema): Places | undefined => {
  if (typeof schema === "boolean") return undefined
  const known = placesBySchema.get(schema) ?? new Places(schema)
  placesBySchema.set(schema, known)
  return known.none ? undefined : known
}

/** True when every value of the schema is shown in full. */
export const masksNothing = (schema: Schema): boolean => placesOf(schema) === undefined

/**
 * The value as a person may see it; the same object if nothing is masked. The schema must have passed `compileSchema`.
 */
export const mask = (schema: Schema, value: unknown): unknown => {
  try {
    const places = placesOf(schema)
    return places === undefined ? value : places.replace(value, () => maskedValue)
  } catch (error) {
    if (error instanceof TooCostly) return maskedValue
    throw error
  }
}

/** Dotted paths of the values that `mask` hides, beginning with `at`; `at` alone if the whole value is hidden. */
export const maskedPaths = (schema: Schema, value: unknown, at = ""): ReadonlyArray<string> => {
  const found: Array<string> = []
  try {
    placesOf(schema)?.replace(value, (_, path) => {
      found.push(dottedPath(at, ...path))
      return undefined
    })
  } catch (error) {
    if (error instanceof TooCostly) return [at]
    throw error
  }
  return found
}

/**
 * The edited value, with each returned mask replaced by its original. Items of a list are identified by their index
 * only, so a mask in a list of another length is refused, and so is one without an original: fails with those paths,
 * below `at`.
 */
export const unmask = (
  schema: Schema,
  edited: unknown,
  original: unknown,
  at = ""
): Result.Result<unknown, ReadonlyArray<Detail>> => {
  const problems: Array<Detail> = []
  const places = placesOf(schema)
  if (places === undefined) return Result.succeed(edited)
  try {
    const restored = places.replace(edited, (value, path) => {
      if (!isMask(value)) return value
      const kept = originalAt(edited, original, path)
      if (kept !== undefined) return kept.value
      problems.push({
        path: dottedPath(at, ...path),
        message: "The masked value has no original here. Send the value itself."
      })
      return undefined
    })
    return problems.length > 0 ? Result.fail(problems) : Result.succeed(restored)
  } catch (error) {
    if (!(error instanceof TooCostly)) throw error
    return Result.fail([{ path: at, message: "This is too large to be edited." }])
  }
}

const originalAt = (edited: unknown, original: unknown, path: Path): { readonly value: unknown } | undefined => {
  for (const step of path) {
    if (Array.isArray(edited) && Array.isArray(original)) {
      if (edited.length !== original.length) return undefined
      edited = edited[Number(step)]
      original = original[Number(step)]
    } else if (isJsonObject(edited) && isJsonObject(original) && Object.hasOwn(original, step)) {
      edited = edited[step]
      original = original[step]
    } else return undefined
  }
  return { value: original }
}
