/** Request and answer schemas of each endpoint, from the contract; built per endpoint at its first call. */
import { HubApi } from "@countersign/domain/api"
import { makeReadBody } from "@countersign/domain/client-answers"
import { detailsOf } from "@countersign/domain/client-errors"
import type { Detail } from "@countersign/domain/errors"
import type { AnyInput, EndpointName, Input, Output } from "@countersign/hub-client/contract"
import { Effect, Result, Schema, SchemaAST } from "effect"
import { HttpApi, type HttpApiEndpoint } from "effect/http-api"
import { bridgedEndpoints } from "./channels.ts"

/** Length of one path parameter. The hub checks whether the id exists. */
const paramLengthMax = 512
/** Length of a payload's JSON text; the hub's own limit is lower for most endpoints. */
export const payloadLengthMax = 8_388_608

export interface EndpointSchema<E extends EndpointName> {
  /** The input as it is sent to the hub, without empty filters and absent fields. */
  readonly readInput: (input: unknown) => Result.Result<Input<E>, ReadonlyArray<Detail>>
  readonly readAnswer: (body: unknown) => Result.Result<Output<E>, ReadonlyArray<Detail>>
}

type Members = Readonly<Record<string, unknown>>
const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const wrong = (path: string, message: string): Result.Result<never, ReadonlyArray<Detail>> =>
  Result.fail([{ path, message }])
const under = (part: string, details: ReadonlyArray<Detail>): ReadonlyArray<Detail> =>
  part === "query" ? details : details.map(({ message, path }) => ({ message, path: path === "" ? part : path }))

const checker = (schema: Schema.Top) => {
  const decode = Schema.decodeUnknownResult(Schema.make<Schema.Codec<unknown>>(SchemaAST.toType(schema.ast)), {
    errors: "all",
    onExcessProperty: "error"
  })
  return (value: unknown) => Result.mapError(decode(value), detailsOf)
}

const empty = (value: unknown): boolean => value === undefined || value === null || value === ""

interface AnyEndpointSchema {
  readonly readInput: (input: unknown) => Result.Result<AnyInput, ReadonlyArray<Detail>>
  readonly readAnswer: (body: unknown) => Result.Result<unknown, ReadonlyArray<Detail>>
}

const makeSchema = (endpoint: HttpApiEndpoint.Top): AnyEndpointSchema => {
  const names = [...endpoint.path.matchAll(/:([A-Za-z]\w*)/gu)].flatMap(([, name]) => name ?? [])
  const query = endpoint.query === undefined ? undefined : checker(endpoint.query)
  const bodies = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  const body = bodies.length === 0 ? undefined : checker(Schema.Union(bodies))
  const allowsNoPayload = bodies.length === 0 || bodies.some((schema) => SchemaAST.isNull(schema.ast))
  const read = makeReadBody(endpoint)

  const readParams = (params: unknown): Result.Result<Members, ReadonlyArray<Detail>> => {
    if (!isObject(params ?? {})) return wrong("params", "is not an object")
    const given = (params ?? {}) as Members
    for (const name of Object.keys(given)) if (!names.includes(name)) return wrong(name, "is not of this address")
    for (const name of names) {
      const value = given[name]
      if (typeof value !== "string" || value === "" || value.length > paramLengthMax) {
        return wrong(name, "is no text of an address")
      }
    }
    return Result.succeed(given)
  }
  const readQuery = (given: unknown): Result.Result<Members | undefined, ReadonlyArray<Detail>> => {
    if (!isObject(given ?? {})) return wrong("query", "is not an object")
    const filled = Object.fromEntries(Object.entries((given ?? {}) as Members).filter(([, value]) => !empty(value)))
    if (Object.keys(filled).length === 0) return Result.succeed(undefined)
    return query === undefined
      ? wrong(Object.keys(filled)[0] ?? "", "is not asked for here")
      : Result.map(query(filled), () => filled)
  }
  const readPayload = (given: unknown): Result.Result<unknown, ReadonlyArray<Detail>> => {
    if (given === undefined || given === null) {
      return allowsNoPayload
        ? Result.succeed(undefined)
        : wrong("payload", "is missing")
    }
    if (body === undefined) return wrong("payload", "is not asked for here")
    let text: string | undefined
    try {
      text = JSON.stringify(given)
    } catch {
      return wrong("payload", "is no JSON")
    }
    if (text === undefined || text.length > payloadLengthMax) {
      return wrong("payload", text === undefined ? "is no JSON" : "is too long")
    }
    const plain: unknown = JSON.parse(text)
    return Result.mapError(Result.map(body(plain), () => plain), (details) => under("payload", details))
  }

  return {
    readInput: (input) => {
      if (!isObject(input)) return wrong("", "is not an object")
      for (const name of Object.keys(input)) {
        if (!["params", "query", "payload"].includes(name)) return wrong(name, "is not known")
      }
      return Result.gen(function*() {
        const params = yield* readParams(input["params"])
        const query = yield* readQuery(input["query"])
        const payload = yield* readPayload(input["payload"])
        return { params, ...query === undefined ? {} : { query }, ...payload === undefined ? {} : { payload } }
      })
    },
    readAnswer: (answer) => Result.mapError(Effect.runSync(Effect.result(read(answer))), detailsOf)
  }
}

let endpoints: ReadonlyMap<string, HttpApiEndpoint.Top> | undefined
const endpointsByName = (): ReadonlyMap<string, HttpApiEndpoint.Top> => {
  if (endpoints !== undefined) return endpoints
  const found = new Map<string, HttpApiEndpoint.Top>()
  HttpApi.reflect(HubApi, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group }) => void found.set(`${group.identifier}.${endpoint.identifier ?? ""}`, endpoint)
  })
  for (const name of bridgedEndpoints) if (!found.has(name)) throw new Error(`The contract has no endpoint ${name}.`)
  return endpoints = found
}

const made = new Map<EndpointName, AnyEndpointSchema>()

export const endpointSchema = <E extends EndpointName>(name: E): EndpointSchema<E> => {
  let schema = made.get(name)
  if (schema === undefined) {
    const endpoint = endpointsByName().get(name)
    if (endpoint === undefined) throw new Error(`The contract has no endpoint ${name}.`)
    schema = makeSchema(endpoint)
    made.set(name, schema)
  }
  // `Input` and `Output` are derived from the schemas of the endpoint with this name.
  return schema as EndpointSchema<E>
}
