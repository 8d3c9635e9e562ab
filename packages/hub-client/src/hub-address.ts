/** Parses hub addresses from people, and decides which addresses may use plain HTTP. */

/** `host` as the URL parser writes it: an IPv4 address has four decimal parts. */
const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/u.test(host)

/** Pages and endpoints of a hub, as copied from a browser or a terminal; the path before them is the hub's. */
const hubPage = /\/(?:setup|start|sign-in|docs|health|w\/.+|api\/v1(?:\/.*)?)\/*$/u

/**
 * Returns the origin and path without a trailing slash, also for a link to one of the hub's pages, or the reason for a
 * refusal. Plain HTTP is allowed only for this machine, since it would send the session unencrypted.
 */
export const hubAddress = (text: string): string | { readonly reason: string } => {
  const given = text.trim()
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(given) ? given : `https://${given}`)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return { reason: "This is not the address of a hub. An example: https://hub.example.com" }
  }
  if (url.username !== "" || url.password !== "") {
    return { reason: "The address of a hub has no user and no password." }
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return {
      reason: "A hub on another machine needs https://, because http:// would send the credential unencrypted."
    }
  }
  return `${url.origin}${url.pathname.replace(hubPage, "").replace(/\/+$/u, "")}`
}
