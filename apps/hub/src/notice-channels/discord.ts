/** Calls of Discord's API. https://discord.com/developers/docs/reference */
import { asSentence } from "@countersign/domain/text"
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config.ts"
import { Egress, type EgressAnswer } from "../providers/egress.ts"
import { discordMessage, escapeDiscord, noMentions } from "./discord-message.ts"
import { type Content, isNotice, type MessengerFailure, retryAfterSeconds, type SentMessage } from "./messenger.ts"

const callTimeoutMillis = 5_000
const nonceMax = 25
/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const unknownMessage = 10_008

/** The command that people enter their code with. */
export const linkCommand = {
  name: "countersign",
  type: 1,
  description: "Countersign",
  options: [{
    type: 1,
    name: "link",
    description: "Link your Discord account to your Countersign account",
    options: [{ type: 3, name: "code", description: "The code that Countersign shows", required: true }]
  }]
} as const

const contentOf = (content: Content) =>
  isNotice(content)
    ? discordMessage(content)
    : { content: escapeDiscord(content.text), allowed_mentions: noMentions, components: [] }

export class Discord extends Context.Service<Discord, {
  /** `nonce`: a repeat within a few minutes returns the first message. */
  readonly post: (
    token: string,
    target: string,
    content: Content,
    nonce: string
  ) => Effect.Effect<SentMessage, MessengerFailure>
  readonly update: (token: string, sent: SentMessage, content: Content) => Effect.Effect<void, MessengerFailure>
  /** The late answer to an interaction; only the person who clicked sees it. */
  readonly reply: (application: string, interaction: string, text: string) => Effect.Effect<boolean>
  /** Registers the command by which people link their account. */
  readonly registerCommand: (token: string) => Effect.Effect<void, MessengerFailure>
}>()("@countersign/hub/notice-channels/Discord") {
  static readonly layer = Layer.effect(
    Discord,
    Effect.gen(function*() {
      const { discord } = yield* Settings
      const egress = yield* Egress
      const base = discord.apiBase.href.replace(/\/$/, "")

      const call = (token: string | undefined, method: string, path: string, body?: unknown) =>
        egress.request({
          url: `${base}${path}`,
          method,
          headers: {
            ...(token === undefined ? {} : { authorization: `Bot ${token}` }),
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            accept: "application/json"
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          timeoutMs: callTimeoutMillis
        }).pipe(
          Effect.mapError((error): MessengerFailure => ({
            kind: "passing",
            detail: `Discord could not be reached: ${asSentence(error.message)}`,
            isTimeout: error._tag === "UpstreamTimeout"
          })),
          Effect.flatMap(answerOf)
        )
      const part = encodeURIComponent

      return Discord.of({
        post: Effect.fn("Discord.post")(function*(token, target, content, nonce) {
          const { channel_id, id } = yield* call(token, "POST", `/channels/${part(target)}/messages`, {
            ...contentOf(content),
            nonce: nonce.slice(-nonceMax),
            enforce_nonce: true
          })
          return typeof id === "string" && id.length <= 64
            ? { place: typeof channel_id === "string" ? channel_id : target, message: id }
            : yield* Effect.fail<MessengerFailure>({ kind: "refused", detail: "Discord's answer names no message." })
        }),
        update: (token, { message, place }, content) =>
          Effect.asVoid(
            call(token, "PATCH", `/channels/${part(place)}/messages/${part(message)}`, contentOf(content))
          ),
        reply: (application, interaction, text) =>
          Effect.match(
            call(undefined, "PATCH", `/webhooks/${part(application)}/${part(interaction)}/messages/@original`, {
              content: escapeDiscord(text),
              allowed_mentions: noMentions
            }),
            { onSuccess: () => true, onFailure: () => false }
          ),
        registerCommand: Effect.fn("Discord.registerCommand")(function*(token) {
          const { id } = yield* call(token, "GET", "/applications/@me")
          if (typeof id === "string") yield* call(token, "POST", `/applications/${part(id)}/commands`, linkCommand)
        })
      })
    })
  )
}

const answerOf = (
  { body, headers, status }: EgressAnswer
): Effect.Effect<Readonly<Record<string, unknown>>, MessengerFailure> => {
  const document = parsed(body)
  if (status >= 200 && status < 300) return Effect.succeed(document)
  const failure: MessengerFailure = status === 429
    ? { kind: "limited", seconds: retryAfterSeconds(headers["retry-after"] ?? String(document["retry_after"])) }
    : status >= 500
    ? { kind: "passing", detail: `Discord answered ${status}.`, isTimeout: false }
    : document["code"] === unknownMessage
    ? { kind: "gone", detail: "Discord has no such message." }
    : { kind: "refused", detail: `Discord answered ${status}${messageOf(document)}.` }
  return Effect.fail(failure)
}

const messageOf = ({ message }: Readonly<Record<string, unknown>>): string =>
  typeof message === "string" ? `: ${message.replace(/\p{Cc}/gu, " ").slice(0, 200).replace(/\.$/u, "")}` : ""

const parsed = (body: Uint8Array): Readonly<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"))
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Readonly<Record<string, unknown>>
      : {}
  } catch {
    return {}
  }
}
