/**
 * What a verified interaction of Discord asks for. Pure. Unknown interactions are `other`.
 * https://discord.com/developers/docs/interactions/receiving-and-responding
 */
import { Option, Schema } from "effect"
import { formMessage } from "../notice-channels/discord-message.ts"
import { oneLine } from "../notice-channels/notice.ts"
import { isProviderId, ProviderId } from "./provider-ids.ts"

/** Accounts of Discord belong to no workspace. */
export const discordTeam = "discord"

export interface DiscordUser {
  readonly account: string
  readonly accountName: string
}

interface Answerable {
  readonly by: DiscordUser
  readonly event: string
  readonly application: string
  /** For a late answer. */
  readonly token: string
}

export type DiscordCall =
  | { readonly kind: "ping" }
  | (Answerable & {
    readonly kind: "click" | "form"
    readonly value: string
    readonly place: string
    readonly message: string
    readonly text: string | undefined
  })
  | (Answerable & { readonly kind: "command"; readonly subcommand: string; readonly code: string })
  | { readonly kind: "other" }

const Text = Schema.optionalKey(Schema.NullOr(Schema.String))
const User = Schema.Struct({ id: ProviderId, username: Text, global_name: Text })
const Option_ = Schema.Struct({
  name: Schema.String,
  value: Schema.optionalKey(Schema.Unknown),
  options: Schema.optionalKey(
    Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.optionalKey(Schema.Unknown) }))
  )
})
const Field = Schema.Struct({ custom_id: Text, value: Text })
const Row = Schema.Struct({
  components: Schema.optionalKey(Schema.Array(Field)),
  component: Schema.optionalKey(Field)
})

const Interaction = Schema.Struct({
  id: ProviderId,
  type: Schema.Int,
  application_id: Text,
  token: Text,
  channel_id: Text,
  member: Schema.optionalKey(Schema.NullOr(Schema.Struct({ user: Schema.optionalKey(Schema.NullOr(User)) }))),
  user: Schema.optionalKey(Schema.NullOr(User)),
  message: Schema.optionalKey(Schema.NullOr(Schema.Struct({ id: ProviderId, channel_id: Text }))),
  data: Schema.optionalKey(Schema.NullOr(Schema.Struct({
    name: Text,
    custom_id: Text,
    options: Schema.optionalKey(Schema.Array(Option_)),
    components: Schema.optionalKey(Schema.Array(Row))
  })))
})
const read = Schema.decodeUnknownOption(Interaction)

const types = { ping: 1, command: 2, click: 3, form: 5 } as const
const other: DiscordCall = { kind: "other" }
const nameMax = 100

const parsed = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(Buffer.from(body).toString("utf8"))
  } catch {
    return undefined
  }
}

export const discordCallOf = (body: Uint8Array): DiscordCall => {
  const document = parsed(body)
  if ((document as { readonly type?: unknown } | undefined)?.type === types.ping) return { kind: "ping" }
  const interaction = Option.getOrUndefined(read(document))
  const user = interaction?.member?.user ?? interaction?.user
  if (interaction === undefined || user === undefined || user === null) return other
  const { application_id, channel_id, data, id, message, token, type } = interaction
  const answerable: Answerable = {
    by: {
      account: user.id,
      accountName: oneLine(user.username ?? user.global_name ?? "", nameMax) || user.id
    },
    event: id,
    application: application_id ?? "",
    token: token ?? ""
  }
  if (type === types.command) {
    const sub = data?.options?.[0]
    const code = sub?.options?.find(({ name }) => name === "code")?.value
    return {
      ...answerable,
      kind: "command",
      subcommand: sub?.name ?? "",
      code: typeof code === "string" ? code : ""
    }
  }
  const fields = (data?.components ?? []).flatMap(({ component, components = [] }) =>
    component === undefined ? components : [component]
  )
  const named = fields.map(({ custom_id }) => formMessage(custom_id ?? "")).find((each) => each !== undefined)
  const at = message?.id ?? named
  const place = message?.channel_id ?? channel_id
  const value = data?.custom_id
  if ((type !== types.click && type !== types.form) || !at || !isProviderId(place) || !value) return other
  const text = fields.map((field) => field.value).find((each) => each !== null && each !== undefined && each !== "")
  return {
    ...answerable,
    kind: type === types.click ? "click" : "form",
    value,
    place,
    message: at,
    text: text ?? undefined
  }
}
