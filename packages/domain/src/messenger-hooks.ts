/**
 * Inbound hooks of messengers. Nothing is parsed before the signature over the raw bytes is verified. Spec:
 * reference/notice-channels.md "Hooks".
 */
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { ChecksOwn, PublicAccess } from "./auth.ts"

const Bytes = (contentType: string) => Schema.Uint8Array.pipe(HttpApiSchema.asUint8Array({ contentType }))
/** A form of the messenger; empty where the answer follows by another call. */
const Answered = Schema.Record(Schema.String, Schema.Unknown).annotate({ identifier: "MessengerAnswer" })

export class MessengerHooksGroup extends HttpApiGroup.make("messenger_hooks").add(
  HttpApiEndpoint.post("slack", "/webhooks/slack", {
    query: {},
    payload: Bytes("application/x-www-form-urlencoded"),
    success: Answered
  }).middleware(PublicAccess).annotate(ChecksOwn, "signature").annotate(
    OpenApi.Description,
    "Clicks, forms, and the command `/countersign` of Slack, signed with HUB_SLACK_SIGNING_SECRET " +
      "(`X-Slack-Signature`, v0); without that setting 404. A bad, missing, or stale signature is 401. A repeated call " +
      "changes nothing; an unknown type is 200."
  ),
  HttpApiEndpoint.post("discord", "/webhooks/discord", {
    query: {},
    payload: Bytes("application/json"),
    success: Answered
  }).middleware(PublicAccess).annotate(ChecksOwn, "signature").annotate(
    OpenApi.Description,
    "The interactions endpoint of Discord, signed with Ed25519 (`X-Signature-Ed25519`) and verified with " +
      "HUB_DISCORD_PUBLIC_KEY; without that setting 404. PING is answered; a bad, missing, or stale signature is 401."
  )
).annotate(HttpApi.QueryParseOptions, { errors: "all" }) {}
