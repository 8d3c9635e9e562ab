/**
 * The input of a tool, as typed into a form and as sent. The hub validates it; this only finds input that cannot be
 * sent at all.
 */
import type { Command, Tool } from "../hub/queries.ts"

export interface Draft {
  readonly program: string
  readonly words: ReadonlyArray<string>
  /** `NAME=value`, one per line. */
  readonly variables: string
  readonly stdin: string
  readonly path: string
  readonly content: string
  readonly createParents: boolean
  readonly offset: number | undefined
  readonly limit: number | undefined
  readonly depth: number | undefined
  readonly pattern: string
  readonly glob: string
  readonly max: number | undefined
  readonly url: string
}

export const emptyDraft: Draft = {
  program: "",
  words: [],
  variables: "",
  stdin: "",
  path: "",
  content: "",
  createParents: false,
  offset: undefined,
  limit: undefined,
  depth: undefined,
  pattern: "",
  glob: "",
  max: undefined,
  url: ""
}

/** The limits of `device-tools.ts`. Spec: reference/devices.md "Tools". */
export const limits = { readBytes: 1_048_576, depth: 16, hits: 10_000, arguments: 511 } as const

const variable = /^([A-Za-z_][A-Za-z0-9_]{0,127})=(.*)$/su

/** Undefined if a line is invalid. */
export const variablesIn = (text: string): Readonly<Record<string, string>> | undefined => {
  const found: Record<string, string> = {}
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue
    const [, name, value] = variable.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    found[name] = value
  }
  return found
}

export const isUrl = (text: string): boolean => /^https?:\/\/\S+$/u.test(text)

const known = <T>(name: string, value: T | undefined): Readonly<Record<string, T>> =>
  value === undefined ? {} : { [name]: value }

/** Undefined while a required member is missing or invalid. */
export const inputOf = (tool: Tool, draft: Draft): Command["input"] | undefined => {
  const path = draft.path.trim()
  switch (tool) {
    case "shell.run": {
      const env = variablesIn(draft.variables)
      if (draft.program === "" || env === undefined) return undefined
      return {
        argv: [draft.program, ...draft.words],
        ...(Object.keys(env).length === 0 ? {} : { env }),
        ...(draft.stdin === "" ? {} : { stdin: draft.stdin })
      }
    }
    case "fs.read":
      return path === "" ? undefined : { path, ...known("offset", draft.offset), ...known("limit", draft.limit) }
    case "fs.write":
      return path === ""
        ? undefined
        : { path, content: draft.content, ...(draft.createParents ? { create_parents: true } : {}) }
    case "fs.list":
      return path === "" ? undefined : { path, ...known("depth", draft.depth) }
    case "fs.search": {
      if (path === "" || draft.pattern === "") return undefined
      return {
        path,
        pattern: draft.pattern,
        ...known("glob", draft.glob === "" ? undefined : draft.glob),
        ...known("max", draft.max)
      }
    }
    case "http.get":
      return isUrl(draft.url.trim()) ? { url: draft.url.trim() } : undefined
    case "system.info":
      return {}
  }
}

const text = (value: unknown): string => (typeof value === "string" ? value : "")
const count = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** A command as the draft of a similar one. */
export const draftOf = ({ input }: Pick<Command, "input">): Draft => {
  const { argv, content, create_parents, depth, env, glob, limit, max, offset, path, pattern, stdin, url } =
    input as Readonly<
      Record<string, unknown>
    >
  const words = Array.isArray(argv) ? argv.filter((word) => typeof word === "string") : []
  return {
    program: words[0] ?? "",
    words: words.slice(1),
    variables: typeof env === "object" && env !== null
      ? Object.entries(env)
        .map(([name, value]) => `${name}=${String(value)}`)
        .join("\n")
      : "",
    stdin: text(stdin),
    path: text(path),
    content: text(content),
    createParents: create_parents === true,
    offset: count(offset),
    limit: count(limit),
    depth: count(depth),
    pattern: text(pattern),
    glob: text(glob),
    max: count(max),
    url: text(url)
  }
}
