/** Payments, and the reports of their providers. */
import type { PaymentStatus } from "@countersign/domain/billing"
import type { OrgId, PaymentId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import type { Reversal, ReversalSums, SessionFacts } from "./rules.ts"

export interface PaymentRow {
  readonly id: PaymentId
  readonly org_id: OrgId
  readonly amount_cents: number
  readonly status: PaymentStatus
  readonly success_url: string
  readonly cancel_url: string
  readonly session_id: string | null
  readonly url: string | null
  readonly intent_id: string | null
  readonly live: boolean | null
  readonly problem: string | null
  readonly movement_id: string | null
  readonly reversed_cents: number
  readonly created_at: Date
  readonly paid_at: Date | null
}

/** A caller's idempotency key, with a hash of the request. */
export interface PaymentKey {
  readonly scope: string
  readonly key: string
  readonly hash: Uint8Array
}

export interface NewPayment {
  readonly id: string
  readonly amountCents: number
  readonly successUrl: string
  readonly cancelUrl: string
  readonly live: boolean | null
  readonly by: string
  readonly at: Date
  readonly key: PaymentKey | undefined
}

export interface PaymentChange {
  readonly status?: PaymentStatus
  readonly session_id?: string
  readonly url?: string | null
  readonly intent_id?: string
  readonly live?: boolean
  readonly problem?: string | null
  readonly movement_id?: string
  readonly reversed_cents?: bigint
  readonly paid_at?: Date
}

/** A sum above it is cut, so that it stays an exact number. No payment is as large. */
const sumMax = Number.MAX_SAFE_INTEGER

export class PaymentsRepository extends Context.Service<PaymentsRepository, {
  /** Its first check is ten minutes later. */
  readonly insert: (org: OrgId, payment: NewPayment) => Effect.Effect<void>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<PaymentRow>>
  /** Newest first. */
  readonly list: (org: OrgId, query: {
    readonly before: string | undefined
    readonly status: PaymentStatus | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<PaymentRow>>
  /** The payment of a key of the last 24 hours, and whether it was the same request. An older key is forgotten. */
  readonly ofKey: (
    org: OrgId,
    key: PaymentKey
  ) => Effect.Effect<{ readonly row: PaymentRow; readonly same: boolean } | undefined>
  /** After a failure, so that the caller can use the key again. */
  readonly forgetKey: (org: OrgId, id: string) => Effect.Effect<void>
  readonly update: (org: OrgId, id: string, change: PaymentChange) => Effect.Effect<void>
  /** The payment that a provider names, in any workspace: by our id, or by the session's. */
  readonly named: (
    payment: string | undefined,
    session: string
  ) => Effect.Effect<{ readonly id: string; readonly org_id: OrgId } | undefined>
  /** The payment that a provider's session, or the payment it led to, was reported for: any other than `id`. */
  readonly otherOf: (id: string, session: SessionFacts) => Effect.Effect<string | undefined>
  /** The credited or open payments of a provider's payment. */
  readonly ofIntent: (intent: string) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly org_id: OrgId }>>
  /** Serializes all reports of one session until the end of the transaction. Call it before `lockIntent`. */
  readonly lockSession: (session: string) => Effect.Effect<void>
  /**
   * Serializes everything about one provider's payment until the end of the transaction: its credit, and reversals that
   * may come first. Call it before the workspace's lock.
   */
  readonly lockIntent: (intent: string) => Effect.Effect<void>
  /** A state only moves forward. Call it under the lock of its payment. */
  readonly keepReversal: (reversal: Reversal) => Effect.Effect<void>
  /** Of the same mode as the payment. */
  readonly reversals: (intent: string, live: boolean | null) => Effect.Effect<ReversalSums>
  /** Freezes a workspace; false when it is already frozen. Call it under its lock. */
  readonly freeze: (org: OrgId) => Effect.Effect<boolean>
  /** Claims open payments whose check is due, and sets the next one. */
  readonly claimDue: (
    seconds: number,
    limit: number
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly org_id: OrgId }>>
}>()("@countersign/hub/billing/PaymentsRepository") {
  static readonly layer = Layer.effect(
    PaymentsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        "id, org_id, amount_cents, status, success_url, cancel_url, session_id, url, intent_id, live, problem, movement_id, " +
          "reversed_cents, created_at, paid_at"
      )
      const lock = (name: string) =>
        sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.pipe(Effect.asVoid, Effect.orDie)
      return PaymentsRepository.of({
        insert: (org, { amountCents, at, by, cancelUrl, id, key, live, successUrl }) =>
          sql`insert into payments (org_id, id, amount_cents, success_url, cancel_url, key_scope, key, key_hash, live,
            created_by, created_at, poll_at)
          values (${org}, ${id}, ${BigInt(amountCents)}::bigint, ${successUrl}, ${cancelUrl}, ${key?.scope ?? null},
            ${key?.key ?? null}, ${key?.hash ?? null}::bytea, ${live}::boolean, ${by}, ${at},
            ${at}::timestamptz + interval '10 minutes')`.pipe(Effect.asVoid, Effect.orDie),
        find: (org, id) =>
          sql<PaymentRow>`select ${columns} from payments where org_id = ${org} and id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, { before, limit, status }) =>
          sql<PaymentRow>`select ${columns} from payments where ${
            sql.and([
              sql`org_id = ${org}`,
              ...(before === undefined ? [] : [sql`id < ${before}`]),
              ...(status === undefined ? [] : [sql`status = ${status}`])
            ])
          } order by id desc limit ${limit}`.pipe(Effect.orDie),
        ofKey: Effect.fnUntraced(function*(org, { hash, key, scope }) {
          yield* sql`update payments set key = null where org_id = ${org} and key_scope = ${scope} and key = ${key}
            and created_at < hub_time_or_last() - interval '24 hours'`
          const [row] = yield* sql<
            PaymentRow & { readonly same: boolean }
          >`select ${columns}, key_hash = ${hash}::bytea as same
          from payments where org_id = ${org} and key_scope = ${scope} and key = ${key}`
          return row === undefined ? undefined : { row, same: row.same }
        }, Effect.orDie),
        forgetKey: (org, id) =>
          sql`update payments set key = null where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        update: (org, id, change) =>
          sql`update payments set ${sql.update({ ...change })} where org_id = ${org} and id = ${id}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        named: (payment, session) =>
          sql<{ id: string; org_id: OrgId }>`select id, org_id from payments
          where id = ${payment ?? ""} or session_id = ${session} order by id = ${payment ?? ""} desc limit 1`.pipe(
            Effect.map(([row]) => row),
            Effect.orDie
          ),
        otherOf: (id, { intent, session }) =>
          sql<{ id: string }>`select id from payments
          where (session_id = ${session} or intent_id = ${intent ?? null}::text) and id <> ${id} order by id limit 1`
            .pipe(
              Effect.map(([row]) => row?.id),
              Effect.orDie
            ),
        ofIntent: (intent) =>
          sql<{ id: string; org_id: OrgId }>`select id, org_id from payments where intent_id = ${intent} order by id`
            .pipe(Effect.orDie),
        lockSession: (session) => lock(`payment session ${session}`),
        lockIntent: (intent) => lock(`payment intent ${intent}`),
        keepReversal: ({ amountCents, intent, kind, live, object, state }) =>
          sql`insert into payment_reversals as r (object_id, intent_id, kind, amount_cents, state, live, updated_at)
          values (${object}, ${intent}, ${kind}, ${BigInt(amountCents)}::bigint, ${state}, ${live ?? null}::boolean,
            hub_time_or_last())
          on conflict (object_id) do update set amount_cents = greatest(r.amount_cents, excluded.amount_cents),
            state = case when r.state = 'returned' or excluded.state = 'pending' then r.state else excluded.state end,
            updated_at = excluded.updated_at
          where r.intent_id = excluded.intent_id and r.kind = excluded.kind`.pipe(Effect.asVoid, Effect.orDie),
        reversals: (intent, live) =>
          sql<ReversalSums>`with sums as (select
            coalesce(sum(amount_cents) filter (where kind = 'refund' and state = 'taken'), 0) as refunded,
            coalesce(sum(amount_cents) filter (where kind = 'refund' and state <> 'taken'), 0) as refunds_uncounted,
            coalesce(max(amount_cents) filter (where kind = 'charge'), 0) as charge_total,
            coalesce(sum(amount_cents) filter (where kind = 'dispute' and state = 'taken'), 0) as disputed
          from payment_reversals
          where intent_id = ${intent} and (live = ${live}::boolean) is not false)
          select least(refunded, ${BigInt(sumMax)})::bigint as refunded,
            least(refunds_uncounted, ${BigInt(sumMax)})::bigint as refunds_uncounted,
            least(charge_total, ${BigInt(sumMax)})::bigint as charge_total,
            least(disputed, ${BigInt(sumMax)})::bigint as disputed from sums`.pipe(
            Effect.map(([row]) => row!),
            Effect.orDie
          ),
        freeze: (org) =>
          sql`update orgs set frozen = true, version = version + 1, updated_at = now()
          where id = ${org} and not frozen returning 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        claimDue: (seconds, limit) =>
          sql<{ id: string; org_id: OrgId }>`update payments
          set poll_at = hub_time_or_last() + ${seconds} * interval '1 second'
          where id in (select id from payments where status = 'open' and poll_at <= hub_time_or_last()
            order by poll_at limit ${limit} for update skip locked)
          returning id, org_id`.pipe(Effect.orDie)
      })
    })
  )
}
