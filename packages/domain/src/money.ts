/** Money: integer cents, never a float. Spec: contract 1 "Money". */
import { Schema } from "effect"

/** The largest amount one movement, price, cap or ceiling may name, in cents. */
export const amountCentsMax = 100_000_000_000

/** A price, a cap, a ceiling: it may be 0. */
export const Cents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: amountCentsMax })).annotate({
  description: "Integer cents, 0 to 100000000000"
})
export type Cents = typeof Cents.Type

/** What one movement moves. */
export const AmountCents = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: amountCentsMax })).annotate({
  description: "Integer cents, 1 to 100000000000"
})

/** A sum or a difference as the ledger tells it: signed, and not bounded by one movement. */
export const SignedCents = Schema.Int
