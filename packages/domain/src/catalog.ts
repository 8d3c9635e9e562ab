/**
 * The catalog of a workspace: services that the hub ships, and services that the workspace declared. Spec:
 * reference/services.md "Catalog".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { AnyAccess, ReadsBody, Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { Warnings } from "./errors.ts"
import { Cents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { FixedPrice, OperationPrice, Price } from "./price.ts"
import { HttpOperation, HttpService, McpService, OperationName, ServiceAuth, ServiceName } from "./services.ts"
import { expectedVersion, Version } from "./versions.ts"

/** Per workspace, without the shipped ones. */
export const ownServicesMax = 500
/** Size of one definition as JSON, in bytes: an import may be larger than a body. */
export const definitionBytesMax = 4 * 1024 * 1024
/**
 * Names that a workspace cannot use: this or a later version ships them, or (`import`) an endpoint has the path
 * `/services/<name>`.
 */
export const reservedServiceNames: ReadonlySet<string> = new Set([
  "device",
  "workflow",
  "storage",
  "knowledge",
  "agent",
  "import"
])
const picksMax = 200

/** The rest of an operation's limits, in the counters of the agent key's mode. Absent for caps that are not set. */
export const OperationRemaining = Schema.Struct({
  monthly_cap_cents: Schema.optionalKey(Cents),
  spent_this_month_cents: Schema.Int,
  held_cents: Schema.Int,
  daily_request_limit: Schema.optionalKey(Schema.Int),
  used_today: Schema.Int,
  approval_threshold_cents: Schema.optionalKey(Cents)
}).annotate({ identifier: "OperationRemaining" })
export type OperationRemaining = typeof OperationRemaining.Type

/** The provider call (method, path, templates, async) is shown to people, not to agents. */
export const CatalogOperationView = Schema.Struct({
  ...HttpOperation.fields,
  name: OperationName,
  price: OperationPrice,
  method: Schema.optionalKey(HttpOperation.fields.method),
  path: Schema.optionalKey(HttpOperation.fields.path),
  /** Of an MCP service: the server's name of the tool. */
  tool: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "CatalogOperation" })
export type CatalogOperationView = typeof CatalogOperationView.Type

const JsonObject = Schema.Record(Schema.String, Schema.Json)

export const CatalogServiceView = Schema.Struct({
  name: Schema.String,
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  kind: Schema.Literals(["http", "mcp", "builtin"]),
  /** Comes with the hub: a workspace sets only `enabled` and prices. */
  shipped: Schema.Boolean,
  enabled: Schema.Boolean,
  base_url: Schema.optionalKey(Schema.String),
  /** Of an MCP service: the server's address and the prices of its tools. */
  url: Schema.optionalKey(Schema.String),
  default_price: Schema.optionalKey(FixedPrice),
  prices: McpService.fields.prices,
  auth: Schema.optionalKey(ServiceAuth),
  adapter: Schema.optionalKey(Schema.String),
  settings: Schema.optionalKey(JsonObject),
  operations: Schema.Array(CatalogOperationView),
  /** Secrets that the definition names and the workspace does not have; calls fail until they are stored. */
  missing_secrets: Schema.optionalKey(Schema.Array(Schema.String)),
  /** For people only. */
  version: Schema.optionalKey(Version),
  /** For an agent: the rest of its bound operations' limits, by operation. */
  remaining: Schema.optionalKey(Schema.Record(Schema.String, OperationRemaining))
}).annotate({ identifier: "CatalogService" })
export type CatalogServiceView = typeof CatalogServiceView.Type

const {
  payload_schema: _payload,
  response_schema: _response,
  body: _body,
  headers: _headers,
  query: _query,
  test: _test,
  ...listed
} = CatalogOperationView.fields

/** An operation in the list: its identity and its price. */
export const ListedOperation = Schema.Struct(listed).annotate({ identifier: "ListedOperation" })
export type ListedOperation = typeof ListedOperation.Type

/** A service in the list, without schemas and templates: `GET /services/:name` has them. */
export const ListedService = Schema.Struct({
  ...CatalogServiceView.fields,
  operations: Schema.Array(ListedOperation)
}).annotate({ identifier: "ListedService" })
export type ListedService = typeof ListedService.Type

/** A service after a save. */
export const SavedService = Schema.Struct({ ...CatalogServiceView.fields, warnings: Warnings }).annotate({
  identifier: "SavedService"
})
export type SavedService = typeof SavedService.Type

const { base_url, description, operations, title } = HttpService.fields

export const UpdateServiceInput = Schema.Struct({
  title,
  description,
  enabled: Schema.optionalKey(Schema.Boolean),
  base_url: Schema.optionalKey(base_url),
  auth: Schema.optionalKey(ServiceAuth),
  operations: Schema.optionalKey(operations),
  /** For every operation; null: the shipped price. */
  price: Schema.optionalKey(Schema.NullOr(OperationPrice)),
  /** By operation, overrides `price`; null: the shipped price. Of an MCP service by tool; null: the default price. */
  prices: Schema.optionalKey(
    Schema.Record(
      Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(128)),
      Schema.NullOr(OperationPrice)
    )
  ),
  /** Of an MCP service. */
  url: Schema.optionalKey(McpService.fields.url),
  default_price: Schema.optionalKey(FixedPrice),
  ...expectedVersion
}).annotate({ identifier: "UpdateServiceInput" })
export type UpdateServiceInput = typeof UpdateServiceInput.Type

const OperationIdText = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(200))
const Picks = Schema.Array(OperationIdText).check(Schema.isMaxLength(picksMax))

