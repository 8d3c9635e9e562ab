/** Every endpoint of the OpenAPI document with a valid body, for tests that cover all endpoints. */
import { HubApi } from "@countersign/domain/api"
import { compileSchema, type Validator } from "@countersign/domain/json-schema"
import { type EndpointFacts, endpointsOf, openApiOf } from "@countersign/domain/openapi"
import { sample } from "@countersign/domain/sample"
import { Result } from "effect"

type Json = Readonly<Record<string, unknown>>

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Json }>> }
}

/** `path` is below `/api/v1`. */
export interface WalkedEndpoint extends EndpointFacts {
  readonly params: ReadonlyArray<string>
  /** Statuses in the document. */
  readonly statuses: ReadonlyArray<string>
  /** Its success is a stream of events, which stays open. */
  readonly streams: boolean
  /** The JSON body. */
  readonly body?: {
    readonly validator: Validator
    readonly fields: ReadonlyArray<string>
    readonly sample: unknown
  }
}

const document = openApiOf(HubApi) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Json
}

const bodyOf = (schema: Json): NonNullable<WalkedEndpoint["body"]> => {
  const validator = Result.getOrThrowWith(
    compileSchema({ ...schema, components: document.components }),
    (problems) => new Error(JSON.stringify(problems))
  )
  const named = typeof schema["$ref"] === "string"
    ? (document.components["schemas"] as Readonly<Record<string, Json>>)[schema["$ref"].split("/").at(-1) ?? ""]
    : schema
  const shape = (named?.["anyOf"] as ReadonlyArray<Json> | undefined)?.[0] ?? named
  return { validator, fields: Object.keys(shape?.["properties"] as Json ?? {}), sample: sample(validator.schema) }
}

export const endpoints: ReadonlyArray<WalkedEndpoint> = endpointsOf(HubApi).map((facts) => {
  const operation = document.paths[facts.path.replace(/:([A-Za-z]\w*)/g, "{$1}")]?.[facts.method.toLowerCase()]
  const schema = operation?.requestBody?.content["application/json"]?.schema
  return {
    ...facts,
    path: facts.path.slice("/api/v1".length),
    statuses: Object.keys(operation?.responses ?? {}),
    streams: Object.keys(operation?.responses["200"]?.content ?? {}).join() === "text/event-stream",
    params: [...facts.path.matchAll(/:([A-Za-z]\w*)/g)].map((match) => match[1] ?? ""),
    // A signed hook takes bytes.
    ...schema === undefined || schema["format"] === "binary" ? {} : { body: bodyOf(schema) }
  }
})
