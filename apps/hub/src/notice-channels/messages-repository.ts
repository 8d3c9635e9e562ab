/** Messages of notice channels, and the entries of the audit log that change them. */
import type { EventSource } from "@countersign/domain/events"
import type { OrgId } from "@countersign/domain/ids"
import type { MessengerKind } from "@countersign/domain/notice-channels"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"
import type { SubjectType } from "./notice.ts"

export interface MessageRow {
  readonly id: string
  readonly org_id: OrgId
  readonly channel_id: string
  readonly subject_type: SubjectType
  readonly subject_id: string
  readonly digest: string
  readonly place: string | null
  readonly message: string | null
  readonly wanted: number
  readonly attempts: number
}

export interface NewMessage {
  readonly id: string
  readonly channel: string
  readonly type: SubjectType
  readonly subject: string
  readonly request: string | undefined
  readonly digest: string
}

/** The result of a try. `closed`: nothing follows. */
export interface MessageResult {
  readonly sent: { readonly place: string; readonly message: string } | undefined
  readonly closed: boolean
}

export class NoticeMessagesRepository extends Context.Service<NoticeMessagesRepository, {
  /** Entries of a range (`after`, `until`] that concern the messages of a channel, oldest first. */
  readonly entries: (
    org: OrgId,
    channel: string,
    after: number,
    until: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<EventSource>>
  /** No effect for a subject that the channel already shows. */
  readonly insert: (org: OrgId, message: NewMessage) => Effect.Effect<void>
  /** Makes the messages of a channel due whose subjects, or whose requests, changed. */
  readonly changed: (org: OrgId, channel: string, subjects: ReadonlyArray<string>) => Effect.Effect<void>
  readonly due: (org: OrgId, channel: string, limit: number) => Effect.Effect<ReadonlyArray<MessageRow>>
  /** Records what the message shows now. A change that came meanwhile makes it due again. */
  readonly succeeded: (message: MessageRow, result: MessageResult) => Effect.Effect<void>
  readonly failed: (message: MessageRow, pauseSeconds: number | undefined) => Effect.Effect<void>
  /** The message of a subject at a place of its provider. */
  readonly at: (
    kind: MessengerKind,
    place: string,
    message: string,
    subject: string
  ) => Effect.Effect<MessageRow | undefined>
  /** Whether a message of the subject is being sent: its place is not stored yet. */
  readonly isBeingSent: (kind: MessengerKind, subject: string) => Effect.Effect<boolean>
  readonly byId: (kind: MessengerKind, id: string) => Effect.Effect<MessageRow | undefined>
  /** Deletes messages that were closed over `days` ago; returns how many. */
  readonly forget: (days: number, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/notice-channels/NoticeMessagesRepository") {
  static readonly layer = Layer.effect(
    NoticeMessagesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "m.id, m.org_id, m.channel_id, m.subject_type, m.subject_id, m.digest, m.place, m.message, m.wanted, m.attempts"
      )
      return NoticeMessagesRepository.of({
        entries: (org, channel, after, until, limit) =>
          sql<EventSource>`select a.id, a.seq, a.action, a.subject_type, a.subject_id, a.agent_id, a.cost_cents,
            case a.action when 'service_request.approval_required' then a.data::json ->> 'approval_id' end as approval_id,
            case a.action when 'approval.approved' then a.data::json ->> 'service_request_id' end as service_request_id
          from audit a
          where a.org_id = ${org} and a.seq > ${BigInt(after)}::int8 and a.seq <= ${BigInt(until)}::int8
            and (starts_with(a.action, 'approval.') or starts_with(a.action, 'agent_request.')
              or starts_with(a.action, 'budget_request.') or a.action = 'service_request.approval_required'
              or (a.subject_type = 'service_request' and exists (select from notice_messages m
                where m.org_id = ${org} and m.request_id = a.subject_id and m.channel_id = ${channel})))
          order by a.seq limit ${limit}`.pipe(Effect.orDie),
        insert: (org, { channel, digest, id, request, subject, type }) =>
          sql`insert into notice_messages (id, org_id, channel_id, subject_type, subject_id, request_id, digest, due_at,
            created_at)
          values (${id}, ${org}, ${channel}, ${type}, ${subject}, ${request ?? null}::text, ${digest},
            hub_time_or_last(), hub_time_or_last())
          on conflict (channel_id, subject_type, subject_id) do nothing`.pipe(Effect.asVoid, Effect.orDie),
        changed: (org, channel, subjects) =>
          sql`update notice_messages set wanted = wanted + 1, attempts = 0, due_at = hub_time_or_last()
          where org_id = ${org} and channel_id = ${channel}
            and (subject_id = any(${textArray(subjects)}) or request_id = any(${textArray(subjects)}))
            and (message is not null or closed_at is null)`.pipe(Effect.asVoid, Effect.orDie),
        due: (org, channel, limit) =>
          sql<MessageRow>`select ${columns} from notice_messages m
          where m.org_id = ${org} and m.channel_id = ${channel} and m.due_at <= hub_time_or_last()
          order by m.due_at, m.id limit ${limit}`.pipe(Effect.orDie),
        succeeded: ({ id, org_id, wanted }, { closed, sent }) =>
          sql`update notice_messages set place = coalesce(${sent?.place ?? null}, place),
            message = coalesce(${sent?.message ?? null}, message), shown = ${wanted}, attempts = 0,
            due_at = case when wanted > ${wanted} then hub_time_or_last() end,
            closed_at = case when ${closed} then coalesce(closed_at, hub_time_or_last()) end
          where org_id = ${org_id} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        failed: ({ id, org_id, wanted }, pauseSeconds) =>
          sql`update notice_messages set attempts = attempts + 1,
            due_at = case when wanted > ${wanted} then hub_time_or_last()
              when ${pauseSeconds ?? null}::int is null then null
              else hub_time_or_last() + ${pauseSeconds ?? 0} * interval '1 second' end,
            closed_at = case when ${
            pauseSeconds === undefined
          } then coalesce(closed_at, hub_time_or_last()) else closed_at end
          where org_id = ${org_id} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        at: (kind, place, message, subject) =>
          sql<MessageRow>`select ${columns} from notice_messages m join notice_channels c on c.id = m.channel_id
          where m.subject_id = ${subject} and c.kind = ${kind} and m.place = ${place} and m.message = ${message}`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        isBeingSent: (kind, subject) =>
          sql`select 1 from notice_messages m join notice_channels c on c.id = m.channel_id
          where m.subject_id = ${subject} and c.kind = ${kind} and m.message is null and m.closed_at is null`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        byId: (kind, id) =>
          sql<MessageRow>`select ${columns} from notice_messages m join notice_channels c on c.id = m.channel_id
          where m.id = ${id} and c.kind = ${kind} and m.message is not null`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        forget: (days, limit) =>
          sql`delete from notice_messages where id in (select id from notice_messages
            where closed_at < hub_time_or_last() - ${days} * interval '1 day' order by closed_at limit ${limit})
          returning 1`.pipe(
            Effect.map((rows) => rows.length),
            Effect.orDie
          )
      })
    })
  )
}
