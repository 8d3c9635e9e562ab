/**
 * A payload as fields to be read by whoever decides: a line for each of its members, in the order in which they came. What looks like a
 * token is masked, as the digest binds it all the same; what the hub hides is said to be hidden. Spec: E10, E16.
 */
import { isJsonObject } from "@countersign/domain/json"
import { isMasked } from "@countersign/ui/patterns/json-lines"
import type { ConfirmField } from "../bridge/contract.ts"
import { makeMask } from "../device/masker.ts"

/** Of one payload. What is beyond them is counted, never left out in silence. */
export const fieldsMax = 100
export const textLengthMax = 16_000

const mask = makeMask([])

const textOf = (value: unknown): string =>
  mask.text(typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "")

export const payloadFields = (
  payload: unknown
): { readonly fields: ReadonlyArray<ConfirmField>; readonly left_out: number } => {
  if (payload === undefined) return { fields: [], left_out: 0 }
  const members = isJsonObject(payload) && !isMasked(payload) ? Object.entries(payload) : [["", payload] as const]
  const fields: Array<ConfirmField> = []
  let room = textLengthMax
  let leftOut = 0
  for (const [label, value] of members) {
    const text = isMasked(value) ? null : textOf(value)
    const length = label.length + (text?.length ?? 0)
    if (fields.length >= fieldsMax || room <= label.length) {
      leftOut += length
      continue
    }
    const shown = text?.slice(0, room - label.length) ?? null
    leftOut += (text?.length ?? 0) - (shown?.length ?? 0)
    room -= label.length + (shown?.length ?? 0)
    fields.push({ label: mask.text(label), text: shown })
  }
  return { fields, left_out: leftOut }
}
