/** Builds the payload of an imported operation, and answers questions about the schemas of its parts. */
import type { SchemaBundle } from "./openapi-schema.ts"
import { array, isObject, type JsonObject, textOf } from "./openapi-values.ts"

/** Its properties, the required ones, and the names in use. */
export class PayloadShape {
  readonly properties: Record<string, unknown> = {}
  readonly required: Array<string> = []

  get isEmpty(): boolean {
    return Object.keys(this.properties).length === 0
  }

  get schema(): Record<string, unknown> {
    const { properties, required } = this
    return { type: "object", properties, ...required.length > 0 ? { required } : {}, additionalProperties: false }
  }

  /** Adds a property under a name that a template can hold, and returns the name. */
  add(name: string, place: string, schema: unknown, required: boolean): string {
    const plain = name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_").slice(0, 60) || "_"
    let free = plain
    if (Object.hasOwn(this.properties, free)) free = `${place}_${plain}`
    for (let number = 2; Object.hasOwn(this.properties, free); number++) free = `${place}_${plain}_${number}`
    this.properties[free] = schema
    if (required) this.required.push(free)
    return free
  }
}

export const templateOf = (name: string): string => `\${payload.${name}}`

/** `mixed`: one of several types, of which some are lists or objects. `any`: the schema does not restrict the type. */
export type Kind = "scalar" | "array" | "object" | "mixed" | "any"

const branchDepthMax = 8

export const kindOf = (bundle: SchemaBundle, given: unknown, depth = 0): Kind => {
  const schema = bundle.follow(given)
  if (!isObject(schema) || depth > branchDepthMax) return "any"
  const types = array(schema["type"] ?? []).length > 0
    ? array(schema["type"]).filter((type) => type !== "null")
    : [schema["type"]]
  if (types.includes("array") || schema["items"] !== undefined && types[0] === undefined) return "array"
  if (types.includes("object") || isObject(schema["properties"])) return "object"
  if (typeof types[0] === "string") return "scalar"
  const branches = ["anyOf", "oneOf", "allOf"].flatMap((keyword) => array(schema[keyword])).map((one) =>
    kindOf(bundle, one, depth + 1)
  )
  if (branches.length === 0) return Array.isArray(schema["enum"]) ? "scalar" : "any"
  if (branches.every((kind) => kind === branches[0])) return branches[0] ?? "any"
  return branches.some((kind) => kind !== "scalar") ? "mixed" : "scalar"
}

/** Whether a list holds scalars only. */
export const isScalarList = (bundle: SchemaBundle, given: unknown): boolean => {
  const schema = bundle.follow(given)
  return isObject(schema) && ["scalar", "any"].includes(kindOf(bundle, schema["items"]))
}

export const described = (schema: boolean | Record<string, unknown>, description: unknown) =>
  typeof schema === "boolean" || schema["description"] !== undefined
    ? schema
    : { ...schema, ...textOf(description, 2_000, (text) => ({ description: text })) }

/** A list that is written as one text, such as `a,b`: agents send the text. */
export const separatedText = (separator: string, description: unknown): Record<string, unknown> => ({
  type: "string",
  description: `${
    typeof description === "string" && description.trim() !== "" ? `${description.slice(0, 1_900)} ` : ""
  }Values separated by ${separator}.`
})

/** The fields of a body that is a plain object; fields that only responses contain are left out. */
export const plainFields = (schema: unknown) => {
  if (!isObject(schema) || !isObject(schema["properties"])) return undefined
  if (schema["type"] !== undefined && schema["type"] !== "object") return undefined
  if (["allOf", "anyOf", "oneOf", "not", "if", "nullable"].some((keyword) => Object.hasOwn(schema, keyword))) {
    return undefined
  }
  const entries = Object.entries(schema["properties"])
  const readOnly = new Set(
    entries.filter(([, inner]) => isObject(inner) && inner["readOnly"] === true).map(([name]) => name)
  )
  return {
    properties: Object.fromEntries(entries.filter(([name]) => !readOnly.has(name))) as Readonly<
      Record<string, unknown>
    >,
    required: array(schema["required"]).filter((name): name is string =>
      typeof name === "string" && !readOnly.has(name)
    ),
    readOnly
  }
}

export const withoutReadOnly = (schema: JsonObject, readOnly: ReadonlySet<string>): JsonObject => {
  if (readOnly.size === 0) return schema
  const kept = Object.entries(isObject(schema["properties"]) ? schema["properties"] : {}).filter(([name]) =>
    !readOnly.has(name)
  )
  const required = array(schema["required"]).filter((name) => typeof name === "string" && !readOnly.has(name))
  const { required: _, ...rest } = schema
  return { ...rest, properties: Object.fromEntries(kept), ...required.length > 0 ? { required } : {} }
}

/** The JSON media type among those offered. */
export const jsonContent = (content: unknown): JsonObject | undefined => {
  if (!isObject(content)) return undefined
  const type = Object.keys(content).find((name) => /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i.test(name)) ??
    Object.keys(content).find((name) => name === "*/*" || name === "application/*")
  const media = type === undefined ? undefined : content[type]
  return isObject(media) ? media : undefined
}
