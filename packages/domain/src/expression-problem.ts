/** Problems of a CEL check or run, in words that name no part of a library. */
import { similarNames } from "./similar-names.ts"

export interface ExpressionProblem {
  readonly message: string
  /**
   * Character offsets of the refused part of the source, from 0; the end is exclusive. Absent when the problem has no
   * single place.
   */
  readonly range?: { readonly start: number; readonly end: number }
}

/** Characters of a line that a message shows. */
const excerptLength = 100

/** The line of a place; for a long line, the part around the place. */
const excerptOf = (line: string, column: number): string => {
  if (line.length <= excerptLength) return line
  const start = Math.max(0, Math.min(column - excerptLength / 2, line.length - excerptLength))
  const end = start + excerptLength
  return `${start === 0 ? "" : "…"}${line.slice(start, end)}${end >= line.length ? "" : "…"}`
}

/**
 * The problem with its place and the expression, for readers that cannot mark it: `… (line 1, column 9) in: payload.n *
 * foo`. For several lines, the line of the place.
 */
export const problemText = (source: string, { message, range }: ExpressionProblem): string => {
  const before = source.slice(0, range?.start ?? 0).split("\n")
  const column = (before.at(-1) ?? "").length
  const place = range === undefined ? "" : ` (line ${before.length}, column ${column + 1})`
  return `${message.replace(/\.$/u, "")}${place} in: ${excerptOf(source.split("\n")[before.length - 1] ?? "", column)}`
}

export const problemOf = (error: unknown, source: string): ExpressionProblem => {
  const range = error instanceof Error
    ? (error as { readonly range?: { readonly start: number; readonly end: number } }).range
    : undefined
  const message = oneLine(error)
  if (typeof range?.start !== "number" || typeof range.end !== "number") return { message }
  const start = Math.min(range.start, source.length)
  return { message, range: { start, end: Math.max(start, Math.min(range.end, source.length)) } }
}

/**
 * The first line of the library's message is complete; an excerpt of the source follows it. A stack overflow gets its
 * own message.
 */
const oneLine = (error: unknown): string => {
  if (error instanceof RangeError && error.message.includes("call stack")) return "This expression is too complex."
  const message = error instanceof Error ? error.message : String(error)
  return plainer(
    (message.split("\n", 1)[0] ?? "").replaceAll("linearMatches", "matches").replaceAll("boundedDuration", "duration")
  )
}

/** Names for the library's tokens. */
const tokens: Readonly<Record<string, string>> = {
  EOF: "the end of the expression",
  IDENTIFIER: "a name",
  LPAREN: "\"(\"",
  RPAREN: "\")\"",
  LBRACKET: "\"[\"",
  RBRACKET: "\"]\"",
  LBRACE: "\"{\"",
  RBRACE: "\"}\"",
  DOT: "\".\"",
  COMMA: "\",\"",
  COLON: "\":\"",
  QUESTION: "\"?\"",
  NUMBER: "a number",
  STRING: "a string"
}
const tokenOf = (name: string): string => tokens[name] ?? `"${name}"`

/** Operators of other languages that CEL spells differently. */
const spelledOtherwise: Readonly<Record<string, string>> = {
  "=": "Use == to compare.",
  "&": "Use && for and.",
  "|": "Use || for or."
}

/** Names for the library's limits. */
const limits: Readonly<Record<string, string>> = {
  maxAstNodes: "terms",
  maxDepth: "levels of nesting",
  maxListElements: "items in a list",
  maxMapEntries: "entries in a map",
  maxCallArguments: "arguments in a call"
}

const plainer = (message: string): string => {
  const [, limit, most] = /^Exceeded (\w+) \((\d+)\)/u.exec(message) ?? []
  if (limit !== undefined && limits[limit] !== undefined) {
    return `An expression may have at most ${most} ${limits[limit]}`
  }
  const unexpected = /^Unexpected token: (\w+)$/u.exec(message)?.[1]
  if (unexpected === "EOF") return "The expression ends too early"
  if (unexpected !== undefined) return `Unexpected ${tokenOf(unexpected)}`
  const [, wanted, got] = /^Expected (\w+), got (\w+)$/u.exec(message) ?? []
  if (wanted !== undefined && got !== undefined) return `Expected ${tokenOf(wanted)}, got ${tokenOf(got)}`
  const character = /^Unexpected character: (.)$/u.exec(message)?.[1]
  const hint = character === undefined ? undefined : spelledOtherwise[character]
  return hint === undefined ? message : `${message}. ${hint}`
}

/** Names of CEL functions in other languages. */
const otherNames: Readonly<Record<string, string>> = {
  len: "size",
  length: "size",
  count: "size",
  max: "math.greatest",
  min: "math.least",
  includes: "contains",
  lower: "lowerAscii",
  toLowerCase: "lowerAscii",
  upper: "upperAscii",
  toUpperCase: "upperAscii",
  some: "exists",
  every: "all",
  float: "double",
  number: "double",
  str: "string",
  toString: "string"
}

export const noFunction = (name: string, functions: ReadonlySet<string>): string => {
  const near = otherNames[name] ?? similarNames(name, [...functions])[0]
  return near === undefined ? `There is no function ${name}.` : `There is no function ${name}; did you mean ${near}?`
}

/** Adds the known names to a problem with an unknown name. */
export const withKnown = (problem: ExpressionProblem, names: ReadonlyArray<string>): ExpressionProblem => {
  const name = /^Unknown variable: (\w+)$/u.exec(problem.message)?.[1]
  if (name === undefined) return problem
  const [near] = similarNames(name, names)
  return {
    ...problem,
    message: `${problem.message}; ${near === undefined ? `known are ${names.join(", ")}` : `did you mean ${near}?`}`
  }
}
