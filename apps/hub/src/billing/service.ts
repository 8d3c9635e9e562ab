/** Checkout sessions of a workspace. Spec: reference/budgets-and-ledger.md "Checkout". */
import type { UserPrincipal } from "@countersign/domain/auth"
import type { CheckoutInput, CheckoutSession, PaymentStatus } from "@countersign/domain/billing"
import { type ApiError, conflict, notFound } from "@countersign/domain/errors"
import { idPattern, newId, type OrgId, type PaymentId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import { Context, Effect, Layer, Option } from "effect"
import { Settings } from "../config.ts"
import { MembersRepository } from "../members/repository.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { PaymentPosting } from "./posting.ts"
import { type PaymentKey, type PaymentRow, PaymentsRepository } from "./repository.ts"
import { Stripe } from "./stripe.ts"

const shown = (row: PaymentRow): CheckoutSession => ({
  id: row.id,
  ...(row.url === null ? {} : { url: row.url }),
  status: row.status,
  amount_cents: row.amount_cents,
  ...(row.reversed_cents === 0 ? {} : { reversed_cents: row.reversed_cents }),
  ...(row.problem === null ? {} : { problem: row.problem }),
  created_at: row.created_at.toISOString(),
  ...(row.paid_at === null ? {} : { paid_at: row.paid_at.toISOString() })
})

export class Billing extends Context.Service<Billing, {
  /**
   * Opens a session at the provider for a new payment, or for the one of the same key. Runs outside of a transaction:
   * the payment is committed before the provider is called. Returns its id.
   */
  readonly open: (
    user: UserPrincipal,
    input: CheckoutInput,
    key: PaymentKey | undefined
  ) => Effect.Effect<PaymentId, ApiError>
  /** Opens the session of a payment that has none, or applies the one that it has. */
  readonly refresh: (org: OrgId, id: string) => Effect.Effect<void, ApiError>
  readonly get: (user: UserPrincipal, id: string) => Effect.Effect<CheckoutSession, ApiError>
  readonly list: (
    user: UserPrincipal,
    query: PageQuery & { readonly status?: PaymentStatus }
  ) => Effect.Effect<PageOf<CheckoutSession>, ApiError>
}>()("@countersign/hub/billing/Billing") {
  static readonly layer = Layer.effect(
    Billing,
    Effect.gen(function*() {
      const payments = yield* PaymentsRepository
      const posting = yield* PaymentPosting
      const members = yield* MembersRepository
      const stripe = yield* Stripe
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db
      const { publicUrl } = yield* Settings

      const find = Effect.fnUntraced(function*(org: OrgId, id: string) {
        const row = yield* payments.find(org, id)
        return Option.isSome(row) ? row.value : yield* Effect.fail(notFound("checkout session"))
      })

      /** The payment of the key, or a new one. */
      const reserve = Effect.fnUntraced(
        function*(user: UserPrincipal, input: CheckoutInput, key: PaymentKey | undefined) {
          const org = user.org_id
          yield* members.stays(org, user.user_id)
          const at = yield* heads.lock(org)
          const known = key === undefined ? undefined : yield* payments.ofKey(org, key)
          if (known !== undefined) {
            return known.same ? known.row.id : yield* Effect.fail(conflict(
              "idempotency_conflict",
              "This idempotency key was used with another payload. Use a new key for a new request."
            ))
          }
          const id = newId("pay")
          const money = new URL(`/w/${org}/money?payment=${id}`, publicUrl).href
          yield* payments.insert(org, {
            id,
            amountCents: input.amount_cents,
            successUrl: input.success_url ?? money,
            cancelUrl: input.cancel_url ?? money,
            live: stripe.live ?? null,
            by: user.user_id,
            at,
            key
          })
          yield* audit.record(org, actorOf(user), {
            action: "payment.created",
            subject: { type: "payment", id },
            data: { amount_cents: input.amount_cents }
          })
          return id
        },
        db.transaction
      )

      const refresh = Effect.fn("Billing.refresh")(function*(org: OrgId, id: string) {
        const payment = yield* find(org, id)
        const answer = payment.session_id === null
          ? stripe.open({
            payment: id,
            amountCents: payment.amount_cents,
            successUrl: payment.success_url,
            cancelUrl: payment.cancel_url
          })
          : stripe.session(payment.session_id)
        const session = yield* Effect.catch(answer, ({ error, refused }) =>
          Effect.andThen(
            refused && payment.session_id === null ? posting.refused(org, id, error.error.message) : Effect.void,
            Effect.fail(error)
          ))
        // An answer to the creation names no other payment than the one that was sent.
        yield* posting.session({ ...session, payment: id })
      })

      return Billing.of({
        open: Effect.fn("Billing.open")(function*(user, input, key) {
          if (!stripe.isConfigured) {
            return yield* Effect.fail(
              conflict("billing_not_configured", "This hub has no HUB_STRIPE_SECRET_KEY, so it takes no payments.")
            )
          }
          const id = (yield* reserve(user, input, key)) as PaymentId
          if ((yield* find(user.org_id, id)).session_id === null) yield* refresh(user.org_id, id)
          return id
        }),
        refresh,
        get: Effect.fn("Billing.get")(function*(user, id) {
          return shown(yield* find(user.org_id, id))
        }),
        list: Effect.fn("Billing.list")(function*(user, { cursor, limit, status }) {
          const [before] = (yield* decodeCursor(cursor, [idPattern("pay")])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* payments.list(user.org_id, { before, status, limit: (limit ?? pageLimitDefault) + 1 })
          const { data, next_cursor } = toPage(rows, limit, (row) => [row.id])
          return { data: data.map(shown), next_cursor, as_of }
        })
      })
    })
  )
}
