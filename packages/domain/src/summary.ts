/**
 * Summary fields: a few values of a payload that rows show, to distinguish similar requests. Spec:
 * reference/services.md "Summary fields".
 */
import { Result, Schema } from "effect"
import { isCentsField } from "./cents-field.ts"
import { type JsonObject, own, resolveReference, type Schema as JsonSchema } from "./json-schema-shape.ts"
import { isJsonObject } from "./json.ts"
import { isMask } from "./mask.ts"
import { parsePointer } from "./pointer.ts"
import { isRemoved } from "./retention.ts"

/** The most fields that an operation may declare. */
export const summaryFieldsMax = 8
/** The most fields that are shown for an operation without a declaration. */
export const summaryFieldsDefault = 3
/**
 * A longer value is cut at this many characters. Without a declaration it is shown only where there is no shorter one.
 */
export const summaryTextMax = 80
/** The most characters that are read of a long text without a declaration. */
const longRead = 1_000
/** The most items of a declared list that are shown. */
const itemsMax = 3
/** The most schemas that are read for one place. */
const schemasMax = 64

export const SummaryField = Schema.Struct({
  /** JSON Pointer into the payload. */
  path: Schema.String,
  /** The schema's title, or the field's name without one. */
  label: Schema.String,
  value: Schema.Union([Schema.String, Schema.Finite, Schema.Boolean]),
  /** `cents`: the value is an amount in integer cents. */
  format: Schema.optionalKey(Schema.Literal("cents"))
}).annotate({ identifier: "SummaryField" })
export type SummaryField = typeof SummaryField.Type

/** The schemas that apply to one place: its own, referenced ones, and those of its combinators; each once. */
const applying = (root: JsonSchema, schema: unknown): ReadonlyArray<JsonObject> => {
  const found = new Set<JsonObject>()
  const queue: Array<unknown> = [schema]
  for (let at = 0; at < queue.length && found.size < schemasMax; at++) {
    const next = queue[at]
    if (!isJsonObject(next) || found.has(next)) continue
    found.add(next)
    const reference = own(next, "$ref")
    if (typeof reference === "string") queue.push(resolveReference(root, reference))
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      const list = own(next, keyword)
      if (Array.isArray(list)) queue.push(...list.slice(0, schemasMax))
    }
  }
  return [...found]
}

const memberOf = (root: JsonSchema, schemas: ReadonlyArray<JsonObject>, name: string): ReadonlyArray<JsonObject> =>
  schemas.flatMap((schema) => {
    const properties = own(schema, "properties")
    return isJsonObject(properties) && Object.hasOwn(properties, name) ? applying(root, properties[name]) : []
  })

const namesOf = (schemas: ReadonlyArray<JsonObject>): ReadonlyArray<string> => {
  const listed = schemas.flatMap((schema) => {
    const properties = own(schema, "properties")
    return isJsonObject(properties) ? Object.keys(properties) : []
  })
  const required = new Set(schemas.flatMap((schema) => {
    const names = own(schema, "required")
    return Array.isArray(names) ? names as ReadonlyArray<unknown> : []
  }))
  const names = [...new Set(listed)]
  return [...names.filter((name) => required.has(name)), ...names.filter((name) => !required.has(name))]
}

type Scalar = SummaryField["value"]
const scalarOf = (value: unknown): Scalar | undefined =>
  typeof value === "boolean" || typeof value === "number" && Number.isFinite(value)
    ? value
    : typeof value === "string" && value.trim() !== ""
    ? value.toWellFormed()
    : undefined

const oneLine = (text: string): string => text.replaceAll(/\s+/gu, " ").trim()
const cut = (text: string): string => {
  const characters = Array.from(text.slice(0, 4 * summaryTextMax))
  return characters.length > summaryTextMax ? `${characters.slice(0, summaryTextMax - 1).join("")}…` : text
}

/** The shown value of a declared field: for a list, its first items. */
const shownOf = (value: unknown): Scalar | undefined => {
  if (Array.isArray(value)) {
    const items = value.slice(0, itemsMax).flatMap((item) => scalarOf(item) ?? [])
    const more = value.length - items.length
    return items.length === 0 ? undefined : cut(oneLine(`${items.join(", ")}${more > 0 ? ` +${more}` : ""}`))
  }
  const scalar = scalarOf(value)
  return typeof scalar === "string" ? cut(oneLine(scalar)) : scalar
}

