/** How the agent ends: a supervisor reads these (`RestartPreventExitStatus=1 5 77`). Spec: contract 8a, desktop 4.3 "exit codes". */
export const exitCodes = { done: 0, configuration: 1, retryable: 2, superseded: 5, revoked: 77 } as const
export type ExitCode = typeof exitCodes[keyof typeof exitCodes]

/** What ends a command of the agent; `message` is one line for a person. */
export class Exit extends Error {
  readonly code: ExitCode
  constructor(code: ExitCode, message: string) {
    super(message)
    this.code = code
  }
}

export const misconfigured = (message: string): Exit => new Exit(exitCodes.configuration, message)
