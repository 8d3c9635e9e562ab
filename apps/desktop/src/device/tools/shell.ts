/** `shell.run`. */
import type { ToolInput } from "@countersign/domain/device-tools"
import { environmentOf } from "../environment.ts"
import { findProgram } from "../programs.ts"
import { sandboxed } from "../sandbox.ts"
import { runProgram } from "../shell-run.ts"
import type { ToolOf } from "../tool.ts"

export const shellRun: ToolOf<ToolInput<"shell.run">> = ({ command, directory, input, places, rules }) => {
  const program = findProgram(input.argv[0]!, directory.path)
  const env = environmentOf({ command, directory: directory.path, allowed: rules.environment ?? [], wanted: input.env ?? {} })
  return {
    deed: { place: directory.path, program: { argv: input.argv, ...program, env: Object.keys(input.env ?? {}) } },
    run: async (running) => {
      const start = sandboxed(rules.sandbox ?? "available", { path: program.path, argv: input.argv, directory, roots: places.roots, closed: places.closed })
      const { clean, exitCode, signal } = await runProgram({ command, env, stdin: input.stdin, ...start, ...running })
      const ending = {
        ...(exitCode === undefined ? {} : { exit_code: exitCode }),
        ...(signal === undefined && clean ? {} : { result: { ...(signal === undefined ? {} : { signal }), ...(clean ? {} : { processes_left: true }) } })
      }
      if (exitCode === 0) return { outcome: "succeeded", ...ending }
      return {
        outcome: "failed", ...ending,
        error: signal === undefined ? { code: "exit_code", message: `It ended with exit code ${exitCode ?? "none"}` } : { code: "signal", message: `It was ended by ${signal}` }
      }
    }
  }
}
