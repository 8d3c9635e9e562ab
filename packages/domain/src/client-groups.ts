/** Every endpoint of the contract as a typed method, grouped as the contract groups them. */
import { Effect, type Schema, SchemaAST } from "effect"
import type { HttpClientResponse } from "effect/http"
import { HttpApi, HttpApiClient, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { HubApi } from "./api.ts"
import { type Answer, makeRead } from "./client-answers.ts"
import { type ClientError, detailsOf, InputError } from "./client-errors.ts"
import {
  type CallOptions,
  readIdempotencyKey,
  readMillis,
  readRetries,
  readToken,
  type Settings,
  type Signal
} from "./client-settings.ts"
import { type Call, CurrentCall, type Transport } from "./client-transport.ts"
import { newIdempotencyKey } from "./idempotency-key.ts"
import { idempotentOperations } from "./openapi.ts"

type Response = HttpClientResponse.HttpClientResponse

/** The arguments of an endpoint. A part that may be empty may be omitted. */
type Part<Name extends string, Value> = [Value] extends [never] ? {}
  : {} extends Value ? { readonly [K in Name]?: Value }
  : null extends Value ? { readonly [K in Name]?: Value }
  : { readonly [K in Name]: Value }
type Request<E extends HttpApiEndpoint.ConstraintRequest> =
  & Part<"params", E["~Params"]["Type"]>
  & Part<"query", E["~Query"]["Type"]>
  & Part<"payload", E["~Payload"]["Type"]>
type Arguments<R, Options> = {} extends R ? [request?: R, options?: Options] : [request: R, options?: Options]

export interface Method<R, A> {
  (...args: Arguments<R, CallOptions>): Effect.Effect<A, ClientError>
  /**
   * The same call without reading the body, for event streams and downloads of any size. Retried until a response head
   * arrives.
   */
  readonly open: (...args: Arguments<R, CallOptions & Opening>) => Effect.Effect<Response, ClientError>
}
export interface Opening {
  /** Also ends a body that is still arriving. */
  readonly signal?: Signal
}

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never
type Methods<Endpoints> = {
  readonly [Name in keyof Endpoints]: Endpoints[Name] extends
    HttpApiEndpoint.ConstraintRequest & { readonly "~Success": infer S } ? Method<Request<Endpoints[Name]>, Answer<S>>
    : never
}
type MethodsOf<Groups> = Groups extends HttpApiGroup.Constraint
  ? { readonly [Name in Groups["identifier"]]: Methods<Groups["endpoints"]> }
  : never
type Intersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void ? I : never

/** `client.approvals.list({ query: { status: "pending" } })`: one object for each group of the contract. */
export type GroupMethods = Intersection<MethodsOf<GroupsOf<typeof HubApi>>>

type AnyRequest = { readonly params?: unknown; readonly query?: unknown; readonly payload?: unknown }
type AnyOptions = CallOptions & Opening & { readonly testOutcome?: string }
type Derived = (request: unknown) => Effect.Effect<Response, ClientError | Schema.SchemaError, CurrentCall>
type AnySend = (request: AnyRequest | undefined, options: AnyOptions | undefined) => Effect.Effect<unknown, ClientError>

export const makeGroups = (settings: Settings, transport: Transport): Effect.Effect<GroupMethods> =>
  Effect.gen(function*() {
    const made: unknown = yield* HttpApiClient.makeWith(HubApi, { httpClient: transport, baseUrl: settings.baseUrl })
    const derived = made as Readonly<Record<string, Readonly<Record<string, Derived>>>>
    const groups: Record<string, Record<string, AnySend & { readonly open: AnySend }>> = {}
    HttpApi.reflect(HubApi, {
      onGroup: ({ group }) => {
        groups[group.identifier] = {}
      },
      onEndpoint: ({ endpoint, group }) => {
        const encode = derived[group.identifier]?.[endpoint.identifier]
        if (encode === undefined) {
          throw new Error(`The endpoint ${group.identifier}.${endpoint.identifier} has no method.`)
        }
        const read = makeRead(endpoint)
        const noPayload = takesNothing(endpoint) ? null : undefined
        const isKeyed = idempotentOperations.has(`${group.identifier}.${endpoint.identifier}`)
        const send = (request: AnyRequest | undefined, options: AnyOptions = {}, streams = false) => {
          // Made outside the Effect: the same value, run again, sends the same key.
          const idempotencyKey = options.idempotencyKey ?? (isKeyed ? newIdempotencyKey() : undefined)
          const keyed = idempotencyKey === undefined ? options : { ...options, idempotencyKey }
          return Effect.flatMap(readCall(settings, keyed, streams), (call) =>
            encode({
              params: request?.params,
              query: request?.query ?? {},
              payload: request?.payload ?? noPayload,
              responseMode: "response-only"
            }).pipe(
              Effect.catchTag("SchemaError", (error) => Effect.fail(unfit(error))),
              Effect.provideService(CurrentCall, call)
            ))
        }
        groups[group.identifier]![endpoint.identifier] = Object.assign(
          (request: AnyRequest | undefined, options: AnyOptions | undefined) =>
            Effect.flatMap(send(request, options), read),
          { open: (request: AnyRequest | undefined, options: AnyOptions | undefined) => send(request, options, true) }
        )
      }
    })
    return groups as unknown as GroupMethods
  })

/** Whether an action accepts a call without a body: `null` then represents it. */
const takesNothing = (endpoint: HttpApiEndpoint.Top): boolean =>
  [...endpoint.payload.values()].flatMap(({ schemas }) => schemas).some((schema) => SchemaAST.isNull(schema.ast))

const readCall = (settings: Settings, options: AnyOptions, streams: boolean): Effect.Effect<Call, InputError> =>
  Effect.gen(function*() {
    return {
      idempotencyKey: options.idempotencyKey === undefined
        ? undefined
        : yield* readIdempotencyKey(options.idempotencyKey),
      testOutcome: options.testOutcome === undefined ? undefined : yield* readToken("testOutcome", options.testOutcome),
      workspace: options.workspace === undefined ? undefined : yield* readToken("workspace", options.workspace),
      retries: yield* readRetries(options.retries ?? settings.retries),
      timeoutMillis: yield* readMillis("timeoutMillis", options.timeoutMillis ?? settings.timeoutMillis),
      streams,
      signal: options.signal
    }
  })

/** A call that the contract's schema refuses is not sent. */
const unfit = (error: Schema.SchemaError): InputError =>
  new InputError({
    code: "invalid_request",
    message: "The request does not fit what this endpoint takes.",
    details: detailsOf(error)
  })
