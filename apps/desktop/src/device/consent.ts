/**
 * Requests a person's approval before a command runs, through the hub or on the local screen. No approver, no answer in
 * time, and any unclear answer deny the command. Spec: reference/devices.md "Consent", "D9: plan binding", "D10: doubt
 * is denial", "D12: rules after consent".
 */
import type { OfferedCommand } from "@countersign/domain/device-frames"
import { consentSeconds } from "@countersign/domain/device-protocol"
import type { SettledRules } from "@countersign/domain/device-rule-defaults"
import type { Planned } from "./plan.ts"
import { denied } from "./results/refusal.ts"

export interface Question extends Planned {
  readonly command: OfferedCommand
}

export type Answer = "approved" | "denied"

/** Rejects with the reason of `stop`. */
export type Ask = (question: Question, stop: AbortSignal) => Promise<Answer>

/** Approval channels: the hub's inbox and the local screen. */
export interface Askers {
  readonly hub: Ask
  readonly screen?: Ask
}

/** Returns after an approval. Denied `no_one_to_ask`, `consent_denied`, `consent_expired`. */
export const askPerson = async (
  via: SettledRules["ask_via"],
  { hub, screen }: Askers,
  question: Question,
  stop: AbortSignal
): Promise<void> => {
  const ask = via === "hub" ? hub : via === "none" ? undefined : screen
  if (ask === undefined) {
    throw denied("no_one_to_ask", "This device's rules want a person asked, and nobody is there to ask")
  }
  const expired = denied("consent_expired", `Nobody answered within ${consentSeconds} s`)
  const life = new AbortController()
  const timer = setTimeout(() => life.abort(expired), consentSeconds * 1_000)
  try {
    const answer = await ask(question, AbortSignal.any([stop, life.signal]))
    if (answer !== "approved") throw denied("consent_denied", "A person was asked and said no")
  } finally {
    clearTimeout(timer)
  }
}

/** A promise for an answer from elsewhere; only the first answer counts. */
export const pendingAnswer = (stop: AbortSignal) => {
  const { promise, reject, resolve } = Promise.withResolvers<Answer>()
  // An abort before the first await must not be an unhandled rejection.
  promise.catch(() => {})
  if (stop.aborted) reject(stop.reason)
  else stop.addEventListener("abort", () => reject(stop.reason), { once: true })
  return { answer: promise, give: resolve, fail: reject }
}
