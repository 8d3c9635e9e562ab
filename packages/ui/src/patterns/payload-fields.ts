/**
 * A payload as fields of its schema: the schema's order and titles first, then members that the schema does not name.
 */
import { isCentsField } from "@countersign/domain/cents-field"
import { isMask } from "@countersign/domain/mask"
import { formatMoney } from "../components/money-text.ts"

export interface PayloadField {
  readonly path: string
  readonly depth: number
  /** The schema's title, otherwise the member's name. */
  readonly name: string
  readonly description: string | undefined
  readonly kind: "text" | "number" | "boolean" | "null" | "masked" | "group"
  /** The value, and an amount in cents also as money; for a group, the number of its members. */
  readonly text: string
  /** Not in the schema, so without a description. */
  readonly undescribed: boolean
}

type Schema = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value)
const referencesMax = 8

/** The resolved schema, following at most eight local `$ref`. */
const resolved = (root: unknown, schema: unknown): Schema => {
  let found = schema
  for (let steps = 0; steps < referencesMax && isObject(found); steps++) {
    const reference = found["$ref"]
    if (typeof reference !== "string" || !reference.startsWith("#")) break
    found = reference.slice(1).split("/").filter((part) => part !== "")
      .reduce<unknown>((at, part) => isObject(at) ? at[decoded(part)] : undefined, root)
  }
  return isObject(found) ? found : {}
}

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")
  } catch {
    return part
  }
}

/** Members that the schema names, including those of the schemas combined with it. */
const membersOf = (root: unknown, schema: Schema, depth = 0): Schema => {
  const beside = ["allOf", "anyOf", "oneOf"].flatMap((keyword) =>
    Array.isArray(schema[keyword]) ? schema[keyword] as ReadonlyArray<unknown> : []
  )
  const found = depth >= referencesMax ? [] : beside.map((one) => membersOf(root, resolved(root, one), depth + 1))
  return Object.assign({}, ...found, isObject(schema["properties"]) ? schema["properties"] : {}) as Schema
}

const text = (value: unknown): string | undefined => typeof value === "string" && value !== "" ? value : undefined

/** Members absent from the payload are not shown, since they have no effect. */
export const payloadFields = (schema: unknown, payload: unknown): ReadonlyArray<PayloadField> => {
  const fields: Array<PayloadField> = []
  const walk = (
    schema: Schema,
    value: unknown,
    path: string,
    name: string,
    depth: number,
    undescribed: boolean
  ): void => {
    const field = {
      path,
      depth,
      name: text(schema["title"]) ?? name,
      description: text(schema["description"]),
      undescribed
    }
    if (isMask(value)) return void fields.push({ ...field, kind: "masked", text: "" })
    if (Array.isArray(value)) {
      fields.push({ ...field, kind: "group", text: String(value.length) })
      const items = resolved(schema_root, schema["items"])
      for (const [at, item] of value.entries()) walk(items, item, `${path}/${at}`, String(at + 1), depth + 1, false)
      return
    }
    if (isObject(value)) {
      fields.push({ ...field, kind: "group", text: String(Object.keys(value).length) })
      return members(schema, value, path, depth + 1)
    }
    if (value === null || value === undefined) return void fields.push({ ...field, kind: "null", text: "null" })
    const kind = typeof value === "string" ? "text" : typeof value as "number" | "boolean"
    const key = path.slice(path.lastIndexOf("/") + 1)
    const shown = isCentsField(key, schema["format"], value) ? `${formatMoney(value)} (${value})` : String(value)
    fields.push({ ...field, kind, text: shown })
  }
  const schema_root = schema
  const members = (schema: Schema, value: Schema, path: string, depth: number): void => {
    const named = membersOf(schema_root, schema)
    const described = Object.keys(named).filter((name) => Object.hasOwn(value, name))
    for (const name of described) {
      walk(resolved(schema_root, named[name]), value[name], `${path}/${name}`, name, depth, false)
    }
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(named, name)) {
        walk({}, value[name], `${path}/${name}`, name, depth, Object.keys(named).length > 0)
      }
    }
  }
  const root = resolved(schema_root, schema)
  if (isObject(payload) && !isMask(payload)) members(root, payload, "", 0)
  else walk(root, payload, "", "", 0, false)
  return fields
}
