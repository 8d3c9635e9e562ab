/** Mails that the hub has to send. Any number of hubs claim due ones with `skip locked`. */
import type { MailId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** After each failed attempt, in seconds; the last is only the time in which the last attempt must end. */
export const attemptPauses = [60, 300, 1_800, 7_200, 600] as const
export const attemptsMax = attemptPauses.length

export type MailKind = "invite" | "account" | "notices"

export interface MailRow {
  readonly id: MailId
  readonly kind: MailKind
  readonly org_id: OrgId
  readonly user_id: string | null
  readonly sealed: Uint8Array | null
  /** The number of this attempt, from 1. */
  readonly attempt: number
}

export interface NewMail {
  readonly id: MailId
  readonly kind: MailKind
  readonly org: OrgId
  readonly user?: string
  readonly subject?: string
  readonly sealed?: Uint8Array
}

export class MailsRepository extends Context.Service<MailsRepository, {
  readonly insert: (mail: NewMail) => Effect.Effect<void>
  /** Cancels the pending mails about an object. */
  readonly cancelAbout: (org: OrgId, subject: string) => Effect.Effect<void>
  /** Takes due mails. Each is due again after the pause of its attempt, if nobody ends it before. */
  readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<MailRow>>
  readonly end: (
    org: OrgId,
    id: string,
    status: "sent" | "failed" | "cancelled",
    problem?: string
  ) => Effect.Effect<void>
  /** Keeps the problem of an attempt after which the mail stays pending. */
  readonly failed: (org: OrgId, id: string, problem: string) => Effect.Effect<void>
  /** Deletes mails that ended this many days ago, with their notices; returns their number. */
  readonly deleteEnded: (days: number, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/mail/MailsRepository") {
  static readonly layer = Layer.effect(
    MailsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return MailsRepository.of({
        insert: ({ id, kind, org, sealed, subject, user }) =>
          sql`insert into mails (id, kind, org_id, user_id, subject_id, sealed, due_at, created_at)
          values (${id}, ${kind}, ${org}, ${user ?? null}, ${subject ?? null}, ${sealed ?? null},
            hub_time_or_last(), hub_time_or_last())`.pipe(Effect.asVoid, Effect.orDie),
        cancelAbout: (org, subject) =>
          sql`update mails set status = 'cancelled', ended_at = hub_time_or_last(), sealed = null
          where org_id = ${org} and subject_id = ${subject} and status = 'pending'`.pipe(Effect.asVoid, Effect.orDie),
        claim: (limit) =>
          sql<MailRow>`update mails m set attempt = m.attempt + 1, due_at = hub_time_or_last()
            + (array[${sql.literal(attemptPauses.join(","))}])[least(m.attempt + 1, ${
            sql.literal(String(attemptsMax))
          })] * interval '1 second'
          from (select id from mails where status = 'pending' and due_at <= hub_time_or_last() order by due_at
            limit ${limit} for update skip locked) as due
          where m.id = due.id
          returning m.id, m.kind, m.org_id, m.user_id, m.sealed, m.attempt`.pipe(Effect.orDie),
        end: (org, id, status, problem) =>
          sql`update mails set status = ${status}, problem = ${
            problem ?? null
          }, ended_at = hub_time_or_last(), sealed = null
          where org_id = ${org} and id = ${id} and status = 'pending'`.pipe(Effect.asVoid, Effect.orDie),
        failed: (org, id, problem) =>
          sql`update mails set problem = ${problem} where org_id = ${org} and id = ${id} and status = 'pending'`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        deleteEnded: (days, limit) =>
          sql`delete from mails where id in (select id from mails
            where ended_at < hub_time_or_last() - ${days}::int * interval '1 day' order by ended_at limit ${limit})
          returning 1`.pipe(Effect.map((rows) => rows.length), Effect.orDie)
      })
    })
  )
}
