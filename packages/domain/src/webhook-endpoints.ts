/**
 * Webhook endpoints: addresses of a workspace's own systems that receive its events, signed as Standard Webhooks. Spec:
 * reference/webhooks.md "Endpoint", "Message", "Deliveries".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { eventTypes } from "./events.ts"
import { DeliveryId, EventId, OrgId, WebhookEndpointId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { Label, Prose } from "./text.ts"
import { Moment } from "./time.ts"
import { graceSecondsDefault, graceSecondsMax } from "./triggers.ts"
import { expectedVersion, Version } from "./versions.ts"

/** The endpoints of one workspace. */
export const webhookEndpointsMax = 50
export const webhookUrlMax = 2_048
export const webhookDescriptionMax = 500
/** How long deliveries are kept, and how far back a replay reaches. */
export const webhookDays = 30
/** Attempts that a delivery shows. */
export const shownAttemptsMax = 10

/** The type of the message that a person sends to try an endpoint. */
export const webhookTestType = "webhook.test"
export const webhookTypes = [...eventTypes, webhookTestType] as const
export const WebhookType = Schema.Literals(webhookTypes)
export type WebhookType = typeof WebhookType.Type

export const WebhookEndpointStatus = Schema.Literals(["enabled", "disabled"])
export type WebhookEndpointStatus = typeof WebhookEndpointStatus.Type
/** `gone`: the receiver answered 410. `failures`: it failed for too long. */
export const DisabledBy = Schema.Literals(["person", "gone", "failures"])
export type DisabledBy = typeof DisabledBy.Type
export const WebhookDeliveryStatus = Schema.Literals(["pending", "delivered", "failed"])
export type WebhookDeliveryStatus = typeof WebhookDeliveryStatus.Type

const Url = Label(webhookUrlMax).annotate({
  description: "https; plain http is for addresses in HUB_EGRESS_ALLOW only"
})
const Types = Schema.Array(WebhookType).check(Schema.isMinLength(1), Schema.isMaxLength(2 * webhookTypes.length))

const fields = {
  id: WebhookEndpointId,
  url: Schema.String,
  description: Schema.String,
  /** Of an endpoint for all types: every type of this version. */
  types: Schema.Array(WebhookType),
  status: WebhookEndpointStatus,
  disabled_by: Schema.optionalKey(DisabledBy),
  disabled_at: Schema.optionalKey(Schema.String),
  /** The first failed attempt since the last delivery. */
  failing_since: Schema.optionalKey(Schema.String),
  /** The end of the previous secret's grace period, while it lasts. */
  previous_secret_until: Schema.optionalKey(Schema.String),
  version: Version,
  created_at: Schema.String,
  updated_at: Schema.String
}

export const WebhookEndpoint = Schema.Struct(fields).annotate({ identifier: "WebhookEndpoint" })
export type WebhookEndpoint = typeof WebhookEndpoint.Type

const Secret = Schema.String.annotate({ description: "Shown once" })

export const NewWebhookEndpoint = Schema.Struct({ ...fields, secret: Secret }).annotate({
  identifier: "NewWebhookEndpoint"
})
export type NewWebhookEndpoint = typeof NewWebhookEndpoint.Type

export const CreateWebhookEndpointInput = Schema.Struct({
  url: Url,
  types: Schema.optionalKey(Types.annotate({ description: "Default: all types, also those of later versions" })),
  description: Schema.optionalKey(Prose(webhookDescriptionMax))
}).annotate({ identifier: "CreateWebhookEndpointInput" })
export type CreateWebhookEndpointInput = typeof CreateWebhookEndpointInput.Type

export const UpdateWebhookEndpointInput = Schema.Struct({
  url: Schema.optionalKey(Url),
  types: Schema.optionalKey(Schema.NullOr(Types).annotate({ description: "null: all types" })),
  description: Schema.optionalKey(Prose(webhookDescriptionMax)),
  status: Schema.optionalKey(WebhookEndpointStatus),
  ...expectedVersion
}).annotate({ identifier: "UpdateWebhookEndpointInput" })
export type UpdateWebhookEndpointInput = typeof UpdateWebhookEndpointInput.Type

export const RotateWebhookSecretInput = Schema.Struct({
  grace_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: graceSecondsMax })).annotate({
      description: `How long both secrets sign. Default: ${graceSecondsDefault}`
    })
  )
}).annotate({ identifier: "RotateWebhookSecretInput" })

export const RotatedWebhookSecret = Schema.Struct({
  secret: Secret,
  previous_secret_until: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "RotatedWebhookSecret" })
export type RotatedWebhookSecret = typeof RotatedWebhookSecret.Type

export const ReplayInput = Schema.Struct({ since: Moment }).annotate({ identifier: "ReplayWebhooksInput" })

export const Replay = Schema.Struct({
  /** At most 30 days ago. */
  since: Schema.String,
  /** Entries of the audit log whose events are sent again. */
  entries: Schema.Int
}).annotate({ identifier: "WebhookReplay" })
export type Replay = typeof Replay.Type

