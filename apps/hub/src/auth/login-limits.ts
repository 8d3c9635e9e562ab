/**
 * Limits password attempts: per address by refusal, per account by a growing delay, so that nobody can lock another
 * person out. A device on which the person has signed in is limited by itself and never delayed. Counted over all hubs.
 * Spec: reference/accounts.md "Sign-in".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import { type RateLimited, rateLimited } from "@countersign/domain/errors"
import { emailKey } from "@countersign/domain/identity"
import { Context, Effect, Layer, Option } from "effect"
import { HttpEffect, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { type Bucket, Settings } from "../config.ts"
import { addressKey, policyOf } from "../edge/rate-limit.ts"
import { credentialHash, credentialKey } from "./hash.ts"
import { UsersRepository } from "./repository.ts"
import { SignInRepository } from "./sign-in-repository.ts"
import { delaySecondsOf } from "./sign-in-rules.ts"

/** Where an attempt comes from. */
export interface SignInSource {
  readonly ip: string
  /** The value of the cookie of a known device. */
  readonly device: string | undefined
}

/** How the hub waits before it looks at an attempt. Tests replace it. */
export class SignInDelay
  extends Context.Reference<(seconds: number) => Effect.Effect<void>>("@countersign/hub/auth/SignInDelay", {
    defaultValue: () => (seconds) => Effect.sleep(`${seconds} seconds`)
  })
{}

/** The key of an account's attempts; it does not reveal the address. */
export const accountOf = (email: string): Uint8Array => credentialHash(emailKey(email))

/** Guesses of a code with six digits: twenty at once, then one each three minutes. */
const factorBucket: Bucket = { perSecond: 20 / 3_600, burst: 20 }

type Limited<A> = Effect.Effect<A, RateLimited, HttpServerRequest.HttpServerRequest>

export class LoginLimits extends Context.Service<LoginLimits, {
  /**
   * Takes an attempt to sign in; returns the number of attempts on the account since its last sign-in, with this one.
   * The response, also a refusal, carries the remaining number of attempts.
   */
  readonly signIn: (email: string, from: SignInSource) => Limited<number>
  /**
   * Takes an attempt at a second factor, of an account whose password was right. 429 beyond twenty in a row: only
   * somebody with the password can use them up, and a known device has its own.
   */
  readonly factor: (user: string, from: SignInSource) => Limited<void>
  /** The number of failed attempts on the account since its last sign-in, with this one. */
  readonly factorFailed: (email: string) => Effect.Effect<number>
  /** Takes an attempt of a signed-in person at a second factor: all sessions of the person share twenty in a row. */
  readonly confirmFactor: (user: UserPrincipal) => Limited<void>
  /** Takes an attempt of a signed-in person to confirm the password. */
  readonly confirm: (user: UserPrincipal) => Limited<void>
}>()("@countersign/hub/auth/LoginLimits") {
  static readonly layer = Layer.effect(
    LoginLimits,
    Effect.gen(function*() {
      const { rateLimit } = yield* Settings
      const repository = yield* SignInRepository
      const users = yield* UsersRepository
      const delay = yield* SignInDelay

      const take = Effect.fnUntraced(function*(key: string, bucket: Bucket) {
        const { allowed, tokens } = yield* repository.take(key, bucket)
        const missing = allowed ? bucket.burst - tokens : 1 - tokens
        const seconds = Math.max(1, Math.ceil(missing / bucket.perSecond))
        const headers = {
          "ratelimit-policy": policyOf("login", bucket),
          "ratelimit": `"login";r=${allowed ? Math.floor(tokens) : 0};t=${seconds}`
        }
        yield* HttpEffect.appendPreResponseHandler((_, response) =>
          Effect.succeed(HttpServerResponse.setHeaders(response, headers))
        )
        if (!allowed) return yield* Effect.fail(rateLimited(seconds))
      })

      return LoginLimits.of({
        signIn: Effect.fnUntraced(function*(email, { device, ip }) {
          const account = accountOf(email)
          if (Option.isNone(rateLimit.login)) return yield* repository.count(account)
          const bucket = rateLimit.login.value
          const address = addressKey(ip)
          const user = yield* users.byEmail(email)
          // An unknown account takes the same steps.
          const known = yield* repository.isKnown(user?.id ?? "", {
            device: device === undefined ? undefined : credentialHash(device),
            address
          })
          const limited = known.device && device !== undefined
            ? `device ${credentialKey(device)}`
            : `address ${address}`
          yield* take(limited, bucket)
          const attempts = yield* repository.count(account)
          const seconds = known.device || known.address ? 0 : delaySecondsOf(attempts - 1, bucket.burst)
          if (seconds > 0) yield* delay(seconds)
          return attempts
        }),
        factor: Effect.fnUntraced(function*(user, { device, ip }) {
          if (Option.isNone(rateLimit.login)) return
          const hash = device === undefined ? undefined : credentialHash(device)
          const known = yield* repository.isKnown(user, { device: hash, address: addressKey(ip) })
          const of = known.device && device !== undefined ? `device ${credentialKey(device)}` : `user ${user}`
          yield* take(`factor of ${of}`, factorBucket)
        }),
        factorFailed: (email) => repository.count(accountOf(email)),
        confirmFactor: Effect.fnUntraced(function*({ user_id }) {
          if (Option.isNone(rateLimit.login)) return
          yield* take(`step-up factor of user ${user_id}`, factorBucket)
        }),
        confirm: Effect.fnUntraced(function*(user) {
          if (Option.isNone(rateLimit.login)) return
          const held = user.via.kind === "session" ? `session ${user.via.session_id}` : `user ${user.user_id}`
          yield* take(held, rateLimit.login.value)
        })
      })
    })
  )
}
