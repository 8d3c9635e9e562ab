/**
 * A JSON Schema as a list of fields, to read and write a payload. A part without a matching field is edited as JSON.
 * Pure.
 */
import type { Json } from "@countersign/domain/json"
import { isJsonObject } from "./read-json.ts"

export type Schema = Readonly<Record<string, unknown>>
export type FieldKind = "text" | "long" | "integer" | "number" | "boolean" | "choice" | "lines" | "group" | "json"

export interface SchemaField {
  readonly name: string
  /** Members from the payload's root. */
  readonly path: ReadonlyArray<string>
  readonly kind: FieldKind
  readonly title: string | undefined
  readonly description: string | undefined
  readonly required: boolean
  /** `writeOnly`: masked in every view. */
  readonly hidden: boolean
  readonly schema: Schema
  /** The options of a choice field. */
  readonly choices: ReadonlyArray<string>
  readonly fields: ReadonlyArray<SchemaField>
}

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)
const referencesMax = 8
const depthMax = 6
/** A text with a higher maximum length gets a multi-line field. */
const lineMax = 300

/** Resolves a local reference; any other reference yields an empty schema. */
export const resolveSchema = (root: unknown, schema: unknown): Schema => {
  let found = schema
  for (let step = 0; step < referencesMax && isObject(found) && typeof found["$ref"] === "string"; step++) {
    const reference: string = found["$ref"]
    if (!reference.startsWith("#")) return {}
    found = reference
      .slice(1)
      .split("/")
      .filter((part) => part !== "")
      .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
      .reduce<unknown>((at, part) => (isObject(at) && Object.hasOwn(at, part) ? at[part] : undefined), root)
  }
  return isObject(found) && found["$ref"] === undefined ? found : {}
}

/** Its only type, ignoring `null`. */
export const typeOf = (schema: Schema): string | undefined => {
  const { type } = schema
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string" && each !== "null")
  if (types.length === 1) return types[0] as string
  if (type === undefined && isObject(schema["properties"])) return "object"
  return undefined
}

const choicesOf = (schema: Schema): ReadonlyArray<string> =>
  Array.isArray(schema["enum"]) && schema["enum"].length > 0 && schema["enum"].every((each) => typeof each === "string")
    ? (schema["enum"] as ReadonlyArray<string>)
    : []

const kindOf = (root: Schema, schema: Schema, depth: number): FieldKind => {
  if (choicesOf(schema).length > 0) return "choice"
  switch (typeOf(schema)) {
    case "string":
      return typeof schema["maxLength"] === "number" && schema["maxLength"] > lineMax ? "long" : "text"
    case "integer":
      return "integer"
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "object":
      return depth < depthMax && isObject(schema["properties"]) && Object.keys(schema["properties"]).length > 0
        ? "group"
        : "json"
    case "array":
      return typeOf(resolveSchema(root, schema["items"])) === "string"
          && choicesOf(resolveSchema(root, schema["items"])).length === 0
        ? "lines"
        : "json"
    default:
      return "json"
  }
}

export const schemaFields = (schema: unknown): ReadonlyArray<SchemaField> => {
  const root = isObject(schema) ? schema : {}
  const below = (at: Schema, path: ReadonlyArray<string>): ReadonlyArray<SchemaField> => {
    const required = Array.isArray(at["required"]) ? at["required"] : []
    return Object.entries(isObject(at["properties"]) ? at["properties"] : {}).map(([name, given]) => {
      const found = resolveSchema(root, given)
      const here = [...path, name]
      const kind = kindOf(root, found, path.length)
      return {
        name,
        path: here,
        kind,
        title: text(found["title"]),
        description: text(found["description"]),
        required: required.includes(name),
        hidden: found["writeOnly"] === true,
        schema: found,
        choices: choicesOf(found),
        fields: kind === "group" ? below(found, here) : []
      }
    })
  }
  return below(resolveSchema(root, root), [])
}

/** Whether every member is a field, so that a form can write the whole payload. */
export const isOpen = (schema: unknown): boolean => isObject(schema) && schema["additionalProperties"] !== false

export type Payload = { readonly [name: string]: Json }

/** The payload with one member set; undefined removes it, and its group if that becomes empty. */
export const withMember = (
  payload: Payload,
  [name, ...rest]: ReadonlyArray<string>,
  value: Json | undefined
): Payload => {
  if (name === undefined) return payload
  const before = Object.hasOwn(payload, name) ? payload[name] : undefined
  const next = rest.length === 0 ? value : withMember(isJsonObject(before) ? before : {}, rest, value)
  const isGone = next === undefined || (rest.length > 0 && isObject(next) && Object.keys(next).length === 0)
  if (!isGone) return { ...payload, [name]: next }
  const { [name]: _, ...others } = payload
  return others
}

export const memberAt = (payload: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), payload)
