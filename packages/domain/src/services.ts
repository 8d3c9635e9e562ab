/**
 * Services to which the hub dispatches, as data: the same JSON in `POST /services`, in `resources/catalog`, and in the
 * database. Spec: reference/services.md "Definition checks".
 */
import { Result, Schema } from "effect"
import { appReferences, hasOwnHost, sampleBaseUrl } from "./app-base-url.ts"
import type { Detail } from "./errors.ts"
import { compileSchema } from "./json-schema.ts"
import { dottedPath, isJsonObject } from "./json.ts"
import { Cents } from "./money.ts"
import { matching, namePattern } from "./pattern.ts"
import { parsePointer, pointerLengthMax } from "./pointer.ts"
import { checkPrice, FixedPrice, OperationPrice, Price } from "./price.ts"
import { summaryFieldsDefault, summaryFieldsMax } from "./summary.ts"
import { checkTemplate, templateLengthMax } from "./template.ts"

export const operationsMax = 200
export const timeoutMillisDefault = 30_000
export const timeoutMillisMin = 100
export const timeoutMillisMax = 600_000
export const pollMillisDefault = 5_000
export const pollMillisMin = 1_000
export const pollMillisMax = 3_600_000
export const deadlineMillisDefault = 24 * 3_600_000
export const deadlineMillisMin = 1_000
export const deadlineMillisMax = 30 * 24 * 3_600_000
/** Entries of `query` and of `headers`, each. */
export const parametersMax = 64
/** Values of `async.executed` and of `async.failed`, each. */
export const statusValuesMax = 64

export const ServiceName = Schema.String.check(
  matching(
    namePattern,
    "lower-case letters, digits, _ and -, beginning with a letter, at most 64 characters"
  )
).annotate({
  description: "Lower case; begins with a letter, followed by letters, digits, _ and -; at most 64 characters"
})
export const SecretName = Schema.String.check(
  matching(
    namePattern,
    "a secret's name, not its value: lower-case letters, digits, _ and -, beginning with a letter, at most 64 characters"
  )
).annotate({
  description:
    "The name of a stored secret (`PUT /secrets/:name`): lower case; begins with a letter, followed by letters, " +
    "digits, _ and -; at most 64 characters"
})
/** Dots separate the parts of a shipped service's operations: `shell.run`. */
export const OperationName = Schema.String.check(
  Schema.isMaxLength(64),
  matching(
    /^[a-z][a-z0-9_-]*(?:\.[a-z][a-z0-9_-]*)*$/u,
    "lower-case words joined by dots, such as orders.create: letters, digits, _ and -, each beginning with a letter"
  )
).annotate({
  description:
    "Lower-case words separated by dots. Each begins with a letter, followed by letters, digits, _ and -; at " +
    "most 64 characters"
})

const Title = Schema.String.check(Schema.isMaxLength(200))
const Description = Schema.String.check(Schema.isMaxLength(10_000))
const Template = Schema.String.check(Schema.isMaxLength(templateLengthMax)).annotate({
  description:
    "A template: `${payload}`, `${payload.x}`, `${request.id}`, and `${callback_url}` are replaced with their " +
    "values"
})
const PointerText = Schema.String.check(Schema.isMaxLength(pointerLengthMax)).annotate({
  description: "RFC 6901, such as /data/id"
})
const JsonObject = Schema.Record(Schema.String, Schema.Json)
const millis = (minimum: number, maximum: number, description: string) =>
  Schema.Int.check(Schema.isBetween({ minimum, maximum })).annotate({ description })
const pointer = (description: string) =>
  PointerText.annotate({ description: `${description} A JSON Pointer (RFC 6901), such as /data/id.` })

const authText = (description: string) =>
  Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128)).annotate({ description })

