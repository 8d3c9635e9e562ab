/**
 * Exit codes of the agent, for supervisors (`RestartPreventExitStatus=1 5 77`). Spec: reference/devices.md "Agent
 * process".
 */
export const exitCodes = { done: 0, configuration: 1, retryable: 2, superseded: 5, revoked: 77 } as const
export type ExitCode = typeof exitCodes[keyof typeof exitCodes]

/** Ends the agent's command line with a code; `message` is one line for a person. */
export class Exit extends Error {
  readonly code: ExitCode
  constructor(code: ExitCode, message: string) {
    super(message)
    this.code = code
  }
}

export const misconfigured = (message: string): Exit => new Exit(exitCodes.configuration, message)
