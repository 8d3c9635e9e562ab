/**
 * Endpoints for callers without a credential. Spec: reference/agent-docs.md "Agent docs", reference/operation.md
 * "Health".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, PublicAccess } from "./auth.ts"

/** The version of the API; the official clients have the same version. */
export const apiVersion = "0.2.0"
/** Older desktop apps show a request to update. */
export const minAppVersion = "0.1.0"

export const Health = Schema.Struct({
  status: Schema.Literal("ok"),
  hub_id: Schema.String,
  version: Schema.String,
  min_app_version: Schema.String
}).annotate({ identifier: "Health" })
export type Health = typeof Health.Type

export const ReadyCheck = Schema.Struct({
  name: Schema.String,
  ok: Schema.Boolean,
  reason: Schema.optionalKey(Schema.String)
})
export type ReadyCheck = typeof ReadyCheck.Type

export const Ready = Schema.Struct({
  status: Schema.Literal("ready"),
  checks: Schema.Array(ReadyCheck)
}).annotate({ identifier: "Ready" })
export type Ready = typeof Ready.Type

const document = Schema.Record(Schema.String, Schema.Unknown)

export class DiscoveryGroup extends HttpApiGroup.make("discovery").add(
  HttpApiEndpoint.get("agentDocs", "/agent-docs", {
    query: { all: Schema.optionalKey(Schema.Literals(["true", "false"])) },
    success: document
  }).middleware(PublicAccess).annotate(ChecksOwn, "optional agent key").annotate(
    OpenApi.Description,
    "Everything that an agent needs to start, as JSON. Without a credential: authentication, retries, and " +
      "pagination, the meaning of outcomes and errors, every shipped service with schemas, prices, and examples, " +
      "and the map of endpoints. With an agent key: the current permissions of this agent, with its remaining " +
      "caps, in a few kilobytes; `all=true` returns the whole document. Has an ETag."
  ),
  HttpApiEndpoint.get("openapi", "/openapi.json", { success: document }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    "This document. Has an ETag."
  ),
  HttpApiEndpoint.get("health", "/health", { success: Health }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    "Whether the process is alive. Does not query the database."
  ),
  HttpApiEndpoint.get("ready", "/ready", { success: Ready }).middleware(PublicAccess).annotate(
    OpenApi.Description,
    "Whether the hub can serve requests: database reachable, migrations current, clocks in step, workers alive. " +
      "Otherwise 503, with the reasons in the message and every check in `error.data.checks`."
  ),
  HttpApiEndpoint.get("metrics", "/metrics", {
    success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/plain" }))
  })
    .middleware(PublicAccess).annotate(ChecksOwn, "metrics token").annotate(
      OpenApi.Description,
      "Metrics of this process in the Prometheus text format. Clients on loopback need no credential. Others send " +
        "`Authorization: Bearer <HUB_METRICS_TOKEN>`; on a hub without that setting the address is 404 for them."
    )
) {}
