/**
 * `fs.search`: lines that match an RE2 pattern, in the text files below a directory. Matching runs in a separate
 * thread.
 */
import type { ToolInput } from "@countersign/domain/device-tools"
import { constants, readdirSync, readSync } from "node:fs"
import { join, relative } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import type { Opened } from "../files/places.ts"
import { readPlain } from "../files/plain-files.ts"
import { enter } from "./files.ts"
import { openMatcher } from "./matcher.ts"
import type { ToolOf } from "./tool.ts"

const matchesDefault = 200
const filesMax = 50_000
const fileBytesMax = 4 * 1024 * 1024
const depthMax = 32
const resultLengthMax = 300_000

/** None: too large, not a regular file, or not text. */
const textOf = (folder: Opened, name: string): string | undefined =>
  readPlain(join(folder.handle, name), (descriptor, size) => {
    if (size > fileBytesMax) return undefined
    const bytes = Buffer.alloc(size)
    const length = readSync(descriptor, bytes, 0, bytes.length, 0)
    return bytes.subarray(0, Math.min(length, 8_192)).includes(0) ? undefined : bytes.toString("utf8", 0, length)
  }, constants.O_NOFOLLOW ?? 0)

export const fsSearch: ToolOf<ToolInput<"fs.search">> = ({ directory, input, places }) => {
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
      let isExhausted = false
      const isFull = () => isExhausted || matches.length >= most || files >= filesMax || length >= resultLengthMax
      const matcher = await openMatcher({
        pattern: input.pattern,
        ...(input.glob === undefined ? {} : { glob: input.glob })
      }, stop)
      const search = async (folder: Opened, name: string, way: string): Promise<void> => {
        if (!(await matcher.fits(way))) return
        files++
        const text = textOf(folder, name)
        if (text === undefined) return
        const found = await matcher.match(text, most - matches.length)
        isExhausted = found.exhausted
        for (const { line, shown } of found.lines) {
          if (isFull()) return
          length += shown.length + way.length + 40
          matches.push({ path: way, line, text: shown })
        }
      }
      const walk = async (folder: Opened, depth: number): Promise<void> => {
        for (
          const entry of readdirSync(folder.handle, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1)
        ) {
          // Yields to the event loop, so that a cancel is noticed.
          await turn()
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
          if (entry.isFile() && places.refusalOf(path) === undefined) {
            await search(folder, entry.name, relative(top.path, path))
          }
        }
      }
      try {
        await walk(top, 1)
      } finally {
        await matcher.close()
      }
      return { outcome: "succeeded", result: { path: top.path, matches, files, truncated: isFull() } }
    }
  }
}
