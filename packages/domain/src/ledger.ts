/**
 * The double-entry ledger. A transfer takes its amount from one account and gives it to another, so its two entries sum
 * to zero, and so do all entries of a workspace. Spec: reference/budgets-and-ledger.md "Wallet", "Ledger".
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Requires, UserAccess } from "./auth.ts"
import { LedgerEntryId, TeamId } from "./ids.ts"
import { AmountCents, SignedCents } from "./money.ts"
import { Page, PageQuery } from "./pagination.ts"
import { matching } from "./pattern.ts"
import { Prose } from "./text.ts"

export const noteLengthMax = 500

export const AccountType = Schema.Literals(["external", "org", "revenue", "team", "worker"])
export type AccountType = typeof AccountType.Type

/**
 * `id`: the workspace's id for `org`, the team's for `team`, the person's for `worker`; `external` and `revenue` have
 * their type as id.
 */
export const Account = Schema.Struct({ type: AccountType, id: Schema.String }).annotate({ identifier: "Account" })
export type Account = typeof Account.Type

export const Balance = Schema.Struct({
  /** Added funds minus debits. */
  balance_cents: SignedCents,
  /** Reserved for requests without a settlement. */
  held_cents: SignedCents,
  available_cents: SignedCents,
  currency: Schema.Literal("usd")
}).annotate({ identifier: "Balance" })
export type Balance = typeof Balance.Type

export const LedgerEntry = Schema.Struct({
  id: LedgerEntryId,
  movement_id: LedgerEntryId,
  account: Account,
  /** Negative for the debited account, positive for the credited one. */
  amount_cents: SignedCents,
  balance_after_cents: SignedCents,
  cause: Schema.Struct({ type: Schema.String, id: Schema.String }),
  note: Schema.optionalKey(Schema.String),
  created_at: Schema.String
}).annotate({ identifier: "LedgerEntry" })
export type LedgerEntry = typeof LedgerEntry.Type

export const TopUpInput = Schema.Struct({
  amount_cents: AmountCents,
  note: Schema.optionalKey(Prose(noteLengthMax))
}).annotate({ identifier: "TopUpInput" })
export type TopUpInput = typeof TopUpInput.Type

export const TopUp = Schema.Struct({
  /** The transfer's id. */
  id: LedgerEntryId,
  amount_cents: AmountCents,
  note: Schema.optionalKey(Schema.String),
  /** The balance after the transfer. */
  balance: Balance,
  created_at: Schema.String
}).annotate({ identifier: "TopUp" })
export type TopUp = typeof TopUp.Type

const base32 = "0123456789abcdefghjkmnpqrstvwxyz"

/**
 * The ids of a transfer's two entries: the debit has the transfer's id, the credit the same id with its last bit
 * flipped. That is one of the random bits of a UUIDv7, so another transfer has the same id only with the probability of
 * any collision; the function is its own inverse.
 */
export const otherEntryId = (id: string): string => id.slice(0, -1) + (base32[base32.indexOf(id.slice(-1)) ^ 1] ?? "")

export class LedgerGroup extends HttpApiGroup.make("ledger").add(
  HttpApiEndpoint.get("balance", "/balance", { query: { teamId: Schema.optionalKey(TeamId) }, success: Balance })
    .middleware(UserAccess).annotate(Requires, "budgets:read").annotate(
      OpenApi.Description,
      "The wallet of the workspace, or of a team. Money held for unsettled requests is part of the balance and " +
        "not available."
    ),
  HttpApiEndpoint.post("topUp", "/balance/top-up", {
    payload: TopUpInput,
    success: TopUp.pipe(HttpApiSchema.status(201))
  })
    .middleware(UserAccess).annotate(Requires, "billing:write").annotate(
      OpenApi.Description,
      "Credits the workspace's wallet by hand. On a hub with HUB_STRIPE_SECRET_KEY only an owner may: 409 " +
        "`use_checkout`. Send `idempotency-key`, so that a repeated call transfers nothing twice."
    ),
  HttpApiEndpoint.get("list", "/ledger", {
    query: {
      ...PageQuery,
      account: Schema.optionalKey(
        Schema.String.check(
          matching(/^(?:external|org|revenue|team|worker|[a-z]+_[0-9a-z]{26})$/u, "a type of account, or the id of one")
        ).annotate({
          description: "A type of account, or the id of one"
        })
      )
    },
    success: Page(LedgerEntry)
  }).middleware(UserAccess).annotate(Requires, "usage:read").annotate(
    OpenApi.Description,
    "Both entries of every transfer, newest first. With `account` a page can have fewer entries than `limit`, or " +
      "none, and still have a `next_cursor`."
  )
) {}
