/** Calls of Slack's Web API. https://docs.slack.dev/apis/web-api */
import { asSentence } from "@countersign/domain/text"
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config.ts"
import { Egress, type EgressAnswer } from "../providers/egress.ts"
import { type Content, isNotice, type MessengerFailure, retryAfterSeconds, type SentMessage } from "./messenger.ts"
import { escapeSlack, slackMessage } from "./slack-message.ts"

const callTimeoutMillis = 5_000
/** Slack expects the answer to a click within three seconds. */
const replyTimeoutMillis = 5_000
/** The address of Slack's own answers to clicks. */
const replyOrigin = "https://hooks.slack.com"

/** The message does not exist, or is too old to change. */
const goneErrors: ReadonlySet<string> = new Set([
  "message_not_found",
  "cant_update_message",
  "edit_window_closed",
  "msg_too_long"
])
const passingErrors: ReadonlySet<string> = new Set([
  "internal_error",
  "fatal_error",
  "request_timeout",
  "service_unavailable",
  "team_added_to_org"
])

const contentOf = (content: Content) => isNotice(content) ? slackMessage(content) : { text: escapeSlack(content.text) }

export class Slack extends Context.Service<Slack, {
  readonly post: (token: string, target: string, content: Content) => Effect.Effect<SentMessage, MessengerFailure>
  readonly update: (token: string, sent: SentMessage, content: Content) => Effect.Effect<void, MessengerFailure>
  readonly openForm: (token: string, trigger: string, view: unknown) => Effect.Effect<void, MessengerFailure>
  /** Only the person who clicked sees it. False for an address that is not Slack's. */
  readonly reply: (url: string, text: string) => Effect.Effect<boolean>
}>()("@countersign/hub/notice-channels/Slack") {
  static readonly layer = Layer.effect(
    Slack,
    Effect.gen(function*() {
      const { slack } = yield* Settings
      const egress = yield* Egress
      const base = slack.apiBase.href.replace(/\/$/, "")

      const call = (token: string, method: string, body: unknown) =>
        egress.request({
          url: `${base}/${method}`,
          method: "POST",
          headers: {
            authorization: `Bearer ${token}`,
            "content-type": "application/json; charset=utf-8",
            accept: "application/json"
          },
          body: JSON.stringify(body),
          timeoutMs: callTimeoutMillis
        }).pipe(
          Effect.mapError((error): MessengerFailure => ({
            kind: "passing",
            detail: `Slack could not be reached: ${asSentence(error.message)}`,
            isTimeout: error._tag === "UpstreamTimeout"
          })),
          Effect.flatMap(answerOf)
        )

      return Slack.of({
        post: Effect.fn("Slack.post")(function*(token, target, content) {
          const answer = yield* call(token, "chat.postMessage", {
            channel: target,
            ...contentOf(content),
            parse: "none",
            link_names: false,
            unfurl_links: false,
            unfurl_media: false
          })
          const { channel, ts } = answer
          return typeof ts === "string" && ts.length <= 64
            ? { place: typeof channel === "string" ? channel : target, message: ts }
            : yield* Effect.fail<MessengerFailure>({ kind: "refused", detail: "Slack's answer names no message." })
        }),
        update: (token, { message, place }, content) =>
          Effect.asVoid(
            call(token, "chat.update", {
              channel: place,
              ts: message,
              ...contentOf(content),
              parse: "none",
              link_names: false
            })
          ),
        openForm: (token, trigger, view) => Effect.asVoid(call(token, "views.open", { trigger_id: trigger, view })),
        reply: Effect.fn("Slack.reply")(function*(address, text) {
          const url = URL.parse(address)
          if (url === null || (url.origin !== replyOrigin && url.origin !== slack.apiBase.origin)) return false
          return yield* egress.request({
            url: url.href,
            method: "POST",
            headers: { "content-type": "application/json; charset=utf-8" },
            body: JSON.stringify({ response_type: "ephemeral", replace_original: false, text: escapeSlack(text) }),
            timeoutMs: replyTimeoutMillis
          }).pipe(
            Effect.match({
              onSuccess: ({ status }) => status < 300,
              onFailure: () => false
            }),
            Effect.tap((done) => done ? Effect.void : Effect.logDebug("an answer to a click did not arrive in Slack"))
          )
        })
      })
    })
  )
}

const answerOf = (
  { body, headers, status }: EgressAnswer
): Effect.Effect<Readonly<Record<string, unknown>>, MessengerFailure> => {
  if (status === 429) return Effect.fail({ kind: "limited", seconds: retryAfterSeconds(headers["retry-after"]) })
  if (status >= 500) return Effect.fail({ kind: "passing", detail: `Slack answered ${status}.`, isTimeout: false })
  const document = parsed(body)
  if (document === undefined) return Effect.fail({ kind: "refused", detail: `Slack answered ${status} without JSON.` })
  if (document["ok"] === true) return Effect.succeed(document)
  const error = typeof document["error"] === "string"
    ? document["error"].replace(/[^\w.:-]/g, " ").slice(0, 100)
    : `status ${status}`
  if (error === "ratelimited") {
    return Effect.fail({ kind: "limited", seconds: retryAfterSeconds(headers["retry-after"]) })
  }
  return Effect.fail(
    goneErrors.has(error)
      ? { kind: "gone", detail: `Slack answered ${error}.` }
      : passingErrors.has(error)
      ? { kind: "passing", detail: `Slack answered ${error}.`, isTimeout: false }
      : { kind: "refused", detail: `Slack answered ${error}.` }
  )
}

const parsed = (body: Uint8Array): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString("utf8"))
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? value as Readonly<Record<string, unknown>>
      : undefined
  } catch {
    return undefined
  }
}
