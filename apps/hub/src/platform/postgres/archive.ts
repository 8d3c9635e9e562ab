/**
 * A tar file (POSIX ustar) with an integrity check: its last entry holds the SHA-256 of everything before it. Not
 * written by a `tar` program, because files change while they are copied: each entry gets exactly the size in its
 * header.
 */
import { createHash, type Hash } from "node:crypto"
import { type FileHandle, open } from "node:fs/promises"

const BLOCK = 512
const CHUNK = 1024 * 1024
/** Eleven octal digits. */
const SIZE_MAX = 8 ** 11 - 1
const NAME_BYTES_MAX = 100
const PAX_BYTES_MAX = 16 * 1024
const DIGEST_NAME = "sha256"

export interface Entry {
  /** A relative path with `/`, without `.` and `..`. */
  readonly name: string
  readonly kind: "file" | "directory"
  readonly size: number
}

const block = (name: string, type: "0" | "5" | "x", size: number): Buffer => {
  if (size > SIZE_MAX) throw new Error(`${name} is too large for an archive (8 GB)`)
  const bytes = Buffer.alloc(BLOCK)
  const octal = (value: number, at: number, length: number) =>
    bytes.write(`${value.toString(8).padStart(length - 1, "0")}\0`, at, "latin1")
  bytes.write(name, 0, NAME_BYTES_MAX)
  octal(type === "5" ? 0o700 : 0o600, 100, 8)
  octal(0, 108, 8)
  octal(0, 116, 8)
  octal(size, 124, 12)
  octal(0, 136, 12)
  bytes.write(" ".repeat(8), 148, "latin1")
  bytes.write(type, 156, "latin1")
  bytes.write("ustar\x0000", 257, "latin1")
  bytes.write(`${bytes.reduce((sum, byte) => sum + byte, 0).toString(8).padStart(6, "0")}\0 `, 148, "latin1")
  return bytes
}

const padding = (size: number) => (BLOCK - size % BLOCK) % BLOCK

/** A name that does not fit the header is written before it, as in POSIX pax: `<length of this line> path=<name>`. */
const header = ({ kind, name, size }: Entry): Buffer => {
  const own = block(name, kind === "directory" ? "5" : "0", size)
  if (Buffer.byteLength(name) <= NAME_BYTES_MAX) return own
  const field = ` path=${name}\n`
  const bare = Buffer.byteLength(field)
  let length = bare + String(bare).length
  length = bare + String(length).length
  const line = Buffer.from(`${length}${field}`)
  return Buffer.concat([block("pax", "x", line.length), line, Buffer.alloc(padding(line.length)), own])
}

const text = (bytes: Buffer, at: number, length: number): string => {
  const end = bytes.subarray(at, at + length).indexOf(0)
  return bytes.toString("utf8", at, end < 0 ? at + length : at + end)
}

export const foreign = (what: string) => new Error(`it contains an entry that no backup has: ${JSON.stringify(what)}`)

/** @throws Error when the block is not a header of this writer */
const parseHeader = (bytes: Buffer): { readonly name: string; readonly type: string; readonly size: number } => {
  const sum = Number.parseInt(text(bytes, 148, 8), 8)
  const actual = bytes.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0)
  if (sum !== actual || text(bytes, 257, 6) !== "ustar") throw new Error("it is not a backup, or it is damaged")
  const [name, type, size] = [
    text(bytes, 0, NAME_BYTES_MAX),
    text(bytes, 156, 1),
    Number.parseInt(text(bytes, 124, 12), 8)
  ]
  const sizeMax: Record<string, number> = { 0: SIZE_MAX, 5: 0, x: PAX_BYTES_MAX }
  if (!Number.isInteger(size) || size > (sizeMax[type] ?? -1)) throw foreign(name)
  return { name, type, size }
}

/** @throws Error when the name would lead outside */
const checkName = (name: string): string => {
  if (name.split(/[/\\]/).some((part) => part === "" || part === "." || part === "..")) throw foreign(name)
  return name
}

/** Writes bytes into `file`, in large writes, and adds each to the digest. */
export class ArchiveWriter {
  readonly #file: FileHandle
  readonly #hash: Hash = createHash("sha256")
  readonly #buffer = Buffer.allocUnsafe(CHUNK)
  #filled = 0

