/** Sends a message by the messenger and the token of its channel. */
import type { OrgId } from "@countersign/domain/ids"
import { capitalized } from "@countersign/domain/text"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { AppTokens } from "../apps/tokens.ts"
import { Settings } from "../config.ts"
import { Secrets } from "../secrets/service.ts"
import { Discord } from "./discord.ts"
import type { Content, MessengerFailure, SentMessage } from "./messenger.ts"
import type { ChannelRow } from "./repository.ts"
import { Slack } from "./slack.ts"

const refused = (detail: string): MessengerFailure => ({ kind: "refused", detail })

export class NoticeSender extends Context.Service<NoticeSender, {
  readonly token: (channel: ChannelRow) => Effect.Effect<string, MessengerFailure>
  /** `id`: ours, by which a messenger may recognize a repeat. */
  readonly post: (channel: ChannelRow, content: Content, id: string) => Effect.Effect<SentMessage, MessengerFailure>
  readonly update: (channel: ChannelRow, sent: SentMessage, content: Content) => Effect.Effect<void, MessengerFailure>
}>()("@countersign/hub/notice-channels/NoticeSender") {
  static readonly layer = Layer.effect(
    NoticeSender,
    Effect.gen(function*() {
      const secrets = yield* Secrets
      const apps = yield* AppTokens
      const slack = yield* Slack
      const discord = yield* Discord
      const settings = yield* Settings

      const ofApp = Effect.fnUntraced(function*(org: OrgId, app: string) {
        const access = yield* apps.access({ org, agent: "", service: "slack", reference: app })
        if (access.kind === "unavailable") {
          return yield* Effect.fail<MessengerFailure>({ kind: "passing", detail: access.detail, isTimeout: false })
        }
        if (access.kind === "missing") {
          return yield* Effect.fail(refused("The connected app is not connected, or not shared with the workspace."))
        }
        const problem = access.problemOf(settings.slack.apiBase.href)
        return problem === undefined ? access.token : yield* Effect.fail(refused(problem))
      })

      const token: NoticeSender["Service"]["token"] = Effect.fnUntraced(function*({ app_id, kind, org_id, secret }) {
        if (secret === null) return yield* ofApp(org_id, app_id ?? "")
        const value = yield* secrets.valueOf(org_id, secret)
        return Option.isSome(value)
          ? Redacted.value(value.value).trim()
          : yield* Effect.fail(
            refused(`The secret "${secret}" with the token of the ${capitalized(kind)} bot is missing.`)
          )
      })

      return NoticeSender.of({
        token,
        post: (channel, content, id) =>
          Effect.flatMap(token(channel), (bearer) =>
            channel.kind === "slack"
              ? slack.post(bearer, channel.target, content)
              : discord.post(bearer, channel.target, content, id)),
        update: (channel, sent, content) =>
          Effect.flatMap(
            token(channel),
            (bearer) => (channel.kind === "slack" ? slack : discord).update(bearer, sent, content)
          )
      })
    })
  )
}
