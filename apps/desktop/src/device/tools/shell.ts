/** `shell.run`. */
import { settledRules } from "@countersign/domain/device-rule-defaults"
import { hasNetwork, judge } from "@countersign/domain/device-rules"
import type { ToolInput } from "@countersign/domain/device-tools"
import { basename } from "node:path"
import { environmentOf } from "../environment.ts"
import { isWithin } from "../paths.ts"
import { capped } from "../memory-cap.ts"
import { findProgram } from "../programs.ts"
import { sandboxed, sandboxOf } from "../sandbox.ts"
import { copyOf, scriptOf } from "../script.ts"
import { runProgram } from "../shell-run.ts"
import type { Finished, ToolOf } from "../tool.ts"

export const shellRun: ToolOf<ToolInput<"shell.run">> = ({ command, copies, directory, input, isAgent, places, rules }) => {
  const program = findProgram(input.argv[0]!, directory.path)
  const env = environmentOf({ command, directory: directory.path, allowed: rules.environment ?? [], wanted: input.env ?? {} })
  const wanted = settledRules(rules).sandbox
  const sandbox = sandboxOf(wanted)
  const inRoot = (path: string): boolean => places.roots.some((root) => isWithin(root, path))
  const isPinned = (path: string): boolean => rules.rules.some(({ pins }) => pins?.some((pin) => pin.path === path) === true)
  const script = scriptOf(program, input.argv, directory.path, (path) => inRoot(path) || isPinned(path))
  const deed = {
    place: directory.path,
    program: {
      argv: input.argv, ...program, env: Object.keys(input.env ?? {}), unprotected: sandbox === "none" && wanted !== "off",
      ...(script === undefined ? {} : { file: { path: script.path, sha256: script.sha256, inRoot: inRoot(script.path) } })
    }
  }
  const network = sandbox === "none" || hasNetwork(rules, judge(rules, { tool: "shell.run", ...deed }), isAgent)
  return {
    deed,
    plan: {
      directory: directory.path, sandbox, network: network ? "on" : "off",
      program: { path: program.path, real_path: program.realPath },
      ...(script === undefined ? {} : { script: { path: script.path, sha256: script.sha256, bytes: script.bytes.length } })
    },
    run: async ({ consented, ...running }) => {
      // What a person or a pin allowed are these bytes. A script of the system, which no command can change, runs where it is.
      const copy = script !== undefined && (consented || inRoot(script.path) || isPinned(script.path)) ? copyOf(script, copies, command) : undefined
      try {
        // Inside a sandbox the copy is seen where the script was; outside of one it is started from where the copy is.
        const inPlace = copy === undefined || sandbox === "bubblewrap"
        const start = capped(rules.memory_mb_max, await sandboxed(wanted, {
          path: inPlace || script?.at !== 0 ? program.path : copy.path,
          argv: inPlace ? input.argv : input.argv.map((word, at) => at === script?.at && at > 0 ? copy.path : word),
          directory, roots: places.roots, closed: places.closed, readable: rules.sandbox_readable ?? [], network, copies,
          // Its own files are Git's to write; no other program changes what Git runs.
          writesGit: ["git", "hg"].includes(basename(program.realPath)),
          ...(copy === undefined || script === undefined ? {} : { pinned: { path: script.path, copy: copy.path } })
        }))
        running.stop.throwIfAborted()
        return endingOf(await runProgram({ command, env, stdin: input.stdin, contained: sandbox === "bubblewrap", ...start, ...running }))
      } finally {
        copy?.remove()
      }
    }
  }
}

const endingOf = ({ clean, exitCode, signal }: Awaited<ReturnType<typeof runProgram>>): Finished => {
  const ending = {
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(signal === undefined && clean ? {} : { result: { ...(signal === undefined ? {} : { signal }), ...(clean ? {} : { processes_left: true }) } })
  }
  if (exitCode === 0) return { outcome: "succeeded", ...ending }
  return {
    outcome: "failed", ...ending,
    error: signal === undefined
      ? { code: "exit_code", message: `It ended with exit code ${exitCode ?? "none"}` }
      : { code: "signal", message: `It was ended by ${signal}` }
  }
}
