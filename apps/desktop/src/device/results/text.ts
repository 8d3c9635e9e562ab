/** The bytes and values that a hub accepts as text. Hubs refuse JSON strings with NUL or half a surrogate pair. */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** The bytes as text. None if they are not UTF-8 or contain NUL: such bytes are sent as base64. */
export const asText = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** The text without NUL, well-formed, and at most `length` UTF-16 units long. */
export const acceptedText = (text: string, length = Number.POSITIVE_INFINITY): string =>
  (text.length > length ? text.slice(0, length) : text).toWellFormed().replaceAll("\0", "\uFFFD")

/** A JSON value with all its strings and names accepted. `JSON.stringify` returns plain JSON values only. */
export const acceptedJson = (value: unknown): unknown => {
  if (typeof value === "string") return acceptedText(value)
  if (Array.isArray(value)) return value.map(acceptedJson)
  if (typeof value === "object" && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [acceptedText(name), acceptedJson(inner)]))
  }
  return value
}
