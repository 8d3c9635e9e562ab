/**
 * Retention of request bodies: a workspace keeps payloads and results for a number of days. After their removal each
 * reads as `{ "$removed": true }`; requester, figures, digests, audit, and ledger are kept permanently. Spec:
 * reference/accounts.md "Retention".
 */
import { isJsonObject } from "./json.ts"

export const removedValue = { $removed: true } as const
/** The stored form. */
export const removedText = JSON.stringify(removedValue)

export const isRemoved = (value: unknown): boolean =>
  isJsonObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, "$removed") &&
  value["$removed"] === true
