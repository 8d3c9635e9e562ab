/** Inbound hooks: providers report the results of running requests. Spec: reference/services.md "Callbacks". */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, PublicAccess } from "./auth.ts"
import { OrgId } from "./ids.ts"
import { ServiceName } from "./services.ts"

/** How long a callback for an unknown request is kept, in seconds. */
export const earlyCallbackSeconds = 3_600
/** The largest body of an inbound hook. */
export const hookBodyBytesMax = 256 << 10

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
  }).middleware(PublicAccess).annotate(ChecksOwn, "signature").annotate(
    OpenApi.Description,
    "Settles a `running` request once. Signed as Standard Webhooks (`webhook-id`, `webhook-timestamp`, " +
      "`webhook-signature`) or by `X-Svc-Signature: sha256=<hex>` over the raw body. The body is `{ " +
      "service_request_id | provider_ref, status, cost_cents?, result?, detail? }` with the status `executed`, " +
      "`failed`, `blocked` (the provider refuses by its own rules), or `running`; or the form that the `async` " +
      "pointers of the request's operation read. Repeating a callback is 200, another outcome is 409. Unsigned and " +
      "wrongly signed callbacks are 401 and limited per address; they do not count against the limit of signed " +
      "ones. The body has at most 256 KiB. Unknown fields and query parameters are ignored."
  )
  // A provider may add its own parameters to its callback address.
).annotate(HttpApi.QueryParseOptions, { errors: "all" }) {}
