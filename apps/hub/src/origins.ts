/** Origins of pages, as browsers name them in `Origin`. */

/** In `HUB_CORS_ORIGINS`: any page may read, without cookies. */
export const anyOrigin = "*"

const pattern = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s*]+\/?$/i

/** Scheme, host, and port as a browser sends them, or `*`; `undefined` when the text is not an origin. */
export const parseOrigin = (text: string): string | undefined => {
  if (text === anyOrigin) return text
  const parsed = pattern.test(text) ? URL.parse(text) : null
  // The URL standard gives unknown schemes (`app://hub`) no origin; browsers send them unchanged.
  return parsed === null ? undefined : parsed.origin === "null" ? text.replace(/\/$/, "") : parsed.origin
}

/** Names of this machine. */
const loopbackNames: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "[::1]"])
export const isLoopbackName = (hostname: string): boolean =>
  loopbackNames.has(hostname) || /^127(?:\.\d{1,3}){3}$/u.test(hostname)
