/**
 * Objects in the hub's data directory. Several hubs on one database need the same directory: `store-id` in it proves
 * that. Spec: reference/storage.md "Where the bytes are".
 */
import { Effect, Stream } from "effect"
import { createHash, randomUUID } from "node:crypto"
import { constants } from "node:fs"
import {
  copyFile,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  rmdir,
  writeFile
} from "node:fs/promises"
import { dirname, join } from "node:path"
import { Readable } from "node:stream"
import { streamedBytes } from "../platform/memory.ts"
import { type ByteRange, parseBlobName } from "./rules.ts"
import { removeLeftFiles } from "./spool.ts"
import { type BlobArea, type BlobStore, type Digest, type ListedBlob, StoreFailure } from "./store.ts"

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException | undefined)?.code ?? ""
const isAbsent = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(codeOf(error))

const failureOf = (error: unknown): StoreFailure =>
  error instanceof StoreFailure
    ? error
    : new StoreFailure({
      reason: ["ENOSPC", "EDQUOT"].includes(codeOf(error))
        ? "full"
        : ["EACCES", "EPERM", "EROFS", "ELOOP"].includes(codeOf(error))
        ? "refused"
        : "unreachable",
      detail: String(error)
    })

const attempt = <A>(work: (signal: AbortSignal) => Promise<A>): Effect.Effect<A, StoreFailure> =>
  Effect.tryPromise({ try: work, catch: failureOf })

