/**
 * The delay before the next connection attempt, by the reason of the last failure. Spec: reference/devices.md "Agent
 * reconnects".
 */
import { closeCodes } from "@countersign/domain/device-protocol"
import type { LinkEnd } from "./link.ts"

const firstMillis = 1_000
const mostMillis = 30_000
const limitedMillis = 30_000
const limitedMostMillis = 300_000
const restartMillis = 10_000
/** While the long poll is active. */
const socketMillis = 10_000
const socketJitterMillis = 5_000

export type Next = { readonly kind: "again"; readonly millis: number } | {
  readonly kind: "superseded" | "revoked" | "protocol" | "refused"
}

/** Only the hub's error codes are final; a status without a code may come from a proxy. */
const finalOf = (end: LinkEnd): Exclude<Next["kind"], "again"> | undefined => {
  if (end.kind === "closed") {
    if (end.code === closeCodes.superseded) return "superseded"
    if (end.code === closeCodes.revoked) return "revoked"
    return end.code === closeCodes.protocol ? "protocol" : undefined
  }
  if (end.kind === "unreachable" || end.code === undefined) return undefined
  if (end.code === "superseded") return "superseded"
  if (end.status === 401) return end.code === "device_revoked" ? "revoked" : "refused"
  if (end.status === 426) return "protocol"
  return end.status === 404 ? "refused" : undefined
}

/** `failures` counts consecutive failures including this one; `random` is in [0, 1). */
export const nextTry = (end: LinkEnd, failures: number, random: number): Next => {
  const kind = finalOf(end)
  if (kind !== undefined) return { kind }
  if (end.kind === "closed" && end.code === closeCodes.restart) return { kind: "again", millis: random * restartMillis }
  const doubling = 2 ** Math.min(failures - 1, 20)
  if (end.kind === "refused" && end.status === 429) {
    const base = Math.min(limitedMostMillis, Math.max(limitedMillis * doubling, (end.retryAfterSeconds ?? 0) * 1_000))
    return { kind: "again", millis: Math.max(limitedMillis, base * (0.5 + random / 2)) }
  }
  return { kind: "again", millis: random * Math.min(mostMillis, firstMillis * doubling) }
}

export const isFinal = (end: LinkEnd): boolean => finalOf(end) !== undefined

/** Delay before the next socket attempt while the long poll is active. */
export const socketPause = (random: number): number => socketMillis + random * socketJitterMillis
