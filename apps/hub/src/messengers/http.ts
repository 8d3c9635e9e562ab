import { HubApi } from "@countersign/domain/api"
import { notFound } from "@countersign/domain/errors"
import { Effect, Option, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Settings } from "../config.ts"
import { makeSignedHook } from "../edge/signed-hook.ts"
import { discordSignatureProblem, ed25519Key, slackSignatureProblem } from "../platform/provider-signatures.ts"
import { discordCallOf } from "./discord-calls.ts"
import { DiscordCalls } from "./discord.ts"
import { slackCallOf, slackEventId } from "./slack-calls.ts"
import { SlackCalls } from "./slack.ts"

export const MessengerHooksHttp = HttpApiBuilder.group(
  HubApi,
  "messenger_hooks",
  Effect.fn(function*(handlers) {
    const settings = yield* Settings
    const signed = yield* makeSignedHook
    const slack = yield* SlackCalls
    const discord = yield* DiscordCalls
    const secret = Option.map(settings.slack.signingSecret, Redacted.value)
    const key = Option.map(settings.discord.publicKey, ed25519Key)
    return handlers.handleRaw(
      "slack",
      Effect.fnUntraced(function*() {
        if (Option.isNone(secret)) return yield* Effect.fail(notFound())
        const { body, headers, ip } = yield* signed({
          headers: ["x-slack-signature", "x-slack-request-timestamp"],
          timestamp: "x-slack-request-timestamp",
          problem: ({ body, headers }, now) =>
            slackSignatureProblem(
              secret.value,
              headers["x-slack-request-timestamp"],
              headers["x-slack-signature"],
              body,
              now
            )
        })
        const answer = yield* slack.answer(
          slackCallOf(body, headers["content-type"]),
          slackEventId(headers["x-slack-request-timestamp"] ?? "", body),
          ip
        )
        // A body would replace what Slack shows.
        return answer === undefined ? HttpServerResponse.empty({ status: 200 }) : HttpServerResponse.jsonUnsafe(answer)
      })
    ).handleRaw(
      "discord",
      Effect.fnUntraced(function*() {
        if (Option.isNone(key)) return yield* Effect.fail(notFound())
        const { body, ip } = yield* signed({
          headers: ["x-signature-ed25519", "x-signature-timestamp"],
          timestamp: "x-signature-timestamp",
          problem: ({ body, headers }, now) =>
            discordSignatureProblem(
              key.value,
              headers["x-signature-timestamp"],
              headers["x-signature-ed25519"],
              body,
              now
            )
        })
        return HttpServerResponse.jsonUnsafe(yield* discord.answer(discordCallOf(body), ip))
      })
    )
  })
)