export const ServiceAuth = Schema.Struct({
  type: Schema.Literals(["none", "bearer", "basic", "header", "query", "oauth_app"]).annotate({
    description:
      "How the hub authenticates with the provider: `bearer` and `basic` in the header authorization, `header` " +
      "in the header named by `header`, `query` in the parameter named by `param`, `oauth_app` by the token of the " +
      "connected app that `app` names."
  }),
  /** The name of a stored secret; for `basic` its value is `user:password`. */
  secret: Schema.optionalKey(SecretName),
  header: Schema.optionalKey(authText("Of `header`: the header's name, such as x-api-key.")),
  param: Schema.optionalKey(authText("Of `query`: the parameter's name.")),
  app: Schema.optionalKey(authText("Of `oauth_app`: the id of a connected app, or the name of a provider."))
}).annotate({ identifier: "ServiceAuth" })
export type ServiceAuth = typeof ServiceAuth.Type

const StatusValue = Schema.Union([Schema.String.check(Schema.isMaxLength(256)), Schema.Finite, Schema.Boolean])
export type StatusValue = typeof StatusValue.Type

export const OperationAsync = Schema.Struct({
  mode: Schema.Literals(["poll", "callback"]).annotate({
    description: "`poll`: the hub polls the provider. `callback`: the provider calls `${callback_url}`, signed with " +
      "`secret`."
  }),
  ref: pointer("The provider's reference, in its first response and in callbacks."),
  interval_ms: Schema.optionalKey(
    millis(pollMillisMin, pollMillisMax, `Time between polls. Default ${pollMillisDefault}.`)
  ),
  path: Schema.optionalKey(
    Template.annotate({
      description: "The path that the hub polls, such as `/jobs/${ref}`. A template in which `${ref}` is replaced too."
    })
  ),
  method: Schema.optionalKey(
    Schema.Literals(["GET", "POST"]).annotate({ description: "The method of the poll. Default GET." })
  ),
  status: pointer(
    "The status, in the poll's response or the callback. A value that is in none of the lists means that the " +
      "request is still running."
  ),
  executed: Schema.Array(StatusValue).check(Schema.isMinLength(1), Schema.isMaxLength(statusValuesMax)).annotate({
    description: "Status values that end the request as executed."
  }),
  failed: Schema.Array(StatusValue).check(Schema.isMaxLength(statusValuesMax)).annotate({
    description: "Status values that end the request as failed, without charge."
  }),
  /** The provider refuses by its own rules: the request ends `blocked`, without charge. */
  blocked: Schema.optionalKey(Schema.Array(StatusValue).check(Schema.isMaxLength(statusValuesMax))),
  result: Schema.optionalKey(pointer("The result. Default: the whole body.")),
  cost_cents: Schema.optionalKey(
    pointer(
      "The actual cost in cents; fractions of a cent are carried over to later requests. Without it, the ceiling is charged."
    )
  ),
  detail: Schema.optionalKey(pointer("The reason of a failure or refusal.")),
  deadline_ms: Schema.optionalKey(
    millis(deadlineMillisMin, deadlineMillisMax, "The time limit; after it the outcome is unknown. Default 24 hours.")
  ),
  /** The stored secret that verifies callbacks. */
  secret: Schema.optionalKey(SecretName)
}).annotate({ identifier: "OperationAsync" })
export type OperationAsync = typeof OperationAsync.Type

