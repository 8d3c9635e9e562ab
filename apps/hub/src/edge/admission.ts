/**
 * The checks of a caller before any handler: its credential, then its rate limit. The framework's path (`access.ts`)
 * and the path ahead of it (`dispatch/direct.ts`) take both from here, and the checks of a body from `request-body.ts`.
 * Spec: reference/conventions.md "Credentials", "Rate limits".
 */
import type { AgentPrincipal, DevicePrincipal, Principal } from "@countersign/domain/auth"
import { type RateLimited, rateLimited } from "@countersign/domain/errors"
import { Context, Effect, Layer } from "effect"
import { Settings } from "../config.ts"
import { makeAddressOf } from "./client-address.ts"
import { bearerOf, Credentials } from "./credentials.ts"
import { kindOf } from "./misplaced-credential.ts"
import { rateLimitHeaders, RateLimits } from "./rate-limit.ts"

export type Caller = Principal | DevicePrincipal

/** A person has one bucket for all their sessions and tokens: more credentials do not allow more calls. */
export const bucketOf = (caller: Caller): string => {
  switch (caller.kind) {
    case "agent":
      return caller.key_id
    case "device":
      return caller.device_id
    case "user":
      return caller.user_id
  }
}

/** The headers that a rate limit adds to an answer, and the refusal once it is used up. */
export interface Limited {
  readonly headers: Readonly<Record<string, string>>
  readonly refusal: RateLimited | undefined
}

export class Admission extends Context.Service<Admission, {
  /** The client's address, from the connection's peer and its header `X-Forwarded-For`. */
  readonly addressOf: (peer: string | undefined, forwardedFor: string | undefined) => string
  /** The agent of the header `authorization`, without waiting: only for an agent key with a fresh entry in memory. */
  readonly knownAgent: (authorization: string | undefined, ip: string) => AgentPrincipal | undefined
  /** Takes one call of the caller's limit; `undefined` when the hub does not limit such callers. */
  readonly limit: (caller: Caller) => Limited | undefined
}>()("@countersign/hub/edge/Admission") {
  static readonly layer = Layer.effect(
    Admission,
    Effect.gen(function*() {
      const credentials = yield* Credentials
      const limiters = yield* RateLimits
      const { trustedProxies } = yield* Settings
      return Admission.of({
        addressOf: makeAddressOf(trustedProxies),
        knownAgent: (authorization, ip) => {
          const bearer = bearerOf(authorization)
          return bearer !== undefined && kindOf(bearer) === "agent key"
            ? credentials.knownAgentKey(bearer, ip)
            : undefined
        },
        limit: (caller) => {
          // A device counts as a program, like an agent.
          const name = caller.kind === "user" ? "user" : "agent"
          const limiter = limiters[name]
          if (limiter === undefined) return undefined
          const taken = limiter.take(bucketOf(caller))
          return {
            headers: rateLimitHeaders(limiter, name, taken),
            refusal: taken.allowed ? undefined : rateLimited(taken.resetSeconds)
          }
        }
      })
    })
  )
}
