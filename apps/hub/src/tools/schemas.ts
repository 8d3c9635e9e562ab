/**
 * The schema and the description of an operation as models read them. Models and their clients accept a subset of JSON
 * Schema, so this is a simplified copy: dispatch checks the payload against the operation's own schema. Spec:
 * reference/mcp.md "Tools".
 */
import { isJsonObject } from "@countersign/domain/json"
import { resolvePointer } from "@countersign/domain/pointer"
import type { OperationPrice } from "@countersign/domain/price"
import type { OperationDefinition } from "@countersign/domain/services"

type JsonObject = { readonly [name: string]: unknown }

/** A tool's input schema: its root is an object. */
export interface ToolSchema extends JsonObject {
  readonly type: "object"
}

/** JSON values in a schema after references are inlined; the rest accepts anything. */
const inlinedValuesMax = 4_000
/** Nested references: a schema may refer to itself. */
const referenceDepthMax = 8
/** Characters of the root conditions that a description repeats. */
const conditionsLengthMax = 1_000

const rootConditions = ["anyOf", "oneOf", "allOf", "not"] as const
/** Keywords that only references need, or that name the schema. */
const leftOut: ReadonlySet<string> = new Set(["$defs", "definitions", "$id", "$anchor", "$schema", "$comment"])

const inlined = (root: JsonObject, schema: unknown): unknown => {
  let values = 0
  const walk = (value: unknown, depth: number): unknown => {
    if (++values > inlinedValuesMax) return {}
    if (Array.isArray(value)) return value.map((item) => walk(item, depth))
    if (!isJsonObject(value)) return value
    const { $ref } = value
    const own = Object.fromEntries(
      Object.entries(value).filter(([name]) => name !== "$ref" || typeof $ref !== "string").map(([name, member]) =>
        [name, walk(member, depth)] as const
      )
    )
    if (typeof $ref !== "string") return own
    const found = $ref.startsWith("#") && depth < referenceDepthMax
      ? resolvePointer(root, decodeURIComponent($ref.slice(1)))
      : undefined
    const target = found?.found === true ? walk(found.value, depth + 1) : {}
    return isJsonObject(target) ? { ...target, ...own } : own
  }
  return walk(schema, 0)
}

interface Simplified {
  readonly schema: ToolSchema
  /** JSON text of the root conditions; absent when there are none. */
  readonly conditions?: string
}

const simplified = (payloadSchema: JsonObject): Simplified => {
  const own = Object.fromEntries(Object.entries(payloadSchema).filter(([name]) => !leftOut.has(name)))
  const whole = inlined(payloadSchema, own)
  const { anyOf: _any, oneOf: _one, allOf: _all, not: _not, ...rest } = isJsonObject(whole) ? whole : {}
  const conditions = rootConditions.filter((name) => payloadSchema[name] !== undefined)
  return {
    schema: { ...rest, type: "object" },
    ...conditions.length === 0 ? {} : {
      conditions: JSON.stringify(Object.fromEntries(conditions.map((name) => [name, payloadSchema[name]])))
    }
  }
}

export const dollars = (cents: number): string => `$${(cents / 100).toFixed(2)}`

/** The sentence about the price that ends a description. */
export const priceSentence = (price: OperationPrice): string =>
  price.type === "quoted"
    ? "The price depends on the arguments."
    : price.type === "tokens"
    ? "The price depends on the model and the tokens."
    : price.cents === 0
    ? "Free of charge."
    : `Price: ${dollars(price.cents)} for each call.`

/** A sentence with its period. */
const sentence = (text: string): string => /[.!?]\s*$/u.test(text) ? text.trim() : `${text.trim()}.`

export interface ToolText {
  readonly title: string
  readonly description: string
  readonly schema: ToolSchema
}

const known = new WeakMap<OperationDefinition, ToolText>()

/** The text of an operation as a tool; made once for each definition. */
export const toolTextOf = (service: string, operation: OperationDefinition): ToolText => {
  const made = known.get(operation)
  if (made !== undefined) return made
  const { conditions, schema } = simplified(operation.payload_schema)
  const title = operation.title ?? `${service} ${operation.name}`
  const text: ToolText = {
    title,
    schema,
    description: [
      sentence(operation.description ?? title),
      ...conditions === undefined
        ? []
        : [`The arguments must also match ${conditions.slice(0, conditionsLengthMax).toWellFormed()}.`],
      priceSentence(operation.price)
    ].join(" ")
  }
  known.set(operation, text)
  return text
}
