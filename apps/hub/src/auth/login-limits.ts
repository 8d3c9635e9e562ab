/** How often a password may be tried, per address and per account, known or not. Spec: contract 1 "Rate limits". */
import { type RateLimited, rateLimited } from "@countersign/domain/errors"
import { emailKey } from "@countersign/domain/identity"
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config.ts"
import { rateLimitHeaders } from "../edge/access.ts"
import { makeRateLimiter, type Taken, takeFrom } from "../edge/rate-limit.ts"

export class LoginLimits extends Context.Service<LoginLimits, {
  /** Takes one try of each; answers the headers that tell what is left. */
  readonly take: (ip: string, email: string) => Effect.Effect<Record<string, string>, RateLimited>
}>()("@countersign/hub/auth/LoginLimits") {
  static readonly layer = Layer.effect(LoginLimits, Effect.gen(function*() {
    const { rateLimit } = yield* Settings
    const addresses = makeRateLimiter("login", rateLimit.login)
    const accounts = makeRateLimiter("login", rateLimit.login)
    const scarcer = (a: Taken, b: Taken) => a.remaining <= b.remaining ? a : b
    return LoginLimits.of({
      take: (ip, email) =>
        Effect.suspend(() => {
          const address = takeFrom(addresses, ip)
          // An address that tries too often does not use up the account's tries.
          if (!address.allowed) return Effect.fail(rateLimited(address.resetSeconds))
          const account = takeFrom(accounts, emailKey(email))
          if (!account.allowed) return Effect.fail(rateLimited(account.resetSeconds))
          return Effect.succeed(rateLimitHeaders(addresses, "login", scarcer(address, account)))
        })
    })
  }))
}
