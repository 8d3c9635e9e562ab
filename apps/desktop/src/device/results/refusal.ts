/** The reason why a command does not run. It ends the command, not the agent. */
import type { Outcome } from "@countersign/domain/device-protocol"

export class Refusal extends Error {
  readonly outcome: Outcome
  readonly code: string
  constructor(outcome: Outcome, code: string, message: string) {
    super(message)
    this.outcome = outcome
    this.code = code
  }
}

export const denied = (code: string, message: string): Refusal => new Refusal("denied", code, message)
export const failed = (code: string, message: string): Refusal => new Refusal("failed", code, message)