const orAbsent = async <A>(work: Promise<A>): Promise<A | undefined> => {
  try {
    return await work
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** A directory survives a power failure only with its own entry on disk. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, constants.O_RDONLY)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

export const partFolder = "part"
const pageBlobs = 1_000
const digestedBytes = 1024 * 1024
const sentBytes = 256 * 1024
export const storeIdFile = "store-id"

/** The id of a directory of objects; undefined without one. */
export const readStoreId = (root: string): Promise<string | undefined> =>
  orAbsent(readFile(join(root, storeIdFile), "utf8").then((text) => text.trim()))

/** The id of a directory of objects, created with it. Of two processes at the same time one creates it. */
export const ensureStoreId = async (root: string): Promise<string> => {
  const known = await readStoreId(root)
  if (known !== undefined) return known
  await mkdir(join(root, partFolder), { recursive: true, mode: 0o700 })
  const draft = join(root, partFolder, randomUUID())
  await writeFile(draft, `${randomUUID()}\n`, { mode: 0o600, flag: "wx", flush: true })
  try {
    await link(draft, join(root, storeIdFile))
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error
  } finally {
    await rm(draft, { force: true })
  }
  await syncFolder(root)
  const made = await readStoreId(root)
  if (made === undefined) throw new Error(`${join(root, storeIdFile)} vanished while it was made`)
  return made
}

/**
 * `ready` fails with `not_shared` when the directory is not that of the database. It runs before each use, and creates
 * the directory at the first one.
 */
export const localStore = (root: string, ready: Effect.Effect<void, StoreFailure>): BlobStore => {
  /** The path of a blob. A folder on the way that is a symbolic link is refused: it would lead elsewhere. */
  const pathOf = async (name: string, create: boolean): Promise<string> => {
    if (parseBlobName(name) === undefined) throw new Error(`${name} is no name of a blob`)
    const top = await realpath(root)
    const path = join(top, name)
    if (create) await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    const folder = await realpath(dirname(path))
    if (folder !== dirname(path)) {
      throw new StoreFailure({ reason: "refused", detail: `${dirname(path)} leads to ${folder}` })
    }
    return path
  }

  const use = <A>(work: (signal: AbortSignal) => Promise<A>) => Effect.andThen(ready, attempt(work))

  /** One buffer for the whole file: a new one for each part would fill the memory faster than it is collected. */
  const digestOf = async (path: string, signal: AbortSignal): Promise<Digest> => {
    const hash = createHash("sha256")
    const buffer = Buffer.allocUnsafe(digestedBytes)
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      for (let bytes = 0;;) {
        signal.throwIfAborted()
        const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, bytes)
        if (bytesRead === 0) return { bytes, sha256: hash.digest("hex") }
        hash.update(buffer.subarray(0, bytesRead))
        bytes += bytesRead
      }
    } finally {
      await file.close()
    }
  }

  async function* partsOf(file: FileHandle, range: ByteRange | undefined): AsyncGenerator<Buffer> {
    const streamed = streamedBytes()
    const end = range === undefined ? Infinity : range.end + 1
    for (let at = range?.start ?? 0; at < end;) {
      const buffer = Buffer.allocUnsafeSlow(Math.min(sentBytes, end - at))
      const { bytesRead } = await file.read(buffer, 0, buffer.byteLength, at)
      if (bytesRead === 0) return
      at += bytesRead
      streamed(bytesRead)
      yield buffer.subarray(0, bytesRead)
    }
  }

  const sizeOf = async (path: string): Promise<number | undefined> => {
    const found = await orAbsent(lstat(path))
    if (found === undefined) return undefined
    if (!found.isFile()) throw new StoreFailure({ reason: "refused", detail: `${path} is not a file` })
    return found.size
  }

  /** Uploads replace a file and never change it, so a second name for it stays as it is. */
  const secondName = async (from: string, to: string): Promise<void> => {
    await rm(to, { force: true })
    try {
      await link(from, to)
    } catch (error) {
      if (isAbsent(error)) throw error
      const part = join(await realpath(root), partFolder, randomUUID())
      try {
        await copyFile(from, part, constants.COPYFILE_EXCL)
        const copy = await open(part, "r+")
        await copy.sync().finally(() => copy.close())
        await rename(part, to)
      } finally {
        await rm(part, { force: true })
      }
    }
    await syncFolder(dirname(to))
  }

  /** The names in a folder, in order; none if it does not exist. */
  const namesIn = async (folder: string): Promise<ReadonlyArray<string>> =>
    ((await orAbsent(readdir(folder))) ?? []).toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))

  /** Whole folders of objects, because names in a folder sort differently from full names. */
  async function* pages(area: BlobArea, after: string): AsyncGenerator<ReadonlyArray<ListedBlob>> {
    let page: Array<ListedBlob> = []
    const [, afterOrg = "", afterObject = ""] = after.split("/")
    const top = join(await realpath(root), area)
    for (const org of await namesIn(top)) {
      if (org < afterOrg) continue
      for (const object of await namesIn(join(top, org))) {
        if (org === afterOrg && object < afterObject) continue
        for (const last of await namesIn(join(top, org, object))) {
          const name = `${area}${org}/${object}/${last}`
          if (name <= after || parseBlobName(name) === undefined) continue
          const stat = await orAbsent(lstat(join(top, org, object, last)))
          if (stat?.isFile() === true) page.push({ name, modifiedMillis: stat.mtimeMs })
        }
        if (page.length < pageBlobs) continue
        yield page
        page = []
      }
    }
    if (page.length > 0) yield page
  }

  return {
    urls: undefined,
    spoolFolder: use(async () => {
      const folder = join(await realpath(root), partFolder)
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return folder
    }),
    size: (name) =>
      use(async () => {
        const path = await orAbsent(pathOf(name, false))
        return path === undefined ? undefined : sizeOf(path)
      }),
    put: (name, file) =>
      use(async () => {
        const path = await pathOf(name, true)
        await rename(file.path, path).catch(async (error: unknown) => {
          // A removal took the empty folder meanwhile.
          if (!isAbsent(error)) throw error
          await rename(file.path, await pathOf(name, true))
        })
        await syncFolder(dirname(path))
      }),
    read: (name, range) =>
      Effect.flatMap(
        use(async () =>
          orAbsent((async () => open(await pathOf(name, false), constants.O_RDONLY | constants.O_NOFOLLOW))())
        ),
        (file) =>
          file === undefined
            ? Effect.undefined
            : Effect.acquireRelease(
              Effect.sync(() => Readable.from(partsOf(file, range), { objectMode: false })),
              (stream) =>
                Effect.promise(() => {
                  stream.destroy()
                  return file.close()
                })
            )
      ),
    seal: (from, to, { bytes }) =>
      use(async (signal) => {
        const source = await orAbsent(pathOf(from, false))
        const found = source === undefined ? undefined : await sizeOf(source)
        if (source === undefined || found === undefined) return undefined
        if (found !== bytes) return { bytes: found, sha256: "" }
        const target = await pathOf(to, true)
        try {
          await secondName(source, target)
        } catch (error) {
          if (isAbsent(error)) return undefined
          throw error
        }
        return digestOf(target, signal)
      }),
    remove: (name) =>
      use(async () => {
        const path = await orAbsent(pathOf(name, false))
        if (path === undefined) return
        await rm(path, { force: true })
        // The object's folder, if it is empty now.
        await rmdir(dirname(path)).catch(() => {})
      }),
    list: (area, after) => Stream.fromAsyncIterable(pages(area, after), failureOf).pipe(Stream.onStart(ready)),
    removeLeft: (unchangedSince) =>
      use(async () => removeLeftFiles(join(await realpath(root), partFolder), unchangedSince))
  }
}
