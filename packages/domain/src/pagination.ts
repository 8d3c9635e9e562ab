/** Lists: `{ data, next_cursor, as_of }`, keyset cursors. Spec: reference/conventions.md "Lists". */
import { Schema, SchemaTransformation } from "effect"
import { amountCentsMax } from "./money.ts"
import { matching } from "./pattern.ts"

export const pageLimitDefault = 50
export const pageLimitMax = 200

/** A whole number in a query, in decimal digits: `1e2`, `0x10`, and `+5` are refused. */
export const IntegerInQuery = (minimum: number, maximum: number) =>
  Schema.String.check(matching(/^(?:0|-?[1-9][0-9]{0,14})$/u, "an integer in decimal digits"))
    .pipe(Schema.decodeTo(Schema.Finite, SchemaTransformation.numberFromString))
    .check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))

/** The two query parameters of every list. */
export const PageQuery = {
  limit: Schema.optionalKey(IntegerInQuery(1, pageLimitMax)),
  cursor: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(512)))
}

/** The sort order of a list: the name of a field, ascending, or with `-` before it, descending. */
export const sortBy = <const F extends string>(fields: ReadonlyArray<F>) =>
  Schema.optionalKey(
    Schema.Literals(fields.flatMap((field): ReadonlyArray<F | `-${F}`> => [field, `-${field}`])).annotate({
      description:
        "The order of the list: a field, ascending; with `-` before it, descending. Rows with equal values are ordered by id. " +
        "A cursor continues the order that it was given for."
    })
  )

const centsInQuery = IntegerInQuery(0, amountCentsMax)

/** Bounds of an amount, both inclusive. */
export const AmountQuery = {
  min_cents: Schema.optionalKey(centsInQuery.annotate({ description: "The smallest amount in cents, inclusive" })),
  max_cents: Schema.optionalKey(centsInQuery.annotate({ description: "The largest amount in cents, inclusive" }))
}

/** `as_of` is the `/events` cursor from which a reader of this page continues. */
export const Page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item),
    next_cursor: Schema.NullOr(Schema.String),
    as_of: Schema.String
  })
