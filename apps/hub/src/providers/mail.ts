/**
 * Mail over SMTP, for `email.send` and for invites. One connection per message; the server is the operator's own
 * setting.
 */
import { Context, Effect, Layer, Option, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { Readable } from "node:stream"

/** Read at their first use: most starts of a hub send no mail. */
const nodemailer = Effect.promise(async () => {
  const [composer, shared, connection] = await Promise.all([
    import("nodemailer/lib/mail-composer"),
    import("nodemailer/lib/shared"),
    import("nodemailer/lib/smtp-connection")
  ])
  return {
    MailComposer: composer.default,
    parseConnectionUrl: shared.parseConnectionUrl,
    SMTPConnection: connection.default
  }
})
type Nodemailer = Effect.Success<typeof nodemailer>

export const recipientsMax = 50
const reasonLengthMax = 500

/** One plain address: no display name, no list, no character that could end a header or an SMTP command. */
const addressForm = /^[^\s<>()[\]\\,;:"@\p{Cc}]{1,64}@[^\s<>()[\]\\,;:"@\p{Cc}]{1,253}$/u

export class MailNotConfigured extends Schema.TaggedError<MailNotConfigured>()("MailNotConfigured", {
  setting: Schema.String
}) {
  override get message() {
    return `mail is not configured: the operator has not set ${this.setting}`
  }
}

/**
 * The message was not accepted. `sent: true`: its text was being sent and the server never reported the outcome. After
 * an explicit refusal of the server, `sent` is false.
 */
export class MailFailed extends Schema.TaggedError<MailFailed>()("MailFailed", {
  sent: Schema.Boolean,
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export interface MailMessage {
  readonly to: ReadonlyArray<string>
  readonly cc?: ReadonlyArray<string>
  readonly bcc?: ReadonlyArray<string>
  readonly replyTo?: string
  readonly subject: string
  readonly text?: string
  readonly html?: string
  /** The left part of `Message-ID`; the same for a message that is sent again, so that servers can recognize it. */
  readonly id?: string
  /** A notice of the hub: out-of-office replies do not answer it (RFC 3834). */
  readonly automatic?: boolean
}

export interface MailReceipt {
  readonly messageId: string
  readonly accepted: ReadonlyArray<string>
  readonly rejected: ReadonlyArray<string>
  /** The server's last reply. */
  readonly response: string
}

export interface MailSettings {
  readonly url: Option.Option<Redacted.Redacted>
  readonly from: Option.Option<string>
}

export class Mailer extends Context.Service<Mailer, {
  readonly send: (message: MailMessage, timeoutMs: number) => Effect.Effect<MailReceipt, MailNotConfigured | MailFailed>
}>()("@countersign/hub/providers/Mailer") {
  static readonly layer = (settings: MailSettings): Layer.Layer<Mailer> =>
    Layer.sync(Mailer, () => makeMailer(settings))
}

const makeMailer = (settings: MailSettings): Mailer["Service"] => {
  const send = Effect.fn("Mailer.send")(function*(message: MailMessage, timeoutMs: number) {
    if (Option.isNone(settings.url)) return yield* new MailNotConfigured({ setting: "HUB_SMTP_URL" })
    if (Option.isNone(settings.from)) return yield* new MailNotConfigured({ setting: "HUB_MAIL_FROM" })
    const from = settings.from.value
    const recipients = [...message.to, ...message.cc ?? [], ...message.bcc ?? []]
    if (recipients.length === 0) return yield* new MailFailed({ sent: false, reason: "the message has no recipient" })
    if (recipients.length > recipientsMax) {
      return yield* new MailFailed({ sent: false, reason: `the message has more than ${recipientsMax} recipients` })
    }
    for (const address of message.replyTo === undefined ? recipients : [...recipients, message.replyTo]) {
      if (!addressForm.test(address)) {
        return yield* new MailFailed({ sent: false, reason: "an email address is not valid" })
      }
    }
    const domain = /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? "localhost"
    const messageId = `<${message.id ?? randomUUID()}@${domain}>`
    const library = yield* nodemailer
    const composed = new library.MailComposer({
      from,
      to: [...message.to],
      cc: [...message.cc ?? []],
      bcc: [...message.bcc ?? []],
      subject: message.subject.replace(/[\r\n]+/g, " "),
      messageId,
      ...message.automatic === true ? { headers: { "Auto-Submitted": "auto-generated" } } : {},
      ...message.replyTo === undefined ? {} : { replyTo: message.replyTo },
      ...message.text === undefined ? {} : { text: message.text },
      ...message.html === undefined ? {} : { html: message.html },
      disableFileAccess: true,
      disableUrlAccess: true
    }).compile()
    const raw = yield* Effect.promise(() => composed.build())
    const envelope = composed.getEnvelope()
    const flight = { sent: false }
    const info = yield* deliver(
      library,
      Redacted.value(settings.url.value),
      { from: envelope.from, to: envelope.to },
      raw,
      flight
    ).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () =>
          Effect.fail(
            new MailFailed({ sent: flight.sent, reason: `no response from the mail server within ${timeoutMs} ms` })
          )
      })
    )
    return { messageId, accepted: info.accepted, rejected: info.rejected, response: words(info.response) }
  })
  return Mailer.of({ send })
}

interface Taken {
  readonly accepted: ReadonlyArray<string>
  readonly rejected: ReadonlyArray<string>
  readonly response: string
}

const deliver = (
  { SMTPConnection, parseConnectionUrl }: Nodemailer,
  url: string,
  envelope: { readonly from: string | false; readonly to: Array<string> },
  raw: Buffer,
  flight: { sent: boolean }
) =>
  Effect.callback<Taken, MailFailed>((resume) => {
    const { auth, ...options } = parseConnectionUrl(url)
    const connection = new SMTPConnection({
      ...options,
      logger: false,
      // A connection within this machine needs no trusted certificate.
      tls: {
        ...(isLoopback(options.host) ? { rejectUnauthorized: false } : {}),
        ...(options.tls as object | undefined)
      }
    })
    const fail = (error: Error & { readonly responseCode?: unknown }) => {
      const sent = flight.sent && typeof error.responseCode !== "number"
      resume(Effect.fail(new MailFailed({ sent, reason: words(error.message) })))
      connection.close()
    }
    // Read only after the server accepted the DATA command.
    const body = new Readable({
      read() {
        flight.sent = true
        this.push(raw)
        this.push(null)
      }
    })
    const hand = () =>
      connection.send(envelope, body, (error, info) => {
        if (error) return fail(error)
        connection.quit()
        resume(Effect.succeed(info!))
      })
    connection.on("error", fail)
    connection.on("end", () => fail(new Error("the mail server closed the connection")))
    connection.connect((error) => {
      if (error) return fail(error)
      const user = (auth as { readonly user?: string } | undefined)?.user
      if (user === undefined) return hand()
      connection.login({ ...(auth as object) }, (refused) => refused ? fail(refused) : hand())
    })
    return Effect.sync(() => connection.close())
  })

const isLoopback = (host: string | undefined) =>
  host === undefined || host === "localhost" || host === "::1" || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host)

const words = (text: string): string => text.replace(/\p{Cc}+/gu, " ").trim().slice(0, reasonLengthMax)
