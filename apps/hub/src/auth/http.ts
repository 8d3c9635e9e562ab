import { HubApi } from "@countersign/domain/api"
import { CurrentUser } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Settings } from "../config.ts"
import { refuseForeignOrigin } from "../edge/access.ts"
import { makeClientAddress } from "../edge/client-address.ts"
import { noStore } from "../edge/no-store.ts"
import { callerOf } from "./caller.ts"
import { FirstOwner } from "./first-owner.ts"
import { hostCookieOf } from "./host-cookie.ts"
import { knownDeviceOf, ownDeviceOf, setKnownDeviceCookie } from "./known-device.ts"
import { LoginLimits } from "./login-limits.ts"
import { placeOf } from "./passkey-place.ts"
import { limitedPassword } from "./password-sign-in.ts"
import { linkCookie, ProviderLinks } from "./provider-links.ts"
import { type Caller, Identity, type SignedIn } from "./service.ts"
import { clearSessionCookie, setSessionCookie } from "./session-cookie.ts"
import { SignInReports } from "./sign-in-reports.ts"

/** A caller without a credential, and the device that it says it is. */
type Source = Caller & { readonly device: string | undefined }

export const AuthHttp = HttpApiBuilder.group(
  HubApi,
  "auth",
  Effect.fn(function*(handlers) {
    const identity = yield* Identity
    const firstOwner = yield* FirstOwner
    const limits = yield* LoginLimits
    const reports = yield* SignInReports
    const links = yield* ProviderLinks
    const settings = yield* Settings
    const address = makeClientAddress(settings.trustedProxies)

    /** Sets the session's cookie first, then the device's. */
    const signIn = Effect.fnUntraced(function*(
      { brokeGlass, cookie, me }: SignedIn,
      from: Source,
      method: "password" | "second_factor" | "setup"
    ) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const link = hostCookieOf(linkCookie, request, settings.publicUrl)
      if (link !== undefined) yield* links.complete(me.user.id, link, from.ip)
      yield* reports.counted(method, "ok")
      if (brokeGlass === true) yield* reports.brokeGlass(me.user, from.ip)
      yield* setSessionCookie(cookie, settings.publicUrl)
      const device = ownDeviceOf(request, settings.publicUrl)
      yield* setKnownDeviceCookie(yield* reports.succeeded(me.user, { ...from, device }), settings.publicUrl)
      return me
    })
    const limited = yield* limitedPassword

    /** The caller of a public endpoint that opens a session: a page of the console, or a program. */
    const publicCaller = Effect.gen(function*() {
      const request = yield* HttpServerRequest.HttpServerRequest
      yield* noStore
      yield* refuseForeignOrigin(request, settings.publicUrl)
      return { ...callerOf(request, address(request)), device: knownDeviceOf(request, settings.publicUrl) }
    })

    const place = Effect.map(
      HttpServerRequest.HttpServerRequest,
      ({ headers }) => placeOf(settings.publicUrl, headers["host"])
    )

    return handlers.handleAll({
      setup: Effect.fn(function*({ payload }) {
        const caller = yield* publicCaller
        return created("/auth/me", yield* signIn(yield* firstOwner.setup(payload, caller), caller, "setup"))
      }),
      login: Effect.fn(function*({ payload }) {
        const caller = yield* publicCaller
        const answer = yield* limited(
          payload.email,
          caller,
          identity.login(payload.email, payload.password, caller)
        )
        return "challenge" in answer ? answer : yield* signIn(answer, caller, "password")
      }),
      loginFactor: Effect.fn(function*({ payload: { challenge_id, ...proof } }) {
        const caller = yield* publicCaller
        const user = yield* identity.challenged(challenge_id)
        yield* limits.factor(user.id, caller)
        const signedIn = yield* Effect.tapError(
          identity.loginFactor(challenge_id, proof, yield* place, caller),
          ({ error }) =>
            error.data?.["tries_left"] === undefined
              ? Effect.void
              : Effect.flatMap(
                limits.factorFailed(user.email),
                (attempts) =>
                  Effect.andThen(
                    reports.counted("second_factor", "failed"),
                    reports.failed(user.email, caller, attempts)
                  )
              )
        )
        return yield* signIn(signedIn, caller, "second_factor")
      }),
      logout: Effect.fn(function*() {
        yield* identity.logout(yield* CurrentUser)
        yield* clearSessionCookie(settings.publicUrl)
      }),
      password: Effect.fn(function*({ payload }) {
        const user = yield* CurrentUser
        yield* limits.confirm(user)
        yield* identity.changePassword(user, payload.current_password, payload.new_password)
      }),
      stepUp: Effect.fn(function*({ payload }) {
        const user = yield* CurrentUser
        yield* noStore
        yield* limits.confirm(user)
        // A passkey cannot be guessed.
        if (payload.totp !== undefined || payload.recovery_code !== undefined) yield* limits.confirmFactor(user)
        return yield* Effect.tapError(
          identity.stepUp(user, payload, yield* place),
          ({ error }) => error.code === "forbidden" ? reports.stepUpFailed(user) : Effect.void
        )
      }),
      me: () => Effect.andThen(noStore, Effect.flatMap(CurrentUser, identity.me)),
      updateMe: ({ payload }) =>
        Effect.andThen(noStore, Effect.flatMap(CurrentUser, (user) => identity.updateMe(user, payload))),
      sessions: ({ query }) =>
        Effect.andThen(noStore, Effect.flatMap(CurrentUser, (user) => identity.sessions(user, query))),
      endSession: Effect.fn(function*({ params }) {
        const user = yield* CurrentUser
        yield* identity.endSession(user, params.id)
        if (user.via.kind === "session" && user.via.session_id === params.id) {
          yield* clearSessionCookie(settings.publicUrl)
        }
      })
    })
  })
)
