/** How long to wait before the hub is tried again, by what happened. Spec: desktop 4.3 "reconnect". */
import { closeCodes } from "@countersign/domain/device-protocol"
import type { SocketEnd } from "./socket.ts"

const firstMillis = 1_000
const mostMillis = 30_000
const limitedMillis = 30_000
const limitedMostMillis = 300_000
const restartMillis = 10_000

export type Next = { readonly kind: "again"; readonly millis: number } | { readonly kind: "superseded" | "revoked" | "protocol" | "refused" }

/** `failures` in a row, this one counted; `random` in [0, 1). */
export const nextTry = (end: SocketEnd, failures: number, random: number): Next => {
  if (end.kind === "closed") {
    if (end.code === closeCodes.superseded) return { kind: "superseded" }
    if (end.code === closeCodes.revoked) return { kind: "revoked" }
    if (end.code === closeCodes.protocol) return { kind: "protocol" }
    if (end.code === closeCodes.restart) return { kind: "again", millis: random * restartMillis }
  }
  const doubling = 2 ** Math.min(failures - 1, 20)
  if (end.kind === "refused") {
    if (end.status === 401) return { kind: end.code === "device_revoked" ? "revoked" : "refused" }
    if (end.status === 404) return { kind: "refused" }
    if (end.status === 429) {
      const base = Math.min(limitedMostMillis, Math.max(limitedMillis * doubling, (end.retryAfterSeconds ?? 0) * 1_000))
      return { kind: "again", millis: Math.max(limitedMillis, base * (0.5 + random / 2)) }
    }
  }
  return { kind: "again", millis: random * Math.min(mostMillis, firstMillis * doubling) }
}
