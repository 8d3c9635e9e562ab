/** Answers verified interactions of Discord, within three seconds; a slow decision is answered later. */
import { Context, Effect, Fiber, Layer, Option } from "effect"
import { type Click, MessengerLinks } from "../messenger-links/service.ts"
import { discordForm, escapeDiscord, noMentions } from "../notice-channels/discord-message.ts"
import { Discord } from "../notice-channels/discord.ts"
import type { DecisionButton, FormFacts } from "../notice-channels/notice.ts"
import { MessengerDecisions } from "./decisions.ts"
import { type DiscordCall, discordTeam } from "./discord-calls.ts"
import { claimText, waitMillis } from "./links.ts"

export type DiscordAnswer = Readonly<Record<string, unknown>>

const answers = { pong: 1, message: 4, deferred: 5, ignored: 6, form: 9 } as const
/** Only the person who clicked sees it. */
const ephemeralFlag = 64
const commentMax = 1_000

const message = (text: string): DiscordAnswer => ({
  type: answers.message,
  data: { content: escapeDiscord(text), flags: ephemeralFlag, allowed_mentions: noMentions }
})

/** Discord has no confirmations for buttons: a dialog is one. */
const formOf = ({ confirm, form, label }: DecisionButton): FormFacts | undefined =>
  form ??
    (confirm === undefined
      ? undefined
      : { title: confirm.title, submit: label, label: "Comment", required: false, max: commentMax })

export class DiscordCalls extends Context.Service<DiscordCalls, {
  readonly answer: (call: DiscordCall, ip: string) => Effect.Effect<DiscordAnswer>
}>()("@countersign/hub/messengers/DiscordCalls") {
  static readonly layer = Layer.effect(
    DiscordCalls,
    Effect.gen(function*() {
      const decisions = yield* MessengerDecisions
      const links = yield* MessengerLinks
      const discord = yield* Discord
      const scope = yield* Effect.scope

      return DiscordCalls.of({
        answer: Effect.fn("DiscordCalls.answer")(function*(call, ip): Effect.fn.Return<DiscordAnswer> {
          if (call.kind === "ping") return { type: answers.pong }
          if (call.kind === "other") return { type: answers.ignored }
          const { application, by, event, token } = call
          const account = { provider: "discord" as const, team: discordTeam, teamName: undefined, ...by }
          if (call.kind === "command") {
            return message(
              call.subcommand === "link"
                ? claimText(yield* links.claim(call.code, account, event))
                : "Enter /countersign link with the code that Countersign shows under Settings, Linked accounts."
            )
          }
          const click: Click = { by: account, event, ip }
          const work = Effect.gen(function*(): Effect.fn.Return<DiscordAnswer | string> {
            const found = yield* decisions.find(
              click,
              { kind: "message", place: call.place, message: call.message },
              call.value
            )
            if (found.kind === "refused") return found.text
            const form = formOf(found.button)
            return call.kind === "click" && form !== undefined
              ? { type: answers.form, data: discordForm(call.value, form, call.message) }
              : (yield* found.decide(call.text)).text
          })
          const fiber = yield* Effect.forkIn(work, scope)
          const done = yield* Effect.timeoutOption(Fiber.join(fiber), waitMillis)
          if (Option.isSome(done)) return typeof done.value === "string" ? message(done.value) : done.value
          yield* Fiber.join(fiber).pipe(
            Effect.flatMap((late) =>
              discord.reply(application, token, typeof late === "string" ? late : "This took too long. Try again.")
            ),
            Effect.forkIn(scope)
          )
          return { type: answers.deferred, data: { flags: ephemeralFlag } }
        })
      })
    })
  )
}
