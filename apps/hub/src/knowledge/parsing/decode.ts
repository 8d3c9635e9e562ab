/** Bytes of text to a string: by byte order mark, declared charset, or guess. */

const hasMark = (bytes: Uint8Array, ...mark: ReadonlyArray<number>): boolean =>
  mark.every((byte, index) => bytes[index] === byte)

const guessed = 4_096

/** The encoding of UTF-16 without a mark: nearly every other byte of common text is 0. */
const utf16Of = (bytes: Uint8Array): "utf-16le" | "utf-16be" | undefined => {
  const length = Math.min(bytes.length, guessed) & ~1
  if (length < 4) return undefined
  let [even, odd] = [0, 0]
  for (let index = 0; index < length; index += 2) {
    if (bytes[index] === 0) even++
    if (bytes[index + 1] === 0) odd++
  }
  if (odd > length * 0.35 && even < length * 0.05) return "utf-16le"
  return even > length * 0.35 && odd < length * 0.05 ? "utf-16be" : undefined
}

const encodingOf = (charset: string): string | undefined => {
  try {
    return new TextDecoder(charset).encoding
  } catch {
    return undefined
  }
}

/** The charset of a content type, if one is declared that can be decoded. */
export const charsetOf = (contentType: string | undefined): string | undefined => {
  const [, charset] = /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType ?? "") ?? []
  return charset === undefined ? undefined : encodingOf(charset)
}

/** Whether the bytes are text of UTF-16 without a mark. */
export const isUtf16 = (bytes: Uint8Array): boolean => utf16Of(bytes) !== undefined

/** Never fails: invalid bytes become U+FFFD. */
export const decodeText = (bytes: Uint8Array, charset?: string): string => {
  if (hasMark(bytes, 0xef, 0xbb, 0xbf)) return new TextDecoder("utf-8").decode(bytes)
  if (hasMark(bytes, 0xff, 0xfe)) return new TextDecoder("utf-16le").decode(bytes)
  if (hasMark(bytes, 0xfe, 0xff)) return new TextDecoder("utf-16be").decode(bytes)
  const declared = charset ?? utf16Of(bytes)
  if (declared !== undefined) return new TextDecoder(declared).decode(bytes)
  const text = new TextDecoder("utf-8").decode(bytes)
  // Damaged UTF-8 has more valid characters outside of ASCII than invalid ones; another encoding has hardly any.
  const damaged = text.match(/\ufffd/g)?.length ?? 0
  const valid = damaged === 0 ? 0 : text.match(/[^\p{ASCII}\ufffd]/gu)?.length ?? 0
  return damaged > valid ? new TextDecoder("windows-1252").decode(bytes) : text
}
