/** Determines whether every value of a schema has a field. Pure. */
import { type JsonObject, own, resolveReference } from "./json-schema-shape.ts"
import { isJsonObject } from "./json.ts"

export interface FieldPresence {
  /** `never`: the schema accepts no value with it. Uncertain cases are `optional`. */
  readonly presence: "always" | "optional" | "never"
  /** Its schema names a single type that is not null. */
  readonly isTyped: boolean
}

const depthMax = 16

/** The schemas that apply together, and groups of alternatives. */
interface Holding {
  readonly all: ReadonlyArray<JsonObject>
  readonly oneOf: ReadonlyArray<ReadonlyArray<Holding>>
}

const holding = (root: JsonObject, schema: unknown, depth: number): Holding => {
  if (!isJsonObject(schema) || depth > depthMax) return { all: [], oneOf: [] }
  const reference = own(schema, "$ref")
  const target = typeof reference === "string" ? resolveReference(root, reference) : undefined
  const allOf = own(schema, "allOf")
  const inner = [target, ...Array.isArray(allOf) ? allOf : []].map((one) => holding(root, one, depth + 1))
  const groups = ["anyOf", "oneOf"].flatMap((keyword) => {
    const list = own(schema, keyword)
    return Array.isArray(list) ? [list.map((one) => holding(root, one, depth + 1))] : []
  })
  return {
    all: [schema, ...inner.flatMap(({ all }) => all)],
    oneOf: [...inner.flatMap(({ oneOf }) => oneOf), ...groups]
  }
}

const requires = ({ all, oneOf }: Holding, name: string): boolean =>
  all.some((schema) => {
    const required = own(schema, "required")
    return Array.isArray(required) && required.includes(name)
  }) || oneOf.some((group) => group.length > 0 && group.every((one) => requires(one, name)))

const propertiesOf = ({ all, oneOf }: Holding, name: string): ReadonlyArray<unknown> => [
  ...all.flatMap((schema) => {
    const properties = own(schema, "properties")
    return isJsonObject(properties) && Object.hasOwn(properties, name) ? [properties[name]] : []
  }),
  ...oneOf.flatMap((group) => group.flatMap((one) => propertiesOf(one, name)))
]

const isClosed = ({ all }: Holding): boolean =>
  all.some((schema) => own(schema, "additionalProperties") === false && own(schema, "patternProperties") === undefined)

const isTyped = ({ all }: Holding): boolean =>
  all.some((schema) => typeof own(schema, "type") === "string" && own(schema, "type") !== "null")

/** `path` is the names of members from the value down. */
export const fieldPresence = (root: JsonObject, path: ReadonlyArray<string>): FieldPresence => {
  let schema: unknown = root
  let isAlways = true
  for (const [at, name] of path.entries()) {
    const here = holding(root, schema, 0)
    const properties = propertiesOf(here, name)
    if (properties.length === 0 && at === 0 && isClosed(here)) return { presence: "never", isTyped: false }
    isAlways &&= requires(here, name)
    schema = properties.length === 1 ? properties[0] : { allOf: properties.filter(isJsonObject) }
  }
  return { presence: isAlways ? "always" : "optional", isTyped: isTyped(holding(root, schema, 0)) }
}
