/**
 * The built console in memory: every file by its path, with the encodings that the build made. It takes some megabytes
 * and is read at the first request; a replaced build is detected by its index.
 */
import { createHash } from "node:crypto"
import { readdir, readFile, stat } from "node:fs/promises"
import { extname, join, sep } from "node:path"
import type { Encoding } from "./rules.ts"

export const indexPath = "/index.html"

/** The build's script writes these beside a file (apps/hub/scripts/console.mjs). */
const suffixes: ReadonlyArray<readonly [suffix: string, encoding: Encoding]> = [[".br", "br"], [".gz", "gzip"]]

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".mjs": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".webmanifest": "application/manifest+json; charset=utf-8",
  ".svg": "image/svg+xml; charset=utf-8",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8"
}

export interface ConsoleFile {
  readonly type: string
  /** Its name changes with its bytes: it may be cached permanently. */
  readonly hashed: boolean
  readonly etag: string
  readonly bytes: Uint8Array
  readonly encoded: Partial<Record<Encoding, Uint8Array>>
}

export interface ConsoleFiles {
  /** By path, including `/assets/…` and `/index.html`. */
  readonly byPath: ReadonlyMap<string, ConsoleFile>
  readonly index: ConsoleFile
}

const hashedName = /^\/assets\/.+-[\w-]{8,}\.\w+$/

const load = async (directory: string): Promise<ConsoleFiles | undefined> => {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const bytesByPath = new Map<string, Buffer>()
  // A link could lead outside the folder.
  for (const entry of entries.filter((entry) => entry.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const path = file.slice(directory.length).replaceAll(sep, "/")
    // Files that begin with a dot are internal to the build.
    if (!path.includes("/.")) bytesByPath.set(path, await readFile(file))
  }
  const byPath = new Map<string, ConsoleFile>()
  for (const [path, bytes] of bytesByPath) {
    if (suffixes.some(([suffix]) => path.endsWith(suffix) && bytesByPath.has(path.slice(0, -suffix.length)))) continue
    const encoded = suffixes.flatMap(([suffix, encoding]) => {
      const found = bytesByPath.get(path + suffix)
      return found === undefined ? [] : [[encoding, found] as const]
    })
    byPath.set(path, {
      type: types[extname(path)] ?? "application/octet-stream",
      hashed: hashedName.test(path),
      etag: createHash("sha256").update(bytes).digest("base64url").slice(0, 22),
      bytes,
      encoded: Object.fromEntries(encoded)
    })
  }
  const index = byPath.get(indexPath)
  return index === undefined ? undefined : { byPath, index }
}

/**
 * Reads a folder of built files. None until there is an index; the files read before remain while a build replaces
 * them.
 */
export const consoleFiles = (directory: string): () => Promise<ConsoleFiles | undefined> => {
  let version = ""
  let files: Promise<ConsoleFiles | undefined> = Promise.resolve(undefined)
  return async () => {
    const seen = await stat(join(directory, indexPath)).then(
      ({ ino, mtimeMs, size }) => `${ino} ${mtimeMs} ${size}`,
      () => ""
    )
    if (seen !== "" && seen !== version) {
      version = seen
      const before = files
      // If the build is replaced during the read, the next call reads it again.
      files = load(directory).catch(() => {
        version = ""
        return before
      })
    }
    return files
  }
}
