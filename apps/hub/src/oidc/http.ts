import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { conflict, notFound, rateLimited, unauthorized, upstreamError } from "@countersign/domain/errors"
import { sessionCookieName } from "@countersign/domain/identity"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { callerOf } from "../auth/caller.ts"
import { type HostCookie, hostCookieOf, setHostCookie } from "../auth/host-cookie.ts"
import { ownDeviceOf, setKnownDeviceCookie } from "../auth/known-device.ts"
import { linkCookie } from "../auth/provider-links.ts"
import { setSessionCookie } from "../auth/session-cookie.ts"
import { SignInPolicy } from "../auth/sign-in-policy.ts"
import { SignInReports } from "../auth/sign-in-reports.ts"
import { Settings } from "../config.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { Credentials } from "../edge/credentials.ts"
import { noStore } from "../edge/no-store.ts"
import { ownOrigin } from "../edge/own-origin.ts"
import { addressKey, perMinute, takeFrom } from "../edge/rate-limit.ts"
import { Identities } from "./identities.ts"
import type { SignInFailure } from "./provider.ts"
import { flowSeconds, type Purpose } from "./repository.ts"
import { returnPathOf, withError } from "./return-path.ts"
import { Oidc } from "./service.ts"

/** Binds a sign-in to the browser that started it. */
const browserCookie: HostCookie = { name: "svc_oidc", path: "/api/v1/auth/oidc" }
/** Sign-ins that one address may start. */
const startsPerMinute = 30

/** Where the console shows why it failed. */
const failurePage = (purpose: Purpose, returnTo: string, code: string): string =>
  withError(purpose === "link" ? returnTo : purpose === "step_up" ? "/stepped-up" : "/login", code)

const redirect = (location: string) =>
  HttpServerResponse.empty({ status: 302, headers: { location, "cache-control": "no-store" } })

export const OidcHttp = HttpApiBuilder.group(
  HubApi,
  "oidc",
  Effect.fn(function*(handlers) {
    const oidc = yield* Oidc
    const identities = yield* Identities
    const policy = yield* SignInPolicy
    const credentials = yield* Credentials
    const reports = yield* SignInReports
    const settings = yield* Settings
    const address = makeClientAddress(settings.trustedProxies)
    const starts = settings.rateLimit.login._tag === "None" ? undefined : perMinute("oidc", startsPerMinute)

    const setCookie = (cookie: HostCookie, value: string, seconds: number) =>
      setHostCookie(cookie, value, seconds, settings.publicUrl)
    const configured = oidc.isConfigured ? Effect.void : Effect.fail(notFound("sign-in provider"))

    /** The person of the cookie, if there is one. */
    const person = (request: HttpServerRequest.HttpServerRequest) => {
      const cookie = request.cookies[sessionCookieName] ?? ""
      return cookie === ""
        ? Effect.succeed(undefined)
        : Effect.catch(
          credentials.session(cookie, { ip: address(request), workspace: undefined }),
          () => Effect.succeed(undefined)
        )
    }
    const failedAt = (failure: SignInFailure, purpose: Purpose, returnTo: string) =>
      Effect.as(
        Effect.andThen(reports.counted("oidc", failure.code), Effect.logInfo("a sign-in at the provider failed")).pipe(
          Effect.annotateLogs({ code: failure.code, reason: failure.reason })
        ),
        redirect(failurePage(purpose, returnTo, failure.code))
      )

    return handlers.handleAll({
      methods: () => Effect.succeed({ password: !policy.ssoOnly, oidc: oidc.isConfigured }),
      start: Effect.fn(function*({ query }) {
        yield* configured
        const request = yield* HttpServerRequest.HttpServerRequest
        // The provider sends the browser to the public address, and the cookie must be there too.
        const { origin } = settings.publicUrl
        if (ownOrigin(settings.publicUrl, request.headers["host"]) !== origin) {
          return redirect(`${origin}${request.url}`)
        }
        const taken = takeFrom(starts, addressKey(address(request)))
        if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
        const purpose = query.purpose ?? "sign_in"
        const started = yield* Effect.result(oidc.start(purpose, returnPathOf(query.to), yield* person(request)))
        if (started._tag === "Failure") return yield* failedAt(started.failure, purpose, "/")
        yield* setCookie(browserCookie, started.success.browser, flowSeconds)
        return redirect(started.success.location)
      }),
      callback: Effect.fn(function*() {
        yield* configured
        const request = yield* HttpServerRequest.HttpServerRequest
        const caller = callerOf(request, address(request))
        const at = request.url.indexOf("?")
        const parameters = new URLSearchParams(at < 0 ? "" : request.url.slice(at))
        const { result, returnTo } = yield* oidc.callback(
          parameters,
          hostCookieOf(browserCookie, request, settings.publicUrl),
          yield* person(request),
          caller
        )
        yield* setCookie(browserCookie, "", 0)
        switch (result.kind) {
          case "signed_in": {
            yield* setSessionCookie(result.signedIn.cookie, settings.publicUrl)
            yield* reports.counted("oidc", "ok")
            const from = { ...caller, device: ownDeviceOf(request, settings.publicUrl) }
            yield* setKnownDeviceCookie(yield* reports.succeeded(result.signedIn.me.user, from), settings.publicUrl)
            return redirect(returnTo)
          }
          case "challenge": {
            const { expires_at, id, methods } = result.challenge
            const fragment = new URLSearchParams({ challenge: id, methods: methods.join(" "), expires: expires_at })
            return redirect(`/login?to=${encodeURIComponent(returnTo)}#${fragment}`)
          }
          case "stepped_up":
          case "linked":
            return redirect(returnTo)
          case "failed":
            if (result.link !== undefined) yield* setCookie(linkCookie, result.link, flowSeconds)
            return yield* failedAt(result.failure, result.purpose, returnTo)
        }
      }),
      identities: Effect.fn(function*() {
        yield* noStore
        return yield* identities.list(yield* CurrentUser)
      }),
      link: Effect.fn(function*({ payload }) {
        yield* configured
        yield* noStore
        const user = yield* CurrentUser
        const request = yield* HttpServerRequest.HttpServerRequest
        const { origin } = settings.publicUrl
        if (ownOrigin(settings.publicUrl, request.headers["host"]) !== origin) {
          return yield* Effect.fail(conflict("conflict", `Open the hub at ${origin}: the provider returns there.`))
        }
        yield* identities.mayLink(user)
        const started = yield* Effect.mapError(
          oidc.start("link", returnPathOf(payload.to), user),
          (failure) => upstreamError(`The identity provider cannot be used: ${failure.code}.`)
        )
        yield* setCookie(browserCookie, started.browser, flowSeconds)
        return { location: started.location }
      }),
      unlink: ({ params }) => CurrentUser.use((user) => identities.unlink(user, params.id)),
      logout: Effect.fn(function*({ payload }) {
        yield* configured
        yield* Effect.mapError(
          oidc.logout(payload.logout_token),
          () => unauthorized("The logout token is not valid, or was used before.", { wants: "logout_token" })
        )
      })
    })
  })
)
