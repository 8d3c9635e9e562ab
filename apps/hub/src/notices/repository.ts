/** Notices to people: the position in each log, pending notices, and their mails. */
import { newId, type OrgId } from "@countersign/domain/ids"
import type { NoticeEvent } from "@countersign/domain/notice-events"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { int4Array, textArray } from "../platform/db.ts"
import type { Digest, Noticed, NoticeEntry } from "./rules.ts"

export type Medium = "email" | "browser"

export interface NoticeRow extends Noticed {
  readonly id: string
  readonly org_id: OrgId
  readonly user_id: string
  readonly due_at: Date
}

interface Row extends Omit<NoticeRow, "facts"> {
  readonly facts: string
}

const toNotice = (row: Row): NoticeRow => ({ ...row, facts: JSON.parse(row.facts) as NoticeRow["facts"] })

export interface NewNotice {
  readonly noticed: Noticed
  readonly audit: string
  readonly user: string
  readonly medium: Medium
  readonly delaySeconds: number
}

/** A part of a log, and the position after it. */
export interface Stretch {
  readonly entries: ReadonlyArray<NoticeEntry>
  readonly last: number
}

/** A person with due notices, and the events of these. */
export interface DuePerson {
  readonly org_id: OrgId
  readonly user_id: string
  readonly events: ReadonlyArray<NoticeEvent>
}

export const dueNotices = (medium: Medium): string =>
  `select from notices where state = 'pending' and medium = '${medium}' and due_at <= hub_time_or_last()`

