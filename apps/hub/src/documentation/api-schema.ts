/** Schemas of the OpenAPI document as tables of fields, and example bodies. Pure. */
import { escapeHtml } from "../platform/html.ts"
import { inlineHtml } from "./inline.ts"
import { tableHtml } from "./table.ts"

export type JsonSchema = Readonly<Record<string, unknown>>

/** Deeper objects are shown as `object`; their component has a table. */
const depthMax = 3
const enumMax = 12

export const referenceName = (schema: JsonSchema): string | undefined =>
  typeof schema["$ref"] === "string" ? schema["$ref"].split("/").at(-1) : undefined

export const anchorOfSchema = (name: string): string => `object-${name.toLowerCase()}`

const listOf = (value: unknown): ReadonlyArray<JsonSchema> =>
  Array.isArray(value) ? value as ReadonlyArray<JsonSchema> : []

/** The bound of a safe integer means "any". */
const bounds = (schema: JsonSchema): string => {
  const bound = (name: string): number | undefined => {
    const value = schema[name]
    return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined
  }
  const [least, most] = [bound("minimum") ?? bound("exclusiveMinimum"), bound("maximum") ?? bound("exclusiveMaximum")]
  const [shortest, longest] = [bound("minLength") ?? bound("minItems"), bound("maxLength") ?? bound("maxItems")]
  const unit = schema["type"] === "array" ? "items" : "characters"
  return [
    least !== undefined && most !== undefined
      ? `${least} to ${most}`
      : least !== undefined && least !== 0
      ? `at least ${least}`
      : most !== undefined
      ? `at most ${most}`
      : "",
    longest !== undefined
      ? shortest !== undefined && shortest > 0 ? `${shortest} to ${longest} ${unit}` : `at most ${longest} ${unit}`
      : shortest !== undefined && shortest > 0
      ? `at least ${shortest} ${unit}`
      : "",
    schema["default"] === undefined ? "" : `default ${JSON.stringify(schema["default"])}`
  ].filter((text) => text !== "").join(", ")
}

export const limitsHtml = (schema: JsonSchema): string => {
  const limits = bounds(schema)
  return limits === "" ? "" : `<span class="limits">${escapeHtml(limits)}</span>`
}

/** The prefix of a TypeID, from its pattern. */
const prefixOf = (schema: JsonSchema): string | undefined =>
  typeof schema["pattern"] === "string" ? /^\^([a-z]+)_\[/u.exec(schema["pattern"])?.[1] : undefined

/** HTML: the type with links to components. */
export const typeHtml = (schema: JsonSchema): string => {
  const name = referenceName(schema)
  if (name !== undefined) return `<a href="#${anchorOfSchema(name)}">${escapeHtml(name)}</a>`
  const choices = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]
  if (choices.length > 0) return [...new Set(choices.map(typeHtml))].join(" or ")
  if (schema["const"] !== undefined) return `<code>${escapeHtml(JSON.stringify(schema["const"]))}</code>`
  if (Array.isArray(schema["enum"])) {
    const values = schema["enum"] as ReadonlyArray<unknown>
    const shown = values.slice(0, enumMax).map((value) => `<code>${escapeHtml(String(value))}</code>`).join(", ")
    return values.length > enumMax ? `${shown}, …` : shown
  }
  if (schema["type"] === "array") return `list of ${typeHtml((schema["items"] ?? {}) as JsonSchema)}`
  const prefix = prefixOf(schema)
  if (prefix !== undefined) return `id <code>${prefix}_…</code>`
  return typeof schema["type"] === "string" ? escapeHtml(schema["type"]) : "any JSON"
}

interface Field {
  readonly name: string
  readonly schema: JsonSchema
  readonly required: boolean
}

