/** Whether an entry's fields produce its hash, computed in this page so that the hub need not be trusted. */
import { auditLeafText } from "@countersign/domain/audit-chain"
import type { AuditRow } from "../hub/queries.ts"

export type EntryCheck = "checking" | "holds" | "broken" | "uncheckable"

const hexOf = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")
const bytesOf = (hex: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(hex.match(/../gu) ?? [], (pair) => Number.parseInt(pair, 16))

/** Absent on pages loaded over plain http from another host. */
const subtle = (): SubtleCrypto | undefined =>
  (globalThis.crypto as { readonly subtle?: SubtleCrypto } | undefined)?.subtle

export const checkEntry = async (entry: AuditRow): Promise<EntryCheck> => {
  const digest = subtle()
  if (digest === undefined) return "uncheckable"
  const leaf = new Uint8Array(await digest.digest("SHA-256", new TextEncoder().encode(auditLeafText(entry))))
  const link = new Uint8Array(32 + leaf.length)
  link.set(bytesOf(entry.prev_hash))
  link.set(leaf, 32)
  return hexOf(await digest.digest("SHA-256", link)) === entry.hash ? "holds" : "broken"
}
