/** The headers that a call to a provider may have. Pure. */

/** Headers that frame the message: only the hub sets them, never a caller. */
const framingHeaders: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "upgrade",
  "te",
  "trailer",
  "expect",
  "proxy-authorization",
  "proxy-connection",
  "http2-settings"
])

const headerName = /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/

/**
 * The reason why a name and value cannot be a header, or `undefined`; the text omits the value, which may be a secret.
 */
export const headerRefusal = (given: string, value: string): string | undefined => {
  const name = given.toLowerCase()
  if (!headerName.test(name)) return "a header has a name that HTTP does not allow"
  if (framingHeaders.has(name)) return `the header "${name}" is set by the hub`
  if (!headerValue.test(value)) return `the header "${name}" holds characters that HTTP does not allow`
  return undefined
}
