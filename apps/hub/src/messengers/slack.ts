/** Answers verified calls of Slack. A click is answered within three seconds; what takes longer follows by itself. */
import { Context, Effect, Fiber, Layer, Option } from "effect"
import { type Click, MessengerLinks } from "../messenger-links/service.ts"
import { NoticeChannelsRepository } from "../notice-channels/repository.ts"
import { NoticeSender } from "../notice-channels/sender.ts"
import { escapeSlack, formBlock, slackForm } from "../notice-channels/slack-message.ts"
import { Slack } from "../notice-channels/slack.ts"
import { MessengerDecisions, type Offered } from "./decisions.ts"
import { claimText, commandText, waitMillis } from "./links.ts"
import { isProviderId } from "./provider-ids.ts"
import type { SlackCall } from "./slack-calls.ts"

/** The body of the answer; undefined: none. */
export type SlackAnswer = Readonly<Record<string, unknown>> | undefined

const ephemeral = (text: string): SlackAnswer => ({
  response_type: "ephemeral",
  replace_original: false,
  text: escapeSlack(text)
})

/** What a form brings back: the message, and the button. */
const metadataOf = ({ button, message }: Offered): string => `${message.id} ${button.value}`
const readMetadata = (text: string): { readonly id: string; readonly value: string } => {
  const [id = "", value = ""] = text.split(" ")
  return { id: isProviderId(id) ? id : "", value }
}

export class SlackCalls extends Context.Service<SlackCalls, {
  readonly answer: (call: SlackCall, event: string, ip: string) => Effect.Effect<SlackAnswer>
}>()("@countersign/hub/messengers/SlackCalls") {
  static readonly layer = Layer.effect(
    SlackCalls,
    Effect.gen(function*() {
      const decisions = yield* MessengerDecisions
      const links = yield* MessengerLinks
      const channels = yield* NoticeChannelsRepository
      const sender = yield* NoticeSender
      const slack = yield* Slack
      const scope = yield* Effect.scope

      const openForm = Effect.fnUntraced(function*(offered: Offered, trigger: string | undefined) {
        const { button, message } = offered
        const channel = Option.getOrUndefined(yield* channels.find(message.org_id, message.channel_id))
        if (channel === undefined || trigger === undefined || button.form === undefined) return false
        return yield* Effect.match(
          Effect.flatMap(
            sender.token(channel),
            (token) => slack.openForm(token, trigger, slackForm(button.form!, metadataOf(offered)))
          ),
          { onSuccess: () => true, onFailure: () => false }
        )
      })

      /** The text for the person; undefined: a form was opened. */
      const clicked = Effect.fnUntraced(function*(
        { message, place, trigger, value }: Extract<SlackCall, { readonly kind: "click" }>,
        click: Click
      ) {
        const found = yield* decisions.find(click, { kind: "message", place, message }, value)
        if (found.kind === "refused") return found.text
        if (found.button.form === undefined) return (yield* found.decide(undefined)).text
        return (yield* openForm(found, trigger))
          ? undefined
          : "Slack did not open the form. Open Countersign to decide."
      })

      /** Waits for work as long as Slack waits; the rest of it continues. */
      const inTime = <A>(work: Effect.Effect<A>) =>
        Effect.flatMap(
          Effect.forkIn(work, scope),
          (fiber) => Effect.timeoutOption(Fiber.join(fiber), waitMillis)
        )

      return SlackCalls.of({
        answer: Effect.fn("SlackCalls.answer")(function*(call, event, ip): Effect.fn.Return<SlackAnswer> {
          if (call.kind === "other") return undefined
          if (call.kind === "challenge") return { challenge: call.challenge }
          const account = { provider: "slack" as const, ...call.by }
          const click: Click = { by: account, event, ip }
          if (call.kind === "command") {
            const code = commandText(call.text)
            return ephemeral(
              code === undefined
                ? "Enter /countersign link CODE with the code that Countersign shows under Settings, Linked accounts."
                : claimText(yield* links.claim(code, account, event))
            )
          }
          if (call.kind === "form") {
            const { id, value } = readMetadata(call.metadata)
            const done = yield* inTime(Effect.gen(function*() {
              const found = yield* decisions.find(click, { kind: "notice", id }, value)
              if (found.kind === "refused") return { text: found.text, isDone: false }
              return yield* found.decide(call.text)
            }))
            // An error stays in the form; the message shows a decision.
            return Option.isSome(done) && !done.value.isDone
              ? { response_action: "errors", errors: { [formBlock]: done.value.text } }
              : undefined
          }
          const { replyUrl } = call
          const replied = yield* inTime(Effect.gen(function*() {
            const text = yield* clicked(call, click)
            if (text === undefined) return undefined
            return replyUrl !== undefined && (yield* slack.reply(replyUrl, text)) ? undefined : text
          }))
          return Option.isSome(replied) && replied.value !== undefined ? ephemeral(replied.value) : undefined
        })
      })
    })
  )
}
