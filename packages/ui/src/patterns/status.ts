/** The look of a status: six looks for all statuses of the wire. Design brief 14. */
import type { Tone } from "../components/badge.tsx"

export type StatusLook = "waiting" | "executed" | "blocked" | "failed" | "running" | "expired"

const looks: Readonly<Record<string, StatusLook>> = {
  approval_required: "waiting",
  open: "waiting",
  pending: "waiting",
  executed: "executed",
  paid: "executed",
  approved: "executed",
  answered: "executed",
  blocked: "blocked",
  rejected: "blocked",
  dismissed: "blocked",
  disputed: "blocked",
  failed: "failed",
  running: "running",
  expired: "expired",
  cancelled: "expired",
  withdrawn: "expired"
}

/** An unknown status looks like an expired one, with a neutral color. */
export const statusLook = (wire: string): StatusLook => looks[wire] ?? "expired"

export const toneOf: Readonly<Record<StatusLook, Tone>> = {
  waiting: "hold",
  executed: "ok",
  blocked: "stop",
  failed: "stop",
  running: "info",
  expired: "neutral"
}
