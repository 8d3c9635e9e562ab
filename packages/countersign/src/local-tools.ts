/**
 * Tools that `chat --local-tools` offers to an agent: files and commands of one folder of this computer. A person
 * confirms each call on the terminal. Spec: reference/command-line.md "Local tools".
 */
import type { ChatEvent, ChatTurnInput, LocalToolResult } from "@countersign/client"
import { constants, existsSync, mkdirSync, readdirSync, realpathSync, statSync } from "node:fs"
import { type FileHandle, open } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { Cli } from "./cli.ts"
import { usageError } from "./exit.ts"
import { ask } from "./input.ts"
import { runCommand } from "./local-command.ts"
import { emphasized } from "./output.ts"

type PendingCall = Extract<ChatEvent, { readonly type: "local_tools_pending" }>["calls"][number]
type Members = Readonly<Record<string, unknown>>

const readBytesMax = 128 * 1024
const writeLengthMax = 128 * 1024
const entriesMax = 1_000
const timeoutSecondsMax = 600
const timeoutSecondsDefault = 120

/** What the agent reads instead of a result. */
class Refused extends Error {}

const text = { type: "string" }
const schema = (properties: Members, required: ReadonlyArray<string>) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false
})

/** In the form of `local_tools`. */
export const localTools: NonNullable<ChatTurnInput["local_tools"]> = [
  {
    name: "run_command",
    description:
      "Runs a program with its arguments in the user's folder, without a shell. The user confirms each call.",
    input_schema: schema({
      argv: { type: "array", items: text, minItems: 1, maxItems: 256 },
      timeout_seconds: { type: "integer", minimum: 1, maximum: timeoutSecondsMax }
    }, ["argv"])
  },
  {
    name: "read_file",
    description: `Reads up to ${readBytesMax} bytes of a text file in the user's folder. The user confirms each call.`,
    input_schema: schema({ path: text, offset: { type: "integer", minimum: 0 } }, ["path"])
  },
  {
    name: "write_file",
    description: "Writes a text file in the user's folder. The user confirms each call.",
    input_schema: schema({ path: text, content: text }, ["path", "content"])
  },
  {
    name: "list_files",
    description: "Lists a directory of the user's folder. The user confirms each call.",
    input_schema: schema({ path: text }, ["path"])
  }
]

/** A character that hides or reorders text is shown as its code. */
const visible = (value: string): string =>
  value.replaceAll(/(?!\n)[\p{Cc}\p{Cf}]/gu, (each) => `\\u{${each.codePointAt(0)?.toString(16) ?? ""}}`)

const textOf = (input: Members, name: string): string => {
  const value = input[name]
  if (typeof value !== "string") throw new Refused(`${name} must be a string.`)
  return value
}

const integerOf = (
  input: Members,
  name: string,
  [least, most]: readonly [number, number],
  otherwise: number
): number => {
  const value = input[name] ?? otherwise
  if (!Number.isInteger(value) || Number(value) < least || Number(value) > most) {
    throw new Refused(`${name} must be an integer from ${least} to ${most}.`)
  }
  return Number(value)
}

const argvOf = (input: Members): ReadonlyArray<string> => {
  const argv = input["argv"]
  if (
    !Array.isArray(argv) || argv.length === 0 || argv.some((each) => typeof each !== "string" || each.includes("\0"))
  ) {
    throw new Refused("argv must be a list of strings without NUL.")
  }
  return argv as ReadonlyArray<string>
}

/** One call, read and ready: what the person sees, and what runs after a `y`. */
interface Prepared {
  readonly lines: ReadonlyArray<string>
  readonly run: () => unknown
}

/** `folder` is a real path. A link that leads out of it is refused, also one that replaced a file meanwhile. */
const pathsOf = (folder: string) => {
  const isInside = (path: string): boolean => {
    const from = relative(folder, path)
    return from === "" || (from !== ".." && !from.startsWith(`..${sep}`) && !isAbsolute(from))
  }
  const real = (path: string): string => {
    const found = realpathSync(path)
    if (!isInside(found)) throw new Refused(`${path} is outside the folder that the user opened.`)
    return found
  }
  /** Creates a directory, if none of its existing parents leads out of the folder. */
  const made = (path: string): string => {
    let parent = path
    while (!existsSync(parent)) parent = dirname(parent)
    real(parent)
    mkdirSync(path, { recursive: true })
    return real(path)
  }
  const named = (input: Members): string => {
    const path = resolve(folder, textOf(input, "path"))
    if (!isInside(path)) throw new Refused("The path is outside the folder that the user opened.")
    return path
  }
  return { real, made, named }
}

