/** The thread of `matcher.ts`: compiles one pattern, then answers one request after another. */
import { parentPort, workerData } from "node:worker_threads"
import { RE2JS } from "re2js"

const lineLengthMax = 4_096
const shownMax = 300
/** Instructions of a compiled pattern. */
const programSizeMax = 10_000
/**
 * Instructions times characters: minutes of CPU time for the slowest patterns, and gigabytes of text for usual ones.
 */
const workMax = 1e10

export interface Pattern {
  readonly pattern: string
  readonly glob?: string
}
export type MatcherRequest = { readonly type: "fits"; readonly path: string } | {
  readonly type: "match"
  readonly text: string
  readonly most: number
}
export type MatcherAnswer =
  | { readonly type: "ready" }
  | { readonly type: "refused"; readonly problem: string }
  | { readonly type: "fits"; readonly fits: boolean }
  | {
    readonly type: "matched"
    readonly lines: ReadonlyArray<{ readonly line: number; readonly shown: string }>
    readonly exhausted: boolean
  }

/** `*` and `?` match within a name, `**` across folders. A glob without a slash matches names alone. */
const globPattern = (glob: string): RE2JS => {
  const source = glob.replaceAll(
    /\*\*\/|\*\*|\*|\?|[^*?]+/g,
    (part) =>
      part === "**/"
        ? "(?:.*/)?"
        : part === "**"
        ? ".*"
        : part === "*"
        ? "[^/]*"
        : part === "?"
        ? "[^/]"
        : RE2JS.quote(part)
  )
  return RE2JS.compile(glob.includes("/") ? source : `(?:.*/)?${source}`)
}

const serve = (port: NonNullable<typeof parentPort>, { glob, pattern }: Pattern): void => {
  const answer = (message: MatcherAnswer): void => port.postMessage(message)
  let compiled: RE2JS
  let globbed: RE2JS | undefined
  try {
    compiled = RE2JS.compile(pattern)
    globbed = glob === undefined ? undefined : globPattern(glob)
  } catch (error) {
    return answer({ type: "refused", problem: `The pattern is not RE2: ${(error as Error).message}` })
  }
  const size = compiled.programSize()
  if (size > programSizeMax) {
    return answer({
      type: "refused",
      problem: `The pattern is too complex: ${size} instructions, at most ${programSizeMax}`
    })
  }
  let work = 0
  const match = (text: string, most: number): MatcherAnswer => {
    const lines: Array<{ readonly line: number; readonly shown: string }> = []
    for (const [at, whole] of text.split("\n").entries()) {
      if (lines.length >= most || work > workMax) break
      const line = whole.slice(0, lineLengthMax)
      work += size * line.length
      if (compiled.matcher(line).find()) lines.push({ line: at + 1, shown: line.slice(0, shownMax).toWellFormed() })
    }
    return { type: "matched", lines, exhausted: work > workMax }
  }
  port.on(
    "message",
    (request: MatcherRequest) =>
      answer(
        request.type === "fits"
          ? { type: "fits", fits: globbed?.matches(request.path) ?? true }
          : match(request.text, request.most)
      )
  )
  answer({ type: "ready" })
}

if (parentPort !== null) serve(parentPort, workerData as Pattern)