const describedOperation = {
  name: OperationName,
  title: Schema.optionalKey(Title),
  description: Schema.optionalKey(Description),
  /** JSON Schema 2020-12; fields with `writeOnly: true` are masked for people. */
  payload_schema: JsonObject.annotate({
    description: "JSON Schema 2020-12 of the payload. A payload that does not match is refused with 400. Fields with " +
      "`writeOnly: true` are masked for people."
  }),
  summary: Schema.optionalKey(
    Schema.Array(PointerText).check(Schema.isMinLength(1), Schema.isMaxLength(summaryFieldsMax)).annotate({
      description:
        `Pointers into the payload: the fields that lists of approvals and requests show, in this order. Without ` +
        `them, the first ${summaryFieldsDefault} short fields, required ones first. Masked fields are never ` +
        `shown. An integer whose schema has \`format: "cents"\`, or whose name ends in \`_cents\`, is shown as ` +
        `money.`
    })
  ),
  example: Schema.optionalKey(
    JsonObject.annotate({ description: "A payload that matches the schema, shown to agents." })
  ),
  response_schema: Schema.optionalKey(
    JsonObject.annotate({ description: "JSON Schema of the result. Test mode generates its results from it." })
  ),
  price: Price,
  idempotent: Schema.optionalKey(Schema.Boolean.annotate({
    description:
      "The provider executes requests with the same `idempotency-key` header once. After an unknown outcome (the " +
      "request was sent and no complete response arrived), the hub sends the request again once, with the same " +
      "key."
  })),
  unknown: Schema.optionalKey(
    Schema.Literals(["fail", "hold"]).annotate({
      description:
        "The rule for an unknown outcome: the request was sent, no complete response arrived, and the provider " +
        "may have acted. `fail` (default) ends the request as `failed` with `fate: unknown` and releases its " +
        "money. `hold` keeps it `running` with its money held until a callback or a person settles it; use it if " +
        "a double payment is unacceptable."
    })
  ),
  timeout_ms: Schema.optionalKey(
    millis(timeoutMillisMin, timeoutMillisMax, `After it, the outcome is unknown. Default ${timeoutMillisDefault}.`)
  ),
  test: Schema.optionalKey(
    Schema.Struct({ result: Schema.optionalKey(Schema.Json), ceiling_cents: Schema.optionalKey(Cents) }).annotate({
      description:
        "Test mode: the result for test keys, and the ceiling that replaces the price. The provider is never " +
        "called."
    })
  )
}

export const BodyType = Schema.Literals(["json", "form", "multipart", "text"]).annotate({
  description:
    "How the body is sent. `json` (default): application/json. `form`: application/x-www-form-urlencoded, with objects and " +
    "lists in brackets (`metadata[order]=1`, `items[0][price]=p_1`) and null as an empty value. `multipart`: multipart/form-data; a " +
    "list repeats its part, an object is a JSON part, and `{ base64, filename?, content_type? }` is a file. `text`: text/plain, where " +
    "the body is a single string such as `${payload.text}`. The body of a form is an object."
})
export type BodyType = typeof BodyType.Type

export const QueryStyle = Schema.Literals(["form", "deepObject"]).annotate({
  description:
    "How lists and objects are written in the query. `form` (default): a list repeats its parameter, and an object is sent as " +
    "JSON. `deepObject`: both in brackets (`created[gte]=1`, `expand[0]=data`). In a body of type `form`, lists of scalars repeat their " +
    "name only where this is set to `form`."
})
export type QueryStyle = typeof QueryStyle.Type

export const HttpOperation = Schema.Struct({
  ...describedOperation,
  // Words separated by dots are reserved for services that the hub ships.
  name: ServiceName,
  method: Schema.Literals(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
  path: Template,
  query: Schema.optionalKey(Schema.Record(Schema.String, Schema.Union([Template, Schema.Finite, Schema.Boolean]))),
  query_style: Schema.optionalKey(QueryStyle),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Template)),
  body: Schema.optionalKey(Schema.Json.annotate({
    description: "Any JSON; each string in it is a template. Without it, POST, PUT, and PATCH send the payload."
  })),
  body_type: Schema.optionalKey(BodyType),
  result: Schema.optionalKey(pointer("The result in the provider's response. Default: the whole response.")),
  async: Schema.optionalKey(OperationAsync)
}).annotate({ identifier: "HttpOperation" })
export type HttpOperation = typeof HttpOperation.Type

export const BuiltinOperation = Schema.Struct({ ...describedOperation, price: OperationPrice }).annotate({
  identifier: "BuiltinOperation"
})
export type BuiltinOperation = typeof BuiltinOperation.Type

