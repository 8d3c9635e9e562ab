/** `shell.run`. */
import { settledRules } from "@countersign/domain/device-rule-defaults"
import { hasNetwork, judge } from "@countersign/domain/device-rules"
import type { ToolInput } from "@countersign/domain/device-tools"
import { basename } from "node:path"
import { commandFiles } from "../programs/command-files.ts"
import { copiesOf } from "../programs/copies.ts"
import { environmentOf } from "../programs/environment.ts"
import { findProgram } from "../programs/programs.ts"
import { runProgram } from "../programs/shell-run.ts"
import { capped } from "../sandbox/memory-cap.ts"
import { sandboxed, sandboxOf } from "../sandbox/sandbox.ts"
import type { Finished, ToolOf } from "./tool.ts"

export const shellRun: ToolOf<ToolInput<"shell.run">> = (
  { command, copies, directory, input, isAgent, places, rules }
) => {
  const program = findProgram(input.argv[0]!, directory.path)
  const env = environmentOf({
    command,
    directory: directory.path,
    allowed: rules.environment ?? [],
    wanted: input.env ?? {}
  })
  const wanted = settledRules(rules).sandbox
  const sandbox = sandboxOf(wanted)
  const isPinned = (path: string): boolean =>
    rules.rules.some(({ pins }) => pins?.some((pin) => pin.path === path) === true)
  const { files, isInterpretedInRoot, omitted } = commandFiles({
    program,
    argv: input.argv,
    directory: directory.path,
    roots: places.roots,
    isPinned,
    isClosed: (path) => places.refusalOf(path) !== undefined
  })
  const deed = {
    place: directory.path,
    program: {
      argv: input.argv,
      ...program,
      env: Object.keys(input.env ?? {}),
      files: files.map(({ inRoot, isArgument, path, sha256 }) => ({ path, sha256, inRoot, isArgument })),
      requiresApproval: (sandbox === "none" && wanted !== "off") || isInterpretedInRoot || omitted > 0
    }
  }
  const network = sandbox === "none" || hasNetwork(rules, judge(rules, { tool: "shell.run", ...deed }), isAgent)
  return {
    deed,
    plan: {
      directory: directory.path,
      sandbox,
      network: network ? "on" : "off",
      program: { path: program.path, real_path: program.realPath },
      ...(files.length === 0
        ? {}
        : { files: files.map(({ bytes, path, sha256 }) => ({ path, sha256, bytes: bytes.length })) }),
      ...(omitted === 0 ? {} : { files_omitted: omitted })
    },
    run: async ({ consented, ...running }) => {
      // An approval or a pin covers exactly these bytes. A system script, which no command can change, runs in place.
      const { changed, copies: copied, remove } = copiesOf(
        files.filter(({ inRoot, isArgument, path }) => consented || isPinned(path) || (inRoot && !isArgument)),
        copies,
        command
      )
      // Inside a sandbox the copy is mounted over its file; without one the command line names the copy.
      const isReplaced = sandbox === "none"
      const copyAt = (at: number): string | undefined =>
        isReplaced ? copied.find(({ words }) => words.includes(at))?.copy : undefined
      try {
        const start = capped(
          rules.memory_mb_max,
          await sandboxed(wanted, {
            path: (isReplaced ? copied.find(({ path }) => path === program.realPath)?.copy : undefined) ?? program.path,
            argv: input.argv.map((word, at) => copyAt(at) ?? word),
            directory,
            roots: places.roots,
            closed: places.closed,
            readable: rules.sandbox_readable ?? [],
            network,
            copies,
            copied,
            // Only Git may write its own files; no other program may change code that Git runs.
            writesGit: ["git", "hg"].includes(basename(program.realPath))
          })
        )
        running.stop.throwIfAborted()
        const ending = endingOf(
          await runProgram({
            command,
            env,
            stdin: input.stdin,
            contained: sandbox === "bubblewrap",
            ...start,
            ...running
          })
        )
        const lost = changed()
        return lost === undefined || ending.outcome !== "succeeded" ? ending : {
          ...ending,
          outcome: "failed",
          error: {
            code: "copy_changed",
            message: `It changed ${lost.path}, which it had as a copy: the change is lost`
          }
        }
      } finally {
        remove()
      }
    }
  }
}

const endingOf = ({ clean, exitCode, signal }: Awaited<ReturnType<typeof runProgram>>): Finished => {
  const ending = {
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
    ...(signal === undefined && clean
      ? {}
      : { result: { ...(signal === undefined ? {} : { signal }), ...(clean ? {} : { processes_left: true }) } })
  }
  if (exitCode === 0) return { outcome: "succeeded", ...ending }
  return {
    outcome: "failed",
    ...ending,
    error: signal === undefined
      ? { code: "exit_code", message: `It ended with exit code ${exitCode ?? "none"}` }
      : { code: "signal", message: `It was ended by ${signal}` }
  }
}
