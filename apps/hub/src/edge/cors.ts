/**
 * CORS: off unless `HUB_CORS_ORIGINS` lists origins. It lets their pages read responses; the rule that a mutation with
 * a cookie must come from the hub's own origin (`access.ts`) still applies. Custom, because the library's sends a
 * single origin to every page and hangs on a predicate that throws. Spec: reference/conventions.md "CORS".
 */
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { anyOrigin } from "../origins.ts"

/** How long a browser may cache a preflight response, in seconds. */
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
  "x-test-outcome",
  "x-delegated-task"
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
  /** The response to a preflight request; `undefined` for any other request, or a page whose origin is not allowed. */
  readonly preflight: (
    request: HttpServerRequest.HttpServerRequest,
    methods: ReadonlyArray<string>
  ) => HttpServerResponse.HttpServerResponse | undefined
  /**
   * The headers that let the page of an origin read a response, when the origin is allowed. `vary` is the response's
   * own.
   */
  readonly grantOf: (origin: string | undefined, vary: string | undefined) => Readonly<Record<string, string>>
}

/** `undefined` when CORS is off. */
export const makeCors = (origins: ReadonlyArray<string>): Cors | undefined => {
  if (origins.length === 0) return undefined
  const listed = new Set(origins)
  const granted = (origin: string | undefined): Record<string, string> | undefined => {
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
      const grant = granted(request.headers["origin"])
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
    grantOf: (origin, vary) => {
      const grant = granted(origin)
      return {
        ...grant === undefined ? {} : { ...grant, "access-control-expose-headers": answerHeaders.join(", ") },
        vary: vary === undefined ? "Origin" : /(?:^|,)\s*origin\s*(?:,|$)/i.test(vary) ? vary : `${vary}, Origin`
      }
    }
  }
}
