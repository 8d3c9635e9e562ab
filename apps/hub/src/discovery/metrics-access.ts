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

const forwardingHeaders = ["forwarded", "x-forwarded-for", "x-real-ip"]

/** Clients behind a proxy on this machine arrive from loopback: forwarded requests do not count as local. */
const isLocal = ({ headers, remoteAddress }: HttpServerRequest.HttpServerRequest): boolean => {
  const peer = Option.getOrUndefined(remoteAddress)
  return peer !== undefined && ipaddr.isValid(peer) && ipaddr.process(peer).range() === "loopback" &&
    forwardingHeaders.every((name) => headers[name] === undefined)
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
export const metricsRefusal = ({ metricsToken }: Pick<HubConfig, "metricsToken">) => {
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
