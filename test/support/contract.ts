/** Checks that a value of a service fits its schema in the contract, without extra fields. */
import { Schema } from "effect"

/** Returns the value; throws with every place that does not fit. */
export const fitting = <S extends Schema.Top>(schema: S, value: unknown): S["Type"] => {
  Schema.encodeUnknownSync(schema as never, { errors: "all", onExcessProperty: "error" })(value)
  return value as S["Type"]
}
