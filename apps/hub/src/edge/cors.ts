/**
 * Pages of other origins: off unless `HUB_CORS_ORIGINS` lists theirs. It lets such a page read answers; it does not lift the rule
 * that a cookie's mutation comes from the hub's own origin (`access.ts`). Own, because the library's sends a lone origin to
 * everyone and hangs on a predicate that throws. Spec: contract 1 "CORS".
 */
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { anyOrigin } from "./origins.ts"

/** How long a browser may keep what a preflight told, in seconds. */
const preflightSeconds = 600

const requestHeaders = [
  "authorization",
  "content-type",
  "idempotency-key",
  "if-none-match",
  "last-event-id",
  "svc-workspace",
  "x-request-id",
  "x-svc-signature",
  "x-test-outcome"
]
const answerHeaders = [
  "content-disposition",
  "etag",
  "idempotent-replayed",
  "location",
  "ratelimit",
  "ratelimit-policy",
  "retry-after",
  "www-authenticate",
  "x-request-id"
]

export interface Cors {
  /** The answer to a browser that asks whether it may call; none for what is no preflight, or not of an allowed page. */
  readonly preflight: (
    request: HttpServerRequest.HttpServerRequest,
    methods: ReadonlyArray<string>
  ) => HttpServerResponse.HttpServerResponse | undefined
  /** An answer, readable by the page that asked when it is allowed. */
  readonly expose: (
    request: HttpServerRequest.HttpServerRequest,
    response: HttpServerResponse.HttpServerResponse
  ) => HttpServerResponse.HttpServerResponse
}

/** None when it is off. */
export const makeCors = (origins: ReadonlyArray<string>): Cors | undefined => {
  if (origins.length === 0) return undefined
  const listed = new Set(origins)
  const granted = (request: HttpServerRequest.HttpServerRequest): Record<string, string> | undefined => {
    const origin = request.headers["origin"]
    if (origin === undefined) return undefined
    if (listed.has(origin)) return { "access-control-allow-origin": origin, "access-control-allow-credentials": "true" }
    return listed.has(anyOrigin) ? { "access-control-allow-origin": anyOrigin } : undefined
  }
  return {
    preflight: (request, methods) => {
      if (
        request.method !== "OPTIONS" || methods.length === 0 ||
        request.headers["access-control-request-method"] === undefined
      ) {
        return undefined
      }
      const grant = granted(request)
      return grant === undefined ? undefined : HttpServerResponse.empty({
        status: 204,
        headers: {
          ...grant,
          "access-control-allow-methods": methods.join(", "),
          "access-control-allow-headers": requestHeaders.join(", "),
          "access-control-max-age": String(preflightSeconds),
          vary: "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"
        }
      })
    },
    expose: (request, response) => {
      const grant = granted(request)
      const vary = response.headers["vary"]
      return HttpServerResponse.setHeaders(response, {
        ...grant === undefined ? {} : { ...grant, "access-control-expose-headers": answerHeaders.join(", ") },
        vary: vary === undefined ? "Origin" : /(?:^|,)\s*origin\s*(?:,|$)/i.test(vary) ? vary : `${vary}, Origin`
      })
    }
  }
}
