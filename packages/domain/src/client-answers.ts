/**
 * Reads answers of a hub that may be newer than this client: unknown fields are dropped, enumerations accept unlisted
 * values, and bounds are not checked. Required fields must be present and have their type.
 */
import { Effect, Schema, SchemaAST } from "effect"
import type { HttpClientResponse } from "effect/http"
import { type HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { AnswerError, detailsOf } from "./client-errors.ts"

/** The body of each success type; a stream cannot be read whole, see `open`. */
export type Answer<S> = S extends HttpApiSchema.WithHeaders<infer Body, infer _Headers> ? Answer<Body>
  : S extends HttpApiSchema.StreamSchema | HttpApiSchema.Upgrade<infer _Any> ? never
  : S extends Schema.Constraint ? S["Type"]
  : never

const isEnumeration = (ast: SchemaAST.AST): boolean =>
  SchemaAST.isUnion(ast) && ast.types.length > 1 &&
  ast.types.every((type) => SchemaAST.isLiteral(type) && typeof type.literal === "string")

/** The method of effect 4.1 that rebuilds a node from its children; nodes without children do not have it. */
type Node = SchemaAST.AST & { readonly recur?: (each: (ast: SchemaAST.AST) => SchemaAST.AST) => SchemaAST.AST }

const optionalString = Schema.optionalKey(Schema.String).ast

/** Replaces each enumeration by any string. A single literal stays, because it distinguishes the members of a union. */
const opened = (ast: Node): SchemaAST.AST =>
  isEnumeration(ast)
    ? SchemaAST.isOptional(ast) ? optionalString : SchemaAST.string
    : ast.recur?.(opened) ?? ast

type Response = HttpClientResponse.HttpClientResponse
type Read = (response: Response) => Effect.Effect<unknown, AnswerError>

const bodiesOf = (endpoint: HttpApiEndpoint.Top): ReadonlyArray<Schema.Top> =>
  [...endpoint.success].map((schema) => HttpApiSchema.isWithHeaders(schema) ? schema.schema : schema)

const decoderOf = (bodies: ReadonlyArray<Schema.Top>) =>
  Schema.decodeUnknownEffect(
    Schema.Union(
      bodies.map((schema) => Schema.make<Schema.Codec<unknown>>(opened(schema.ast) as Schema.Codec<unknown>["ast"]))
    ),
    { errors: "all", disableChecks: true }
  )

/** The reader of one endpoint's answers; built at the first call. */
export const makeRead = (endpoint: HttpApiEndpoint.Top): Read => {
  let read: Read | undefined
  return (response) => (read ??= compile(bodiesOf(endpoint)))(response)
}

/** Reads a parsed body in the same way; a missing body is `undefined`. Built at the first call. */
export const makeReadBody = (
  endpoint: HttpApiEndpoint.Top
): (body: unknown) => Effect.Effect<unknown, Schema.SchemaError> => {
  let decode: ReturnType<typeof decoderOf> | undefined
  const declared = bodiesOf(endpoint)
  const bodies = declared.filter((schema) => !HttpApiSchema.isNoContent(schema.ast))
  const mayBeEmpty = declared.length === 0 || bodies.length < declared.length
  return (body) =>
    (body === undefined && mayBeEmpty) || bodies.length === 0 ? Effect.undefined : (decode ??= decoderOf(bodies))(body)
}

const compile = (declared: ReadonlyArray<Schema.Top>): Read => {
  const bodies = declared.filter((schema) => !HttpApiSchema.isNoContent(schema.ast))
  const mayBeEmpty = declared.length === 0 || bodies.length < declared.length
  const takesText = bodies.some((schema) => SchemaAST.isString(SchemaAST.toEncoded(schema.ast)))
  const decode = decoderOf(bodies)
  return (response) =>
    Effect.gen(function*() {
      const type = response.headers["content-type"]?.split(";", 1)[0]?.trim().toLowerCase() ?? ""
      const text = yield* Effect.orDie(response.text)
      if (text === "" && mayBeEmpty) return undefined
      // An HTML page comes from a gateway, never from the hub.
      const value = takesText && type !== "application/json" && type !== "text/html"
        ? text
        : yield* parse(text, type, response)
      if (bodies.length === 0) return undefined
      return yield* Effect.mapError(decode(value), (error) =>
        answerError(
          response,
          "unexpected_answer",
          "The response has an unexpected form. Update this client.",
          detailsOf(error)
        ))
    })
}

const parse = (text: string, type: string, response: Response): Effect.Effect<unknown, AnswerError> =>
  Effect.try({
    try: (): unknown => JSON.parse(text),
    catch: () => {
      const what = text === "" ? "nothing" : type || "some text"
      return answerError(response, "unreadable_answer", `No JSON came but ${what}. Is the address the hub's?`)
    }
  })

const answerError = (
  response: Response,
  code: string,
  message: string,
  details?: AnswerError["details"]
): AnswerError => {
  const request_id = response.headers["x-request-id"]
  return new AnswerError({
    code,
    message,
    status: response.status,
    ...request_id === undefined ? {} : { request_id },
    ...details === undefined ? {} : { details }
  })
}
