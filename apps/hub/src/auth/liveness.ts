/**
 * Ends open calls when the right behind them ends: a revoked session, token, agent key, or device, a removed member, a
 * changed role, a token with fewer scopes. One check a second serves all open calls of this hub.
 */
import type { DevicePrincipal, Principal, UserPrincipal } from "@countersign/domain/auth"
import { type Unauthorized, unauthorized } from "@countersign/domain/errors"
import { Context, Deferred, Effect, Layer } from "effect"
import { type LiveCredentials, makeLivenessRepository, type Membership } from "./liveness-repository.ts"

const checkMillis = 1_000

export type Caller = Principal | DevicePrincipal

export const credentialOf = (caller: Caller): string =>
  caller.kind === "agent"
    ? caller.key_id
    : caller.kind === "device"
    ? caller.device_id
    : caller.via.kind === "session"
    ? caller.via.session_id
    : caller.via.kind === "pat"
    ? caller.via.token_id
    : caller.via.link_id

/** Whether the credential exists and, for a token, still has every scope that it had when the call began. */
export const isCredentialValid = (caller: Caller, alive: LiveCredentials): boolean => {
  const scopes = alive.get(credentialOf(caller))
  return scopes !== undefined &&
    (scopes === null || caller.kind !== "user" ||
      [...caller.permissions].every((permission) => scopes.includes(permission)))
}

const isMembershipValid = (user: UserPrincipal, memberships: ReadonlyArray<Membership> = []): boolean =>
  memberships.some(({ org_id, role }) => org_id === user.org_id && role === user.role)

export class Liveness extends Context.Service<Liveness, {
  /** Completes within about a second after the caller's right ends; never before. */
  readonly ended: (caller: Caller) => Effect.Effect<void>
  /** 401 as soon as the caller's right ends, even while `work` is waiting. */
  readonly whileAllowed: <A, E, R>(
    caller: Caller,
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | Unauthorized, R>
}>()("@countersign/hub/auth/Liveness") {
  static readonly layer = Layer.effect(
    Liveness,
    Effect.gen(function*() {
      const repository = yield* makeLivenessRepository
      const watched = new Map<Deferred.Deferred<void>, Caller>()

      const check = Effect.gen(function*() {
        yield* Effect.sleep(checkMillis)
        if (watched.size === 0) return
        const callers = [...watched]
        const alive = yield* repository.credentialsAlive([
          ...new Set(callers.map(([, caller]) => credentialOf(caller)))
        ])
        const users = new Set(callers.flatMap(([, caller]) => caller.kind === "user" ? [caller.user_id as string] : []))
        const memberships = yield* repository.memberships([...users])
        for (const [end, caller] of callers) {
          const isValid = isCredentialValid(caller, alive) &&
            (caller.kind !== "user" || isMembershipValid(caller, memberships.get(caller.user_id)))
          if (!isValid) yield* Deferred.succeed(end, undefined)
        }
      }).pipe(
        Effect.catchCause((cause) =>
          Effect.logWarning("the credentials of open calls could not be checked; the hub will retry", cause)
        )
      )
      yield* Effect.forkScoped(Effect.forever(check))

      const ended = (caller: Caller): Effect.Effect<void> =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            const end = Deferred.makeUnsafe<void>()
            watched.set(end, caller)
            return end
          }),
          Deferred.await,
          (end) => Effect.sync(() => watched.delete(end))
        )

      return Liveness.of({
        ended,
        whileAllowed: (caller, work) =>
          Effect.raceFirst(
            work,
            Effect.andThen(
              ended(caller),
              Effect.fail(
                unauthorized("The credential of this call was revoked, or its rights changed, while the call was open.")
              )
            )
          )
      })
    })
  )
}
