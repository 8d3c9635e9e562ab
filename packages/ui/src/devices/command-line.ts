/** A command in one line, from the wire's terms alone, so that a list can show it. */

const plainWord = /^[\w@%+=:,./-]+$/u

/** A word as typed in a shell: in quotes if it is not plain. */
export const quoted = (word: string): string => (plainWord.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)

export interface ToolCall {
  readonly tool: string
  /** Absent after the workspace's retention removed it. */
  readonly input?: Readonly<Record<string, unknown>>
}

export const argvOf = ({ input, tool }: ToolCall): ReadonlyArray<string> | undefined => {
  const argv = input?.["argv"]
  return tool === "shell.run" && Array.isArray(argv) && argv.every((word) => typeof word === "string")
    ? argv
    : undefined
}

export const lineOf = (call: ToolCall): string => {
  const argv = argvOf(call)
  if (argv !== undefined) return argv.map(quoted).join(" ")
  const { path, pattern, url } = call.input ?? {}
  return [call.tool, pattern, path, url].filter((part) => typeof part === "string").join(" ")
}
