/** The OpenAPI document as the emitters read it: each operation with its arguments and the kind of its answer. */

export interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: ReadonlyArray<string | boolean>
  readonly anyOf?: ReadonlyArray<Schema>
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: ReadonlyArray<string>
  readonly additionalProperties?: boolean | Schema
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly description?: string
}

interface Parameter {
  readonly $ref?: string
  readonly name: string
  readonly in: "path" | "query" | "header" | "cookie"
  readonly required?: boolean
  readonly schema: Schema
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface DocumentOperation {
  readonly operationId: string
  readonly summary?: string
  readonly security?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly parameters?: ReadonlyArray<Parameter>
  readonly requestBody?: Body
  readonly responses: Readonly<Record<string, Body>>
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
  }
}

export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
}

/**
 * The kind of an answer: JSON; a page of a list; nothing; text; bytes; a stream of events; the events of a chat turn.
 */
export type Answer =
  | { readonly kind: "json"; readonly schema: Schema }
  | { readonly kind: "page"; readonly item: Schema; readonly schema: Schema; readonly isPlain: boolean }
  | { readonly kind: "none" | "text" | "bytes" | "events" | "turn" }

export interface Operation {
  readonly id: string
  readonly group: string
  readonly name: string
  readonly method: string
  /** Below `/api/v1`. */
  readonly path: string
  readonly summary: string
  readonly pathParameters: ReadonlyArray<string>
  readonly query: ReadonlyArray<Field>
  /** The fields of a JSON body; undefined without one. */
  readonly body: ReadonlyArray<Field> | undefined
  readonly takesBytes: boolean
  readonly takesIdempotencyKey: boolean
  readonly takesTestOutcome: boolean
  readonly answer: Answer
}

export interface Document {
  readonly operations: ReadonlyArray<Operation>
  readonly schemas: Readonly<Record<string, Schema>>
}

const prefix = "/api/v1"
/** Callers of these are other programs than a client: providers with a signature, and a monitor. */
const foreign = ["standardWebhooks", "svcSignature", "metricsToken"]

export const nameOfRef = (ref: string): string => ref.split("/").at(-1)!

export const resolve = (schema: Schema, schemas: Document["schemas"]): Schema =>
  schema.$ref === undefined ? schema : resolve(schemas[nameOfRef(schema.$ref)]!, schemas)

const isNull = (schema: Schema): boolean => schema.type === "null"

/** The fields of an object, or those of all members of a union; a field that one member lacks is optional. */
const fieldsOf = (schema: Schema, schemas: Document["schemas"], where: string): ReadonlyArray<Field> => {
  const resolved = resolve(schema, schemas)
  if (resolved.anyOf === undefined) {
    if (resolved.properties === undefined) throw new Error(`${where}: the body is not an object`)
    const required = new Set(resolved.required)
    return Object.entries(resolved.properties).map(([name, schema]) => ({
      name,
      schema,
      isRequired: required.has(name)
    }))
  }
  const members = resolved.anyOf.filter((member) => !isNull(member)).map((member) => fieldsOf(member, schemas, where))
  const isOptional = resolved.anyOf.some(isNull)
  const names = [...new Set(members.flatMap((fields) => fields.map(({ name }) => name)))]
  return names.map((name) => {
    const found = members.flatMap((fields) => fields.filter((field) => field.name === name))
    const different = [...new Map(found.map(({ schema }) => [JSON.stringify(schema), schema])).values()]
    return {
      name,
      schema: different.length === 1 ? different[0]! : { anyOf: different },
      isRequired: !isOptional && found.length === members.length && found.every(({ isRequired }) => isRequired)
    }
  })
}

const answerOf = (
  { operationId, responses }: DocumentOperation,
  query: ReadonlyArray<Field>,
  schemas: Document["schemas"]
): Answer => {
  if (responses["302"] !== undefined) return { kind: "bytes" }
  const contents = Object.entries(responses)
    .filter(([status]) => status.startsWith("2"))
    .flatMap(([, { content = {} }]) => Object.entries(content))
  const json = [
    ...new Map(
      contents.filter(([type]) => type === "application/json").map((
        [, { schema }]
      ) => [JSON.stringify(schema), schema])
    ).values()
  ]
  if (json.length > 0) {
    const schema = json.length === 1 ? json[0]! : { anyOf: json }
    const { data } = resolve(schema, schemas).properties ?? {}
    return data?.items !== undefined && query.some(({ name }) => name === "cursor")
      ? { kind: "page", schema, item: data.items, isPlain: schema.$ref === undefined }
      : { kind: "json", schema }
  }
  const [type] = contents[0] ?? []
  if (type === undefined) return { kind: "none" }
  if (type === "text/event-stream") return { kind: operationId === "chat.turn" ? "turn" : "events" }
  const isText = (type: string) => type.startsWith("text/") || type === "application/x-ndjson"
  return { kind: contents.every(([type]) => isText(type)) ? "text" : "bytes" }
}

export const readDocument = ({ components: { parameters: shared, schemas }, paths }: OpenApi): Document => {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]): ReadonlyArray<Operation> => {
      const { operationId: id, parameters = [], requestBody, security = [] } = operation
      if (!path.startsWith(`${prefix}/`)) return []
      if (security.some((scheme) => Object.keys(scheme).some((name) => foreign.includes(name)))) return []
      const all = parameters.map((parameter) =>
        parameter.$ref === undefined ? parameter : shared[nameOfRef(parameter.$ref)]!
      )
      const query = all.filter((parameter) => parameter.in === "query").map(({ name, required, schema }) => ({
        name,
        schema,
        isRequired: required === true
      }))
      const hasHeader = (name: string) => all.some((parameter) => parameter.in === "header" && parameter.name === name)
      const [group = "", name = ""] = id.split(".")
      const json = requestBody?.content?.["application/json"]
      return [{
        id,
        group,
        name,
        method: method.toUpperCase(),
        path: path.slice(prefix.length),
        summary: operation.summary ?? id,
        pathParameters: [...path.matchAll(/\{(\w+)\}/gu)].map(([, name]) => name!),
        query,
        body: json === undefined ? undefined : fieldsOf(json.schema, schemas, id),
        takesBytes: requestBody !== undefined && json === undefined,
        takesIdempotencyKey: hasHeader("idempotency-key"),
        takesTestOutcome: hasHeader("x-test-outcome"),
        answer: answerOf(operation, query, schemas)
      }]
    })
  )
  return { operations, schemas }
}

/** Operations by group, in the order of the document. */
export const groupsOf = ({ operations }: Document): ReadonlyMap<string, ReadonlyArray<Operation>> =>
  Map.groupBy(operations, ({ group }) => group)

export const pascalOf = (name: string): string =>
  name.split(/[_-]/u).map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("")

export const camelOf = (name: string): string => pascalOf(name).replace(/^[A-Z]/u, (letter) => letter.toLowerCase())

export const snakeOf = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** Descriptions that repeat the type or the format. */
const isBoilerplate = /^(?:TypeID with|Integer cents|SHA-256 in|Lower case; begins|Lower-case words|RFC 6901)/u

/** The first sentence of a field's description. */
export const noteOf = ({ description }: Schema): string | undefined =>
  description === undefined || isBoilerplate.test(description)
    ? undefined
    : description.replaceAll("*/", "*\\/").split("\n")[0]!.split(/(?<=[.:])\s+(?=[A-Z`])/u)[0]