const prepare = (folder: string, { input, name }: PendingCall): Prepared => {
  if (typeof input !== "object" || input === null) throw new Refused("The input must be an object.")
  const given = input as Members
  const paths = pathsOf(folder)
  switch (name) {
    case "run_command": {
      const argv = argvOf(given)
      const seconds = integerOf(given, "timeout_seconds", [1, timeoutSecondsMax], timeoutSecondsDefault)
      return {
        lines: [`Command   ${argv.map((each) => JSON.stringify(each)).join(" ")}`, `Limit     ${seconds} s`],
        run: () => runCommand(argv, folder, seconds)
      }
    }
    case "read_file": {
      const path = paths.named(given)
      const offset = integerOf(given, "offset", [0, Number.MAX_SAFE_INTEGER], 0)
      return { lines: [`File      ${path}`], run: () => readText(paths.real(path), offset) }
    }
    case "write_file": {
      const path = paths.named(given)
      const content = textOf(given, "content")
      if (content.length > writeLengthMax) throw new Refused(`content has at most ${writeLengthMax} characters.`)
      return {
        lines: [`File      ${path}`, ...content.split("\n").map((line) => `  ${line}`)],
        run: async () => await writeText(join(paths.made(dirname(path)), basename(path)), content)
      }
    }
    case "list_files": {
      const path = paths.named(given)
      return { lines: [`Directory ${path}`], run: () => listOf(paths.real(path)) }
    }
    default:
      throw new Refused(`This computer has no tool ${name}.`)
  }
}

const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDONLY, O_TRUNC, O_WRONLY } = constants

const withFile = async <A>(path: string, flags: number, use: (file: FileHandle) => Promise<A>): Promise<A> => {
  const file = await open(path, flags | O_NOFOLLOW | O_NONBLOCK)
  try {
    return await use(file)
  } finally {
    await file.close()
  }
}

const readText = (path: string, offset: number): Promise<unknown> =>
  withFile(path, O_RDONLY, async (file) => {
    const { size } = await file.stat()
    const length = Math.max(0, Math.min(readBytesMax, size - offset))
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), { position: offset })
    return {
      content: buffer.subarray(0, bytesRead).toString("utf8"),
      size_bytes: size,
      next_offset: offset + bytesRead
    }
  })

const writeText = (path: string, content: string): Promise<unknown> =>
  withFile(path, O_WRONLY | O_CREAT | O_TRUNC, async (file) => {
    await file.writeFile(content)
    return { written_bytes: Buffer.byteLength(content) }
  })

const listOf = (path: string): unknown => {
  const entries = readdirSync(path, { withFileTypes: true })
  return {
    entries: entries.slice(0, entriesMax).map((entry) => entry.isDirectory() ? `${entry.name}/` : entry.name),
    ...entries.length > entriesMax ? { omitted: entries.length - entriesMax } : {}
  }
}

/** The real path of the folder that the tools may use. */
export const openFolder = (path: string): string => {
  try {
    const folder = realpathSync(path)
    if (statSync(folder).isDirectory()) return folder
  } catch {
    // Answered like a file.
  }
  throw usageError(`${path} is no directory.`)
}

/** Asks for each call, runs the confirmed ones, and returns what the agent reads of each. */
export const answerLocalTools = async (
  cli: Cli,
  folder: string,
  calls: ReadonlyArray<PendingCall>
): Promise<ReadonlyArray<LocalToolResult>> => {
  const results: Array<LocalToolResult> = []
  for (const call of calls) results.push({ call_id: call.call_id, ...await answerOne(cli, folder, call) })
  return results
}

/** A denial is an output with its reason, so that a model does not try again. */
const answerOne = async (
  cli: Cli,
  folder: string,
  call: PendingCall
): Promise<Omit<LocalToolResult, "call_id">> => {
  try {
    const { lines, run } = prepare(folder, call)
    cli.out.note("")
    cli.out.note(emphasized(`The agent asks to use ${visible(call.name)} on this computer, in ${visible(folder)}`))
    for (const line of lines) cli.out.note(visible(line))
    // `--yes` does not answer this: it would let an agent do everything.
    if (await ask("y runs it, anything else denies it, then Enter: ") !== "y") {
      cli.out.note("Denied.")
      return { output: { denied: true, reason: "The user denied this call. Do not repeat it." } }
    }
    return { output: await run() }
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    cli.out.note(`Not run: ${visible(message)}`)
    return { error: { code: error instanceof Refused ? "refused" : "failed", message } }
  }
}
