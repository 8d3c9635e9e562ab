/**
 * A person's yes or no before a command runs. Asked through the hub, or at this machine's own screen where there is one; nobody to ask, no
 * answer in time, and everything unclear is a no. Spec: contract 8a "Consent", D9, D10, D12.
 */
import type { OfferedCommand } from "@countersign/domain/device-frames"
import { consentSeconds } from "@countersign/domain/device-protocol"
import type { SettledRules } from "@countersign/domain/device-rule-defaults"
import type { Planned } from "./plan.ts"
import { denied } from "./refusal.ts"

export interface Question extends Planned {
  readonly command: OfferedCommand
}

export type Answer = "approved" | "denied"

/** Rejects with the reason of `stop`. */
export type Ask = (question: Question, stop: AbortSignal) => Promise<Answer>

/** Who answers: the hub's people, and whoever sits at the screen. */
export interface Askers {
  readonly hub: Ask
  readonly screen?: Ask
}

/** Returns when a person said yes. Denied `no_one_to_ask`, `consent_denied`, `consent_expired`. */
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

/** An answer that comes from elsewhere: given once, to whoever waits for it. */
export const pendingAnswer = (stop: AbortSignal) => {
  const { promise, reject, resolve } = Promise.withResolvers<Answer>()
  // Given up before anyone waits for it, it is no failure of the agent.
  promise.catch(() => {})
  if (stop.aborted) reject(stop.reason)
  else stop.addEventListener("abort", () => reject(stop.reason), { once: true })
  return { answer: promise, give: resolve, fail: reject }
}
