/** Whether a value of a service is what the contract says it answers, no field more. */
import { Schema } from "effect"

/** The value itself; throws with every place where it does not fit. */
export const fitting = <S extends Schema.Top>(schema: S, value: S["Type"]): S["Type"] => {
  Schema.encodeUnknownSync(schema as never, { errors: "all", onExcessProperty: "error" })(value)
  return value
}
