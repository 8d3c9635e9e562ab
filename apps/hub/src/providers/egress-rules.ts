/**
 * The addresses that the hub may call: pure rules, no sockets. Everything except plain public unicast is refused,
 * unless the operator lists it in `HUB_EGRESS_ALLOW`. Spec: reference/services.md "Outbound calls".
 */
import ipaddr from "ipaddr.js"
import { isIP } from "node:net"

/** One entry of `HUB_EGRESS_ALLOW`: a host name, an address or a CIDR, with or without a port. */
export type AllowEntry =
  | { readonly kind: "name"; readonly name: string; readonly port?: number }
  | { readonly kind: "cidr"; readonly network: string; readonly bits: number; readonly port?: number }

/** A public address that the cloud around the hub answers: Azure's host agent. */
const hostAgents = new Set(["168.63.129.16"])

const nameForm = /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,62})(?:\.[a-z0-9_][a-z0-9_-]{0,62})*$/

const withPort = <A extends object>(entry: A, port: number | undefined): A & { readonly port?: number } =>
  port === undefined ? entry : { ...entry, port }

/**
 * Reads `HUB_EGRESS_ALLOW`: `localhost:8080, 10.0.0.0/8, ::1, [fd00::/8]:443`. The problem names the first bad entry,
 * in text for the operator.
 */
export const parseAllowList = (
  text: string
): { readonly entries: ReadonlyArray<AllowEntry>; readonly problem?: string } => {
  const entries: Array<AllowEntry> = []
  for (const raw of text.split(",")) {
    const item = raw.trim().toLowerCase()
    if (item === "") continue
    const entry = parseEntry(item)
    if (entry === undefined) {
      return { entries: [], problem: `"${raw.trim()}" is not a host name, address, or CIDR (optionally with :port)` }
    }
    entries.push(entry)
  }
  return { entries }
}

const parseEntry = (item: string): AllowEntry | undefined => {
  const bracketed = /^\[([^\]]+)\](?::(\d{1,5}))?$/.exec(item)
  const plain = /^([^:]+)(?::(\d{1,5}))?$/.exec(item)
  const [, host, portText] = bracketed ?? plain ?? [item, item, undefined]
  const port = portText === undefined ? undefined : Number(portText)
  if (host === undefined || port !== undefined && (port < 1 || port > 65535)) return undefined
  if (host.includes("/")) {
    if (!ipaddr.isValidCIDR(host)) return undefined
    const [network, bits] = ipaddr.parseCIDR(host)
    return withPort({ kind: "cidr", network: network.toString(), bits } as const, port)
  }
  if (isIP(host) !== 0) {
    const address = ipaddr.process(host)
    return withPort(
      { kind: "cidr", network: address.toString(), bits: address.kind() === "ipv4" ? 32 : 128 } as const,
      port
    )
  }
  const name = host.endsWith(".") ? host.slice(0, -1) : host
  return nameForm.test(name) ? withPort({ kind: "name", name } as const, port) : undefined
}

/** Whether the operator trusts a name, whatever it resolves to. */
export const isNameAllowed = (allow: ReadonlyArray<AllowEntry>, hostname: string, port: number): boolean => {
  const name = (hostname.endsWith(".") ? hostname.slice(0, -1) : hostname).toLowerCase()
  return allow.some((entry) => entry.kind === "name" && entry.name === name && (entry.port ?? port) === port)
}

/**
 * The reason why an address may not be called; `undefined` for an address that the operator lists, and for public
 * unicast. IPv4 within IPv6 (`::ffff:a.b.c.d`) is checked as IPv4; IPv6 outside `2000::/3` is not public.
 */
export const addressRefusal = (allow: ReadonlyArray<AllowEntry>, text: string, port: number): string | undefined => {
  const address = parseAddress(text)
  if (address === undefined) return "no address"
  if (isAddressListed(allow, text, port)) return undefined
  const range = address.range()
  if (range !== "unicast") return rangeWords[range] ?? "reserved"
  if (address.kind() === "ipv6" && (address.toByteArray()[0]! & 0xe0) !== 0x20) return "reserved"
  if (hostAgents.has(address.toString())) return "cloud host agent"
  return undefined
}

/** Whether the operator lists this exact address. */
export const isAddressListed = (allow: ReadonlyArray<AllowEntry>, text: string, port: number): boolean => {
  const address = parseAddress(text)
  return address !== undefined && allow.some((entry) => {
    if (entry.kind !== "cidr" || (entry.port ?? port) !== port) return false
    const network = ipaddr.parse(entry.network)
    return network.kind() === address.kind() && address.match(network, entry.bits)
  })
}

/** An address without its zone; IPv4 within IPv6 as IPv4. */
const parseAddress = (text: string) => {
  const bare = text.includes("%") ? text.slice(0, text.indexOf("%")) : text
  return isIP(bare) === 0 ? undefined : ipaddr.process(bare)
}

const rangeWords: Readonly<Record<string, string>> = {
  private: "private",
  loopback: "loopback",
  linkLocal: "link-local",
  uniqueLocal: "private",
  deprecatedSiteLocal: "private",
  carrierGradeNat: "shared (CGNAT)",
  multicast: "multicast",
  broadcast: "broadcast",
  unspecified: "unspecified",
  benchmarking: "benchmark"
}

export type UrlCheck = { readonly url: URL } | { readonly problem: string }

/**
 * Checks the text of a URL: http or https, no user or password, a host. `URL` turns decimal, octal, hexadecimal, and
 * full-width forms of an address into the plain address, so the later check covers them all.
 */
export const checkUrl = (text: string): UrlCheck => {
  const url = URL.parse(text)
  if (url === null) return { problem: "it is not an absolute URL" }
  if (url.protocol !== "http:" && url.protocol !== "https:") return { problem: "only http and https are allowed" }
  if (url.username !== "" || url.password !== "") return { problem: "a URL must not contain a user or password" }
  if (url.hostname === "") return { problem: "it has no host" }
  url.hash = ""
  return { url }
}

/** The host of a URL without the brackets of IPv6. */
export const hostOf = (hostname: string): string => hostname.startsWith("[") ? hostname.slice(1, -1) : hostname

export const portOf = (url: URL): number => url.port !== "" ? Number(url.port) : url.protocol === "https:" ? 443 : 80

export interface UrlRules {
  readonly allow: ReadonlyArray<AllowEntry>
}

/** Whether the operator lists the host of a URL, by name or by address. */
export const isListed = (allow: ReadonlyArray<AllowEntry>, url: URL): boolean => {
  const host = hostOf(url.hostname)
  const port = portOf(url)
  const addresses = host === "localhost" ? ["127.0.0.1", "::1"] : [host]
  return isNameAllowed(allow, host, port) || addresses.some((address) => isAddressListed(allow, address, port))
}

/** Why a URL may not get credentials or events. Plain http is for addresses of the operator only. */
export const urlProblem = (text: string, { allow }: UrlRules): string | undefined => {
  const checked = checkUrl(text)
  if ("problem" in checked) return `The URL is not allowed: ${checked.problem}.`
  if (text.includes("#")) return "The URL has a fragment."
  return checked.url.protocol === "https:" || isListed(allow, checked.url)
    ? undefined
    : "Use https. Plain http is for addresses in HUB_EGRESS_ALLOW only."
}
