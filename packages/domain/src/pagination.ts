/** Lists: `{ data, next_cursor, as_of }`, keyset cursors. Spec: contract 1 "Lists". */
import { Schema } from "effect"

export const pageLimitDefault = 50
export const pageLimitMax = 200

/** The two query parameters of every list. */
export const PageQuery = {
  limit: Schema.optionalKey(
    Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 1, maximum: pageLimitMax }))
  ),
  cursor: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(512)))
}

/** `as_of` is the cursor of `/events` from which a reader that saw this page goes on. */
export const Page = <S extends Schema.Top>(item: S) =>
  Schema.Struct({
    data: Schema.Array(item),
    next_cursor: Schema.NullOr(Schema.String),
    as_of: Schema.String
  })
