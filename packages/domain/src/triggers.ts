/**
 * Triggers: a signed webhook, or a cron expression, makes a service request or runs a workflow. Spec:
 * reference/triggers.md "Trigger", "Firing".
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, PublicAccess, ReadsBody, Requires, SessionAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, DeliveryId, ServiceRequestId, TriggerId } from "./ids.ts"
import { Page, PageQuery } from "./pagination.ts"
import { CronText, FiringAction, PauseReason, ZoneText } from "./scheduled-tasks.ts"
import { Estimate, RequestStatus } from "./service-requests.ts"
import { Label } from "./text.ts"
import { expectedVersion, Version } from "./versions.ts"

export const triggerNameMax = 100
/** The triggers of one workspace. */
export const triggersMax = 1_000
/** The largest body of a delivery. */
export const fireBodyBytesMax = 1 << 20
/** How long deliveries are kept, and a repeated one is recognized. */
export const deliveryDays = 30
export const deliveryIdMax = 255
export const graceSecondsDefault = 86_400
export const graceSecondsMax = 604_800

export const TriggerKind = Schema.Literals(["webhook", "cron"])
export type TriggerKind = typeof TriggerKind.Type
export const TriggerStatus = Schema.Literals(["active", "paused"])
export type TriggerStatus = typeof TriggerStatus.Type
export const DeliveryStatus = Schema.Literals(["fired", "refused", "queued", "skipped", "missed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

const PayloadTemplate = Schema.Record(Schema.String, Schema.Unknown).annotate({
  description:
    "For webhooks. Replaces the action's payload or input: a text may contain ${body.name}, ${headers.name}, " +
    "${query.name} and ${delivery.id}; one reference alone keeps its JSON type, and ${name?} may be missing"
})

const fields = {
  id: TriggerId,
  name: Schema.String,
  kind: TriggerKind,
  agent_id: AgentId,
  action: FiringAction,
  /** For `webhook`. */
  payload_template: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown)),
  require_timestamp: Schema.optionalKey(Schema.Boolean),
  fire_url: Schema.optionalKey(Schema.String),
  /** For `cron`. */
  cron: Schema.optionalKey(Schema.String),
  timezone: Schema.optionalKey(Schema.String),
  next_runs: Schema.optionalKey(Schema.Array(Schema.String)),
  status: TriggerStatus,
  paused_by: Schema.optionalKey(PauseReason),
  /** The end of the previous secret's grace period, while it lasts. */
  previous_secret_until: Schema.optionalKey(Schema.String),
  last_fired_at: Schema.optionalKey(Schema.String),
  version: Version,
  created_at: Schema.String,
  updated_at: Schema.String
}

export const Trigger = Schema.Struct(fields).annotate({ identifier: "Trigger" })
export type Trigger = typeof Trigger.Type

export const NewTrigger = Schema.Struct({
  ...fields,
  signing_secret: Schema.String.annotate({ description: "Shown once" })
}).annotate({ identifier: "NewTrigger" })
export type NewTrigger = typeof NewTrigger.Type

export const CreateTriggerInput = Schema.Struct({
  name: Schema.optionalKey(Label(triggerNameMax).annotate({ description: "Default: the kind and the action" })),
  kind: TriggerKind,
  agent_id: AgentId,
  action: FiringAction,
  cron: Schema.optionalKey(CronText.annotate({ description: "Required for cron, refused for webhook" })),
  timezone: Schema.optionalKey(ZoneText),
  payload_template: Schema.optionalKey(PayloadTemplate),
  require_timestamp: Schema.optionalKey(Schema.Boolean.annotate({
    description: "For webhooks: accept only Standard Webhooks signatures, whose timestamp is signed. Default: false"
  })),
  enabled: Schema.optionalKey(Schema.Boolean.annotate({ description: "`false` creates it paused. Default: true" }))
}).annotate({ identifier: "CreateTriggerInput" })
export type CreateTriggerInput = typeof CreateTriggerInput.Type

/** The kind never changes. null removes the template. */
export const UpdateTriggerInput = Schema.Struct({
  name: Schema.optionalKey(Label(triggerNameMax)),
  agent_id: Schema.optionalKey(AgentId),
  action: Schema.optionalKey(FiringAction),
  cron: Schema.optionalKey(CronText),
  timezone: Schema.optionalKey(ZoneText),
  payload_template: Schema.optionalKey(Schema.NullOr(PayloadTemplate)),
  require_timestamp: Schema.optionalKey(Schema.Boolean),
  status: Schema.optionalKey(TriggerStatus),
  ...expectedVersion
}).annotate({ identifier: "UpdateTriggerInput" })
export type UpdateTriggerInput = typeof UpdateTriggerInput.Type

export const RotateTriggerSecretInput = Schema.Struct({
  grace_seconds: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: graceSecondsMax })).annotate({
      description: `How long the old secret keeps working. Default: ${graceSecondsDefault}`
    })
  )
}).annotate({ identifier: "RotateTriggerSecretInput" })

export const RotatedTriggerSecret = Schema.Struct({
  signing_secret: Schema.String.annotate({ description: "Shown once" }),
  previous_secret_until: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "RotatedTriggerSecret" })
export type RotatedTriggerSecret = typeof RotatedTriggerSecret.Type

export const TestTriggerInput = Schema.Struct({
  body: Schema.optionalKey(Schema.Unknown),
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  query: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
}).annotate({ identifier: "TestTriggerInput" })
export type TestTriggerInput = typeof TestTriggerInput.Type

