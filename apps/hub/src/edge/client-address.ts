/** Whose address a request came from. `X-Forwarded-For` is believed only from the CIDRs of `HUB_TRUSTED_PROXIES`. */
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import ipaddr from "ipaddr.js"

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

const parse = (address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.isValid(address) ? ipaddr.process(address) : undefined

/** From the connection's peer and what `X-Forwarded-For` says. */
export const makeAddressOf = (trustedProxies: ReadonlyArray<string>) => {
  const ranges = trustedProxies.map((value): Range => {
    if (value.includes("/")) return ipaddr.parseCIDR(value)
    const address = ipaddr.process(value)
    return [address, address.kind() === "ipv4" ? 32 : 128]
  })
  const trusted = (address: string): boolean => {
    const parsed = parse(address)
    return parsed !== undefined &&
      ranges.some(([range, bits]) => parsed.kind() === range.kind() && parsed.match(range as ipaddr.IPv4, bits))
  }
  return (peer: string | undefined, forwardedFor: string | undefined): string => {
    const plain = peer === undefined ? "unknown" : peer.startsWith("::ffff:") ? peer.slice(7) : peer
    if (ranges.length === 0 || !trusted(plain)) return plain
    const hops = (forwardedFor ?? "").split(",").map((hop) => hop.trim()).filter((hop) => hop !== "")
    for (const hop of hops.reverse()) {
      if (parse(hop) === undefined) return plain
      if (!trusted(hop)) return hop
    }
    return hops.at(-1) ?? plain
  }
}

export const makeClientAddress = (trustedProxies: ReadonlyArray<string>) => {
  const addressOf = makeAddressOf(trustedProxies)
  return (request: HttpServerRequest.HttpServerRequest): string =>
    addressOf(Option.getOrUndefined(request.remoteAddress), request.headers["x-forwarded-for"])
}
