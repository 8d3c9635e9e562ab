/** A caller without a credential, from the request. */
import type { HttpServerRequest } from "effect/http"
import type { Caller } from "./service.ts"

const userAgentMax = 300

export const callerOf = (request: HttpServerRequest.HttpServerRequest, ip: string): Caller => ({
  ip,
  userAgent: request.headers["user-agent"]?.replace(/\p{Cc}/gu, " ").slice(0, userAgentMax)
})
