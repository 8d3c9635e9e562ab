/**
 * Converts schemas of OpenAPI 3.0 and 3.1 to self-contained JSON Schema 2020-12: references become `$defs` of the
 * schema itself, and 3.0's `nullable` and boolean `exclusiveMinimum` become their modern forms.
 */
import { resolveLocal } from "./openapi-document.ts"
import {
  type RunnableSchema,
  schemaLists,
  schemaMaps,
  schemaValues,
  withoutUnrunnablePatterns
} from "./openapi-pattern.ts"
import { isObject, type JsonObject, type MutableObject } from "./openapi-values.ts"

const copiedKeywords = [
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

interface Definition extends RunnableSchema {
  readonly characters: number
  readonly references: ReadonlyArray<string>
}

/** Converts schemas of one document; `finish` adds the definitions that a schema needs. */
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

  /** The target of a reference, through further references; `undefined` for a cycle. */
  follow(schema: unknown): unknown {
    let at = schema
    for (let hops = 0; hops < 32; hops++) {
      if (!isObject(at) || typeof at["$ref"] !== "string") return at
      at = resolveLocal(this.#document, at["$ref"])
    }
    return undefined
  }

  convert(schema: unknown): boolean | MutableObject {
    if (typeof schema === "boolean") return schema
    if (!isObject(schema)) return {}
    if (typeof schema["$ref"] === "string") {
      const reference = { $ref: `#/$defs/${this.#nameOf(schema["$ref"])}` }
      if (this.#old) return reference
      const { $ref: _, ...siblings } = schema
      return { ...this.convert(siblings) as MutableObject, ...reference }
    }
    const out: MutableObject = {}
    for (const name of copiedKeywords) if (Object.hasOwn(schema, name)) out[name] = schema[name]
    for (const name of schemaValues) if (Object.hasOwn(schema, name)) out[name] = this.convert(schema[name])
    for (const name of schemaLists) {
      const list = schema[name]
      if (Array.isArray(list) && list.length > 0) out[name] = list.map((item) => this.convert(item))
    }
    for (const name of schemaMaps) {
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
    if (typeof schema["pattern"] === "string") out["pattern"] = schema["pattern"]
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
   * The schema with every definition that it reaches, so that it is self-contained, and without unsupported patterns;
   * undefined if that takes more than `charactersMax` characters of JSON. In some documents each schema reaches nearly
   * every other.
   */
  finish(given: boolean | MutableObject, charactersMax: number): RunnableSchema | undefined {
    const { leftOut, schema } = withoutUnrunnablePatterns(given, [])
    const ofDefinitions: Array<RunnableSchema["leftOut"]> = []
    const definitions: MutableObject = {}
    let characters = JSON.stringify(schema).length
    const queue = referencedNames(schema)
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      const definition = Object.hasOwn(definitions, name) ? undefined : this.#definition(name)
      if (definition === undefined) continue
      definitions[name] = definition.schema
      ofDefinitions.push(definition.leftOut)
      characters += definition.characters
      if (characters > charactersMax) return undefined
      queue.push(...definition.references)
    }
    return {
      schema: typeof schema === "boolean" || ofDefinitions.length === 0 ? schema : { ...schema, $defs: definitions },
      leftOut: [...leftOut, ...ofDefinitions.flat()]
    }
  }

  /** Converted once for all operations that reach it. */
  #definition(name: string): Definition | undefined {
    const known = this.#definitions.get(name)
    const reference = this.#references.get(name)
    if (known !== undefined || reference === undefined) return known
    const runnable = withoutUnrunnablePatterns(this.convert(resolveLocal(this.#document, reference)), ["$defs", name])
    const { schema } = runnable
    const made = {
      ...runnable,
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

const nullable = (schema: MutableObject): MutableObject => {
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
