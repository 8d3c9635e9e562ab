/** The cookie of a device on which somebody has signed in. Spec: reference/accounts.md "Sign-in". */
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { isOpaqueToken } from "./hash.ts"

const cookieName = "svc_known_device"
const days = 365

export const knownDeviceOf = (request: HttpServerRequest.HttpServerRequest): string | undefined => {
  const value = request.cookies[cookieName]
  return value !== undefined && isOpaqueToken(value) ? value : undefined
}

export const setKnownDeviceCookie = (value: string, publicUrl: URL) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.orDie(HttpServerResponse.setCookie(response, cookieName, value, {
      httpOnly: true,
      sameSite: "lax",
      path: "/api/v1/auth",
      secure: publicUrl.protocol === "https:",
      maxAge: `${days} days`
    }))
  )
