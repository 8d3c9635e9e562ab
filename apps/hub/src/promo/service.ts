/** Promo codes: making, ending, and redeeming them. Spec: reference/budgets-and-ledger.md "Promo codes". */
import type { UserPrincipal } from "@countersign/domain/auth"
import {
  type ApiError,
  conflict,
  fieldConflict,
  forbidden,
  type Gone,
  gone,
  notFound
} from "@countersign/domain/errors"
import { idPattern, newId } from "@countersign/domain/ids"
import { pageLimitDefault } from "@countersign/domain/pagination"
import type { CreatePromoCodeInput, PromoCode, RedeemInput, Redemption } from "@countersign/domain/promo"
import { momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer, Option } from "effect"
import { LedgerRepository } from "../ledger/repository.ts"
import { toBalance } from "../ledger/service.ts"
import { MembersRepository } from "../members/repository.ts"
import { actorOf, AuditLog } from "../platform/audit-log.ts"
import { decodeCursor, type PageOf, type PageQuery, toPage } from "../platform/cursor.ts"
import { Db } from "../platform/db.ts"
import { OrgHeads } from "../platform/org-heads.ts"
import { type PromoCodeRow, PromoRepository } from "./repository.ts"

const shown = (row: PromoCodeRow): PromoCode => ({
  id: row.id,
  code: row.code,
  amount_cents: row.amount_cents,
  ...(row.max_redemptions === null ? {} : { max_redemptions: row.max_redemptions }),
  redemptions: row.redemptions,
  ...(row.expires_at === null ? {} : { expires_at: row.expires_at.toISOString() }),
  created_at: row.created_at.toISOString()
})

const noCode = notFound("promo code")

/** Why a code that exists cannot be redeemed now. */
const ended = (row: PromoCodeRow, at: Date): Gone =>
  row.expires_at !== null && row.expires_at.getTime() <= at.getTime()
    ? gone("This promo code has expired.")
    : gone("This promo code was redeemed as often as it allows.")

export class Promo extends Context.Service<Promo, {
  readonly list: (
    user: UserPrincipal,
    query: PageQuery
  ) => Effect.Effect<PageOf<PromoCode>, ApiError>
  readonly get: (user: UserPrincipal, code: string) => Effect.Effect<PromoCode, ApiError>
  readonly create: (user: UserPrincipal, input: CreatePromoCodeInput) => Effect.Effect<PromoCode, ApiError>
  readonly remove: (user: UserPrincipal, code: string) => Effect.Effect<void, ApiError>
  /** Credits the wallet; of racing calls of one workspace one succeeds. */
  readonly redeem: (user: UserPrincipal, input: RedeemInput) => Effect.Effect<Redemption, ApiError>
}>()("@countersign/hub/promo/Promo") {
  static readonly layer = Layer.effect(
    Promo,
    Effect.gen(function*() {
      const repository = yield* PromoRepository
      const ledger = yield* LedgerRepository
      const members = yield* MembersRepository
      const heads = yield* OrgHeads
      const audit = yield* AuditLog
      const db = yield* Db

      const needsHub = Effect.fnUntraced(function*(user: UserPrincipal) {
        if (user.role === "owner" && user.org_id === (yield* repository.firstWorkspace)) return
        return yield* Effect.fail(
          forbidden("Promo codes belong to the hub: an owner of its first workspace manages them, from there.", {
            permission: "promo:write"
          })
        )
      })

      const find = Effect.fnUntraced(function*(code: string) {
        const row = yield* repository.find(code)
        return Option.isSome(row) ? row.value : yield* Effect.fail(noCode)
      })

      const create = Effect.fn("Promo.create")(function*(user: UserPrincipal, input: CreatePromoCodeInput) {
        yield* needsHub(user)
        const { expires_at: expires, ...rest } = input
        const normal = expires === undefined
          ? rest
          : { ...rest, expires_at: new Date(momentMillis(expires)).toISOString() }
        yield* members.stays(user.org_id, user.user_id)
        const at = yield* heads.lock(user.org_id)
        const id = newId("prm")
        const row = yield* repository.insert({ id, by: user.user_id, at, input: normal })
        if (Option.isNone(row)) return yield* Effect.fail(fieldConflict("code", "This promo code already exists."))
        yield* audit.record(user.org_id, actorOf(user), {
          action: "promo.created",
          subject: { type: "promo_code", id },
          data: { ...normal }
        })
        return shown(row.value)
      }, db.transaction)

      const remove = Effect.fn("Promo.remove")(function*(user: UserPrincipal, code: string) {
        yield* needsHub(user)
        yield* members.stays(user.org_id, user.user_id)
        const at = yield* heads.lock(user.org_id)
        const row = yield* find(code)
        if (!(yield* repository.remove(row.id, at))) return yield* Effect.fail(noCode)
        yield* audit.record(user.org_id, actorOf(user), {
          action: "promo.deleted",
          subject: { type: "promo_code", id: row.id },
          data: { code: row.code }
        })
      }, db.transaction)

      const redeem = Effect.fn("Promo.redeem")(function*(user: UserPrincipal, input: RedeemInput) {
        const org = user.org_id
        yield* members.stays(org, user.user_id)
        const at = yield* heads.lock(org)
        const code = yield* find(input.code)
        if (yield* repository.hasRedeemed(org, code.code)) {
          return yield* Effect.fail(conflict("promo_redeemed", "This workspace has already redeemed the promo code."))
        }
        if (!(yield* repository.take(code.id, at))) return yield* Effect.fail(ended(yield* find(input.code), at))
        const id = newId("led") as Redemption["id"]
        const creditedAt = yield* ledger.credit(org, {
          id,
          cents: code.amount_cents,
          causeType: "promo",
          causeId: code.id,
          note: code.code
        })
        yield* repository.recordRedemption(org, { code, transfer: id, by: user.user_id, at })
        const balance = toBalance(yield* ledger.wallet(org))
        yield* audit.record(org, actorOf(user), {
          action: "balance.promo_redeemed",
          subject: { type: "movement", id },
          data: {
            code: code.code,
            promo_code_id: code.id,
            amount_cents: code.amount_cents,
            balance_cents: balance.balance_cents
          }
        })
        return {
          id,
          code: code.code,
          amount_cents: code.amount_cents,
          balance,
          created_at: creditedAt.toISOString()
        } satisfies Redemption
      }, db.transaction)

      return Promo.of({
        list: Effect.fn("Promo.list")(function*(user, { cursor, limit }) {
          yield* needsHub(user)
          const [before] = (yield* decodeCursor(cursor, [idPattern("prm")])) ?? []
          const as_of = yield* audit.asOf(user.org_id)
          const rows = yield* repository.list(before, (limit ?? pageLimitDefault) + 1)
          const { data, next_cursor } = toPage(rows, limit, (row) => [row.id])
          return { data: data.map(shown), next_cursor, as_of }
        }),
        get: Effect.fn("Promo.get")(function*(user, code) {
          yield* needsHub(user)
          return shown(yield* find(code))
        }),
        create,
        remove,
        redeem
      })
    })
  )
}
