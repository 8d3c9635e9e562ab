/** What a command reads: standard input, files, questions. */
import { readFileSync } from "node:fs"
import { createInterface } from "node:readline/promises"
import { usageError } from "./exit.ts"

export const readStandardInput = async (): Promise<string> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString("utf8")
}

/** JSON of an argument: the text itself, `@FILE`, or `-` for standard input. */
export const readJson = async (argument: string): Promise<unknown> => {
  const text = argument === "-"
    ? await readStandardInput()
    : argument.startsWith("@")
    ? readText(argument.slice(1))
    : argument
  try {
    return JSON.parse(text)
  } catch (error) {
    throw usageError(`The argument is not JSON: ${(error as Error).message}`)
  }
}

const readText = (file: string): string => {
  try {
    return readFileSync(file, "utf8")
  } catch (error) {
    throw usageError(`${file} cannot be read: ${(error as Error).message}`)
  }
}

export const readObject = async (argument: string): Promise<Readonly<Record<string, unknown>>> => {
  const value = await readJson(argument)
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw usageError("Expected a JSON object.")
}

/** The body of a call. The hub validates its fields, so that the command line needs no newer version for a new field. */
export const readBody = async <Body extends object>(argument: string): Promise<Body> =>
  await readObject(argument) as Body

/** A question on the terminal. Undefined when its input ends. */
export const ask = async (question: string): Promise<string | undefined> => {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    return await new Promise((resolve) => {
      terminal.once("close", () => resolve(undefined))
      terminal.once("SIGINT", () => process.exit(130))
      terminal.question(question).then((answer) => resolve(answer.trim()), () => resolve(undefined))
    })
  } finally {
    terminal.close()
  }
}