const escaped = (name: string): string => name.replaceAll("~", "~0").replaceAll("/", "~1")

const fieldOf = (tokens: ReadonlyArray<string>, schemas: ReadonlyArray<JsonObject>, value: Scalar): SummaryField => {
  const name = tokens.at(-1) ?? ""
  const title = schemas.map((schema) => own(schema, "title")).find((title) => typeof title === "string" && title !== "")
  return {
    path: tokens.map((token) => `/${escaped(token)}`).join(""),
    label: cut(typeof title === "string" ? title : name),
    value,
    ...isCentsField(name, schemas.map((schema) => own(schema, "format")).find((format) => format === "cents"), value)
      ? { format: "cents" }
      : {}
  }
}

/** Follows a declared pointer. No value below a masked one is shown. */
const declared = (root: JsonSchema, payload: unknown, pointer: string): ReadonlyArray<SummaryField> => {
  const parsed = parsePointer(pointer)
  if (Result.isFailure(parsed)) return []
  let value = payload
  let schemas = applying(root, root)
  for (const token of parsed.success) {
    if (isMask(value)) return []
    if (Array.isArray(value) && /^(?:0|[1-9]\d{0,5})$/u.test(token)) {
      value = value[Number(token)]
      schemas = schemas.flatMap((schema) => applying(root, own(schema, "items")))
    } else if (isJsonObject(value) && Object.hasOwn(value, token)) {
      value = value[token]
      schemas = memberOf(root, schemas, token)
    } else return []
  }
  const shown = shownOf(value)
  return shown === undefined ? [] : [fieldOf(parsed.success, schemas, shown)]
}

/** The first short scalars: required ones first, then those one level down; without any, the start of the first text. */
const chosen = (root: JsonSchema, payload: JsonObject): ReadonlyArray<SummaryField> => {
  const fields: Array<SummaryField> = []
  let firstLong: SummaryField | undefined
  const nested: Array<readonly [tokens: ReadonlyArray<string>, schemas: ReadonlyArray<JsonObject>, value: JsonObject]> =
    []
  const take = (
    tokens: ReadonlyArray<string>,
    schemas: ReadonlyArray<JsonObject>,
    object: JsonObject,
    isTop: boolean
  ): void => {
    const described = namesOf(schemas).filter((name) => Object.hasOwn(object, name))
    const known = new Set(described)
    for (const name of [...described, ...Object.keys(object).filter((name) => !known.has(name))]) {
      if (fields.length >= summaryFieldsDefault) return
      const value = object[name]
      const inner = memberOf(root, schemas, name)
      if (isMask(value)) continue
      if (isTop && isJsonObject(value)) nested.push([[...tokens, name], inner, value])
      const scalar = scalarOf(value)
      if (scalar === undefined) continue
      if (typeof scalar === "string" && (scalar.length > summaryTextMax || /[\r\n]/u.test(scalar))) {
        firstLong ??= fieldOf([...tokens, name], inner, cut(oneLine(scalar.slice(0, longRead))))
        continue
      }
      fields.push(fieldOf([...tokens, name], inner, scalar))
    }
  }
  take([], applying(root, root), payload, true)
  for (const [tokens, schemas, value] of nested) take(tokens, schemas, value, false)
  return fields.length > 0 || firstLong === undefined ? fields : [firstLong]
}

/**
 * The fields that rows show of a payload, as people may see it: pass the result of `mask`, so that no masked value can
 * appear. `pointers` are the operation's declared ones.
 */
export const summarize = (
  schema: JsonSchema,
  shown: unknown,
  pointers?: ReadonlyArray<string>
): ReadonlyArray<SummaryField> => {
  if (!isJsonObject(shown) || isMask(shown) || isRemoved(shown)) return []
  return pointers === undefined
    ? chosen(schema, shown)
    : pointers.flatMap((pointer) => declared(schema, shown, pointer))
}
