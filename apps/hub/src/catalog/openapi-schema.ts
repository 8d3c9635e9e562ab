/**
 * Schemas of OpenAPI 3.0 and 3.1 as JSON Schema 2020-12 that stands alone: references become `$defs` of the schema itself, 3.0's
 * `nullable` and boolean `exclusiveMinimum` their modern forms. What only narrows and cannot run here (a pattern beyond RE2) is
 * left out: the provider still checks it.
 */
import { compileRegex } from "@countersign/domain/regex"
import { Result } from "effect"
import { resolveLocal } from "./openapi-document.ts"
import { isObject, type JsonObject } from "./openapi-values.ts"

const single = [
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
const lists = ["allOf", "anyOf", "oneOf", "prefixItems"]
const maps = ["properties", "dependentSchemas"]
const asTheyAre = [
  "title",
  "description",
  "default",
  "deprecated",
  "readOnly",
  "writeOnly",
  "format",
  "const",
  "multipleOf",
  "maximum",
  "minimum",
  "maxLength",
  "minLength",
  "maxItems",
  "minItems",
  "uniqueItems",
  "maxContains",
  "minContains",
  "maxProperties",
  "minProperties",
  "dependentRequired"
]
const typeNames = new Set<unknown>(["array", "boolean", "integer", "null", "number", "object", "string"])

type Mutable = Record<string, unknown>

interface Definition {
  readonly schema: boolean | Mutable
  readonly characters: number
  readonly references: ReadonlyArray<string>
}

/** Converts schemas of one document; `finish` puts the definitions that a schema needs beside it. */
export class SchemaBundle {
  readonly #document: JsonObject
  readonly #old: boolean
  readonly #names = new Map<string, string>()
  readonly #references = new Map<string, string>()
  readonly #definitions = new Map<string, Definition>()

  constructor(document: JsonObject) {
    this.#document = document
    this.#old = String(document["openapi"]).startsWith("3.0")
  }

  /** The schema that a reference leads to, through further references; `undefined` for a circle of them. */
  follow(schema: unknown): unknown {
    let at = schema
    for (let hops = 0; hops < 32; hops++) {
      if (!isObject(at) || typeof at["$ref"] !== "string") return at
      at = resolveLocal(this.#document, at["$ref"])
    }
    return undefined
  }

  convert(schema: unknown): boolean | Mutable {
    if (typeof schema === "boolean") return schema
    if (!isObject(schema)) return {}
    if (typeof schema["$ref"] === "string") {
      const reference = { $ref: `#/$defs/${this.#nameOf(schema["$ref"])}` }
      if (this.#old) return reference
      const { $ref: _, ...siblings } = schema
      return { ...this.convert(siblings) as Mutable, ...reference }
    }
    const out: Mutable = {}
    for (const name of asTheyAre) if (Object.hasOwn(schema, name)) out[name] = schema[name]
    for (const name of single) if (Object.hasOwn(schema, name)) out[name] = this.convert(schema[name])
    for (const name of lists) {
      const list = schema[name]
      if (Array.isArray(list) && list.length > 0) out[name] = list.map((item) => this.convert(item))
    }
    for (const name of maps) {
      const map = schema[name]
      if (isObject(map)) {
        out[name] = Object.fromEntries(Object.entries(map).map(([key, inner]) => [key, this.convert(inner)]))
      }
    }
    const types = (Array.isArray(schema["type"]) ? schema["type"] : [schema["type"]]).filter((type) =>
      typeNames.has(type)
    )
    if (types.length > 0) out["type"] = types.length === 1 ? types[0] : types
    if (Array.isArray(schema["enum"])) out["enum"] = schema["enum"]
    if (Array.isArray(schema["required"])) {
      out["required"] = schema["required"].filter((name) => typeof name === "string")
    }
    if (typeof schema["pattern"] === "string" && runs(schema["pattern"])) out["pattern"] = schema["pattern"]
    const patterns = schema["patternProperties"]
    if (isObject(patterns)) {
      out["patternProperties"] = Object.fromEntries(
        Object.entries(patterns).filter(([pattern]) => runs(pattern)).map((
          [pattern, inner]
        ) => [pattern, this.convert(inner)])
      )
    }
    for (const [exclusive, bound] of [["exclusiveMinimum", "minimum"], ["exclusiveMaximum", "maximum"]] as const) {
      const value = schema[exclusive]
      if (typeof value === "number") out[exclusive] = value
      else if (value === true && typeof out[bound] === "number") {
        out[exclusive] = out[bound]
        delete out[bound]
      }
    }
    return this.#old && schema["nullable"] === true ? nullable(out) : out
  }

  /**
   * The schema with every definition that it reaches, so that it needs nothing else; undefined where that takes more characters of
   * JSON. In some documents, each schema reaches nearly every other.
   */
  finish(schema: boolean | Mutable, charactersMax: number): boolean | Mutable | undefined {
    const definitions: Mutable = {}
    let characters = JSON.stringify(schema).length
    const queue = referencedNames(schema)
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      const definition = Object.hasOwn(definitions, name) ? undefined : this.#definition(name)
      if (definition === undefined) continue
      definitions[name] = definition.schema
      characters += definition.characters
      if (characters > charactersMax) return undefined
      queue.push(...definition.references)
    }
    return typeof schema === "boolean" || Object.keys(definitions).length === 0
      ? schema
      : { ...schema, $defs: definitions }
  }

  /** Converted once for all operations that reach it. */
  #definition(name: string): Definition | undefined {
    const known = this.#definitions.get(name)
    const reference = this.#references.get(name)
    if (known !== undefined || reference === undefined) return known
    const schema = this.convert(resolveLocal(this.#document, reference))
    const made = {
      schema,
      characters: JSON.stringify(schema).length + name.length,
      references: referencedNames(schema)
    }
    this.#definitions.set(name, made)
    return made
  }

  #nameOf(reference: string): string {
    const known = this.#names.get(reference)
    if (known !== undefined) return known
    const base = (reference.split("/").at(-1) ?? "").replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 100) || "schema"
    let name = base
    for (let number = 2; this.#references.has(name); number++) name = `${base}_${number}`
    this.#names.set(reference, name)
    this.#references.set(name, reference)
    return name
  }
}

const runs = (pattern: string): boolean => Result.isSuccess(compileRegex(pattern))

const nullable = (schema: Mutable): Mutable => {
  const type = schema["type"]
  if (typeof type !== "string") return { anyOf: [schema, { type: "null" }] }
  const withNull = { ...schema, type: [type, "null"] }
  const values = schema["enum"]
  return Array.isArray(values) && !values.includes(null) ? { ...withNull, enum: [...values, null] } : withNull
}

const referencedNames = (schema: unknown): Array<string> => {
  const names: Array<string> = []
  const stack = [schema]
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (typeof next !== "object" || next === null) continue
    const reference = (next as JsonObject)["$ref"]
    if (typeof reference === "string" && reference.startsWith("#/$defs/")) {
      names.push(reference.slice("#/$defs/".length))
    }
    stack.push(...Object.values(next).filter((inner) => typeof inner === "object" && inner !== null))
  }
  return names
}
