/**
 * Pinned tools of MCP servers: what a person accepted is what models see and what is called, until a person accepts a
 * change. Pure. Spec: reference/services.md "MCP services".
 */
import { isJsonObject } from "@countersign/domain/json"
import { compileSchema } from "@countersign/domain/json-schema"
import type { McpTool, McpToolChange, McpToolState } from "@countersign/domain/mcp-services"
import type { McpDefinition, McpOperation, McpService } from "@countersign/domain/services"
import canonicalize from "canonicalize"
import { Result } from "effect"
import { createHash } from "node:crypto"
import type { ServerTool } from "../providers/mcp-client.ts"

const titleLengthMax = 200
const descriptionLengthMax = 10_000
/** Of a tool's words and schemas as JSON; a larger one cannot be used. */
export const toolBytesMax = 256 * 1024
const toolNameLengthMax = 128
/** Places of a difference that are shown. */
const differencesMax = 100

/** What a person accepts: the words and the schemas, as the server sent them. */
export interface ToolForm {
  readonly title?: string
  readonly description?: string
  readonly input_schema: Readonly<Record<string, unknown>>
  readonly output_schema?: Readonly<Record<string, unknown>>
}

export interface ToolRow {
  /** The server's name of the tool. */
  readonly tool: string
  readonly operation: string
  readonly state: McpToolState
  readonly pinned: ToolForm | null
  readonly digest: string | null
  readonly pending: ToolForm | null
  readonly pending_digest: string | null
  /** The digest that a person refused last. */
  readonly refused_digest: string | null
  /** Why the tool cannot be used as it is. */
  readonly problem: string | null
}

/** Deeper levels are cut: no schema may have more than 64. */
const formDepthMax = 80

const wellFormed = (value: unknown, depth = 0): unknown => {
  if (typeof value === "string") return value.toWellFormed()
  if (typeof value !== "object" || value === null) return value
  if (depth > formDepthMax) return null
  if (Array.isArray(value)) return value.map((item) => wellFormed(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name.toWellFormed(), wellFormed(member, depth + 1)])
  )
}

export const formOf = ({ description, inputSchema, outputSchema, title }: ServerTool): ToolForm => ({
  ...title === undefined ? {} : { title: title.toWellFormed() },
  ...description === undefined ? {} : { description: description.toWellFormed() },
  input_schema: wellFormed(inputSchema) as Readonly<Record<string, unknown>>,
  ...outputSchema === undefined
    ? {}
    : { output_schema: wellFormed(outputSchema) as Readonly<Record<string, unknown>> }
})

/** SHA-256 of RFC 8785 of name, words and schemas, in hex. */
export const toolDigest = (tool: string, form: ToolForm): string =>
  createHash("sha256").update(canonicalize({ name: tool.toWellFormed(), ...form }) ?? "").digest("hex")

const schemasText = ({ input_schema, output_schema }: ToolForm): string =>
  canonicalize({ input_schema, ...output_schema === undefined ? {} : { output_schema } }) ?? ""

export const hasOtherSchema = (one: ToolForm, other: ToolForm): boolean => schemasText(one) !== schemasText(other)

/** The operation of a tool: lower case, `_` for other characters, a letter first. */
export const operationName = (tool: string): string => {
  const plain = tool.toLowerCase().replace(/[^a-z0-9_-]/gu, "_")
  return (/^[a-z]/u.test(plain) ? plain : `tool_${plain.replace(/^[_-]+/u, "")}`).slice(0, 64)
}

