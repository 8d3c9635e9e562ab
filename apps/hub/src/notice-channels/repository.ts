/** Notice channels of a workspace. */
import type { NoticeChannelId, OrgId } from "@countersign/domain/ids"
import type { MessengerKind, NoticeEvent } from "@countersign/domain/notice-channels"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"

export interface ChannelRow {
  readonly id: NoticeChannelId
  readonly org_id: OrgId
  readonly kind: MessengerKind
  readonly app_id: string | null
  readonly secret: string | null
  readonly target: string
  readonly min_cents: number | null
  readonly agent_ids: ReadonlyArray<string> | null
  readonly events: ReadonlyArray<NoticeEvent>
  readonly problem: string | null
  readonly last_sent_at: Date | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** The columns that a create or an edit sets. */
export interface ChannelChange {
  readonly app_id: string | null
  readonly secret: string | null
  readonly target: string
  readonly min_cents: number | null
  readonly agent_ids: ReadonlyArray<string> | null
  readonly events: ReadonlyArray<NoticeEvent>
}

export interface ClaimedChannel extends ChannelRow {
  readonly lease: number
}

/** A channel whose workspace has entries that it has not read, and the range of them. */
export interface BehindChannel extends ChannelRow {
  readonly seq: number
  readonly head: number
}

/** Channels with unread entries, or with messages to send. */
export const dueChannels = [
  "select from notice_channels c join org_heads h on h.org_id = c.org_id where h.seq <> c.seq",
  `select from notice_channels c where (c.leased_until is null or c.leased_until <= hub_time_or_last())
    and exists (select from notice_messages m where m.channel_id = c.id and m.due_at <= hub_time_or_last())`
]

export class NoticeChannelsRepository extends Context.Service<NoticeChannelsRepository, {
  /** It shows what happens after the workspace's last entry. */
  readonly insert: (
    org: OrgId,
    channel: ChannelChange & { readonly id: string; readonly kind: MessengerKind },
    at: Date
  ) => Effect.Effect<void>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<ChannelRow>>
  /** Newest first. */
  readonly list: (org: OrgId, filter: {
    readonly kind: MessengerKind | undefined
    readonly before: string | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<ChannelRow>>
  readonly count: (org: OrgId) => Effect.Effect<number>
  readonly update: (org: OrgId, id: string, change: ChannelChange, at: Date) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string) => Effect.Effect<void>
  /** Locks channels with unread entries until the transaction ends, without those that another transaction holds. */
  readonly behind: (limit: number) => Effect.Effect<ReadonlyArray<BehindChannel>>
  readonly moveTo: (org: OrgId, id: string, seq: number) => Effect.Effect<void>
  /** Leases channels with messages that are due, a few of each workspace. */
  readonly claim: (claim: {
    readonly limit: number
    readonly perWorkspace: number
    /** Workspaces that are left out. */
    readonly without: ReadonlyArray<string>
    readonly seconds: number
  }) => Effect.Effect<ReadonlyArray<ClaimedChannel>>
  /** Ends a lease that nobody took over; the channel rests for some seconds. */
  readonly release: (channel: ClaimedChannel, restSeconds: number) => Effect.Effect<void>
  /** The result of the last message: null after a success. */
  readonly note: (org: OrgId, id: string, problem: string | null) => Effect.Effect<void>
  /** Wakes the channel's messages that failed, after its token or target changed. */
  readonly retry: (org: OrgId, id: string) => Effect.Effect<void>
}>()("@countersign/hub/notice-channels/NoticeChannelsRepository") {
  static readonly layer = Layer.effect(
    NoticeChannelsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const names = [
        "id",
        "org_id",
        "kind",
        "app_id",
        "secret",
        "target",
        "min_cents",
        "agent_ids",
        "events",
        "problem"
      ]
        .concat(["last_sent_at", "version", "created_at", "updated_at"])
      const columns = sql.literal(names.map((name) => `c.${name}`).join(", "))
      const valuesOf = ({ agent_ids, app_id, events, min_cents, secret, target }: ChannelChange) =>
        sql`${app_id}::text, ${secret}::text, ${target}, ${min_cents === null ? null : BigInt(min_cents)}::bigint,
          ${agent_ids === null ? null : textArray(agent_ids)}::text[], ${textArray(events)}::text[]`
      return NoticeChannelsRepository.of({
        insert: (org, channel, at) =>
          sql`insert into notice_channels (id, org_id, kind, app_id, secret, target, min_cents, agent_ids, events, seq,
            created_at, updated_at)
          select ${channel.id}, h.org_id, ${channel.kind}, ${valuesOf(channel)}, h.seq, ${at}, ${at}
          from org_heads h where h.org_id = ${org}`.pipe(Effect.asVoid, Effect.orDie),
        find: (org, id) =>
          sql<ChannelRow>`select ${columns} from notice_channels c where c.org_id = ${org} and c.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, { before, kind, limit }) =>
          sql<ChannelRow>`select ${columns} from notice_channels c where ${
            sql.and([
              sql`c.org_id = ${org}`,
              ...(kind === undefined ? [] : [sql`c.kind = ${kind}`]),
              ...(before === undefined ? [] : [sql`c.id < ${before}`])
            ])
          } order by c.id desc limit ${limit}`.pipe(Effect.orDie),
        count: (org) =>
          sql<{ n: number }>`select count(*)::int as n from notice_channels where org_id = ${org}`.pipe(
            Effect.map(([row]) => row?.n ?? 0),
            Effect.orDie
          ),
        update: (org, id, change, at) =>
          sql`update notice_channels set (app_id, secret, target, min_cents, agent_ids, events) = (${valuesOf(change)}),
            version = version + 1, updated_at = ${at} where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        remove: (org, id) =>
          sql`delete from notice_channels where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        behind: (limit) =>
          sql<BehindChannel>`select ${columns}, c.seq, h.seq as head from notice_channels c
            join org_heads h on h.org_id = c.org_id
          where h.seq <> c.seq order by c.seq - h.seq limit ${limit} for update of c skip locked`.pipe(Effect.orDie),
        moveTo: (org, id, seq) =>
          sql`update notice_channels set seq = ${BigInt(seq)}::bigint where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        claim: ({ limit, perWorkspace, seconds, without }) => {
          const isFree = sql`(c.leased_until is null or c.leased_until <= hub_time_or_last())`
          return sql<ClaimedChannel>`update notice_channels c
          set lease = c.lease + 1, leased_until = hub_time_or_last() + ${seconds} * interval '1 second'
          where c.id in (select c.id from notice_channels c
            where ${isFree} and c.id in (select ranked.id from (select c.id,
                row_number() over (partition by c.org_id order by c.leased_until nulls first) as place
              from notice_channels c
              where ${isFree} and c.org_id <> all(${textArray(without)})
                and exists (select from notice_messages m where m.channel_id = c.id and m.due_at <= hub_time_or_last())
              ) ranked where ranked.place <= ${perWorkspace})
            order by c.leased_until nulls first limit ${limit} for update skip locked)
          returning ${columns}, c.lease`.pipe(Effect.orDie)
        },
        release: ({ id, lease, org_id }, restSeconds) =>
          sql`update notice_channels set leased_until = hub_time_or_last() + ${restSeconds} * interval '1 second'
          where org_id = ${org_id} and id = ${id} and lease = ${lease}`.pipe(Effect.asVoid, Effect.orDie),
        note: (org, id, problem) =>
          sql`update notice_channels set problem = ${problem},
            last_sent_at = case when ${problem}::text is null then hub_time_or_last() else last_sent_at end
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        retry: (org, id) =>
          sql`update notice_messages set attempts = 0, due_at = hub_time_or_last()
          where org_id = ${org} and channel_id = ${id} and due_at is not null`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}