export const TriggerTest = Schema.Struct({
  service: Schema.String,
  operation: Schema.String,
  payload: Schema.Record(Schema.String, Schema.Unknown),
  estimate: Estimate
}).annotate({ identifier: "TriggerTest" })
export type TriggerTest = typeof TriggerTest.Type

export const TriggerDelivery = Schema.Struct({
  id: DeliveryId,
  /** The sender's id; absent where it sent none, and for `cron`. */
  delivery_id: Schema.optionalKey(Schema.String),
  /** `refused`: the template, or the request's payload, did not fit. The last three are of `cron`. */
  status: DeliveryStatus,
  service_request_id: Schema.optionalKey(ServiceRequestId),
  request_status: Schema.optionalKey(RequestStatus),
  error: Schema.optionalKey(Schema.Struct({ code: Schema.String, message: Schema.String })),
  /** The lower-case hex SHA-256 of the body. */
  digest: Schema.optionalKey(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "TriggerDelivery" })
export type TriggerDelivery = typeof TriggerDelivery.Type

export const Fired = Schema.Struct({ service_request_id: ServiceRequestId }).annotate({ identifier: "Fired" })
export type Fired = typeof Fired.Type

const params = { id: TriggerId }

export class TriggersGroup extends HttpApiGroup.make("triggers").add(
  HttpApiEndpoint.get("list", "/triggers", {
    query: {
      ...PageQuery,
      agent_id: Schema.optionalKey(AgentId),
      kind: Schema.optionalKey(TriggerKind),
      status: Schema.optionalKey(TriggerStatus)
    },
    success: Page(Trigger)
  }).middleware(SessionAccess).annotate(Requires, "triggers:read").annotate(
    OpenApi.Description,
    "Newest first. A member sees the triggers of agents that they own."
  ),
  HttpApiEndpoint.post("create", "/triggers", { payload: CreateTriggerInput, success: Created(NewTrigger) })
    .middleware(SessionAccess).annotate(Requires, "triggers:write").annotate(
      OpenApi.Description,
      "`signing_secret` is shown once. A webhook trigger fires by a signed POST to its `fire_url`; a cron trigger at the " +
        "times of its expression. Each firing makes one service request of the agent, through the whole pipeline, with " +
        "`origin: { trigger_id }`."
    ),
  HttpApiEndpoint.get("get", "/triggers/:id", { params, success: Trigger })
    .middleware(SessionAccess).annotate(Requires, "triggers:read"),
  HttpApiEndpoint.patch("update", "/triggers/:id", { params, payload: UpdateTriggerInput, success: Trigger })
    .middleware(SessionAccess).annotate(Requires, "triggers:write").annotate(
      OpenApi.Description,
      "With `expected_version`, a change based on another version is 409 `version_conflict`, with the current trigger in " +
        "`data`."
    ),
  HttpApiEndpoint.delete("remove", "/triggers/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(SessionAccess).annotate(Requires, "triggers:write"),
  HttpApiEndpoint.post("rotateSecret", "/triggers/:id/rotate-secret", {
    params,
    payload: [RotateTriggerSecretInput, Schema.Null],
    success: RotatedTriggerSecret
  }).middleware(SessionAccess).annotate(Requires, "triggers:write").annotate(
    OpenApi.Description,
    "The old secret keeps working for `grace_seconds`; the one before it ends at once."
  ),
  HttpApiEndpoint.post("test", "/triggers/:id/test", {
    params,
    payload: [TestTriggerInput, Schema.Null],
    success: TriggerTest
  })
    .middleware(SessionAccess).annotate(Requires, "triggers:write").annotate(
      OpenApi.Description,
      "Renders the payload of a delivery and estimates its request. Fires nothing; a fault of the template is 400."
    ),
  HttpApiEndpoint.get("listDeliveries", "/triggers/:id/deliveries", {
    params,
    query: { ...PageQuery, status: Schema.optionalKey(DeliveryStatus) },
    success: Page(TriggerDelivery)
  }).middleware(SessionAccess).annotate(Requires, "triggers:read").annotate(
    OpenApi.Description,
    `Newest first, of the last ${deliveryDays} days; of a cron trigger, its runs.`
  )
) {}

export class TriggerHooksGroup extends HttpApiGroup.make("trigger_hooks").add(
  HttpApiEndpoint.post("fire", "/triggers/:id/fire", {
    params: { id: Schema.String.check(Schema.isMaxLength(64)) },
    query: {},
    payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/json" })),
    success: Fired.pipe(HttpApiSchema.status(202))
  }).middleware(PublicAccess).annotate(ChecksOwn, "signature").annotate(ReadsBody, true).annotate(
    OpenApi.Description,
    "Signed over the raw body by `X-Svc-Signature: sha256=<hex>`, the HMAC-SHA256 with the text of the secret as key, or as " +
      "Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). A bad or missing signature is 401, as " +
      "is an unknown trigger. `X-Svc-Timestamp` (Unix seconds), if sent, must be within 5 minutes. A delivery id " +
      "(`webhook-id`, or `X-Svc-Delivery`) makes a repeat safe: the same body gets the first answer, another body is 409 " +
      "`conflict`; without an id every call fires. Answers 202 once the request has begun, before its provider answers. " +
      "At most 1 MiB, 20 calls per second and trigger. Unknown query parameters are allowed."
  )
).annotate(HttpApi.QueryParseOptions, { errors: "all" }) {}
