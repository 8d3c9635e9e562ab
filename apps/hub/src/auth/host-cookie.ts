/**
 * The cookies beside the session's. Over https their names have the prefix `__Host-` (RFC 6265bis), which a browser accepts
 * from this host alone: another host of the same site could otherwise choose their values. Spec: reference/accounts.md
 * "Cookies".
 */
import { Effect } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"

export interface HostCookie {
  /** Without the prefix. */
  readonly name: string
  /** Over http. The prefix requires `/`. */
  readonly path: string
}

const isSecure = (publicUrl: URL): boolean => publicUrl.protocol === "https:"

const nameOf = ({ name }: HostCookie, publicUrl: URL): string => isSecure(publicUrl) ? `__Host-${name}` : name

/** Undefined when it was not sent, or is empty. */
export const hostCookieOf = (
  cookie: HostCookie,
  { cookies }: Pick<HttpServerRequest.HttpServerRequest, "cookies">,
  publicUrl: URL
): string | undefined => {
  const value = cookies[nameOf(cookie, publicUrl)]
  return value === "" ? undefined : value
}

export const setHostCookie = (cookie: HostCookie, value: string, seconds: number, publicUrl: URL) =>
  HttpEffect.appendPreResponseHandler((_, response) =>
    Effect.orDie(HttpServerResponse.setCookie(response, nameOf(cookie, publicUrl), value, {
      httpOnly: true,
      sameSite: "lax",
      path: isSecure(publicUrl) ? "/" : cookie.path,
      secure: isSecure(publicUrl),
      maxAge: `${seconds} seconds`
    }))
  )