  constructor(file: FileHandle) {
    this.#file = file
  }

  async #write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length;) {
      const part = bytes.subarray(at, at + CHUNK - this.#filled)
      this.#buffer.set(part, this.#filled)
      this.#filled += part.length
      at += part.length
      if (this.#filled === CHUNK) await this.#flush()
    }
  }

  async #flush(): Promise<void> {
    const bytes = this.#buffer.subarray(0, this.#filled)
    this.#hash.update(bytes)
    for (let at = 0; at < bytes.length;) at += (await this.#file.write(bytes, at)).bytesWritten
    this.#filled = 0
  }

  directory(name: string): Promise<void> {
    return this.#write(header({ name, kind: "directory", size: 0 }))
  }

  async bytes(name: string, content: Uint8Array): Promise<void> {
    await this.#write(header({ name, kind: "file", size: content.length }))
    await this.#write(content)
    await this.#write(Buffer.alloc(padding(content.length)))
  }

  /**
   * Copies the current content of `source`; returns false when it no longer exists. Bytes that the file loses meanwhile
   * become zeros.
   */
  async file(name: string, source: string): Promise<boolean> {
    let handle: FileHandle
    try {
      handle = await open(source, "r")
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false
      throw error
    }
    try {
      const { size } = await handle.stat()
      await this.#write(header({ name, kind: "file", size }))
      const chunk = Buffer.allocUnsafe(Math.min(CHUNK, Math.max(size, 1)))
      for (let at = 0; at < size;) {
        const { bytesRead } = await handle.read(chunk, 0, Math.min(chunk.length, size - at), at)
        const part = bytesRead === 0 ? Buffer.alloc(Math.min(chunk.length, size - at)) : chunk.subarray(0, bytesRead)
        await this.#write(part)
        at += part.length
      }
      await this.#write(Buffer.alloc(padding(size)))
      return true
    } finally {
      await handle.close()
    }
  }

  /** Writes the digest and the end, and flushes the file to disk. */
  async end(): Promise<void> {
    await this.#flush()
    const digest = Buffer.from(`${this.#hash.copy().digest("hex")}\n`)
    await this.bytes(DIGEST_NAME, digest)
    await this.#write(Buffer.alloc(2 * BLOCK))
    await this.#flush()
    await this.#file.sync()
  }
}

/**
 * Passes each entry with its content to `take`, which has to read the content to its end or not at all.
 * @throws Error when the archive is damaged, cut short, or not one of ours
 */
export const readArchive = async (
  file: FileHandle,
  take: (entry: Entry, content: AsyncIterable<Uint8Array>) => Promise<void>
): Promise<void> => {
  const hash = createHash("sha256")
  let position = 0
  const read = async (length: number): Promise<Buffer> => {
    const buffer = Buffer.allocUnsafe(length)
    for (let filled = 0; filled < length;) {
      const { bytesRead } = await file.read(buffer, filled, length - filled, position)
      if (bytesRead === 0) throw new Error("it is incomplete")
      filled += bytesRead
      position += bytesRead
    }
    return buffer
  }
  let longName: string | undefined
  while (true) {
    const bytes = await read(BLOCK)
    if (bytes.every((byte) => byte === 0)) throw new Error("its digest is missing")
    const { name, size, type } = parseHeader(bytes)
    if (name === DIGEST_NAME) {
      const digest = (await read(size)).toString("latin1").trim()
      if (digest !== hash.digest("hex")) {
        throw new Error("its content does not match its digest: it was damaged or changed")
      }
      return
    }
    hash.update(bytes)
    let left = size
    const content = async function*(): AsyncGenerator<Uint8Array> {
      while (left > 0) {
        const part = await read(Math.min(left, CHUNK))
        left -= part.length
        hash.update(part)
        yield part
      }
    }
    if (type === "x") {
      const parts: Array<Uint8Array> = []
      for await (const part of content()) parts.push(part)
      longName = /^\d+ path=(.+)\n$/s.exec(Buffer.concat(parts).toString("utf8"))?.[1]
    } else {
      await take({ name: checkName(longName ?? name), kind: type === "5" ? "directory" : "file", size }, content())
      longName = undefined
    }
    // unread content also counts in the digest
    for await (const _ of content()) continue
    hash.update(await read(padding(size)))
  }
}
