/**
 * What a verified call of Slack asks for. Pure. Unknown calls are `other`.
 * https://docs.slack.dev/interactivity/handling-user-interaction
 */
import { Option, Schema } from "effect"
import { createHash } from "node:crypto"
import { oneLine } from "../notice-channels/notice.ts"
import { formBlock } from "../notice-channels/slack-message.ts"
import { isProviderId, ProviderId } from "./provider-ids.ts"

export interface SlackUser {
  readonly team: string
  readonly teamName: string | undefined
  readonly account: string
  readonly accountName: string
}

export type SlackCall =
  | {
    readonly kind: "click"
    readonly by: SlackUser
    readonly value: string
    readonly place: string
    readonly message: string
    readonly trigger: string | undefined
    readonly replyUrl: string | undefined
  }
  | {
    readonly kind: "form"
    readonly by: SlackUser
    /** What the form was opened with. */
    readonly metadata: string
    readonly text: string | undefined
  }
  | { readonly kind: "command"; readonly by: SlackUser; readonly text: string }
  | { readonly kind: "challenge"; readonly challenge: string }
  | { readonly kind: "other" }

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
const User = Schema.Struct({ id: ProviderId, username: Text, name: Text, team_id: Text })
const Team = Schema.optionalKey(Schema.NullOr(Schema.Struct({ id: Text, domain: Text })))

const Click = Schema.Struct({
  type: Schema.Literal("block_actions"),
  user: User,
  team: Team,
  trigger_id: Text,
  response_url: Text,
  container: Schema.optionalKey(Schema.Struct({ channel_id: Text, message_ts: Text })),
  channel: Schema.optionalKey(Schema.NullOr(Schema.Struct({ id: Text }))),
  message: Schema.optionalKey(Schema.NullOr(Schema.Struct({ ts: Text }))),
  actions: Schema.Array(Schema.Struct({ value: Text }))
})
const Form = Schema.Struct({
  type: Schema.Literal("view_submission"),
  user: User,
  team: Team,
  view: Schema.Struct({
    private_metadata: Text,
    state: Schema.optionalKey(Schema.Struct({
      values: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Struct({ value: Text })))
    }))
  })
})
const Challenge = Schema.Struct({ type: Schema.Literal("url_verification"), challenge: Schema.String })

const readClick = Schema.decodeUnknownOption(Click)
const readForm = Schema.decodeUnknownOption(Form)
const readChallenge = Schema.decodeUnknownOption(Challenge)

const nameMax = 100
const named = (name: string | null | undefined, id: string): string => oneLine(name ?? "", nameMax) || id

/** In a shared channel the clicking person's own workspace counts, not that of the channel. */
const userOf = (user: typeof User.Type, team: typeof Team.Type | undefined): SlackUser | undefined => {
  const id = user.team_id ?? team?.id ?? ""
  return !isProviderId(id) ? undefined : {
    team: id,
    teamName: team?.id === id && team.domain !== null && team.domain !== undefined
      ? named(team.domain, id)
      : undefined,
    account: user.id,
    accountName: named(user.username ?? user.name, user.id)
  }
}

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const other: SlackCall = { kind: "other" }

const interactionOf = (payload: unknown): SlackCall => {
  const click = Option.getOrUndefined(readClick(payload))
  if (click !== undefined) {
    const by = userOf(click.user, click.team)
    const value = click.actions[0]?.value
    const place = click.container?.channel_id ?? click.channel?.id
    const message = click.container?.message_ts ?? click.message?.ts
    // The button "Open" has an address and no value.
    const isWhole = value !== null && value !== undefined && isProviderId(place) && isProviderId(message)
    return by === undefined || !isWhole ? other : {
      kind: "click",
      by,
      value,
      place,
      message,
      trigger: click.trigger_id ?? undefined,
      replyUrl: click.response_url ?? undefined
    }
  }
  const form = Option.getOrUndefined(readForm(payload))
  const by = form === undefined ? undefined : userOf(form.user, form.team)
  if (form === undefined || by === undefined) return other
  const values = form.view.state?.values ?? {}
  const text = values[formBlock]?.[formBlock]?.value ?? undefined
  return { kind: "form", by, metadata: form.view.private_metadata ?? "", text: text === "" ? undefined : text }
}

const commandOf = (form: URLSearchParams): SlackCall => {
  const [team, account] = [form.get("team_id") ?? "", form.get("user_id") ?? ""]
  return !isProviderId(team) || !isProviderId(account) ? other : {
    kind: "command",
    by: {
      team,
      teamName: form.get("team_domain") === null ? undefined : named(form.get("team_domain"), team),
      account,
      accountName: named(form.get("user_name"), account)
    },
    text: form.get("text") ?? ""
  }
}

export const slackCallOf = (body: Uint8Array, contentType: string | undefined): SlackCall => {
  const text = Buffer.from(body).toString("utf8")
  if (/^application\/json\b/i.test(contentType ?? "")) {
    return Option.getOrElse(
      Option.map(readChallenge(json(text)), ({ challenge }): SlackCall => ({ kind: "challenge", challenge })),
      () => other
    )
  }
  const form = new URLSearchParams(text)
  const payload = form.get("payload")
  return payload !== null ? interactionOf(json(payload)) : form.has("command") ? commandOf(form) : other
}

/** Slack's calls have no id: the signed bytes are one. */
export const slackEventId = (timestamp: string, body: Uint8Array): string =>
  createHash("sha256").update(`${timestamp}:`).update(body).digest("hex")
