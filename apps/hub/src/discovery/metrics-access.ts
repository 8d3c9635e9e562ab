/**
 * Access to `/metrics`: clients on loopback, and holders of `HUB_METRICS_TOKEN`. Spec: reference/operation.md
 * "Metrics".
 */
import { unauthorized } from "@countersign/domain/errors"
import { Option, Redacted } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import ipaddr from "ipaddr.js"
import { createHash, timingSafeEqual } from "node:crypto"
import type { HubConfig } from "../config.ts"
import { bearerOf } from "../edge/credentials.ts"

const forwardingHeaders = ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]

const isLoopback = (host: string): boolean => {
  const name = host.replace(/^\[|\]$/g, "")
  return name === "localhost" || (ipaddr.isValid(name) && ipaddr.process(name).range() === "loopback")
}

/**
 * Clients of a proxy on this machine arrive from loopback too. A hub whose public address is another host has such a
 * proxy, and some add no header that would show it. A page of another site that resolves to loopback names its own host.
 */
const isLocalFor = ({ publicUrl }: Pick<HubConfig, "publicUrl">) => {
  const isProxied = !isLoopback(publicUrl.hostname)
  return ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean => {
    const peer = Option.getOrUndefined(remoteAddress)
    return !isProxied && peer !== undefined && isLoopback(peer) &&
      isLoopback(URL.parse(`http://${headers["host"] ?? ""}`)?.hostname ?? "") &&
      forwardingHeaders.every((name) => headers[name] === undefined)
  }
}

const digest = (text: string) => createHash("sha256").update(text).digest()

const headers = { "cache-control": "no-store" }
const wrongToken = unauthorized(
  "This endpoint requires the hub's metrics token (Authorization: Bearer <HUB_METRICS_TOKEN>).",
  {
    wants: "metrics_token"
  }
)

/** The refusal of a request: 404 as for an unknown address if no token is set, otherwise 401 for a wrong one. */
export const metricsRefusal = ({ metricsToken, publicUrl }: Pick<HubConfig, "metricsToken" | "publicUrl">) => {
  const isLocal = isLocalFor({ publicUrl })
  const expected = Option.map(metricsToken, (token) => digest(Redacted.value(token)))
  return (request: HttpServerRequest.HttpServerRequest): HttpServerResponse.HttpServerResponse | undefined => {
    if (isLocal(request)) return undefined
    if (Option.isNone(expected)) return HttpServerResponse.empty({ status: 404, headers })
    const bearer = bearerOf(request.headers["authorization"])
    return bearer !== undefined && timingSafeEqual(digest(bearer), expected.value)
      ? undefined
      : HttpServerResponse.jsonUnsafe({ error: wrongToken.error }, { status: 401, headers })
  }
}
