/**
 * What a workspace keeps for a number of days: the bodies of requests, their payload and what came of them. Once they are removed each
 * reads as `{ "$removed": true }`; who asked for what, figures, digests, audit and ledger stay for ever. Spec: contract 5 "retention".
 */
import { isJsonObject } from "./json.ts"

export const removedValue = { $removed: true } as const
/** As it is stored. */
export const removedText = JSON.stringify(removedValue)

export const isRemoved = (value: unknown): boolean =>
  isJsonObject(value) && Object.keys(value).length === 1 && Object.hasOwn(value, "$removed") &&
  value["$removed"] === true
