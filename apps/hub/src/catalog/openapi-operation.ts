/** One operation of an OpenAPI document as an operation of a declared service, or the reason why it cannot be one. */
import type { Price } from "@countersign/domain/price"
import type { HttpOperation } from "@countersign/domain/services"
import type { Schema } from "effect"
import { type CarriedBody, carryBody } from "./openapi-body.ts"
import { type CarriedParameters, carryParameters } from "./openapi-parameters.ts"
import { type LeftOutPattern, leftOutText } from "./openapi-pattern.ts"
import { jsonContent, PayloadShape } from "./openapi-payload.ts"
import type { SchemaBundle } from "./openapi-schema.ts"
import { isObject, type JsonObject, textOf } from "./openapi-values.ts"

/** A longer response schema is left out. In characters of JSON. */
const responseSchemaLengthMax = 64 * 1024
const payloadSchemaLengthMax = 512 * 1024

export interface Candidate {
  readonly id: string
  readonly method: HttpOperation["method"]
  readonly route: string
  /** Its place in the document, dotted. */
  readonly path: string
  readonly tags: ReadonlyArray<string>
  readonly operation: JsonObject
  readonly parameters: ReadonlyArray<unknown>
  readonly hasOwnServers: boolean
}

export interface MadeOperation {
  readonly operation: HttpOperation
  /** The omitted parts, with reasons. */
  readonly notes: ReadonlyArray<string>
  /** Patterns of the payload's schema that only the provider checks. */
  readonly leftOut: ReadonlyArray<LeftOutPattern>
}

const patternsListedMax = 10

/** The omitted parts, with reasons; `place` is relative to the operation. */
export const noticesOf = ({ leftOut, notes, operation }: MadeOperation) => {
  const listed = leftOut.slice(0, patternsListedMax)
  const others = leftOut.length - listed.length
  return [
    ...notes.map((message) => ({ place: [], message })),
    ...listed.map((one) => ({ place: ["payload_schema", ...one.place], message: leftOutText(one) })),
    ...others > 0
      ? [{
        place: ["payload_schema"],
        message: `${others} more of its patterns are left out, and only the provider checks them.`
      }]
      : []
  ].map(({ message, place }) => ({ place, message: `${operation.name}: ${message}` }))
}

/** Query and body share one style: brackets if the query needs them, repeated lists if the body does. */
const styleOf = (parameters: CarriedParameters, body: CarriedBody) => {
  if (parameters.queryStyle === "deepObject") return { query_style: "deepObject" as const }
  return body.repeatsLists === true ? { query_style: "form" as const } : {}
}

/** The operation, or why it cannot be one. */
export const operationFrom = (
  bundle: SchemaBundle,
  candidate: Candidate,
  name: string,
  price: Price
): MadeOperation | string => {
  const { method, operation, route } = candidate
  if (route.includes("${")) return "its path holds ${"
  const shape = new PayloadShape()
  const parameters = carryParameters(bundle, shape, route, candidate.parameters)
  if (typeof parameters === "string") return parameters
  const carried = carryBody(bundle, shape, method, operation["requestBody"])
  if (typeof carried === "string") return carried
  const { whole } = carried
  const payload = whole === undefined ? shape.schema : { ...whole, type: "object" }
  // Without a body these methods would send the payload.
  const sendsNothing = carried.body === undefined && whole === undefined && ["POST", "PUT", "PATCH"].includes(method)
  const body = sendsNothing ? {} : carried.body
  const payloadSchema = bundle.finish(payload, payloadSchemaLengthMax)
  if (payloadSchema === undefined) {
    return `the schema of its payload is longer than ${payloadSchemaLengthMax / 1024} KiB`
  }
  const response = responseSchema(bundle, operation["responses"])
  return {
    operation: {
      name,
      ...textOf(operation["summary"], 200, (title) => ({ title })),
      ...textOf(operation["description"], 10_000, (description) => ({ description })),
      method,
      path: parameters.path,
      ...Object.keys(parameters.query).length > 0 ? { query: parameters.query } : {},
      ...styleOf(parameters, carried),
      ...Object.keys(parameters.headers).length > 0 ? { headers: parameters.headers } : {},
      ...body === undefined ? {} : { body: body as Schema.Json },
      ...carried.type === undefined ? {} : { body_type: carried.type },
      payload_schema: payloadSchema.schema as HttpOperation["payload_schema"],
      ...response === undefined ? {} : { response_schema: response as HttpOperation["payload_schema"] },
      price
    },
    leftOut: payloadSchema.leftOut,
    notes: [
      ...parameters.notes,
      ...carried.notes,
      ...parameters.queryStyle === "deepObject" && carried.repeatsLists === true
        ? ["Lists of its form are written in brackets, as its query is."]
        : []
    ]
  }
}

/** The value of `result` on success: an object as it is, other JSON under `value`. */
const responseSchema = (bundle: SchemaBundle, responses: unknown): JsonObject | undefined => {
  if (!isObject(responses)) return undefined
  const status = Object.keys(responses).sort().find((name) => /^2(?:\d\d|XX)$/i.test(name))
  const response = status === undefined ? undefined : bundle.follow(responses[status])
  const content = isObject(response) ? jsonContent(response["content"]) : undefined
  if (content === undefined || content["schema"] === undefined) return undefined
  const target = bundle.follow(content["schema"])
  const isObjectSchema = isObject(target) && (target["type"] === "object" || isObject(target["properties"]))
  const converted = bundle.convert(isObjectSchema ? target : content["schema"])
  const finished = bundle.finish(
    isObjectSchema ? converted : { type: "object", properties: { value: converted } },
    responseSchemaLengthMax
  )
  return typeof finished?.schema === "object" ? finished.schema : undefined
}
