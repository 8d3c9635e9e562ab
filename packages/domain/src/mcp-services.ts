/**
 * MCP servers as services: each tool is an operation, pinned by the digest of its words and schemas. Spec:
 * reference/services.md "MCP services".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Requires, UserAccess } from "./auth.ts"
import { Page } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { ServiceName } from "./services.ts"

export const mcpToolStates = ["pinned", "new", "changed", "refused", "removed"] as const
export const McpToolState = Schema.Literals(mcpToolStates).annotate({
  description:
    "`pinned`: accepted as it is. `new`: not accepted yet, and not callable. `changed`: the server changed it; with other " +
    "words only, it stays callable with the pinned ones; with another schema, it is not callable. `refused`: a person " +
    "refused it. `removed`: the server no longer lists it."
})
export type McpToolState = typeof McpToolState.Type

const JsonObject = Schema.Record(Schema.String, Schema.Json)

export const McpToolChange = Schema.Struct({
  digest: Schema.String,
  description: Schema.String,
  input_schema: JsonObject,
  /** Places as JSON Pointers into `title`, `description`, `input_schema`, `output_schema`. */
  diff: Schema.Array(
    Schema.Struct({
      path: Schema.String,
      before: Schema.optionalKey(Schema.Json),
      after: Schema.optionalKey(Schema.Json)
    })
  ),
  schema_changed: Schema.Boolean
}).annotate({ identifier: "McpToolChange" })
export type McpToolChange = typeof McpToolChange.Type

export const McpTool = Schema.Struct({
  /** The server's name of the tool. */
  name: Schema.String,
  operation: Schema.String,
  state: McpToolState,
  /** Of the pinned words and schemas: lower-case hex SHA-256 of RFC 8785. */
  digest: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.String),
  input_schema: Schema.optionalKey(JsonObject),
  /** Why the tool cannot be used as the server describes it. */
  problem: Schema.optionalKey(Schema.String),
  /** What the server describes now, for a person to accept or refuse. */
  pending: Schema.optionalKey(McpToolChange)
}).annotate({ identifier: "McpTool" })
export type McpTool = typeof McpTool.Type

export const McpToolList = Schema.Struct({
  ...Page(McpTool).fields,
  /** When the server listed its tools last. */
  refreshed_at: Schema.optionalKey(Schema.String),
  /** Why the last refresh failed. */
  error: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "McpToolList" })
export type McpToolList = typeof McpToolList.Type

export const McpToolDecision = Schema.Struct({
  /** The server's name of the tool. */
  name: Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(256)),
  /** `pending.digest`. */
  digest: Schema.String.check(matching(/^[0-9a-f]{64}$/u, "64 hexadecimal digits in lower case"))
}).annotate({ identifier: "McpToolDecision" })
export type McpToolDecision = typeof McpToolDecision.Type

const params = { name: ServiceName }

export class McpToolsGroup extends HttpApiGroup.make("mcp_tools").add(
  HttpApiEndpoint.get("list", "/services/:name/tools", { params, success: McpToolList })
    .middleware(UserAccess).annotate(Requires, "catalog:read").annotate(
      OpenApi.Description,
      "The tools of an MCP service, sorted by name, with changes that wait for a decision. Empty for a service of another kind."
    ),
  HttpApiEndpoint.post("accept", "/services/:name/tools/accept", { params, payload: McpToolDecision, success: McpTool })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(
      OpenApi.Description,
      "Pins what the server describes now. `digest` is `pending.digest`; another one is 409 conflict."
    ),
  HttpApiEndpoint.post("refuse", "/services/:name/tools/refuse", { params, payload: McpToolDecision, success: McpTool })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(
      OpenApi.Description,
      "Refuses what the server describes now. Refused words leave the pinned ones in use; a new tool or a changed schema " +
        "is not callable until it is accepted."
    ),
  HttpApiEndpoint.post("refresh", "/services/:name/tools/refresh", { params, success: McpToolList })
    .middleware(UserAccess).annotate(Requires, "catalog:write").annotate(
      OpenApi.Description,
      "Reads the server's list again, as the hub does every hour. An unreachable server is 502 upstream_error."
    )
) {}
