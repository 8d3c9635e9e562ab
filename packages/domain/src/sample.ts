/**
 * Generates a value from a schema: the answer of the mock adapter for test-mode keys. Spec: reference/requests.md "Test
 * mode".
 *
 * Always the same value for the same schema: the first of const, default, examples, example, and enum that exists;
 * otherwise built from the type, optional members included, so that a reader sees the whole shape. `pattern`, `not`,
 * and `uniqueItems` are not supported.
 */
import { type JsonObject, own, resolveReference, type Schema } from "./json-schema-shape.ts"
import { isJsonObject } from "./json.ts"

/** Below this level only required members are filled in; further down, nothing. */
const optionalDepthMax = 6
const depthMax = 24
/** The most values in a sample; later ones are left out. */
const sizeMax = 2_000
const itemsMax = 100
const lengthMax = 4_096

const texts: Record<string, string> = {
  date: "2026-01-01",
  "date-time": "2026-01-01T00:00:00Z",
  time: "00:00:00Z",
  duration: "PT1H",
  email: "someone@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/",
  "uri-reference": "/",
  iri: "https://example.com/",
  "iri-reference": "/",
  "uri-template": "https://example.com/{id}",
  uuid: "00000000-0000-4000-8000-000000000000",
  "json-pointer": "/value",
  "relative-json-pointer": "0",
  regex: "^.*$"
}

/** Never throws. A recursive schema ends at the first optional place. */
export const sample = (schema: Schema): unknown => new Sampler(schema).value(schema, 0)

class Sampler {
  readonly #root: Schema
  #left = sizeMax

  constructor(root: Schema) {
    this.#root = root
  }