export class NoticesRepository extends Context.Service<NoticesRepository, {
  readonly now: Effect.Effect<Date>
  /** Workspaces whose log is ahead of the notices, in order of id. */
  readonly behind: (limit: number) => Effect.Effect<ReadonlyArray<OrgId>>
  /**
   * The position in a log, locked until the transaction ends; undefined while another hub holds it. A workspace
   * without a position gets one.
   */
  readonly position: (org: OrgId) => Effect.Effect<number | undefined>
  /** Entries with one of the actions, among at most `limit` entries after a position. */
  readonly stretch: (
    org: OrgId,
    after: number,
    actions: ReadonlyArray<string>,
    limit: number
  ) => Effect.Effect<Stretch>
  readonly advance: (org: OrgId, seq: number) => Effect.Effect<void>
  readonly insert: (org: OrgId, notices: ReadonlyArray<NewNotice>) => Effect.Effect<void>
  /** People with due notices that are not in a mail yet. */
  readonly duePeople: (
    limit: number
  ) => Effect.Effect<ReadonlyArray<DuePerson>>
  /** Locks the digest of a person until the transaction ends; returns when they were last mailed one. */
  readonly lockDigest: (org: OrgId, user: string, digest: Digest) => Effect.Effect<Date | null>
  readonly recordDigest: (org: OrgId, user: string, digest: Digest) => Effect.Effect<void>
  /** The pending notices of a person by mail, oldest first. */
  readonly pending: (
    org: OrgId,
    user: string,
    events: ReadonlyArray<NoticeEvent>,
    limit: number
  ) => Effect.Effect<ReadonlyArray<NoticeRow>>
  readonly postpone: (ids: ReadonlyArray<string>, until: Date) => Effect.Effect<void>
  readonly drop: (ids: ReadonlyArray<string>) => Effect.Effect<void>
  /** Drops all pending notices of a person who does not belong to the workspace. */
  readonly dropOf: (org: OrgId, user: string) => Effect.Effect<void>
  readonly attach: (ids: ReadonlyArray<string>, mail: string) => Effect.Effect<void>
  /** The notices of a mail, oldest first. */
  readonly ofMail: (org: OrgId, mail: string) => Effect.Effect<ReadonlyArray<NoticeRow>>
  /** Locks due notices for browsers until the transaction ends, without those that another hub holds. */
  readonly dueForBrowsers: (limit: number) => Effect.Effect<ReadonlyArray<NoticeRow>>
  readonly sentToBrowsers: (ids: ReadonlyArray<string>) => Effect.Effect<void>
  /** Deletes notices that are no part of a mail and this many days old; returns their number. */
  readonly deleteOld: (days: number, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/notices/NoticesRepository") {
  static readonly layer = Layer.effect(
    NoticesRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal("id, org_id, user_id, event, subject_type, subject_id, facts, due_at")
      const rows = Effect.map((found: ReadonlyArray<Row>) => found.map(toNotice))
      return NoticesRepository.of({
        now: sql<{ now: Date }>`select hub_time_or_last() as now`.pipe(
          Effect.map(([row]) => row!.now),
          Effect.orDie
        ),
        behind: (limit) =>
          sql<{ org_id: OrgId }>`select h.org_id from org_heads h left join notice_cursors c on c.org_id = h.org_id
          where c.seq is null or c.seq < h.seq order by h.org_id limit ${limit}`.pipe(
            Effect.map((found) => found.map(({ org_id }) => org_id)),
            Effect.orDie
          ),
        position: (org) =>
          sql`insert into notice_cursors (org_id, seq) values (${org}, 0) on conflict (org_id) do nothing`.pipe(
            Effect.andThen(
              sql<{ seq: number }>`select seq from notice_cursors where org_id = ${org} for update skip locked`
            ),
            Effect.map(([row]) => row?.seq),
            Effect.orDie
          ),
        stretch: (org, after, actions, limit) =>
          sql<NoticeEntry & { readonly last: number }>`with s as (select seq, id, action, actor_type, actor_id,
              subject_type, subject_id, agent_id, data from audit
            where org_id = ${org} and seq > ${BigInt(after)}::int8 order by seq limit ${limit})
          select l.last, s.* from (select max(seq) as last from s) l
          left join s on s.action = any(${textArray([...actions])}) order by s.seq`.pipe(
            Effect.map((found) => ({
              entries: found.filter(({ seq }) => (seq as number | null) !== null),
              last: (found[0]?.last as number | null | undefined) ?? after
            })),
            Effect.orDie
          ),
        advance: (org, seq) =>
          sql`update notice_cursors set seq = ${BigInt(seq)}::int8 where org_id = ${org}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        insert: (org, notices) =>
          sql`insert into notices (id, org_id, user_id, event, medium, audit_id, subject_type, subject_id, facts, due_at,
            created_at)
          select u.id, ${org}, u.user_id, u.event, u.medium, u.audit_id, u.subject_type, u.subject_id, u.facts,
            hub_time_or_last() + u.delay * interval '1 second', hub_time_or_last()
          from unnest(${textArray(notices.map(() => newId("ntc")))}, ${textArray(notices.map(({ user }) => user))},
            ${textArray(notices.map(({ noticed }) => noticed.event))}, ${
            textArray(notices.map(({ medium }) => medium))
          }, ${textArray(notices.map(({ audit }) => audit))},
            ${textArray(notices.map(({ noticed }) => noticed.subject_type))}, ${
            textArray(notices.map(({ noticed }) => noticed.subject_id))
          }, ${textArray(notices.map(({ noticed }) => JSON.stringify(noticed.facts)))},
            ${int4Array(notices.map(({ delaySeconds }) => delaySeconds))})
            u(id, user_id, event, medium, audit_id, subject_type, subject_id, facts, delay)
          on conflict (org_id, audit_id, user_id, medium) do nothing`.pipe(Effect.asVoid, Effect.orDie),
        duePeople: (limit) =>
          sql<DuePerson>`select org_id, user_id, array_agg(distinct event) as events from notices
          where state = 'pending' and medium = 'email' and due_at <= hub_time_or_last()
          group by org_id, user_id order by min(due_at) limit ${limit}`.pipe(Effect.orDie),
        lockDigest: (org, user, digest) =>
          sql`insert into notice_digests (org_id, user_id, digest) values (${org}, ${user}, ${digest})
          on conflict do nothing`.pipe(
            Effect.andThen(
              sql<{ mailed_at: Date | null }>`select mailed_at from notice_digests
              where org_id = ${org} and user_id = ${user} and digest = ${digest} for update`
            ),
            Effect.map(([row]) => row?.mailed_at ?? null),
            Effect.orDie
          ),
        recordDigest: (org, user, digest) =>
          sql`update notice_digests set mailed_at = hub_time_or_last()
          where org_id = ${org} and user_id = ${user} and digest = ${digest}`.pipe(Effect.asVoid, Effect.orDie),
        pending: (org, user, events, limit) =>
          rows(Effect.orDie(sql<Row>`select ${columns} from notices
          where org_id = ${org} and user_id = ${user} and state = 'pending' and medium = 'email'
            and event = any(${textArray([...events])}) order by created_at, id limit ${limit} for update`)),
        postpone: (ids, until) =>
          sql`update notices set due_at = ${until} where id = any(${textArray([...ids])})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        drop: (ids) =>
          sql`update notices set state = 'dropped' where id = any(${textArray([...ids])})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        dropOf: (org, user) =>
          sql`update notices set state = 'dropped' where org_id = ${org} and user_id = ${user}
            and state = 'pending'`.pipe(Effect.asVoid, Effect.orDie),
        attach: (ids, mail) =>
          sql`update notices set state = 'sent', mail_id = ${mail} where id = any(${textArray([...ids])})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        ofMail: (org, mail) =>
          rows(Effect.orDie(sql<Row>`select ${columns} from notices
          where org_id = ${org} and mail_id = ${mail} order by created_at, id`)),
        dueForBrowsers: (limit) =>
          rows(Effect.orDie(sql<Row>`select ${columns} from notices
          where state = 'pending' and medium = 'browser' and due_at <= hub_time_or_last() order by due_at
          limit ${limit} for update skip locked`)),
        sentToBrowsers: (ids) =>
          sql`update notices set state = 'sent' where id = any(${textArray([...ids])})`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        deleteOld: (days, limit) =>
          sql`delete from notices where id in (select id from notices
            where mail_id is null and created_at < hub_time_or_last() - ${days}::int * interval '1 day'
            order by created_at limit ${limit}) returning 1`.pipe(Effect.map((found) => found.length), Effect.orDie)
      })
    })
  )
}