export const ImportServiceInput = Schema.Struct({
  name: ServiceName,
  /** JSON or YAML text, or the document itself; or use `url`. */
  openapi: Schema.optionalKey(Schema.Union([Schema.String, Schema.Record(Schema.String, Schema.Unknown)])),
  url: Schema.optionalKey(Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2_048))),
  base_url: Schema.optionalKey(base_url),
  auth: Schema.optionalKey(ServiceAuth),
  tags: Schema.optionalKey(Picks),
  operation_ids: Schema.optionalKey(Picks),
  /** The price of every operation. */
  price: Price,
  /** By the document's operation id; overrides `price`. */
  prices: Schema.optionalKey(Schema.Record(OperationIdText, Price))
}).annotate({ identifier: "ImportServiceInput" })
export type ImportServiceInput = typeof ImportServiceInput.Type

const { openapi, url } = ImportServiceInput.fields

export const PreviewImportInput = Schema.Struct({ openapi, url, base_url: Schema.optionalKey(base_url) }).annotate({
  identifier: "PreviewImportInput"
})
export type PreviewImportInput = typeof PreviewImportInput.Type

const SkippedOperations = Schema.Array(Schema.Struct({ operation: Schema.String, reason: Schema.String })).annotate({
  description:
    "Operations that are left out, and why. An operation is left out if the hub cannot send its body or one of " +
    "its required parameters."
})
const ProposedAuth = Schema.optionalKey(ServiceAuth.annotate({
  description:
    "The credential that the document's security schemes require; `secret` is a name for a secret to store. It " +
    "is a proposal and not saved: send it as `auth`."
}))
/** Size of an import's body, in bytes: a document of 64 MiB, escaped as a JSON string. */
export const importBodyBytesMax = 96 * 1024 * 1024

/** The importable parts of a document. */
export const ImportPreview = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  /** From the document's first absolute server; if absent, the import needs `base_url`. */
  base_url: Schema.optionalKey(Schema.String),
  operations: Schema.Array(Schema.Struct({
    /** For `operation_ids` and `prices`. */
    operation_id: Schema.String,
    name: Schema.String,
    title: Schema.optionalKey(Schema.String),
    method: HttpOperation.fields.method,
    path: Schema.String,
    tags: Schema.Array(Schema.String)
  })),
  skipped: SkippedOperations,
  auth: ProposedAuth,
  warnings: Warnings
}).annotate({ identifier: "ImportPreview" })
export type ImportPreview = typeof ImportPreview.Type

export const ImportedService = Schema.Struct({
  service: CatalogServiceView,
  skipped: SkippedOperations,
  auth: ProposedAuth,
  warnings: Warnings
}).annotate({ identifier: "ImportedService" })
export type ImportedService = typeof ImportedService.Type

const params = { name: ServiceName }

export class CatalogGroup extends HttpApiGroup.make("services").add(
  HttpApiEndpoint.get("list", "/services", { query: PageQuery, success: Page(ListedService) })
    .middleware(AnyAccess).annotate(Requires, "catalog:read").annotate(
      OpenApi.Description,
      "Sorted by name, without schemas, and with descriptions of operations shortened to 200 characters; `GET " +
        "/services/:name` has all of it. An agent sees the services that it is bound to and can use now, with the " +
        "remaining amounts of its caps."
    ),
  HttpApiEndpoint.post("create", "/services", {
    payload: Schema.Union([HttpService, McpService]),
    success: Created(SavedService)
  })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(
      OpenApi.Description,
      "Declares a service. A name that is taken is 409 conflict. A service references secrets by name and never " +
        "contains them; those that do not exist yet are listed in missing_secrets. `warnings` lists likely " +
        "mistakes; they do not prevent saving. With `kind: mcp`, the hub reads the server's tools and pins each " +
        "unchanged; an unreachable server is 502."
    ),
  HttpApiEndpoint.post("import", "/services/import", { payload: ImportServiceInput, success: Created(ImportedService) })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(ReadsBody, true).annotate(
      OpenApi.Description,
      "Declares a service from an OpenAPI 3.0 or 3.1 document of up to 64 MiB, sent or fetched. Without tags and " +
        "operation_ids all operations are imported. The service keeps the schemas that its operations reference. " +
        "No body and no parameter is dropped silently: `skipped` lists operations that are left out with the " +
        "reason, and `warnings` lists optional parameters that are left out. If no `auth` was sent, it is proposed " +
        "from the security schemes."
    ),
  HttpApiEndpoint.post("previewImport", "/services/import/preview", {
    payload: PreviewImportInput,
    success: ImportPreview
  })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(ReadsBody, true).annotate(
      OpenApi.Description,
      "Lists the operations of the document that an import can take. Changes nothing."
    ),
  HttpApiEndpoint.get("get", "/services/:name", { params, success: CatalogServiceView })
    .middleware(AnyAccess).annotate(Requires, "catalog:read"),
  HttpApiEndpoint.patch("update", "/services/:name", { params, payload: UpdateServiceInput, success: SavedService })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(
      OpenApi.Description,
      "Only enabled, price, and prices of a shipped service can be changed. Every field of a declared service " +
        "can be changed; each is replaced completely. With `expected_version`, a change based on another version " +
        "is 409 `version_conflict`, with the current service in `data`."
    ),
  HttpApiEndpoint.delete("remove", "/services/:name", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(
      OpenApi.Description,
      "Its bindings are disabled, so that they do not apply to a later service with the same name. While " +
        "requests to it are in progress the response is 409 service_in_use; for shipped services it is 409 " +
        "conflict."
    )
) {}
