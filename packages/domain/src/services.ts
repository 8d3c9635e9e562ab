/**
 * Services that the hub dispatches to, as data: the same JSON in `POST /services`, in `resources/catalog` and in the database.
 * Spec: contract 2 "A declared service".
 */
import { Schema } from "effect"
import { Cents } from "./money.ts"

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

export const ServiceName = Schema.String.check(Schema.isPattern(/^[a-z][a-z0-9_-]{0,63}$/u)).annotate({
  description: "Lower case, begins with a letter, then letters, digits, _ and -, at most 64 characters"
})
export const SecretName = ServiceName

const Title = Schema.String.check(Schema.isMaxLength(200))
const Description = Schema.String.check(Schema.isMaxLength(10_000))
const Template = Schema.String.check(Schema.isMaxLength(4_096))
const PointerText = Schema.String.check(Schema.isMaxLength(1_024)).annotate({ description: "RFC 6901, such as /data/id" })
const Expression = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(4_096)).annotate({ description: "CEL over payload" })
const JsonObject = Schema.Record(Schema.String, Schema.Json)
const millis = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** What an operation costs. `actual` points to a number of cents in the provider's answer. */
export const Price = Schema.Union([
  Schema.Struct({ type: Schema.Literal("fixed"), cents: Cents }),
  Schema.Struct({
    type: Schema.Literal("quoted"),
    ceiling: Expression,
    estimate: Schema.optionalKey(Expression),
    actual: Schema.optionalKey(PointerText)
  })
]).annotate({ identifier: "Price" })
export type Price = typeof Price.Type

export const ServiceAuth = Schema.Struct({
  type: Schema.Literals(["none", "bearer", "basic", "header", "query", "oauth_app"]),
  /** The name of a stored secret; of `basic` its value is `user:password`. */
  secret: Schema.optionalKey(SecretName),
  header: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))),
  param: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128))),
  app: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128)))
}).annotate({ identifier: "ServiceAuth" })
export type ServiceAuth = typeof ServiceAuth.Type

const StatusValue = Schema.Union([Schema.String.check(Schema.isMaxLength(256)), Schema.Finite, Schema.Boolean])
export type StatusValue = typeof StatusValue.Type

export const OperationAsync = Schema.Struct({
  mode: Schema.Literals(["poll", "callback"]),
  ref: PointerText,
  interval_ms: Schema.optionalKey(millis(pollMillisMin, pollMillisMax)),
  path: Schema.optionalKey(Template),
  method: Schema.optionalKey(Schema.Literals(["GET", "POST"])),
  status: PointerText,
  executed: Schema.Array(StatusValue).check(Schema.isMinLength(1), Schema.isMaxLength(statusValuesMax)),
  failed: Schema.Array(StatusValue).check(Schema.isMaxLength(statusValuesMax)),
  result: Schema.optionalKey(PointerText),
  cost_cents: Schema.optionalKey(PointerText),
  detail: Schema.optionalKey(PointerText),
  deadline_ms: Schema.optionalKey(millis(deadlineMillisMin, deadlineMillisMax)),
  /** The stored secret that verifies callbacks. */
  secret: Schema.optionalKey(SecretName)
}).annotate({ identifier: "OperationAsync" })
export type OperationAsync = typeof OperationAsync.Type

const describedOperation = {
  name: ServiceName,
  title: Schema.optionalKey(Title),
  description: Schema.optionalKey(Description),
  /** JSON Schema 2020-12; fields with `writeOnly: true` are masked wherever people read. */
  payload_schema: JsonObject,
  example: Schema.optionalKey(JsonObject),
  response_schema: Schema.optionalKey(JsonObject),
  price: Price,
  /** The provider does the same request once, told by `idempotency-key`: an unknown fate is sent again. */
  idempotent: Schema.optionalKey(Schema.Boolean),
  /** What an unknown fate becomes: `failed` (default), or `running` with its money held. */
  unknown: Schema.optionalKey(Schema.Literals(["fail", "hold"])),
  timeout_ms: Schema.optionalKey(millis(timeoutMillisMin, timeoutMillisMax)),
  test: Schema.optionalKey(Schema.Struct({ result: Schema.optionalKey(Schema.Json), ceiling_cents: Schema.optionalKey(Cents) }))
}

export const HttpOperation = Schema.Struct({
  ...describedOperation,
  method: Schema.Literals(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]),
  path: Template,
  query: Schema.optionalKey(Schema.Record(Schema.String, Template)),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Template)),
  body: Schema.optionalKey(Schema.Json),
  result: Schema.optionalKey(PointerText),
  async: Schema.optionalKey(OperationAsync)
}).annotate({ identifier: "HttpOperation" })
export type HttpOperation = typeof HttpOperation.Type

export const BuiltinOperation = Schema.Struct(describedOperation).annotate({ identifier: "BuiltinOperation" })
export type BuiltinOperation = typeof BuiltinOperation.Type

const describedService = {
  name: ServiceName,
  title: Schema.optionalKey(Title),
  description: Schema.optionalKey(Description),
  enabled: Schema.optionalKey(Schema.Boolean)
}
const operations = <S extends Schema.Top>(operation: S) => Schema.Array(operation).check(Schema.isMinLength(1), Schema.isMaxLength(operationsMax))

/** What an org may declare. */
export const HttpService = Schema.Struct({
  ...describedService,
  kind: Schema.Literal("http"),
  base_url: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_048)),
  auth: Schema.optionalKey(ServiceAuth),
  operations: operations(HttpOperation)
}).annotate({ identifier: "HttpService" })
export type HttpService = typeof HttpService.Type

/** What only the hub ships: an adapter of its own behind the same description. */
export const BuiltinService = Schema.Struct({
  ...describedService,
  kind: Schema.Literal("builtin"),
  adapter: ServiceName,
  /** What the adapter reads, such as token prices. */
  settings: Schema.optionalKey(JsonObject),
  operations: operations(BuiltinOperation)
}).annotate({ identifier: "BuiltinService" })
export type BuiltinService = typeof BuiltinService.Type

export const ServiceDefinition = Schema.Union([HttpService, BuiltinService]).annotate({ identifier: "ServiceDefinition" })
export type ServiceDefinition = typeof ServiceDefinition.Type
export type OperationDefinition = HttpOperation | BuiltinOperation

export const operationOf = (definition: ServiceDefinition, name: string): OperationDefinition | undefined =>
  (definition.operations as ReadonlyArray<OperationDefinition>).find((operation) => operation.name === name)
