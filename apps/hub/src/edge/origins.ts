/** Origins of pages, as browsers name them in `Origin`. */

/** In `HUB_CORS_ORIGINS`: any page may read, none with cookies. */
export const anyOrigin = "*"

const pattern = /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s*]+\/?$/i

/** Scheme, host and port as a browser sends them, or `*`; none when the text is no origin. */
export const parseOrigin = (text: string): string | undefined => {
  if (text === anyOrigin) return text
  const parsed = pattern.test(text) ? URL.parse(text) : null
  // Schemes that the URL standard does not know (`app://hub`) have no origin there, and are sent as they are.
  return parsed === null ? undefined : parsed.origin === "null" ? text.replace(/\/$/, "") : parsed.origin
}
