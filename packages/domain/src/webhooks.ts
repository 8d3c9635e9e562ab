/** Inbound hooks: what providers tell of work that runs. Spec: "Inbound events", contract 8. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { PublicAccess } from "./auth.ts"
import { OrgId } from "./ids.ts"
import { ServiceName } from "./services.ts"

/** A callback whose work is not known yet is kept so long, in seconds. */
export const earlyCallbackSeconds = 3_600

const Reconciled = Schema.Struct({ service_request_id: Schema.String, status: Schema.String }).annotate({
  identifier: "Reconciled"
})
const Kept = Schema.Struct({ accepted: Schema.Boolean }).pipe(HttpApiSchema.status(202))

export class WebhooksGroup extends HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.post("reconcile", "/webhooks/:provider/reconcile", {
    params: { provider: ServiceName },
    query: { org: Schema.optionalKey(OrgId) },
    payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/json" })),
    success: [Reconciled, Kept]
  }).middleware(PublicAccess).annotate(OpenApi.Description,
    "Settles a `running` request once. Signed as Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`) or " +
    "by `X-Svc-Signature: sha256=<hex>` over the raw body. " +
      "Body: `{ service_request_id | provider_ref, status, cost_cents?, result?, detail? }`, or what the operation's `async` " +
      "pointers read. The same again is 200, another outcome 409."
  )
) {}
