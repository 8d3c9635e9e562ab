/** The hub's key for push services, subscribed browsers, and notices on their way to them. */
import { newId, type PushSubscriptionId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sessionEnd } from "../auth/liveness-repository.ts"
import type { NoticeRow } from "./repository.ts"

/** The object of signals about new pushes. */
export const pushSignal = "pushes"

/** After each failed attempt, in seconds; the last is only the time in which the last attempt must end. */
const attemptPauses = [60, 300, 1_800, 7_200, 600] as const
export const pushAttemptsMax = attemptPauses.length

export interface SubscriptionRow {
  readonly id: PushSubscriptionId
  readonly session_id: string
  readonly sealed: Uint8Array
  readonly user_agent: string | null
  readonly created_at: Date
  readonly last_used_at: Date | null
}

export interface PushRow {
  readonly subscription_id: string
  readonly subscription_user: string
  readonly sealed: Uint8Array
  readonly attempt: number
  readonly notice: NoticeRow
}

interface Row extends Omit<NoticeRow, "facts"> {
  readonly facts: string
  readonly subscription_id: string
  readonly subscription_user: string
  readonly sealed: Uint8Array
  readonly attempt: number
}

export interface NewSubscription {
  readonly id: PushSubscriptionId
  readonly user: string
  readonly session: string
  readonly endpointHash: Uint8Array
  readonly sealed: Uint8Array
  readonly userAgent: string | null
}

export const duePushes = "select from pushes where due_at <= hub_time_or_last()"

export class PushRepository extends Context.Service<PushRepository, {
  readonly key: Effect.Effect<{ readonly public_key: string; readonly sealed: Uint8Array } | undefined>
  /** Keeps the first key that any hub makes. */
  readonly addKey: (publicKey: string, sealed: Uint8Array) => Effect.Effect<void>
  /** The live subscriptions of a person, newest first. */
  readonly list: (user: string) => Effect.Effect<ReadonlyArray<SubscriptionRow>>
  readonly find: (user: string, id: string) => Effect.Effect<SubscriptionRow | undefined>
  /** Replaces the subscription of the same endpoint, and deletes those of the person beyond `max`. */
  readonly replace: (subscription: NewSubscription, max: number) => Effect.Effect<void>
  /** Returns false when the person has no such subscription. */
  readonly remove: (user: string, id: string) => Effect.Effect<boolean>
  /** Deletes subscriptions of sessions that have ended. */
  readonly deleteEnded: Effect.Effect<number>
  /** Sends a notice to each live subscription of a person. */
  readonly add: (notice: string, user: string) => Effect.Effect<void>
  /** Takes due pushes. Each is due again after the pause of its attempt, if nobody ends it before. */
  readonly claim: (limit: number) => Effect.Effect<ReadonlyArray<PushRow>>
  readonly end: (notice: string, subscription: string, sent: boolean) => Effect.Effect<void>
}>()("@countersign/hub/notices/PushRepository") {
  static readonly layer = Layer.effect(
    PushRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const alive = sql`${sessionEnd(sql)} > hub_time_or_last()`
      const columns = sql.literal("p.id, p.session_id, p.sealed, p.user_agent, p.created_at, p.last_used_at")
      return PushRepository.of({
        key: sql<{ public_key: string; sealed: Uint8Array }>`select public_key, sealed from push_key`.pipe(
          Effect.map(([row]) => row),
          Effect.orDie
        ),
        addKey: (publicKey, sealed) =>
          sql`insert into push_key (public_key, sealed) values (${publicKey}, ${sealed}) on conflict do nothing`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        list: (user) =>
          sql<SubscriptionRow>`select ${columns} from push_subscriptions p join sessions s on s.id = p.session_id
          where p.user_id = ${user} and ${alive} order by p.id desc`.pipe(Effect.orDie),
        find: (user, id) =>
          sql<SubscriptionRow>`select ${columns} from push_subscriptions p
          where p.user_id = ${user} and p.id = ${id}`.pipe(Effect.map(([row]) => row), Effect.orDie),
        replace: ({ endpointHash, id, sealed, session, user, userAgent }, max) =>
          sql`delete from push_subscriptions where endpoint_hash = ${endpointHash}`.pipe(
            Effect.andThen(
              sql`insert into push_subscriptions (id, user_id, session_id, endpoint_hash, sealed, user_agent, created_at)
              values (${id}, ${user}, ${session}, ${endpointHash}, ${sealed}, ${userAgent}, hub_time_or_last())
              on conflict (endpoint_hash) do update set id = excluded.id, user_id = excluded.user_id,
                session_id = excluded.session_id, sealed = excluded.sealed, user_agent = excluded.user_agent,
                created_at = excluded.created_at, last_used_at = null`
            ),
            Effect.andThen(
              sql`delete from push_subscriptions where user_id = ${user} and id in (
                select id from push_subscriptions where user_id = ${user} order by id desc offset ${max})`
            ),
            Effect.asVoid,
            Effect.orDie
          ),
        remove: (user, id) =>
          sql`delete from push_subscriptions where user_id = ${user} and id = ${id} returning 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        deleteEnded: sql`delete from push_subscriptions p using sessions s
          where s.id = p.session_id and not (${alive}) returning 1`.pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        ),
        add: (notice, user) =>
          sql`insert into pushes (notice_id, subscription_id, due_at)
          select ${notice}, p.id, hub_time_or_last() from push_subscriptions p join sessions s on s.id = p.session_id
          where p.user_id = ${user} and ${alive} on conflict do nothing`.pipe(Effect.asVoid, Effect.orDie),
        claim: (limit) =>
          sql<Row>`update pushes x set attempt = x.attempt + 1, due_at = hub_time_or_last()
            + (array[${sql.literal(attemptPauses.join(","))}])[least(x.attempt + 1, ${
            sql.literal(String(pushAttemptsMax))
          })] * interval '1 second'
          from (select notice_id, subscription_id from pushes where due_at <= hub_time_or_last() order by due_at
            limit ${limit} for update skip locked) as due, notices n, push_subscriptions p
          where x.notice_id = due.notice_id and x.subscription_id = due.subscription_id and n.id = x.notice_id
            and p.id = x.subscription_id
          returning x.subscription_id, x.attempt, p.sealed, p.user_id as subscription_user, n.id, n.org_id, n.user_id,
            n.event, n.subject_type, n.subject_id, n.facts, n.due_at`.pipe(
            Effect.map((rows) =>
              rows.map(({ attempt, facts, sealed, subscription_id, subscription_user, ...notice }) => ({
                attempt,
                sealed,
                subscription_id,
                subscription_user,
                notice: { ...notice, facts: JSON.parse(facts) as NoticeRow["facts"] }
              }))
            ),
            Effect.orDie
          ),
        end: (notice, subscription, sent) =>
          sql`delete from pushes where notice_id = ${notice} and subscription_id = ${subscription}`.pipe(
            Effect.andThen(
              sql`update push_subscriptions set last_used_at = hub_time_or_last() where id = ${subscription} and ${sent}`
            ),
            Effect.asVoid,
            Effect.orDie
          )
      })
    })
  )
}

export const newSubscriptionId = (): PushSubscriptionId => newId("psh")
