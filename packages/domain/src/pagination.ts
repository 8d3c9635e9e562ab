/** Lists: `{ data, next_cursor, as_of }`, keyset cursors. Spec: contract 1 "Lists". */
import { Schema } from "effect"
import { amountCentsMax } from "./money.ts"

export const pageLimitDefault = 50
export const pageLimitMax = 200

/** The two query parameters of every list. */
export const PageQuery = {
  limit: Schema.optionalKey(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: pageLimitMax }))
  ),
  cursor: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(512)))
}

/** The order of a list: the name of a field, ascending, or with `-` before it, descending. */
export const sortBy = <const F extends string>(fields: ReadonlyArray<F>) =>
  Schema.optionalKey(
    Schema.Literals(fields.flatMap((field): ReadonlyArray<F | `-${F}`> => [field, `-${field}`])).annotate({
      description:
        "The order of the list: a field, ascending; with `-` before it, descending. Rows with equal values are ordered by id. " +
        "A cursor continues the order that it was given for."
    })
  )

const centsInQuery = Schema.FiniteFromString.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 0, maximum: amountCentsMax })
)

/** Bounds of an amount, both inclusive. */
export const AmountQuery = {
  min_cents: Schema.optionalKey(centsInQuery.annotate({ description: "The smallest amount in cents, inclusive" })),
  max_cents: Schema.optionalKey(centsInQuery.annotate({ description: "The largest amount in cents, inclusive" }))
}

/** `as_of` is the cursor of `/events` from which a reader that saw this page goes on. */
export const Page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item),
    next_cursor: Schema.NullOr(Schema.String),
    as_of: Schema.String
  })
