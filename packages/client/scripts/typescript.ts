/** Writes the TypeScript client's types and its table of operations. */
import {
  type Answer,
  camelOf,
  type Document,
  type Field,
  groupsOf,
  nameOfRef,
  noteOf,
  type Operation,
  pascalOf,
  type Schema
} from "./document.ts"

export const header = "Generated from resources/openapi.json by `npm run generate`. Do not edit."

const isName = /^[A-Za-z_$][\w$]*$/u
const keyOf = (name: string): string => isName.test(name) ? name : JSON.stringify(name)

/** `prefix` qualifies the names of schemas. */
const typeOf = (schema: Schema, indent: string, prefix = ""): string => {
  if (schema.$ref !== undefined) return prefix + nameOfRef(schema.$ref)
  if (schema.anyOf !== undefined) {
    const members = schema.anyOf.map((member) => typeOf(member, indent, prefix))
    return [...new Set(members)].join(" | ")
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  switch (schema.type) {
    case "string":
      return "string"
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "null":
      return "null"
    case "array":
      return `ReadonlyArray<${schema.items === undefined ? "unknown" : typeOf(schema.items, indent, prefix)}>`
    case "object":
      return objectOf(schema, indent, prefix)
    default:
      return "unknown"
  }
}

const objectOf = (schema: Schema, indent: string, prefix: string): string => {
  const { additionalProperties, patternProperties, properties = {}, required = [] } = schema
  const fields = Object.entries(properties)
  if (fields.length > 0) {
    return fieldsOf(
      fields.map(([name, schema]) => ({ name, schema, isRequired: required.includes(name) })),
      indent,
      prefix
    )
  }
  const values = [
    ...typeof additionalProperties === "object" ? [additionalProperties] : [],
    ...Object.values(patternProperties ?? {})
  ].map((value) => typeOf(value, indent, prefix))
  return `Readonly<Record<string, ${values.length === 0 ? "unknown" : [...new Set(values)].join(" | ")}>>`
}

const fieldsOf = (fields: ReadonlyArray<Field>, indent: string, prefix: string): string => {
  const inner = `${indent}  `
  const lines = fields.flatMap(({ isRequired, name, schema }) => {
    const note = noteOf(schema)
    return [
      ...note === undefined ? [] : [`${inner}/** ${note} */`],
      `${inner}readonly ${keyOf(name)}${isRequired ? "" : "?"}: ${typeOf(schema, inner, prefix)}`
    ]
  })
  return `{\n${lines.join("\n")}\n${indent}}`
}

/** Every schema as a type. */
export const typesFile = ({ schemas }: Document): string =>
  [
    `// ${header}`,
    ...Object.entries(schemas).map(([name, schema]) =>
      schema.properties === undefined
        ? `export type ${name} = ${typeOf(schema, "")}`
        : `export interface ${name} ${typeOf(schema, "")}`
    ),
    ""
  ].join("\n")

/** The type of an event's data, where the contract names one. */
const eventTypes: Readonly<Record<string, string>> = {
  "events.stream": "HubEvent",
  "delegated_tasks.events": "types.TaskEvent"
}

const answerType = (id: string, answer: Answer, indent: string): string => {
  switch (answer.kind) {
    case "json":
      return `Promise<${typeOf(answer.schema, indent, "types.")}>`
    case "page": {
      const item = typeOf(answer.item, indent, "types.")
      return answer.isPlain ? `Pages<${item}>` : `Pages<${item}, ${typeOf(answer.schema, indent, "types.")}>`
    }
    case "none":
      return "Promise<void>"
    case "text":
      return "Promise<string>"
    case "bytes":
      return "Promise<Uint8Array>"
    case "events":
      return `EventStream<${eventTypes[id] ?? "unknown"}>`
    case "turn":
      return "ChatTurn"
  }
}

const optionsType = ({ takesIdempotencyKey, takesTestOutcome }: Operation): string =>
  takesTestOutcome ? "DispatchOptions" : takesIdempotencyKey ? "KeyedOptions" : "CallOptions"

const methodOf = (operation: Operation): string => {
  const { answer, body, id, name, pathParameters, query, summary, takesBytes } = operation
  const fields = [...query, ...body ?? []]
  const isNeeded = fields.some(({ isRequired }) => isRequired)
  const parameters = [
    ...pathParameters.map((parameter) => `${camelOf(parameter)}: string`),
    ...takesBytes ? ["data: Uint8Array | Blob | string"] : [],
    ...fields.length === 0 ? [] : [`input${isNeeded ? "" : "?"}: ${fieldsOf(fields, "  ", "types.")}`],
    `options?: ${optionsType(operation)}`
  ]
  return `  /** ${summary}. */\n  readonly ${camelOf(name)}: (${parameters.join(", ")}) => ${
    answerType(id, answer, "  ")
  }`
}

/** Every group as an interface of its methods. */
export const resourcesFile = (document: Document): string => {
  const groups = [...groupsOf(document)]
  return [
    `// ${header}`,
    `import type { ChatTurn } from "../chat.ts"`,
    `import type { EventStream, HubEvent } from "../events.ts"`,
    `import type { Pages } from "../pages.ts"`,
    `import type { CallOptions, DispatchOptions, KeyedOptions } from "../settings.ts"`,
    `import type * as types from "./types.ts"`,
    ...groups.flatMap(([group, operations]) => [
      `export interface ${pascalOf(group)} {`,
      ...operations.map(methodOf),
      "}"
    ]),
    "export interface Resources {",
    ...groups.map(([group]) => `  readonly ${camelOf(group)}: ${pascalOf(group)}`),
    "}",
    ...document.operations.some(({ answer }) => answer.kind === "turn")
      ? []
      : ["export type { ChatTurn }"],
    ""
  ].join("\n")
}

const answerFlags: Readonly<Record<Answer["kind"], string>> = {
  json: "",
  page: "p",
  none: "n",
  text: "t",
  bytes: "b",
  events: "e",
  turn: "c"
}

/**
 * One row: method, path with the query's names if there is a body too, and flags: `q` takes an input, `j` sends it as
 * JSON, `o` sends bytes, `i` declares an idempotency key; the last of
 * `p n t b e c` is the kind of answer, JSON without one.
 */
const rowOf = (operation: Operation): string => {
  const { answer, body, id, method, path, query, takesBytes, takesIdempotencyKey } = operation
  const hasBody = body !== undefined || takesBytes
  const names = hasBody && query.length > 0 ? `?${query.map(({ name }) => name).join("&")}` : ""
  const flags = [
    query.length > 0 || (body !== undefined && body.length > 0) ? "q" : "",
    body === undefined ? "" : "j",
    takesBytes ? "o" : "",
    takesIdempotencyKey ? "i" : "",
    answerFlags[answer.kind]
  ].join("")
  return `  ${JSON.stringify(id)}: ${JSON.stringify(`${method} ${path}${names} ${flags}`.trimEnd())}`
}

/** The table that the client makes its methods from. */
export const operationsFile = ({ operations }: Document): string =>
  [
    `// ${header}`,
    "/** Method, path, and flags of each operation; `scripts/typescript.ts` lists the flags. */",
    "export const operations: Readonly<Record<string, string>> = {",
    operations.map(rowOf).join(",\n"),
    "}",
    ""
  ].join("\n")
