/** Exit codes. Spec: reference/command-line.md "Exit codes". */
import { AccessError, CountersignError, InputError, type Outcome } from "@countersign/client"

export const exitCodes = {
  success: 0,
  error: 1,
  usage: 2,
  blocked: 3,
  signInRequired: 4,
  approvalRequired: 5,
  running: 6,
  failed: 7,
  interrupted: 130
} as const

/** Ends the command with a message and a code. */
export class CommandError extends Error {
  readonly exitCode: number

  constructor(message: string, exitCode: number = exitCodes.error) {
    super(message)
    this.exitCode = exitCode
  }
}

export const usageError = (message: string): CommandError => new CommandError(message, exitCodes.usage)

export const exitCodeOf = ({ status }: Pick<Outcome, "status">): number =>
  ({
    executed: exitCodes.success,
    blocked: exitCodes.blocked,
    approval_required: exitCodes.approvalRequired,
    failed: exitCodes.failed,
    running: exitCodes.running
  })[status]

/** What a person reads of an error, and the code that the command ends with. */
export const failureOf = (error: unknown): { readonly message: string; readonly exitCode: number } => {
  if (error instanceof CommandError) return error
  if (error instanceof InputError) return { message: error.message, exitCode: exitCodes.usage }
  if (error instanceof CountersignError) {
    const details = (error.details ?? []).map(({ message, path }) => `\n  ${path}: ${message}`).join("")
    const id = error.request_id === undefined ? "" : `\n  request ${error.request_id}`
    const hint = error.status === 401 ? "\nSign in with: countersign login" : ""
    return {
      message: `${error.message}${details}${id}${hint}`,
      exitCode: error instanceof AccessError && error.status === 401 ? exitCodes.signInRequired : exitCodes.error
    }
  }
  if (error instanceof Error && error.name === "AbortError") return { message: "", exitCode: exitCodes.interrupted }
  return { message: error instanceof Error ? error.message : String(error), exitCode: exitCodes.error }
}
