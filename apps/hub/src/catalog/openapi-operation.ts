/** One operation of an OpenAPI document as an operation of a declared service, or the reason why it cannot be one. */
import type { Price } from "@countersign/domain/price"
import type { HttpOperation } from "@countersign/domain/services"
import type { Schema } from "effect"
import { isObject, type JsonObject } from "./openapi-document.ts"
import type { SchemaBundle } from "./openapi-schema.ts"

/** A longer description of an answer is left out. */
const responseSchemaBytesMax = 64 * 1024

export interface Candidate {
  readonly id: string
  readonly method: HttpOperation["method"]
  readonly route: string
  /** Where it stands in the document, dotted. */
  readonly path: string
  readonly tags: ReadonlyArray<string>
  readonly operation: JsonObject
  readonly parameters: ReadonlyArray<unknown>
  readonly hasOwnServers: boolean
}

export const array = (value: unknown): ReadonlyArray<unknown> => Array.isArray(value) ? value : []

export const textOf = <A extends object>(value: unknown, max: number, make: (text: string) => A): A | Record<never, never> =>
  typeof value === "string" && value.trim() !== "" ? make(value.slice(0, max).toWellFormed().replaceAll("\0", "")) : {}

/** The payload while it grows: its properties, which are needed, and the names that are taken. */
class PayloadShape {
  readonly properties: Record<string, unknown> = {}
  readonly required: Array<string> = []

  get schema(): Record<string, unknown> {
    const { properties, required } = this
    return { type: "object", properties, ...required.length > 0 ? { required } : {}, additionalProperties: false }
  }

  /** Adds a property under a name that a template can say, and returns the template. */
  add(name: string, place: string, schema: unknown, required: boolean): string {
    const plain = name.replace(/[^A-Za-z0-9_]/g, "_").replace(/^(?=\d)/, "_").slice(0, 60) || "_"
    let free = plain
    if (Object.hasOwn(this.properties, free)) free = `${place}_${plain}`
    for (let number = 2; Object.hasOwn(this.properties, free); number++) free = `${place}_${plain}_${number}`
    this.properties[free] = schema
    if (required) this.required.push(free)
    return `\${payload.${free}}`
  }
}

const saidAnyway = new Set(["accept", "content-type", "authorization"])

/** The operation, or why it cannot be one. */
export const operationFrom = (
  bundle: SchemaBundle, candidate: Candidate, name: string, price: Price
): HttpOperation | string => {
  const { method, operation, route } = candidate
  if (route.includes("${")) return "its path holds ${"
  const shape = new PayloadShape()
  const query: Record<string, string> = {}
  const headers: Record<string, string> = {}
  let path = route
  const parameters = mergedParameters(bundle, candidate.parameters)
  if (parameters === undefined) return "it has a parameter that cannot be read"
  for (const parameter of parameters) {
    const { in: place, name: sent } = parameter
    if (place === "cookie") {
      if (parameter.required) return `it needs the cookie "${sent}", and cookies are not sent`
      continue
    }
    // A header that is not always there cannot be written; these three say what the hub says anyway.
    if (place === "header" && (!parameter.required || saidAnyway.has(sent.toLowerCase()))) continue
    if (place === "query" && parameter.style !== undefined && parameter.style !== "form") {
      if (parameter.required) return `its query parameter "${sent}" has the style ${parameter.style}, which is not written`
      continue
    }
    const schema = described(bundle.convert(parameter.schema), parameter.description)
    const template = shape.add(sent, place, schema, place === "path" || parameter.required)
    if (place === "path") path = path.replaceAll(`{${sent}}`, template)
    else if (place === "query") query[sent] = template
    else headers[sent.toLowerCase()] = template
  }
  if (/(^|[^$])\{[^}]*\}/.test(path)) return "a part of its path has no parameter"

  const requestBody = bundle.follow(operation["requestBody"])
  let body: unknown
  let wholePayload: JsonObject | undefined
  if (isObject(requestBody) && method !== "GET" && method !== "HEAD") {
    const content = jsonContent(requestBody["content"])
    const required = requestBody["required"] === true
    if (content === undefined) {
      if (required) return "its body is not JSON"
    } else {
      const schema = bundle.follow(content["schema"])
      if (schema === undefined && content["schema"] !== undefined) return "the schema of its body refers to itself only"
      const fields = plainFields(schema)
      if (fields === undefined) body = shape.add("body", "json", bundle.convert(content["schema"]), required)
      else if (shape.required.length === 0 && Object.keys(shape.properties).length === 0) {
        wholePayload = withoutReadOnly(bundle.convert(schema) as JsonObject, fields.readOnly)
      } else {
        const needed = new Set(required ? fields.required : [])
        body = Object.fromEntries(Object.entries(fields.properties).map(([sent, inner]) =>
          [sent, shape.add(sent, "body", bundle.convert(inner), needed.has(sent))]
        ))
      }
    }
  }
  const payload = wholePayload === undefined
    ? shape.schema
    : { ...wholePayload, type: "object" }
  const sendsPayload = method === "POST" || method === "PUT" || method === "PATCH"
  const sendsNothing = body === undefined && wholePayload === undefined && sendsPayload
  const response = responseSchema(bundle, operation["responses"])
  return {
    name,
    ...textOf(operation["summary"], 200, (title) => ({ title })),
    ...textOf(operation["description"], 10_000, (description) => ({ description })),
    method,
    path,
    ...Object.keys(query).length > 0 ? { query } : {},
    ...Object.keys(headers).length > 0 ? { headers } : {},
    ...body === undefined ? sendsNothing ? { body: {} } : {} : { body: body as Schema.Json },
    payload_schema: bundle.finish(payload) as HttpOperation["payload_schema"],
    ...response === undefined ? {} : { response_schema: response as HttpOperation["payload_schema"] },
    price
  }
}

interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header" | "cookie"
  readonly required: boolean
  readonly schema: unknown
  readonly style: string | undefined
  readonly description: unknown
}

/** An operation's parameter replaces its path's of the same name and place. */
const mergedParameters = (bundle: SchemaBundle, given: ReadonlyArray<unknown>): ReadonlyArray<Parameter> | undefined => {
  const merged = new Map<string, Parameter>()
  for (const one of given) {
    const parameter = bundle.follow(one)
    if (!isObject(parameter) || typeof parameter["name"] !== "string") return undefined
    const place = parameter["in"]
    if (place !== "path" && place !== "query" && place !== "header" && place !== "cookie") return undefined
    const content = jsonContent(parameter["content"])
    merged.set(`${place} ${parameter["name"]}`, {
      name: parameter["name"],
      in: place,
      required: parameter["required"] === true,
      schema: parameter["schema"] ?? {},
      style: content === undefined ? parameter["style"] as string | undefined : "content",
      description: parameter["description"]
    })
  }
  return [...merged.values()]
}

const described = (schema: boolean | Record<string, unknown>, description: unknown) =>
  typeof schema === "boolean" || schema["description"] !== undefined
    ? schema
    : { ...schema, ...textOf(description, 2_000, (text) => ({ description: text })) }

/** The media type of JSON among those offered. */
const jsonContent = (content: unknown): JsonObject | undefined => {
  if (!isObject(content)) return undefined
  const type = Object.keys(content).find((name) => /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i.test(name)) ??
    Object.keys(content).find((name) => name === "*/*" || name === "application/*")
  const media = type === undefined ? undefined : content[type]
  return isObject(media) ? media : undefined
}

/** The fields of a body that is an object and nothing more; those that only answers hold are left out. */
const plainFields = (schema: unknown) => {
  if (!isObject(schema) || !isObject(schema["properties"])) return undefined
  if (schema["type"] !== undefined && schema["type"] !== "object") return undefined
  if (["allOf", "anyOf", "oneOf", "not", "if", "nullable"].some((keyword) => Object.hasOwn(schema, keyword))) return undefined
  const entries = Object.entries(schema["properties"])
  const readOnly = new Set(entries.filter(([, inner]) => isObject(inner) && inner["readOnly"] === true).map(([name]) => name))
  return {
    properties: Object.fromEntries(entries.filter(([name]) => !readOnly.has(name))),
    required: array(schema["required"]).filter((name): name is string => typeof name === "string" && !readOnly.has(name)),
    readOnly
  }
}

const withoutReadOnly = (schema: JsonObject, readOnly: ReadonlySet<string>): JsonObject => {
  if (readOnly.size === 0) return schema
  const kept = Object.entries(isObject(schema["properties"]) ? schema["properties"] : {}).filter(([name]) => !readOnly.has(name))
  const required = array(schema["required"]).filter((name) => typeof name === "string" && !readOnly.has(name))
  const { required: _, ...rest } = schema
  return { ...rest, properties: Object.fromEntries(kept), ...required.length > 0 ? { required } : {} }
}

/** What `result` holds on success: an object as it is, other JSON under `value`. */
const responseSchema = (bundle: SchemaBundle, responses: unknown): JsonObject | undefined => {
  if (!isObject(responses)) return undefined
  const status = Object.keys(responses).sort().find((name) => /^2(?:\d\d|XX)$/i.test(name))
  const response = status === undefined ? undefined : bundle.follow(responses[status])
  const content = isObject(response) ? jsonContent(response["content"]) : undefined
  if (content === undefined || content["schema"] === undefined) return undefined
  const target = bundle.follow(content["schema"])
  const isObjectSchema = isObject(target) && (target["type"] === "object" || isObject(target["properties"]))
  const converted = bundle.convert(isObjectSchema ? target : content["schema"])
  const finished = bundle.finish(isObjectSchema ? converted : { type: "object", properties: { value: converted } })
  return typeof finished === "object" && JSON.stringify(finished).length <= responseSchemaBytesMax ? finished : undefined
}