/** The body of a delivery. It reports a new version of an object, not its content, as an event of `/events` does. */
export const WebhookMessage = Schema.Struct({
  type: WebhookType,
  timestamp: Schema.String,
  data: Schema.Struct({
    /** Also the header `webhook-id`: the same event has the same id in every attempt and for every endpoint. */
    id: EventId,
    subject: Schema.Struct({ type: Schema.String, id: Schema.String }),
    /** Of two events about one subject, the larger is the newer. */
    version: Schema.Int,
    workspace: OrgId
  })
}).annotate({ identifier: "WebhookMessage" })
export type WebhookMessage = typeof WebhookMessage.Type

export const WebhookAttempt = Schema.Struct({
  at: Schema.String,
  /** Absent when no answer arrived. */
  status: Schema.optionalKey(Schema.Int),
  ms: Schema.Int,
  error: Schema.optionalKey(Schema.String),
  /** The first 1 KiB of the answer. */
  response: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "WebhookAttempt" })
export type WebhookAttempt = typeof WebhookAttempt.Type

export const WebhookDelivery = Schema.Struct({
  id: DeliveryId,
  event_id: EventId,
  type: WebhookType,
  status: WebhookDeliveryStatus,
  /** The latest ones, oldest first. */
  attempts: Schema.Array(WebhookAttempt),
  /** While it is pending and its endpoint is enabled. */
  next_attempt_at: Schema.optionalKey(Schema.String),
  payload: WebhookMessage,
  created_at: Schema.String
}).annotate({ identifier: "WebhookDelivery" })
export type WebhookDelivery = typeof WebhookDelivery.Type

const params = { id: WebhookEndpointId }

export class WebhookEndpointsGroup extends HttpApiGroup.make("webhook_endpoints").add(
  HttpApiEndpoint.get("list", "/webhook-endpoints", { query: PageQuery, success: Page(WebhookEndpoint) })
    .middleware(UserAccess).annotate(Requires, "workspace:write").annotate(OpenApi.Description, "Newest first."),
  HttpApiEndpoint.post("create", "/webhook-endpoints", {
    payload: CreateWebhookEndpointInput,
    success: Created(NewWebhookEndpoint)
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    "`secret` is shown once. From now on the endpoint receives the workspace's events as a signed POST (Standard " +
      "Webhooks: `webhook-id`, `webhook-timestamp`, `webhook-signature`), in no particular order, each at least once; an " +
      "event that arrives twice has the same `webhook-id`. A complete answer with a 2xx status within 15 s is a delivery; " +
      "redirects are not followed. Other attempts are repeated after 5 s, 5 min, 30 min, 2, 5, 10, and 10 h (±10 %), or " +
      "later by `Retry-After`, up to 1 h. The endpoint is disabled when it answers 410, and after 5 days and 10 failed " +
      "attempts without a delivery."
  ),
  HttpApiEndpoint.get("get", "/webhook-endpoints/:id", { params, success: WebhookEndpoint })
    .middleware(UserAccess).annotate(Requires, "workspace:write"),
  HttpApiEndpoint.patch("update", "/webhook-endpoints/:id", {
    params,
    payload: UpdateWebhookEndpointInput,
    success: WebhookEndpoint
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    "A disabled endpoint receives nothing, and events of that time have no delivery until a replay. Pending deliveries " +
      "continue when it is enabled. With `expected_version`, a change based on another version is 409 " +
      "`version_conflict`, with the current endpoint in `data`."
  ),
  HttpApiEndpoint.delete("remove", "/webhook-endpoints/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "workspace:write"),
  HttpApiEndpoint.post("rotateSecret", "/webhook-endpoints/:id/rotate-secret", {
    params,
    payload: [RotateWebhookSecretInput, Schema.Null],
    success: RotatedWebhookSecret
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    "For `grace_seconds` each message has a signature of both secrets; the secret before the previous one ends at once."
  ),
  HttpApiEndpoint.post("test", "/webhook-endpoints/:id/test", {
    params,
    success: WebhookDelivery.pipe(HttpApiSchema.status(202))
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    "Sends a message of the type `webhook.test`, whatever the endpoint's types are. A disabled endpoint is 409."
  ),
  HttpApiEndpoint.post("replay", "/webhook-endpoints/:id/replay", {
    params,
    payload: ReplayInput,
    success: Replay.pipe(HttpApiSchema.status(202))
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    `Sends all events of the endpoint's types since a moment again, of at most the last ${webhookDays} days, also those ` +
      "that were delivered: each with its `webhook-id`. A disabled endpoint is 409."
  ),
  HttpApiEndpoint.get("listDeliveries", "/webhook-endpoints/:id/deliveries", {
    params,
    query: {
      ...PageQuery,
      status: Schema.optionalKey(WebhookDeliveryStatus),
      type: Schema.optionalKey(WebhookType)
    },
    success: Page(WebhookDelivery)
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    `Newest event first, of the last ${webhookDays} days.`
  ),
  HttpApiEndpoint.post("redeliver", "/webhook-endpoints/:id/deliveries/:did/redeliver", {
    params: { ...params, did: DeliveryId },
    success: WebhookDelivery.pipe(HttpApiSchema.status(202))
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    "Sends the message again now, with the same `webhook-id`, and repeats failed attempts as for a new event. A disabled " +
      "endpoint is 409."
  )
) {}