/** The members of an object, also of lists of objects, with dotted names. */
const fieldsOf = (schema: JsonSchema, prefix = "", depth = 0): ReadonlyArray<Field> => {
  const properties = schema["properties"] as Readonly<Record<string, JsonSchema>> | undefined
  const required = new Set(Array.isArray(schema["required"]) ? schema["required"] as ReadonlyArray<string> : [])
  return Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const path = `${prefix}${name}`
    const within = depth >= depthMax || referenceName(member) !== undefined
      ? []
      : member["type"] === "array"
      ? fieldsOf((member["items"] ?? {}) as JsonSchema, `${path}[].`, depth + 1)
      : fieldsOf(member, `${path}.`, depth + 1)
    return [{ name: path, schema: member, required: required.has(name) }, ...within]
  })
}

const rowHtml = ({ name, required, schema }: Field): string => {
  const description = typeof schema["description"] === "string" && prefixOf(schema) === undefined
    ? inlineHtml(schema["description"])
    : ""
  return `<tr><td><code>${escapeHtml(name)}</code>${
    required ? "" : " <span class=\"optional\">optional</span>"
  }</td><td>${typeHtml(schema)}${limitsHtml(schema)}</td><td>${description}</td></tr>`
}

/** HTML: a table, or the type itself of a schema without members. */
export const fieldsHtml = (schema: JsonSchema, label: string): string => {
  const choices = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])]
  const variants = choices.filter((choice) => choice["properties"] !== undefined)
  if (variants.length > 1 && variants.length === choices.length) {
    return variants.map((variant, at) => `<p>Form ${at + 1}:</p>${fieldsHtml(variant, `${label}, form ${at + 1}`)}`)
      .join("")
  }
  const fields = fieldsOf(schema)
  if (fields.length === 0) return `<p>${typeHtml(schema)}</p>`
  return tableHtml({
    label,
    className: "fields",
    head: "<th>Field</th><th>Type</th><th>Meaning</th>",
    rows: fields.map(rowHtml)
  })
}

/** The names of the components that a schema refers to, also through others. */
export const referencesOf = (
  schema: unknown,
  schemas: Readonly<Record<string, JsonSchema>>,
  found: Set<string> = new Set()
): ReadonlySet<string> => {
  if (Array.isArray(schema)) { for (const each of schema) referencesOf(each, schemas, found) }
  else if (typeof schema === "object" && schema !== null) {
    const name = referenceName(schema as JsonSchema)
    if (name !== undefined && !found.has(name)) {
      found.add(name)
      referencesOf(schemas[name], schemas, found)
    }
    for (const each of Object.values(schema)) referencesOf(each, schemas, found)
  }
  return found
}

/** A body with the required members only, to be edited. */
export const exampleOf = (
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
  name = "",
  depth = 0
): unknown => {
  const reference = referenceName(schema)
  if (depth > 6) return {}
  if (reference !== undefined) return exampleOf(schemas[reference] ?? {}, schemas, name, depth + 1)
  const [choice] = [...listOf(schema["anyOf"]), ...listOf(schema["oneOf"])].filter(({ type }) => type !== "null")
  if (choice !== undefined) return exampleOf(choice, schemas, name, depth + 1)
  if (schema["const"] !== undefined) return schema["const"]
  if (Array.isArray(schema["enum"])) return schema["enum"][0]
  const prefix = prefixOf(schema)
  if (prefix !== undefined) return `${prefix}_…`
  switch (schema["type"]) {
    case "object": {
      const members = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>
      const required = Array.isArray(schema["required"]) ? schema["required"] as ReadonlyArray<string> : []
      return Object.fromEntries(
        required.map((member) => [member, exampleOf(members[member] ?? {}, schemas, member, depth + 1)])
      )
    }
    case "array":
      return [exampleOf((schema["items"] ?? {}) as JsonSchema, schemas, name, depth + 1)]
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" && schema["minimum"] > 0
        ? schema["minimum"]
        : name.endsWith("_cents")
        ? 500
        : 1
    case "boolean":
      return true
    default:
      return name.endsWith("_at") ? "2026-12-31T00:00:00.000Z" : "…"
  }
}
