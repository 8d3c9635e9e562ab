/** The client address of a request. `X-Forwarded-For` counts only from the CIDRs of `HUB_TRUSTED_PROXIES`. */
import { Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import ipaddr from "ipaddr.js"

type Range = [ipaddr.IPv4 | ipaddr.IPv6, number]

const parse = (address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined =>
  ipaddr.isValid(address) ? ipaddr.process(address) : undefined

/** An IPv4 address mapped into IPv6, as IPv4; any other text unchanged. */
const unmapped = (address: string): string => {
  if (!/^::ffff:/i.test(address)) return address
  return parse(address)?.toString() ?? address
}

/** From the connection's peer and its header `X-Forwarded-For`. */
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
    const plain = peer === undefined ? "unknown" : unmapped(peer)
    if (ranges.length === 0 || !trusted(plain)) return plain
    const hops = (forwardedFor ?? "").split(",").map((hop) => hop.trim()).filter((hop) => hop !== "")
    for (const hop of hops.reverse()) {
      if (parse(hop) === undefined) return plain
      if (!trusted(hop)) return unmapped(hop)
    }
    const outermost = hops.at(-1)
    return outermost === undefined ? plain : unmapped(outermost)
  }
}

export const makeClientAddress = (trustedProxies: ReadonlyArray<string>) => {
  const addressOf = makeAddressOf(trustedProxies)
  return (request: HttpServerRequest.HttpServerRequest): string =>
    addressOf(Option.getOrUndefined(request.remoteAddress), request.headers["x-forwarded-for"])
}
