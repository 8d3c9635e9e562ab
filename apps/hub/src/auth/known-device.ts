/** The cookie of a device on which somebody has signed in. Spec: reference/accounts.md "Sign-in". */
import type { HttpServerRequest } from "effect/http"
import { isOpaqueToken } from "./hash.ts"
import { type HostCookie, hostCookieOf, setHostCookie } from "./host-cookie.ts"

const cookie: HostCookie = { name: "svc_known_device", path: "/api/v1/auth" }
const seconds = 365 * 86_400

type WithCookies = Pick<HttpServerRequest.HttpServerRequest, "cookies">

const tokenOf = (value: string | undefined): string | undefined =>
  value !== undefined && isOpaqueToken(value) ? value : undefined

/** The device as it says itself: also by the name that earlier versions gave the cookie over https. */
export const knownDeviceOf = (request: WithCookies, publicUrl: URL): string | undefined =>
  ownDeviceOf(request, publicUrl) ?? tokenOf(request.cookies[cookie.name])

/** The value that this hub gave the device. Another host could have chosen the one with the earlier name. */
export const ownDeviceOf = (request: WithCookies, publicUrl: URL): string | undefined =>
  tokenOf(hostCookieOf(cookie, request, publicUrl))

export const setKnownDeviceCookie = (value: string, publicUrl: URL) => setHostCookie(cookie, value, seconds, publicUrl)
