/** Runs Python programs with the client's source, in an environment with its dependencies. */
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { join } from "node:path"
import { ensurePython } from "../support/cached-tools.mjs"
import { requireFor } from "../support/required.ts"
import { missingPython } from "../support/requirements.mjs"

const root = join(import.meta.dirname, "..", "..")
export const pythonClient = join(root, "packages", "client-python")
const tools = join(import.meta.dirname, "tools")

export const pythonProgram = (name: string): string => join(import.meta.dirname, "programs", name)

/** The interpreter of the environment. Skips the test, and fails in CI, where Python is missing. */
export const python = (context: unknown): string => {
  requireFor(context as never, missingPython())
  return ensurePython(join(tools, "client-python.txt"))
}

export interface Ran {
  readonly code: number
  readonly output: string
  readonly errors: string
}

/** Runs a program to its end, with `input` on its standard input. */
export const runProgram = (
  program: string,
  args: ReadonlyArray<string>,
  { cwd = root, env = {}, input = "" }: {
    readonly cwd?: string
    readonly env?: Readonly<Record<string, string>>
    readonly input?: string
  } = {}
): Effect.Effect<Ran> =>
  Effect.callback((resume) => {
    const child = execFile(
      program,
      [...args],
      { cwd, maxBuffer: 1 << 26, env: { ...process.env, ...env } },
      (error, output, errors) =>
        resume(Effect.succeed({ code: error === null ? 0 : Number(error.code ?? 1), output, errors }))
    )
    // A program may end before it has read everything.
    child.stdin?.on("error", () => {})
    child.stdin?.end(input)
    return Effect.sync(() => void child.kill())
  })

/** The output of a Python program; dies with its errors unless it ends with 0. */
export const runPython = (
  context: unknown,
  program: string,
  args: ReadonlyArray<string>,
  input = ""
): Effect.Effect<string> =>
  Effect.gen(function*() {
    const { code, errors, output } = yield* runProgram(python(context), [program, ...args], {
      input,
      env: { PYTHONPATH: join(pythonClient, "src"), PYTHONDONTWRITEBYTECODE: "1", PYTHONWARNINGS: "error" }
    })
    if (code !== 0) return yield* Effect.die(new Error(`${program} ended with ${code}\n${output}\n${errors}`))
    return output
  })
