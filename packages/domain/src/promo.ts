/**
 * Promo codes: made by the owners of the hub's first workspace, redeemed once by each workspace. Spec:
 * reference/budgets-and-ledger.md "Promo codes".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, UserAccess } from "./auth.ts"
import { Created } from "./created.ts"
import { LedgerEntryId, PromoCodeId } from "./ids.ts"
import { Balance } from "./ledger.ts"
import { AmountCents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { Moment } from "./time.ts"

export const redemptionsMax = 1_000_000_000

/** Letters, digits, `.`, `_`, and `-`; without regard to case. */
export const PromoCodeText = Schema.String.check(
  matching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/u, "a code of up to 64 letters, digits, dots, dashes, and underscores")
).annotate({ description: "Compared without regard to case" })

/** Equal for codes that differ in case only. */
export const promoKey = (code: string): string => code.toUpperCase()

export const PromoCode = Schema.Struct({
  id: PromoCodeId,
  code: PromoCodeText,
  amount_cents: AmountCents,
  /** Absent: no limit. */
  max_redemptions: Schema.optionalKey(Schema.Int),
  redemptions: Schema.Int,
  expires_at: Schema.optionalKey(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "PromoCode" })
export type PromoCode = typeof PromoCode.Type

export const CreatePromoCodeInput = Schema.Struct({
  code: PromoCodeText,
  amount_cents: AmountCents,
  max_redemptions: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: redemptionsMax })).annotate({
      description: "Workspaces that may redeem the code. Left out: no limit."
    })
  ),
  expires_at: Schema.optionalKey(Moment)
}).annotate({ identifier: "CreatePromoCodeInput" })
export type CreatePromoCodeInput = typeof CreatePromoCodeInput.Type

export const RedeemInput = Schema.Struct({ code: PromoCodeText }).annotate({ identifier: "RedeemInput" })
export type RedeemInput = typeof RedeemInput.Type

export const Redemption = Schema.Struct({
  id: LedgerEntryId,
  code: PromoCodeText,
  amount_cents: AmountCents,
  /** The balance after the transfer. */
  balance: Balance,
  created_at: Schema.String
}).annotate({ identifier: "Redemption" })
export type Redemption = typeof Redemption.Type

const params = { code: PromoCodeText }

export class PromoGroup extends HttpApiGroup.make("promo").add(
  HttpApiEndpoint.post("redeem", "/promo/redeem", {
    payload: RedeemInput,
    success: Redemption.pipe(HttpApiSchema.status(201))
  }).middleware(UserAccess).annotate(Requires, "billing:write").annotate(
    OpenApi.Description,
    "Credits the workspace's wallet with the code's amount. A workspace redeems a code once (409 `promo_redeemed`). An " +
      "unknown or deleted code is 404, an expired or exhausted one 410. Send `idempotency-key`."
  ),
  HttpApiEndpoint.get("list", "/promo/codes", { query: PageQuery, success: Page(PromoCode) })
    .middleware(UserAccess).annotate(Requires, "promo:write").annotate(
      OpenApi.Description,
      "Newest first, without deleted codes. Codes belong to the hub: only owners of its first workspace may read and " +
        "change them."
    ),
  HttpApiEndpoint.post("create", "/promo/codes", { payload: CreatePromoCodeInput, success: Created(PromoCode) })
    .middleware(UserAccess).annotate(Requires, "promo:write").annotate(
      OpenApi.Description,
      "A code that already exists, in any case, is 409 `conflict`."
    ),
  HttpApiEndpoint.get("get", "/promo/codes/:code", { params, success: PromoCode })
    .middleware(UserAccess).annotate(Requires, "promo:write"),
  HttpApiEndpoint.delete("remove", "/promo/codes/:code", { params, success: HttpApiSchema.NoContent })
    .middleware(UserAccess).annotate(Requires, "promo:write").annotate(
      OpenApi.Description,
      "Ends the code. What was redeemed stays in the wallets."
    )
) {}
