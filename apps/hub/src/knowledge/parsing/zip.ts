/**
 * The entries of a ZIP archive, by its central directory and without trust in its sizes: an entry is never inflated
 * beyond a limit. Only what DOCX needs: no ZIP64, stored and deflated entries.
 */
import { crc32, inflateRawSync } from "node:zlib"
import { ParseRefusal } from "./refusal.ts"

export interface ZipEntry {
  readonly name: string
  readonly isEncrypted: boolean
  readonly method: number
  readonly compressedBytes: number
  readonly bytes: number
  readonly offset: number
}

const endSignature = 0x06054b50
const entrySignature = 0x02014b50
const localSignature = 0x04034b50
const endBytes = 22
const commentBytesMax = 65_535
const entriesMax = 10_000
/** Of all entries together, as declared. */
export const declaredBytesMax = 512 * 1024 * 1024
/** XML compresses well; more than this is made to exhaust memory. */
const ratioMax = 250
const ratioBytesMin = 8 * 1024 * 1024

const damaged = (): ParseRefusal => new ParseRefusal("unreadable", "The document is damaged.")
const bomb = (): ParseRefusal =>
  new ParseRefusal("too_large", "The document's uncompressed contents are larger than allowed.")

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/** @throws ParseRefusal for damage, and for sizes of a ZIP bomb */
export const zipEntries = (archive: Uint8Array): ReadonlyArray<ZipEntry> => {
  const view = viewOf(archive)
  let end = archive.length - endBytes
  const lowest = Math.max(0, end - commentBytesMax)
  while (end >= lowest && view.getUint32(end, true) !== endSignature) end--
  if (end < lowest) throw damaged()
  const count = view.getUint16(end + 10, true)
  if (count > entriesMax) throw bomb()
  const entries: Array<ZipEntry> = []
  let at = view.getUint32(end + 16, true)
  let [total, compressed] = [0, 0]
  for (let index = 0; index < count; index++) {
    if (at + 46 > end || view.getUint32(at, true) !== entrySignature) throw damaged()
    const nameBytes = view.getUint16(at + 28, true)
    const entry: ZipEntry = {
      name: Buffer.from(archive.subarray(at + 46, at + 46 + nameBytes)).toString("utf8"),
      isEncrypted: (view.getUint16(at + 8, true) & 1) === 1,
      method: view.getUint16(at + 10, true),
      compressedBytes: view.getUint32(at + 20, true),
      bytes: view.getUint32(at + 24, true),
      offset: view.getUint32(at + 42, true)
    }
    total += entry.bytes
    compressed += entry.compressedBytes
    entries.push(entry)
    at += 46 + nameBytes + view.getUint16(at + 30, true) + view.getUint16(at + 32, true)
  }
  // Entries that share their bytes count each time.
  if (compressed > archive.length || total > declaredBytesMax) throw bomb()
  if (total > ratioBytesMin && total > compressed * ratioMax) throw bomb()
  return entries
}

/** @throws ParseRefusal for damage, and for contents that are longer than declared or than `bytesMax` */
export const zipContent = (archive: Uint8Array, entry: ZipEntry, bytesMax: number): Uint8Array => {
  const view = viewOf(archive)
  if (entry.bytes > bytesMax) throw bomb()
  if (entry.offset + 30 > archive.length || view.getUint32(entry.offset, true) !== localSignature) throw damaged()
  const start = entry.offset + 30 + view.getUint16(entry.offset + 26, true) + view.getUint16(entry.offset + 28, true)
  const packed = archive.subarray(start, start + entry.compressedBytes)
  if (packed.length !== entry.compressedBytes) throw damaged()
  if (entry.method === 0) return packed
  if (entry.method !== 8) throw damaged()
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(entry.bytes, 1) })
  } catch (error) {
    throw error instanceof RangeError ? bomb() : damaged()
  }
}

/** An archive of stored entries. */
export const zipOf = (entries: ReadonlyArray<{ readonly name: string; readonly content: Uint8Array }>): Buffer => {
  const parts: Array<Buffer> = []
  const directory: Array<Buffer> = []
  let offset = 0
  for (const { content, name } of entries) {
    const encoded = Buffer.from(name, "utf8")
    // From the version to the length of the extra field, the same in both headers.
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt32LE(crc32(content), 10)
    fields.writeUInt32LE(content.length, 14)
    fields.writeUInt32LE(content.length, 18)
    fields.writeUInt16LE(encoded.length, 22)
    const local = Buffer.concat([signature(localSignature), fields, encoded])
    const rest = Buffer.alloc(14)
    rest.writeUInt32LE(offset, 10)
    directory.push(Buffer.concat([signature(entrySignature), Buffer.from([20, 0]), fields, rest, encoded]))
    parts.push(local, Buffer.from(content.buffer, content.byteOffset, content.byteLength))
    offset += local.length + content.length
  }
  const end = Buffer.alloc(endBytes)
  end.writeUInt32LE(endSignature, 0)
  end.writeUInt16LE(entries.length, 8)
  end.writeUInt16LE(entries.length, 10)
  end.writeUInt32LE(directory.reduce((sum, { length }) => sum + length, 0), 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...parts, ...directory, end])
}

const signature = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
