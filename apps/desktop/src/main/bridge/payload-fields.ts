/**
 * Splits a payload into fields for the approver: one line per member, in the payload's order. Text that looks like a
 * token is masked, as the digest binds it anyway; a value that the hub hides is marked as hidden. Spec:
 * reference/desktop.md "E10: approvals and credentials", "E16: foreign text".
 */
import { isJsonObject } from "@countersign/domain/json"
import { isMask } from "@countersign/domain/mask"
import type { ConfirmField } from "../../bridge/contract.ts"
import { makeMask } from "../../device/results/masker.ts"

/** Per payload. Fields beyond the limit are counted and reported, never dropped silently. */
export const fieldsMax = 100
export const textLengthMax = 16_000

const mask = makeMask([])

const textOf = (value: unknown): string =>
  mask.text(typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "")

export const payloadFields = (
  payload: unknown
): { readonly fields: ReadonlyArray<ConfirmField>; readonly left_out: number } => {
  if (payload === undefined) return { fields: [], left_out: 0 }
  const members = isJsonObject(payload) && !isMask(payload) ? Object.entries(payload) : [["", payload] as const]
  const fields: Array<ConfirmField> = []
  let room = textLengthMax
  let leftOut = 0
  for (const [label, value] of members) {
    const text = isMask(value) ? null : textOf(value)
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
