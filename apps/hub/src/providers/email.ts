/** `email.send`. The sender is the operator's `HUB_MAIL_FROM`; agents cannot set or inject any other header. */
import { Effect, Schema } from "effect"
import { type Adapter, failed, unknownFate } from "./adapter.ts"
import type { Mailer } from "./mail.ts"

const Addresses = Schema.Union([Schema.String, Schema.Array(Schema.String)])

const Payload = Schema.Struct({
  to: Addresses,
  cc: Schema.optionalKey(Addresses),
  bcc: Schema.optionalKey(Addresses),
  reply_to: Schema.optionalKey(Schema.String),
  subject: Schema.String,
  text: Schema.optionalKey(Schema.String),
  html: Schema.optionalKey(Schema.String)
})
const decode = Schema.decodeUnknownEffect(Payload)

const list = (addresses: typeof Addresses.Type): ReadonlyArray<string> =>
  typeof addresses === "string" ? [addresses] : addresses

export const emailAdapter = (mailer: Mailer["Service"]): Adapter => ({
  execute: (_definition, call) =>
    decode(call.payload).pipe(
      Effect.flatMap((payload) =>
        mailer.send({
          to: list(payload.to),
          ...payload.cc === undefined ? {} : { cc: list(payload.cc) },
          ...payload.bcc === undefined ? {} : { bcc: list(payload.bcc) },
          ...payload.reply_to === undefined ? {} : { replyTo: payload.reply_to },
          subject: payload.subject,
          ...payload.text === undefined ? {} : { text: payload.text },
          ...payload.html === undefined ? {} : { html: payload.html },
          id: call.requestId
        }, call.timeoutMs)
      ),
      Effect.map(({ accepted, messageId, rejected, response }) => ({
        kind: "executed" as const,
        result: { message_id: messageId, accepted, rejected, response }
      })),
      Effect.catchTags({
        SchemaError: (error) => Effect.succeed(failed(`The payload is not a valid email: ${error.message}`)),
        MailNotConfigured: (error) => Effect.succeed(failed(error.message)),
        MailFailed: (error) =>
          Effect.succeed(
            error.sent
              ? unknownFate(`the email was handed over and not confirmed (${error.reason}).`)
              : failed(`The email was not sent: ${error.reason}`)
          )
      })
    )
})
