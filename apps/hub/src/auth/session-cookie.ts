/** The cookie `svc_session`. Spec: reference/accounts.md "Sessions". */
import { sessionAbsoluteDays, sessionCookieName } from "@countersign/domain/identity"
import { Effect } from "effect"
import { HttpEffect, HttpServerResponse } from "effect/http"

const attributes = (publicUrl: URL) => ({
  httpOnly: true,
  sameSite: "lax",
  path: "/",
  secure: publicUrl.protocol === "https:"
} as const)

export const setSessionCookie = (value: string, publicUrl: URL) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.orDie(HttpServerResponse.setCookie(response, sessionCookieName, value, {
      ...attributes(publicUrl),
      maxAge: `${sessionAbsoluteDays} days`
    }))
  )

export const clearSessionCookie = (publicUrl: URL) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.orDie(HttpServerResponse.setCookie(response, sessionCookieName, "", { ...attributes(publicUrl), maxAge: 0 }))
  )
