/** `fs.search`: lines that match an RE2 pattern, in the plain text files below a directory. No pattern takes more than linear time. */
import type { ToolInput } from "@countersign/domain/device-tools"
import { closeSync, constants, fstatSync, openSync, readdirSync, readSync } from "node:fs"
import { join, relative } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import { RE2JS } from "re2js"
import type { Opened } from "../places.ts"
import { failed } from "../refusal.ts"
import type { ToolOf } from "../tool.ts"
import { enter } from "./files.ts"

const matchesDefault = 200
const filesMax = 50_000
const fileBytesMax = 4 * 1024 * 1024
const lineLengthMax = 4_096
const shownMax = 300
const depthMax = 32
const resultLengthMax = 300_000

const compiled = (pattern: string): RE2JS => {
  try {
    return RE2JS.compile(pattern)
  } catch (error) {
    throw failed("invalid_input", `The pattern is not RE2: ${(error as Error).message}`)
  }
}

/** `*` and `?` within a name, `**` over folders. A glob without a slash is for names alone. */
const globMatcher = (glob: string | undefined): (path: string) => boolean => {
  if (glob === undefined) return () => true
  const source = glob.replaceAll(/\*\*\/|\*\*|\*|\?|[^*?]+/g, (part) =>
    part === "**/" ? "(?:.*/)?" : part === "**" ? ".*" : part === "*" ? "[^/]*" : part === "?" ? "[^/]" : RE2JS.quote(part))
  const pattern = RE2JS.compile(glob.includes("/") ? source : `(?:.*/)?${source}`)
  return (path) => pattern.matches(path)
}

/** None: too large, no plain file, or not text. */
const textOf = (folder: Opened, name: string): string | undefined => {
  let descriptor: number
  try {
    descriptor = openSync(join(folder.handle, name), constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch {
    return undefined
  }
  try {
    const facts = fstatSync(descriptor)
    if (!facts.isFile() || facts.size > fileBytesMax) return undefined
    const bytes = Buffer.alloc(facts.size)
    const length = readSync(descriptor, bytes, 0, bytes.length, 0)
    return bytes.subarray(0, Math.min(length, 8_192)).includes(0) ? undefined : bytes.toString("utf8", 0, length)
  } finally {
    closeSync(descriptor)
  }
}

export const fsSearch: ToolOf<ToolInput<"fs.search">> = ({ directory, input, places }) => {
  const pattern = compiled(input.pattern)
  const fits = globMatcher(input.glob)
  const top = places.open(directory.path, input.path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0))
  return {
    deed: { place: top.path },
    plan: { directory: directory.path, target: top.path },
    close: top.close,
    run: async ({ stop }) => {
      const most = input.max ?? matchesDefault
      const matches: Array<object> = []
      let files = 0
      let length = 0
      const isFull = () => matches.length >= most || files >= filesMax || length >= resultLengthMax
      const walk = async (folder: Opened, depth: number): Promise<void> => {
        for (const entry of readdirSync(folder.handle, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1)) {
          stop.throwIfAborted()
          if (isFull()) return
          const path = join(folder.path, entry.name)
          if (entry.isDirectory()) {
            const inner = depth >= depthMax ? undefined : enter(folder, entry.name, places.refusalOf)
            if (inner === undefined) continue
            try {
              await walk(inner, depth + 1)
            } finally {
              inner.close()
            }
            continue
          }
          const way = relative(top.path, path)
          if (!entry.isFile() || places.refusalOf(path) !== undefined || !fits(way)) continue
          files++
          // Others have their turn, and a cancel is heard.
          await turn()
          const lines = textOf(folder, entry.name)?.split("\n") ?? []
          for (const [at, line] of lines.entries()) {
            if (isFull()) break
            const text = line.slice(0, lineLengthMax)
            if (!pattern.matcher(text).find()) continue
            const shown = text.slice(0, shownMax).toWellFormed()
            length += shown.length + way.length + 40
            matches.push({ path: way, line: at + 1, text: shown })
          }
        }
      }
      await walk(top, 1)
      return { outcome: "succeeded", result: { path: top.path, matches, files, truncated: isFull() } }
    }
  }
}
