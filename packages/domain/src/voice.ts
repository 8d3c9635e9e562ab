/** The status of phone calls, as their provider reports it. Spec: reference/services.md "Voice calls". */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, PublicAccess } from "./auth.ts"

export class VoiceHooksGroup extends HttpApiGroup.make("voice_hooks").add(
  HttpApiEndpoint.post("status", "/webhooks/voice-status", {
    query: {},
    payload: Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType: "application/json" })),
    success: Schema.Struct({ received: Schema.Boolean })
  }).middleware(PublicAccess).annotate(ChecksOwn, "signature").annotate(
    OpenApi.Description,
    "The status of phone calls: Telnyx's events, verified with HUB_TELNYX_PUBLIC_KEY, or Twilio's status callbacks, " +
      "verified with HUB_TWILIO_AUTH_TOKEN; without these settings 404. The end of a call settles its request once; an " +
      "event about an unknown call is 200."
  )
).annotate(HttpApi.QueryParseOptions, { errors: "all" }) {}
