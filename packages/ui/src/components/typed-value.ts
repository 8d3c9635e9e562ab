/**
 * Text of a field whose value is not complete yet ("12." on the way to 12.50): the text is kept as long as it still
 * yields the value.
 */
import { useState } from "react"

export interface TypedValue<V> {
  readonly text: string
  /** The text is not a valid value. */
  readonly unreadable: boolean
  readonly type: (text: string) => void
  /** Formats the value; call it when the field loses focus. */
  readonly settle: () => void
  readonly value: V | undefined
}

export const useTypedValue = <V>(
  value: V | undefined,
  onChange: (value: V | undefined) => void,
  parse: (text: string) => V | "empty" | "invalid",
  write: (value: V) => string
): TypedValue<V> => {
  const [typed, setTyped] = useState<string>()
  const read = typed === undefined ? undefined : parse(typed)
  const means = read === "empty" || read === "invalid" ? undefined : read
  const kept = typed !== undefined && means === value
  const text = kept ? typed : value === undefined ? "" : write(value)
  return {
    text,
    unreadable: kept && read === "invalid",
    value,
    type: (next) => {
      setTyped(next)
      const parsed = parse(next)
      const meant = parsed === "empty" || parsed === "invalid" ? undefined : parsed as V
      if (meant !== value) onChange(meant)
    },
    settle: () => {
      if (read !== "invalid") setTyped(undefined)
    }
  }
}
