/** Addresses of hubs as people give them, and what may be reached in clear. */
import { isIP } from "node:net"

const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || (isIP(host) === 4 && host.startsWith("127."))

/** Of a hub's own pages and endpoints, as they are copied out of a browser or a terminal: what stands before them is the hub. */
const hubPage = /\/(?:setup|start|sign-in|docs|health|w\/.+|api\/v1(?:\/.*)?)\/*$/u

/** Origin and path without a slash at its end, also out of a link to one of the hub's pages; or why not. Plain http is for this machine alone: the session would go in clear. */
export const hubAddress = (text: string): string | { readonly reason: string } => {
  const given = text.trim()
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(given) ? given : `https://${given}`)
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return { reason: "This is no address of a hub. One is like https://hub.example.com" }
  }
  if (url.username !== "" || url.password !== "") {
    return { reason: "The hub's address carries no user and no password." }
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return {
      reason: "A hub on another machine is reached by https:// only: over http:// the session would go in clear."
    }
  }
  return `${url.origin}${url.pathname.replace(hubPage, "").replace(/\/+$/u, "")}`
}