/** A tool of an MCP server. */
export const McpOperation = Schema.Struct({
  ...describedOperation,
  name: ServiceName,
  /** The server's name of the tool. */
  tool: Schema.String
}).annotate({ identifier: "McpOperation" })
export type McpOperation = typeof McpOperation.Type

const describedService = {
  name: ServiceName,
  title: Schema.optionalKey(Title),
  description: Schema.optionalKey(Description),
  enabled: Schema.optionalKey(Schema.Boolean)
}
const operations = <S extends Schema.Top>(operation: S) =>
  Schema.Array(operation).check(Schema.isMinLength(1), Schema.isMaxLength(operationsMax))

/** A service that an org may declare. */
export const HttpService = Schema.Struct({
  ...describedService,
  // Not a single literal: the error for a body of another kind then names the path instead of the whole union.
  kind: Schema.Literals(["http"]),
  base_url: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_048)).annotate({
    description:
      "Scheme, host, port, and path, such as https://api.example.com/v1; each operation's path is appended. Private addresses are refused unless HUB_EGRESS_ALLOW lists them. With `oauth_app`, `${app.name}` is replaced with a value of the app, such as `${app.instance_url}`."
  }),
  auth: Schema.optionalKey(ServiceAuth),
  operations: operations(HttpOperation)
}).annotate({ identifier: "HttpService" })
export type HttpService = typeof HttpService.Type

const toolNameMax = 128

/** An MCP server that an org may declare: its tools are its operations. */
export const McpService = Schema.Struct({
  ...describedService,
  kind: Schema.Literals(["mcp"]),
  url: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_048)).annotate({
    description:
      "The address of the server's streamable HTTP endpoint, such as https://example.com/mcp. Private addresses are refused unless HUB_EGRESS_ALLOW lists them."
  }),
  auth: Schema.optionalKey(ServiceAuth),
  default_price: FixedPrice.annotate({ description: "The price of each tool without its own." }),
  prices: Schema.optionalKey(
    Schema.Record(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(toolNameMax)), FixedPrice).annotate({
      description: "Prices by the tool's name."
    })
  )
}).annotate({ identifier: "McpService" })
export type McpService = typeof McpService.Type

/** An MCP service with its callable tools. */
export interface McpDefinition extends Omit<McpService, "enabled"> {
  readonly enabled?: boolean
  readonly operations: ReadonlyArray<McpOperation>
}

/** A service that only the hub ships: its own adapter behind the same description. */
export const BuiltinService = Schema.Struct({
  ...describedService,
  kind: Schema.Literal("builtin"),
  adapter: ServiceName,
  /** Settings of the adapter, such as token prices. */
  settings: Schema.optionalKey(JsonObject),
  operations: operations(BuiltinOperation)
}).annotate({ identifier: "BuiltinService" })
export type BuiltinService = typeof BuiltinService.Type

/** A definition in the catalog's files. */
export const ServiceDefinition = Schema.Union([HttpService, BuiltinService]).annotate({
  identifier: "ServiceDefinition"
})
export type ServiceDefinition = typeof ServiceDefinition.Type | McpDefinition
export type OperationDefinition = HttpOperation | BuiltinOperation | McpOperation

export const operationOf = (definition: ServiceDefinition, name: string): OperationDefinition | undefined =>
  (definition.operations as ReadonlyArray<OperationDefinition>).find((operation) => operation.name === name)

const refuse = (path: string, message: string): ReadonlyArray<Detail> => [{ path, message }]

const pointerProblems = (pointer: string | undefined, path: string): ReadonlyArray<Detail> => {
  const parsed = pointer === undefined ? undefined : parsePointer(pointer)
  return parsed !== undefined && Result.isFailure(parsed) ? refuse(path, parsed.failure) : []
}

const schemaProblems = (schema: unknown, path: string): ReadonlyArray<Detail> => {
  const compiled = schema === undefined ? undefined : compileSchema(schema, path)
  return compiled !== undefined && Result.isFailure(compiled) ? compiled.failure : []
}

