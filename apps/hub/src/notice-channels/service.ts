/** Notice channels of a workspace. Spec: reference/notice-channels.md "Channel". */
import type { UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  conflict,
  invalidField,
  notFound,
  rateLimited,
  upstreamError,
  upstreamTimeout
} from "@countersign/domain/errors"
import { idPattern, newId, type OrgId } from "@countersign/domain/ids"
import {
  type CreateNoticeChannelInput,
  type MessengerKind,
  type NoticeChannel,
  noticeChannelsMax,
  type NoticeChannelTest,
  type UpdateNoticeChannelInput
} from "@countersign/domain/notice-channels"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer, Option } from "effect"
import { AgentsRepository } from "../agents/repository.ts"
import { AppsRepository } from "../apps/repository.ts"
import { Rights } from "../auth/rights.ts"
import { Settings } from "../config.ts"
import { needs } from "../edge/access.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { expectVersion } from "../platform/expected-version.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { WorkspacesRepository } from "../workspaces/repository.ts"
import { Discord } from "./discord.ts"
import type { MessengerFailure } from "./messenger.ts"
import { type ChannelChange, type ChannelRow, NoticeChannelsRepository } from "./repository.ts"
import { NoticeSender } from "./sender.ts"

const toChannel = (row: ChannelRow): NoticeChannel => ({
  id: row.id,
  kind: row.kind,
  ...(row.app_id === null ? {} : { app_id: row.app_id as NonNullable<NoticeChannel["app_id"]> }),
  ...(row.secret === null ? {} : { secret: row.secret as NonNullable<NoticeChannel["secret"]> }),
  target: row.target,
  ...(row.min_cents === null ? {} : { min_cents: row.min_cents }),
  ...(row.agent_ids === null ? {} : { agent_ids: row.agent_ids as NonNullable<NoticeChannel["agent_ids"]> }),
  events: row.events,
  ...(row.problem === null ? {} : { problem: row.problem }),
  ...(row.last_sent_at === null ? {} : { last_sent_at: row.last_sent_at.toISOString() }),
  version: row.version,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

const failureError = (failure: MessengerFailure): ApiError => {
  switch (failure.kind) {
    case "limited":
      return rateLimited(failure.seconds)
    case "passing":
      return failure.isTimeout ? upstreamTimeout(`${failure.detail} Try again.`) : upstreamError(failure.detail)
    default:
      return upstreamError(failure.detail)
  }
}

export class NoticeChannels extends Context.Service<NoticeChannels, {
  readonly list: (
    user: UserPrincipal,
    query: PageQuery & { readonly kind?: MessengerKind }
  ) => Effect.Effect<PageOf<NoticeChannel>, ApiError>
  readonly create: (user: UserPrincipal, input: CreateNoticeChannelInput) => Effect.Effect<NoticeChannel, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<NoticeChannel, ApiError>
  readonly update: (
    user: UserPrincipal,
    id: string,
    input: UpdateNoticeChannelInput
  ) => Effect.Effect<NoticeChannel, ApiError>
  readonly remove: (user: UserPrincipal, id: string) => Effect.Effect<void, ApiError>
  /** Calls the provider; it changes nothing else but the channel's last result. */
  readonly test: (user: UserPrincipal, id: string) => Effect.Effect<NoticeChannelTest, ApiError>
}>()("@countersign/hub/notice-channels/NoticeChannels") {
  static readonly layer = Layer.effect(
    NoticeChannels,
    Effect.gen(function*() {
      const channels = yield* NoticeChannelsRepository
      const agents = yield* AgentsRepository
      const apps = yield* AppsRepository
      const sender = yield* NoticeSender
      const discord = yield* Discord
      const workspaces = yield* WorkspacesRepository
      const settings = yield* Settings
      const rights = yield* Rights
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const find = Effect.fnUntraced(function*(org: OrgId, id: string) {
        const row = yield* channels.find(org, id)
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("notice channel"))
      })

      const check = Effect.fnUntraced(function*(org: OrgId, kind: MessengerKind, change: ChannelChange) {
        const { agent_ids, app_id, secret } = change
        if ((app_id === null) === (secret === null)) {
          return yield* Effect.fail(invalidField("secret", "expected exactly one of secret and app_id"))
        }
        if (app_id !== null && kind === "discord") {
          return yield* Effect.fail(invalidField("app_id", "a Discord bot has a token: store it as a secret"))
        }
        if (app_id !== null) {
          const app = Option.getOrUndefined(yield* apps.find(org, app_id))
          if (app === undefined || app.provider !== "slack" || app.visibility !== "workspace") {
            return yield* Effect.fail(
              invalidField("app_id", "expected a connected app of Slack that is shared with the workspace")
            )
          }
        }
        for (const [at, agent] of (agent_ids ?? []).entries()) {
          if (Option.isNone(yield* agents.find(org, agent))) {
            return yield* Effect.fail(invalidField(`agent_ids.${at}`, "the workspace has no such agent"))
          }
        }
      })

      const record = (
        user: UserPrincipal,
        action: string,
        { id, kind, target }: Pick<ChannelRow, "id" | "kind" | "target">,
        data: Readonly<Record<string, unknown>> = {}
      ) =>
        audit.record(user.org_id, actorOf(user), {
          action: `notice_channel.${action}`,
          subject: { type: "notice_channel", id },
          data: { kind, target, ...data }
        })

      /** The caller with current rights, under the workspace's lock. */
      const held = Effect.fnUntraced(function*(caller: UserPrincipal) {
        const user = yield* rights.hold(caller)
        const at = yield* heads.lock(user.org_id)
        yield* needs(user, "workspace:write")
        return { at, user }
      })

      const create = Effect.fn("NoticeChannels.create")(
        function*(caller: UserPrincipal, input: CreateNoticeChannelInput) {
          const { at, user } = yield* held(caller)
          const org = user.org_id
          const channel = {
            id: newId("ncn") as NoticeChannel["id"],
            kind: input.kind,
            app_id: input.app_id ?? null,
            secret: input.secret ?? null,
            target: input.target,
            min_cents: input.min_cents ?? null,
            agent_ids: input.agent_ids ?? null,
            events: input.events ?? ["approval.created"]
          }
          yield* check(org, input.kind, channel)
          if ((yield* channels.count(org)) >= noticeChannelsMax) {
            return yield* Effect.fail(
              conflict("limit_reached", `A workspace can have ${noticeChannelsMax} notice channels; delete one first.`)
            )
          }
          yield* channels.insert(org, channel, at)
          yield* record(user, "created", channel)
          return toChannel(yield* find(org, channel.id))
        },
        db.transaction
      )

      const update = Effect.fn("NoticeChannels.update")(
        function*(caller: UserPrincipal, id: string, { expected_version, ...input }: UpdateNoticeChannelInput) {
          const { at, user } = yield* held(caller)
          const org = user.org_id
          const before = yield* find(org, id)
          yield* expectVersion(audit, org)({
            noun: "notice channel",
            expected: expected_version,
            version: before.version,
            current: Effect.succeed(toChannel(before)),
            subject: id,
            actions: ["notice_channel.updated"]
          })
          if (Object.keys(input).length === 0) return toChannel(before)
          const { agent_ids, app_id, events, min_cents, secret, target } = input
          const change: ChannelChange = {
            app_id: app_id ?? (secret === undefined ? before.app_id : null),
            secret: secret ?? (app_id === undefined ? before.secret : null),
            target: target ?? before.target,
            min_cents: min_cents === undefined ? before.min_cents : min_cents,
            agent_ids: agent_ids === undefined ? before.agent_ids : agent_ids,
            events: events ?? before.events
          }
          yield* check(org, before.kind, change)
          yield* channels.update(org, id, change, at)
          yield* channels.retry(org, id)
          yield* record(user, "updated", { ...before, target: change.target }, { fields: Object.keys(input) })
          return toChannel(yield* find(org, id))
        },
        db.transaction
      )

      const remove = Effect.fn("NoticeChannels.remove")(function*(caller: UserPrincipal, id: string) {
        const { user } = yield* held(caller)
        const row = yield* find(user.org_id, id)
        yield* channels.remove(user.org_id, id)
        yield* record(user, "deleted", row)
      }, db.transaction)

      const test = Effect.fn("NoticeChannels.test")(function*(user: UserPrincipal, id: string) {
        const org = user.org_id
        const channel = yield* find(org, id)
        const workspace = (yield* workspaces.names(user.user_id)).find((each) => each.id === org)?.name ?? "Countersign"
        const text = `Test of Countersign: notices of the workspace ${workspace} are shown here.`
        const sent = yield* sender.post(channel, { text }, newId("ntm")).pipe(
          Effect.tapError((failure) => "detail" in failure ? channels.note(org, id, failure.detail) : Effect.void),
          Effect.mapError(failureError)
        )
        yield* channels.note(org, id, null)
        yield* channels.retry(org, id)
        if (channel.kind === "discord") {
          yield* sender.token(channel).pipe(
            Effect.flatMap(discord.registerCommand),
            Effect.catch((failure) =>
              Effect.logWarning(`the command /countersign was not registered: ${JSON.stringify(failure)}`)
            )
          )
        }
        const interactive = channel.kind === "slack"
          ? Option.isSome(settings.slack.signingSecret)
          : Option.isSome(settings.discord.publicKey)
        return { delivered: true as const, message_id: sent.message, interactive }
      })

      return NoticeChannels.of({
        create,
        update,
        remove,
        test,
        get: Effect.fn("NoticeChannels.get")(function*(user, id) {
          return toChannel(yield* find(user.org_id, id))
        }),
        list: Effect.fn("NoticeChannels.list")(function*(user, { cursor, kind, limit }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("ncn")])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* channels.list(user.org_id, { kind, before, limit: (limit ?? pageLimitDefault) + 1 })
          const { data, next_cursor } = toPage(rows, limit, ({ id }) => [id])
          return { data: data.map(toChannel), next_cursor, as_of }
        })
      })
    })
  )
}