/** A schema in the form that the catalog compiles: without keys that name it or its dialect. */
const plainSchema = (
  { $id: _id, $schema: _schema, ...schema }: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => schema

const problemOf = (tool: string, form: ToolForm): string | null => {
  if (tool === "" || tool.length > toolNameLengthMax) return `Its name has over ${toolNameLengthMax} characters.`
  if (Buffer.byteLength(JSON.stringify(form)) > toolBytesMax) return `Its description has over ${toolBytesMax} bytes.`
  const compiled = compileSchema(plainSchema(form.input_schema), "input_schema")
  if (Result.isFailure(compiled)) {
    const [first] = compiled.failure
    return `Its input schema cannot be used: ${first === undefined ? "" : `${first.path}: ${first.message}`}`
  }
  return null
}

/** The rows of a service after its server listed these tools. Of two tools with one operation name, the first has it. */
export const listedRows = (
  before: ReadonlyArray<ToolRow>,
  listed: ReadonlyArray<ServerTool>,
  options: { readonly pinAll: boolean }
): ReadonlyArray<ToolRow> => {
  const known = new Map(before.map((row) => [row.tool, row]))
  const owners = new Map(before.filter(({ state }) => state !== "removed").map((row) => [row.operation, row.tool]))
  const rows: Array<ToolRow> = []
  const seen = new Set<string>()
  for (const tool of [...listed].sort((one, other) => one.name < other.name ? -1 : 1)) {
    if (seen.has(tool.name)) continue
    seen.add(tool.name)
    const row = known.get(tool.name)
    const form = formOf(tool)
    const operation = row?.operation ?? operationName(tool.name)
    const owner = owners.get(operation) ?? tool.name
    owners.set(operation, owner)
    const problem = owner === tool.name
      ? problemOf(tool.name, form)
      : `The tool "${owner}" has the same operation name.`
    // Not canonical when it is too large: a form that cannot be used has the digest of its plain text.
    const digest = toolDigest(tool.name, form)
    rows.push(nextRow(row, { tool: tool.name, operation, form, digest, problem, pin: options.pinAll }))
  }
  for (const row of before) {
    if (!seen.has(row.tool) && (row.pinned !== null || row.state === "refused")) {
      rows.push({ ...row, state: "removed", pending: null, pending_digest: null })
    }
  }
  return rows
}

interface Listed {
  readonly tool: string
  readonly operation: string
  readonly form: ToolForm
  readonly digest: string
  readonly problem: string | null
  readonly pin: boolean
}

const nextRow = (row: ToolRow | undefined, { digest, form, operation, pin, problem, tool }: Listed): ToolRow => {
  const base = {
    tool,
    operation,
    pinned: row?.pinned ?? null,
    digest: row?.digest ?? null,
    refused_digest: row?.refused_digest ?? null,
    problem
  }
  const pending = { pending: form, pending_digest: digest }
  const none = { pending: null, pending_digest: null }
  if (base.pinned === null) {
    if (pin && problem === null) return { ...base, state: "pinned", pinned: form, digest, ...none }
    return { ...base, state: base.refused_digest === digest ? "refused" : "new", ...pending }
  }
  if (base.digest === digest) return { ...base, state: "pinned", ...none }
  if (base.refused_digest === digest) {
    // Refused words change nothing; a refused schema means that the server no longer has the pinned tool.
    return hasOtherSchema(base.pinned, form)
      ? { ...base, state: "refused", ...pending }
      : { ...base, state: "pinned", ...none }
  }
  return { ...base, state: "changed", ...pending }
}

/** Whether the operation may be called: with the pinned words and schema. */
export const isCallable = ({ pending, pinned, state }: ToolRow): boolean =>
  pinned !== null && (state === "pinned" || state === "changed" && pending !== null && !hasOtherSchema(pinned, pending))

/** After a person accepted the pending form. */
export const accepted = (row: ToolRow): ToolRow => ({
  ...row,
  state: "pinned",
  pinned: row.pending,
  digest: row.pending_digest,
  pending: null,
  pending_digest: null,
  refused_digest: null
})

/** After a person refused the pending form. Refused words leave the pinned ones in use. */
export const refused = (row: ToolRow): ToolRow => {
  const next = { ...row, refused_digest: row.pending_digest }
  return row.pinned !== null && row.pending !== null && !hasOtherSchema(row.pinned, row.pending)
    ? { ...next, state: "pinned", pending: null, pending_digest: null }
    : { ...next, state: "refused" }
}

type Difference = McpToolChange["diff"][number]

const differences = (path: string, before: unknown, after: unknown, found: Array<Difference>): void => {
  if (found.length >= differencesMax || canonicalize(before) === canonicalize(after)) return
  if (isJsonObject(before) && isJsonObject(after)) {
    for (const name of [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()) {
      const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`
      differences(at, before[name], after[name], found)
    }
    return
  }
  found.push({
    path,
    ...before === undefined ? {} : { before: before as Difference["before"] },
    ...after === undefined ? {} : { after: after as Difference["after"] }
  } as Difference)
}

/** The places where two forms differ, as JSON Pointers. */
export const differencesOf = (before: ToolForm | null, after: ToolForm): ReadonlyArray<Difference> => {
  const found: Array<Difference> = []
  differences("", before ?? {}, after, found)
  return found
}

export const toolView = (row: ToolRow): McpTool => ({
  name: row.tool,
  operation: row.operation,
  state: row.state,
  ...row.digest === null ? {} : { digest: row.digest },
  ...row.pinned === null ? {} : {
    description: row.pinned.description ?? row.pinned.title ?? "",
    input_schema: row.pinned.input_schema as McpToolChange["input_schema"]
  },
  ...row.problem === null ? {} : { problem: row.problem },
  ...row.pending === null || row.pending_digest === null ? {} : {
    pending: {
      digest: row.pending_digest,
      description: row.pending.description ?? row.pending.title ?? "",
      input_schema: row.pending.input_schema as McpToolChange["input_schema"],
      diff: differencesOf(row.pinned, row.pending),
      schema_changed: row.pinned === null || hasOtherSchema(row.pinned, row.pending)
    }
  }
})

const priceOf = ({ default_price, prices = {} }: McpPrices, { operation, tool }: ToolRow) =>
  Object.hasOwn(prices, tool) ? prices[tool]! : Object.hasOwn(prices, operation) ? prices[operation]! : default_price

type McpPrices = Pick<McpService, "default_price" | "prices">

const operationOf = (prices: McpPrices, row: ToolRow, pinned: ToolForm): McpOperation => {
  const output = pinned.output_schema === undefined ? undefined : plainSchema(pinned.output_schema)
  const isUsable = output !== undefined && Result.isSuccess(compileSchema(output, "output_schema"))
  return {
    name: row.operation,
    tool: row.tool,
    ...pinned.title === undefined ? {} : { title: pinned.title.slice(0, titleLengthMax).toWellFormed() },
    ...pinned.description === undefined
      ? {}
      : { description: pinned.description.slice(0, descriptionLengthMax).toWellFormed() },
    payload_schema: plainSchema(pinned.input_schema) as McpOperation["payload_schema"],
    ...isUsable ? { response_schema: output as McpOperation["payload_schema"] } : {},
    price: priceOf(prices, row)
  }
}

/** The service as the catalog has it: its callable tools are its operations. */
export const definitionOf = (
  { enabled: _, ...service }: McpService,
  rows: ReadonlyArray<ToolRow>
): McpDefinition => ({
  ...service,
  operations: rows.filter(isCallable).flatMap((row) =>
    row.pinned === null ? [] : [operationOf(service, row, row.pinned)]
  )
})
