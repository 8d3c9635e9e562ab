/**
 * Limits password attempts per address and per account, whether it exists or not. Spec: reference/accounts.md
 * "Sign-in".
 */
import { type RateLimited, rateLimited } from "@countersign/domain/errors"
import { emailKey } from "@countersign/domain/identity"
import { Context, Effect, Layer } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Settings } from "../config.ts"
import { addressKey, makeRateLimiter, rateLimitHeaders, takeFrom, type Taken } from "../edge/rate-limit.ts"

export class LoginLimits extends Context.Service<LoginLimits, {
  /** Takes one attempt from each; the response, also a refusal, carries the remaining number. */
  readonly take: (ip: string, email: string) => Effect.Effect<void, RateLimited, HttpServerRequest.HttpServerRequest>
}>()("@countersign/hub/auth/LoginLimits") {
  static readonly layer = Layer.effect(
    LoginLimits,
    Effect.gen(function*() {
      const { rateLimit } = yield* Settings
      const addresses = makeRateLimiter("login", rateLimit.login)
      const accounts = makeRateLimiter("login", rateLimit.login)
      const stricter = (a: Taken, b: Taken) => !b.allowed || b.remaining < a.remaining ? b : a
      return LoginLimits.of({
        take: Effect.fnUntraced(function*(ip, email) {
          const address = takeFrom(addresses, addressKey(ip))
          // An address over its limit does not use up the account's attempts.
          const taken = address.allowed ? stricter(address, takeFrom(accounts, emailKey(email))) : address
          const headers = addresses === undefined ? {} : rateLimitHeaders(addresses, "login", taken)
          yield* HttpEffect.appendPreResponseHandler((_, response) =>
            Effect.succeed(HttpServerResponse.setHeaders(response, headers))
          )
          if (!taken.allowed) return yield* Effect.fail(rateLimited(taken.resetSeconds))
        })
      })
    })
  )
}