  value(schema: unknown, depth: number): unknown {
    if (this.#left-- <= 0 || depth > depthMax || !isJsonObject(schema)) return null
    const merged = this.#merged(schema, 0)
    if (Object.hasOwn(merged, "const")) return merged["const"]
    if (Object.hasOwn(merged, "default")) return merged["default"]
    const examples = own(merged, "examples")
    if (Array.isArray(examples) && examples.length > 0) return examples[0]
    if (Object.hasOwn(merged, "example")) return merged["example"]
    const choices = own(merged, "enum")
    if (Array.isArray(choices) && choices.length > 0) return choices[0]
    switch (typeOf(merged)) {
      case "object":
        return this.#object(merged, depth)
      case "array":
        return this.#array(merged, depth)
      case "string":
        return text(merged)
      case "integer":
        return number(merged, true)
      case "number":
        return number(merged, false)
      case "boolean":
        return true
      default:
        return null
    }
  }

  /**
   * Merges the schemas that apply together: the schema, its reference, every `allOf`, the first of `oneOf` and `anyOf`.
   */
  #merged(schema: JsonObject, depth: number): JsonObject {
    const reference = own(schema, "$ref")
    const firstOf = (keyword: string): unknown => {
      const list = own(schema, keyword)
      return Array.isArray(list)
        ? list.find((one) => isJsonObject(one) && own(one, "type") !== "null") ?? list[0]
        : undefined
    }
    const all = own(schema, "allOf")
    const parts = [
      typeof reference === "string" ? resolveReference(this.#root, reference) : undefined,
      ...(Array.isArray(all) ? all : []),
      firstOf("oneOf"),
      firstOf("anyOf")
    ]
    let merged = schema
    for (const part of parts) {
      if (isJsonObject(part) && depth < depthMax && this.#left-- > 0) {
        merged = merge(this.#merged(part, depth + 1), merged)
      }
    }
    return merged
  }

  #object(schema: JsonObject, depth: number): unknown {
    const listed = own(schema, "properties")
    const members = isJsonObject(listed) ? listed : {}
    const required = new Set(names(own(schema, "required")))
    const entries: Array<readonly [string, unknown]> = []
    for (const name of new Set([...Object.keys(members), ...required])) {
      if (!required.has(name) && (depth >= optionalDepthMax || members[name] === false || this.#left <= 0)) continue
      const fallback = own(schema, "additionalProperties")
      entries.push([name, this.value(Object.hasOwn(members, name) ? members[name] : fallback, depth + 1)])
    }
    const least = Math.min(limit(schema, "minProperties") ?? 0, itemsMax)
    while (entries.length < least) {
      entries.push([`member_${entries.length + 1}`, this.value(own(schema, "additionalProperties"), depth + 1)])
    }
    return Object.fromEntries(entries)
  }

  #array(schema: JsonObject, depth: number): unknown {
    const older = own(schema, "items")
    const prefix = Array.isArray(older) ? older : own(schema, "prefixItems")
    const first: ReadonlyArray<unknown> = Array.isArray(prefix) ? prefix : []
    const rest = Array.isArray(older) ? own(schema, "additionalItems") : older
    const least = own(schema, "minItems")
    const most = own(schema, "maxItems")
    const shownItems = isJsonObject(rest) && depth < optionalDepthMax ? 1 : 0
    const wanted = Math.max(first.length, typeof least === "number" ? least : 0, shownItems)
    const length = Math.min(wanted, typeof most === "number" ? most : itemsMax, itemsMax)
    const list: Array<unknown> = []
    for (let at = 0; at < length && this.#left > 0; at++) {
      list.push(this.value(at < first.length ? first[at] : rest ?? own(schema, "contains"), depth + 1))
    }
    return list
  }
}

const names = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value) ? value.filter((name): name is string => typeof name === "string") : []

/** `over` wins, but members and required names are combined. */
const merge = (under: JsonObject, over: JsonObject): JsonObject => {
  const members = [own(under, "properties"), own(over, "properties")].filter(isJsonObject)
  const required = [...names(own(under, "required")), ...names(own(over, "required"))]
  return {
    ...under,
    ...over,
    ...(members.length > 0 ? { properties: Object.fromEntries(members.flatMap((one) => Object.entries(one))) } : {}),
    ...(required.length > 0 ? { required } : {})
  }
}

/** The given type, or the one that its keywords imply. */
const typeOf = (schema: JsonObject): unknown => {
  const type = own(schema, "type")
  if (Array.isArray(type)) return type.find((name) => name !== "null") ?? type[0]
  if (type !== undefined) return type
  const hasKeyword = (...keywords: ReadonlyArray<string>) => keywords.some((keyword) => Object.hasOwn(schema, keyword))
  if (hasKeyword("properties", "required", "additionalProperties", "minProperties", "patternProperties")) {
    return "object"
  }
  if (hasKeyword("items", "prefixItems", "minItems", "contains")) return "array"
  if (hasKeyword("minLength", "maxLength", "pattern", "format")) return "string"
  if (hasKeyword("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")) return "number"
  return undefined
}

const text = (schema: JsonObject): string => {
  const format = own(schema, "format")
  const least = own(schema, "minLength")
  const most = own(schema, "maxLength")
  const start = typeof format === "string" && Object.hasOwn(texts, format) ? texts[format]! : "text"
  const long = typeof least === "number" ? start.padEnd(Math.min(least, lengthMax), "x") : start
  return typeof most === "number" ? long.slice(0, most) : long
}

const limit = (schema: JsonObject, keyword: string): number | undefined => {
  const value = own(schema, keyword)
  return typeof value === "number" ? value : undefined
}

/** 0 where it is valid; otherwise the smallest valid number if there is a lower bound; otherwise the largest. */
const number = (schema: JsonObject, whole: boolean): number => {
  const most = limit(schema, "maximum") ?? Number.POSITIVE_INFINITY
  const below = limit(schema, "exclusiveMaximum") ?? Number.POSITIVE_INFINITY
  const least = limit(schema, "minimum") ?? Number.NEGATIVE_INFINITY
  const above = limit(schema, "exclusiveMinimum") ?? Number.NEGATIVE_INFINITY
  const step = limit(schema, "multipleOf") ?? (whole ? 1 : undefined)
  const floor = Math.max(least, above)
  const ceiling = Math.min(most, below)
  const fits = (value: number) => value >= least && value > above && value <= most && value < below
  if (fits(0)) return 0
  if (step !== undefined) {
    const start = Number.isFinite(floor) ? Math.ceil(floor / step) * step : Math.floor(ceiling / step) * step
    return fits(start) || !Number.isFinite(floor) ? fits(start) ? start : start - step : start + step
  }
  if (Number.isFinite(floor)) return fits(floor) ? floor : Number.isFinite(ceiling) ? (floor + ceiling) / 2 : floor + 1
  return fits(ceiling) ? ceiling : ceiling - 1
}
