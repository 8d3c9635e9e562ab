/**
 * Notice channels: a channel in Slack or Discord that shows pending approvals and lets linked people decide them. Spec:
 * reference/notice-channels.md "Channel", "Messages".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { AgentId, AppId, NoticeChannelId } from "./ids.ts"
import { AmountCents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { SecretName } from "./services.ts"
import { expectedVersion, Version } from "./versions.ts"

/** Channels of one workspace. */
export const noticeChannelsMax = 50
export const channelAgentsMax = 100
export const targetLengthMax = 64

export const MessengerKind = Schema.Literals(["slack", "discord"])
export type MessengerKind = typeof MessengerKind.Type

/** The events that a channel may show. Each message then follows its subject until the subject is decided. */
export const noticeEvents = ["approval.created", "agent_request.created", "budget_request.updated"] as const
export const NoticeEvent = Schema.Literals(noticeEvents)
export type NoticeEvent = typeof NoticeEvent.Type

const Target = Schema.String.check(
  Schema.isMaxLength(targetLengthMax),
  matching(/^[A-Za-z0-9_.#@-]+$/u, "the id of a channel, such as C0123456789 or 112233445566778899")
).annotate({ description: "The id of the channel in Slack or Discord" })

const AgentIds = Schema.Array(AgentId).check(
  Schema.isMinLength(1),
  Schema.isMaxLength(channelAgentsMax),
  Schema.isUnique()
).annotate({ description: "Only subjects of these agents. Absent: of all agents" })

const Events = Schema.Array(NoticeEvent).check(Schema.isMinLength(1), Schema.isUnique()).annotate({
  description: "Default: `approval.created`"
})

const Secret = SecretName.annotate({ description: "The stored secret with the bot's token" })
const App = AppId.annotate({ description: "For Slack: a connected app of the workspace in place of a secret" })
const MinCents = AmountCents.annotate({ description: "Only approvals and budget requests of at least this amount" })

export const NoticeChannel = Schema.Struct({
  id: NoticeChannelId,
  kind: MessengerKind,
  app_id: Schema.optionalKey(AppId),
  secret: Schema.optionalKey(SecretName),
  target: Schema.String,
  min_cents: Schema.optionalKey(AmountCents),
  agent_ids: Schema.optionalKey(Schema.Array(AgentId)),
  events: Schema.Array(NoticeEvent),
  /** Why the last message could not be sent; absent after a message was sent. */
  problem: Schema.optionalKey(Schema.String),
  last_sent_at: Schema.optionalKey(Schema.String),
  version: Version,
  created_at: Schema.String,
  updated_at: Schema.String
}).annotate({ identifier: "NoticeChannel" })
export type NoticeChannel = typeof NoticeChannel.Type

export const CreateNoticeChannelInput = Schema.Struct({
  kind: MessengerKind,
  app_id: Schema.optionalKey(App),
  secret: Schema.optionalKey(Secret),
  target: Target,
  min_cents: Schema.optionalKey(MinCents),
  agent_ids: Schema.optionalKey(AgentIds),
  events: Schema.optionalKey(Events)
}).annotate({ identifier: "CreateNoticeChannelInput" })
export type CreateNoticeChannelInput = typeof CreateNoticeChannelInput.Type

/** The kind never changes. null removes a filter. */
export const UpdateNoticeChannelInput = Schema.Struct({
  app_id: Schema.optionalKey(App),
  secret: Schema.optionalKey(Secret),
  target: Schema.optionalKey(Target),
  min_cents: Schema.optionalKey(Schema.NullOr(MinCents)),
  agent_ids: Schema.optionalKey(Schema.NullOr(AgentIds)),
  events: Schema.optionalKey(Events),
  ...expectedVersion
}).annotate({ identifier: "UpdateNoticeChannelInput" })
export type UpdateNoticeChannelInput = typeof UpdateNoticeChannelInput.Type

/** Of an installation: the settings that the operator must make before buttons and commands work. */
export const NoticeChannelTest = Schema.Struct({
  delivered: Schema.Literal(true),
  /** The provider's id of the message. */
  message_id: Schema.String,
  /** Whether the hub has the setting with which it verifies clicks. */
  interactive: Schema.Boolean
}).annotate({ identifier: "NoticeChannelTest" })
export type NoticeChannelTest = typeof NoticeChannelTest.Type

const params = { id: NoticeChannelId }

export class NoticeChannelsGroup extends HttpApiGroup.make("notice_channels").add(
  HttpApiEndpoint.get("list", "/notice-channels", {
    query: { ...PageQuery, kind: Schema.optionalKey(MessengerKind) },
    success: Page(NoticeChannel)
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(OpenApi.Description, "Newest first."),
  HttpApiEndpoint.post("create", "/notice-channels", {
    payload: CreateNoticeChannelInput,
    success: Created(NoticeChannel)
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    "Shows subjects that are created from now on in a channel of Slack or Discord. Exactly one of `secret` and `app_id` " +
      "gives the bot's token; Discord takes a `secret` only. POST /notice-channels/:id/test checks the token and the " +
      `channel. A workspace has at most ${noticeChannelsMax} (409 \`limit_reached\`).`
  ),
  HttpApiEndpoint.get("get", "/notice-channels/:id", { params, success: NoticeChannel })
    .middleware(UserAccess).annotate(Requires, "workspace:write"),
  HttpApiEndpoint.patch("update", "/notice-channels/:id", {
    params,
    payload: UpdateNoticeChannelInput,
    success: NoticeChannel
  }).middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
    OpenApi.Description,
    "Messages that were sent before stay in their channel and are still updated. Setting `secret` removes `app_id`, and " +
      "setting `app_id` removes `secret`."
  ),
  HttpApiEndpoint.delete("remove", "/notice-channels/:id", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
      OpenApi.Description,
      "Its messages are no longer updated, and their buttons no longer decide anything."
    ),
  HttpApiEndpoint.post("test", "/notice-channels/:id/test", { params, success: NoticeChannelTest })
    .middleware(UserAccess).annotate(Requires, "workspace:write").annotate(
      OpenApi.Description,
      "Sends a message without buttons now. A refusal of the provider is 502 with the provider's words. For Discord it " +
        "also registers the command `/countersign`."
    )
) {}
