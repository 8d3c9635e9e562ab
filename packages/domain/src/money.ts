/** Money: integer cents, never a float. Spec: reference/conventions.md "Money". */
import { Schema } from "effect"

/** The largest amount of one transfer, price, cap, or ceiling, in cents. */
export const amountCentsMax = 100_000_000_000

/** A price, a cap, or a ceiling; may be 0. */
export const Cents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: amountCentsMax })).annotate({
  description: "Integer cents, 0 to 100000000000"
})
export type Cents = typeof Cents.Type

/** The amount of one transfer. */
export const AmountCents = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: amountCentsMax })).annotate({
  description: "Integer cents, 1 to 100000000000"
})

/** A sum or a difference in the ledger: signed, and larger than one transfer's limit if needed. */
export const SignedCents = Schema.Int
