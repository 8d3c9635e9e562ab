/** What a status looks like: six looks for all that the wire can say. Design brief 14. */
import type { Tone } from "../components/badge.tsx"

export type StatusLook = "waiting" | "executed" | "blocked" | "failed" | "running" | "expired"

const looks: Readonly<Record<string, StatusLook>> = {
  approval_required: "waiting",
  pending: "waiting",
  executed: "executed",
  approved: "executed",
  blocked: "blocked",
  rejected: "blocked",
  failed: "failed",
  running: "running",
  expired: "expired",
  cancelled: "expired"
}

/** A status that this console does not know looks expired: no colour, no claim. */
export const statusLook = (wire: string): StatusLook => looks[wire] ?? "expired"

export const toneOf: Readonly<Record<StatusLook, Tone>> = {
  waiting: "hold",
  executed: "ok",
  blocked: "stop",
  failed: "stop",
  running: "info",
  expired: "neutral"
}
