/**
 * `fs.read`, `fs.write`, `fs.list`: files below the roots, through checked descriptors. Spec: reference/devices.md
 * "D14: paths", "D15: closed files".
 */
import type { ToolInput } from "@countersign/domain/device-tools"
import { randomUUID } from "node:crypto"
import {
  closeSync,
  constants,
  type Dirent,
  fchmodSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync
} from "node:fs"
import { join, relative } from "node:path"
import { fileProblem, type Opened } from "../files/places.ts"
import { denied, failed } from "../results/refusal.ts"
import { asText } from "../results/text.ts"
import type { ToolOf } from "./tool.ts"

/** In bytes; as base64 in JSON it fits into a frame. */
const readDefault = 64 * 1024
const readMost = 256 * 1024
const entriesMax = 5_000

const guarded = <A>(path: string, act: () => A): A => {
  try {
    return act()
  } catch (error) {
    throw fileProblem(error, path)
  }
}

/** Text if possible; base64 for other bytes, or where JSON would make the text much longer. */
const asContent = (bytes: Buffer): { readonly content: string; readonly encoding: "utf8" | "base64" } => {
  const content = asText(bytes)
  if (content !== undefined && JSON.stringify(content).length <= bytes.length * 1.5 + 64) {
    return { content, encoding: "utf8" }
  }
  return { content: bytes.toString("base64"), encoding: "base64" }
}

export const fsRead: ToolOf<ToolInput<"fs.read">> = ({ directory, input, places }) => {
  const file = places.open(directory.path, input.path, constants.O_RDONLY)
  return {
    deed: { place: file.path },
    plan: { directory: directory.path, target: file.path },
    close: file.close,
    run: async () =>
      guarded(file.path, () => {
        const facts = fstatSync(file.descriptor)
        if (facts.isDirectory()) throw failed("is_a_directory", `${file.path} is a directory`)
        if (!facts.isFile()) throw failed("not_a_file", `${file.path} is no plain file`)
        const offset = input.offset ?? 0
        const bytes = Buffer.alloc(Math.min(input.limit ?? readDefault, readMost, Math.max(0, facts.size - offset)))
        let length = 0
        while (length < bytes.length) {
          const read = readSync(file.descriptor, bytes, length, bytes.length - length, offset + length)
          if (read === 0) break
          length += read
        }
        const next = offset + length
        return {
          outcome: "succeeded" as const,
          result: {
            path: file.path,
            size: facts.size,
            offset,
            ...asContent(bytes.subarray(0, length)),
            ...(next < facts.size ? { next_offset: next } : {})
          }
        }
      })
  }
}

const base64Pattern = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export const fsWrite: ToolOf<ToolInput<"fs.write">> = ({ directory, input, places }) => {
  if (input.encoding === "base64" && !base64Pattern.test(input.content)) {
    throw failed("invalid_input", "content is not base64")
  }
  const bytes = Buffer.from(input.content, input.encoding ?? "utf8")
  const { folder, missing, name } = places.folderOf(directory.path, input.path, input.create_parents === true)
  const place = join(folder.path, ...missing, name)
  const refusal = places.writeRefusalOf(place)
  if (refusal !== undefined) {
    folder.close()
    throw refusal
  }
  return {
    deed: { place },
    plan: { directory: directory.path, target: place },
    close: folder.close,
    run: async () =>
      guarded(place, () => {
        const made: Array<number> = []
        try {
          let at = folder.handle
          // Creates each directory through the one before it, so no link is followed.
          for (const step of missing) {
            mkdirSync(join(at, step))
            const descriptor = openSync(
              join(at, step),
              constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
            )
            made.push(descriptor)
            at = process.platform === "linux" ? `/proc/${process.pid}/fd/${descriptor}` : join(at, step)
          }
          const before = guardedStat(join(at, name))
          if (before !== undefined && !before.isFile()) {
            throw before.isSymbolicLink()
              ? denied("outside_root", `${place} is a link; write to what it points to`)
              : failed("not_a_file", `${place} is no plain file`)
          }
          const draft = join(at, `.${randomUUID()}.part`)
          const descriptor = openSync(
            draft,
            constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0),
            0o644
          )
          try {
            for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written)
            if (before !== undefined) fchmodSync(descriptor, before.mode & 0o777)
            fsyncSync(descriptor)
            renameSync(draft, join(at, name))
          } catch (error) {
            rmSync(draft, { force: true })
            throw error
          } finally {
            closeSync(descriptor)
          }
          return {
            outcome: "succeeded" as const,
            result: { path: place, bytes: bytes.length, created: before === undefined }
          }
        } finally {
          for (const descriptor of made) closeSync(descriptor)
        }
      })
  }
}

const guardedStat = (path: string) => {
  try {
    return lstatSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

const typeOf = (entry: Dirent): string =>
  entry.isFile() ? "file" : entry.isDirectory() ? "directory" : entry.isSymbolicLink() ? "link" : "other"

/** Opens a folder below an opened one without following links; none when it is no folder or closed to commands. */
export const enter = (
  parent: Opened,
  name: string,
  refusalOf: (path: string) => Error | undefined
): Opened | undefined => {
  const path = join(parent.path, name)
  if (refusalOf(path) !== undefined) return undefined
  try {
    const descriptor = openSync(
      join(parent.handle, name),
      constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0)
    )
    return {
      descriptor,
      path,
      handle: process.platform === "linux" ? `/proc/${process.pid}/fd/${descriptor}` : path,
      close: () => closeSync(descriptor)
    }
  } catch {
    return undefined
  }
}

export const fsList: ToolOf<ToolInput<"fs.list">> = ({ directory, input, places }) => {
  const top = places.open(directory.path, input.path, constants.O_RDONLY | (constants.O_DIRECTORY ?? 0))
  return {
    deed: { place: top.path },
    plan: { directory: directory.path, target: top.path },
    close: top.close,
    run: async ({ stop }) =>
      guarded(top.path, () => {
        const entries: Array<object> = []
        let truncated = false
        const walk = (folder: Opened, depth: number): void => {
          for (
            const entry of readdirSync(folder.handle, { withFileTypes: true }).sort((a, b) => a.name < b.name ? -1 : 1)
          ) {
            stop.throwIfAborted()
            if (places.refusalOf(join(folder.path, entry.name)) !== undefined) continue
            if (entries.length >= entriesMax) {
              truncated = true
              return
            }
            const facts = guardedStat(join(folder.handle, entry.name))
            if (facts === undefined) continue
            entries.push({
              path: relative(top.path, join(folder.path, entry.name)),
              type: typeOf(entry),
              size: facts.size,
              modified_at: facts.mtime.toISOString()
            })
            if (depth <= 1 || !entry.isDirectory()) continue
            const inner = enter(folder, entry.name, places.refusalOf)
            if (inner === undefined) continue
            try {
              walk(inner, depth - 1)
            } finally {
              inner.close()
            }
          }
        }
        walk(top, input.depth ?? 1)
        return { outcome: "succeeded" as const, result: { path: top.path, entries, truncated } }
      })
  }
}