/** Scheme, host, port, and path before every operation's path. */
const baseUrlForm =
  /^https?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:[\]\\"<>^`{|}%]+)(?::\d{1,5})?(?:\/[^\s?#\\"<>^`{|}]*)?$/i

const baseUrlProblems = (given: string, auth: ServiceAuth | undefined, at: string): ReadonlyArray<Detail> => {
  if (appReferences(given).length > 0) {
    if (auth?.type !== "oauth_app") return refuse(at, "${app.…} needs auth of the type oauth_app.")
    if (!given.startsWith("${app.") && !hasOwnHost(given)) {
      return refuse(at, "${app.…} must be at the beginning or in the path.")
    }
  }
  const url = sampleBaseUrl(given)
  if (!/^https?:\/\//i.test(url)) return refuse(at, "A base URL begins with https:// or http://.")
  if (/^https?:\/\/[^/?#]*@/i.test(url)) return refuse(at, "A base URL carries no user or password. Use auth.")
  if (!baseUrlForm.test(url)) return refuse(at, "A base URL is scheme, host, port and path, without query or fragment.")
  return []
}

/** Scheme, host, port, path, and query. */
const serverUrlForm =
  /^https?:\/\/(?:\[[0-9A-Fa-f:.]+\]|[^\s/?#@:[\]\\"<>^`{|}%]+)(?::\d{1,5})?(?:[/?][^\s#\\"<>^`{|}]*)?$/i

const serverUrlProblems = (given: string, at: string): ReadonlyArray<Detail> => {
  if (!/^https?:\/\//i.test(given)) return refuse(at, "The address begins with https:// or http://.")
  if (/^https?:\/\/[^/?#]*@/i.test(given)) return refuse(at, "The address carries no user or password. Use auth.")
  return serverUrlForm.test(given) ? [] : refuse(at, "The address is scheme, host, port, path, and query.")
}

/** RFC 9110 tokens. */
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const framingHeaders = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "idempotency-key",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

const authProblems = (auth: ServiceAuth | undefined, at: string): ReadonlyArray<Detail> => {
  if (auth === undefined || auth.type === "none") return []
  if (auth.type === "oauth_app") {
    return auth.app === undefined
      ? refuse(dottedPath(at, "app"), "\"oauth_app\" needs the id of a connected app, or the name of a provider.")
      : []
  }
  const { header, param, secret, type } = auth
  const problems: Array<Detail> = []
  const need = (name: string, what: string) =>
    problems.push({ path: dottedPath(at, name), message: `"${type}" needs ${what}.` })
  if (secret === undefined) need("secret", "the name of a stored secret")
  if (type === "header" && header === undefined) need("header", "the header's name")
  if (type === "query" && param === undefined) need("param", "the parameter's name")
  if (header === undefined) return problems
  if (!headerName.test(header)) {
    problems.push({ path: dottedPath(at, "header"), message: "This is not a valid header name." })
  } else if (framingHeaders.has(header.toLowerCase())) {
    problems.push({ path: dottedPath(at, "header"), message: "This header is set by the hub." })
  }
  return problems
}

const asyncProblems = (async: OperationAsync | undefined, at: string): ReadonlyArray<Detail> => {
  if (async === undefined) return []
  const lists = [["executed", async.executed], ["failed", async.failed], ["blocked", async.blocked ?? []]] as const
  const doubles = lists.flatMap(([name, values], index) =>
    lists.slice(0, index).flatMap(([earlier, others]) =>
      values.filter((value) => others.includes(value)).slice(0, 1).map((value) => ({ name, earlier, value }))
    )
  )
  return [
    ...["ref", "status", "result", "cost_cents", "detail"].flatMap((name) =>
      pointerProblems(async[name as "ref"], dottedPath(at, name))
    ),
    ...async.mode === "poll" && async.path === undefined
      ? refuse(dottedPath(at, "path"), "A poll needs a path, such as /jobs/${ref}.")
      : [],
    ...async.path === undefined ? [] : checkTemplate(async.path, "path", dottedPath(at, "path"), { polls: true }),
    ...doubles.flatMap(({ earlier, name, value }) =>
      refuse(dottedPath(at, name), `${JSON.stringify(value)} is also in ${earlier}.`)
    )
  ]
}

/** Whether a text is a single reference: its value is unknown without the payload. */
const isReference = (body: unknown): boolean => typeof body === "string" && /^\$\{[^{}]*\}$/u.test(body)

const bodyProblems = (
  { body, body_type: type, method }: HttpOperation,
  path: (...steps: ReadonlyArray<string>) => string
): ReadonlyArray<Detail> => {
  if (method === "GET" || method === "HEAD") {
    return [
      ...body === undefined ? [] : refuse(path("body"), `${method} has no body. Use query.`),
      ...type === undefined ? [] : refuse(path("body_type"), `${method} has no body. Use query.`)
    ]
  }
  if (type === undefined || type === "json" || isReference(body)) return []
  if (type === "text") {
    return typeof body === "string"
      ? []
      : refuse(path("body"), "A text body must be a single string, such as ${payload.text}.")
  }
  return body === undefined || isJsonObject(body)
    ? []
    : refuse(path("body"), `A body of type "${type}" must be an object.`)
}

const operationProblems = (operation: OperationDefinition, at: string): ReadonlyArray<Detail> => {
  const path = (...steps: ReadonlyArray<string>) => dottedPath(at, ...steps)
  const problems = [
    ...schemaProblems(operation.payload_schema, path("payload_schema")),
    ...schemaProblems(operation.response_schema, path("response_schema")),
    ...checkPrice(operation.price, path("price")),
    ...(operation.summary ?? []).flatMap((pointer, at) => pointerProblems(pointer, path("summary", String(at))))
  ]
  if (!("path" in operation)) return problems
  const entries = (name: "query" | "headers") => Object.keys(operation[name] ?? {}).length
  return [
    ...problems,
    ...checkTemplate(operation.path, "path", path("path")),
    ...operation.query === undefined ? [] : checkTemplate(operation.query, "query", path("query")),
    ...operation.headers === undefined ? [] : checkTemplate(operation.headers, "header", path("headers")),
    ...operation.body === undefined ? [] : checkTemplate(operation.body, "body", path("body")),
    ...entries("query") > parametersMax
      ? refuse(path("query"), `An operation can have at most ${parametersMax} query parameters.`)
      : [],
    ...entries("headers") > parametersMax
      ? refuse(path("headers"), `An operation can have at most ${parametersMax} headers.`)
      : [],
    ...bodyProblems(operation, path),
    ...pointerProblems(operation.result, path("result")),
    ...asyncProblems(operation.async, path("async"))
  ]
}

/**
 * Every check of a definition that its schema cannot express: JSON Schemas and CEL compile, templates and pointers
 * parse, and dependent fields are complete. Runs on save and when the catalog is loaded. Paths are dotted below `at`.
 */
export const checkService = (definition: ServiceDefinition, at = ""): ReadonlyArray<Detail> => {
  const seen = new Set<string>()
  return [
    ...definition.kind !== "mcp" ? [] : [
      ...serverUrlProblems(definition.url, dottedPath(at, "url")),
      ...authProblems(definition.auth, dottedPath(at, "auth"))
    ],
    ...definition.kind !== "http" ? [] : [
      ...baseUrlProblems(definition.base_url, definition.auth, dottedPath(at, "base_url")),
      ...authProblems(definition.auth, dottedPath(at, "auth"))
    ],
    ...definition.operations.flatMap((operation: OperationDefinition, index) => {
      const here = dottedPath(at, "operations", index)
      const again = seen.has(operation.name)
      seen.add(operation.name)
      return [
        ...again ? refuse(dottedPath(here, "name"), `There are two operations named "${operation.name}".`) : [],
        ...operationProblems(operation, here)
      ]
    })
  ]
}
