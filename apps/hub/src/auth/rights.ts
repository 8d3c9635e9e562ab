/**
 * A person's right to act at the moment of a decision: credentials, roles, and scopes may have changed since the call
 * began.
 */
import { rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import {
  type Conflict,
  conflict,
  type Forbidden,
  type NotFound,
  noWorkspace,
  type Unauthorized,
  unauthorized
} from "@countersign/domain/errors"
import { Context, Effect, Layer } from "effect"
import { factorRequired } from "../edge/second-factor.ts"
import { ProviderEvents } from "../platform/provider-events.ts"
import { factorMissing } from "./factor-rule.ts"
import { RightsRepository } from "./rights-repository.ts"

const sessionEnded = unauthorized("The session has ended. Sign in again.")
const tokenEnded = unauthorized(
  "The personal access token was revoked, disabled, or has expired. Create a new one in the account settings."
)
const linkEnded = unauthorized("The account is no longer linked. Link it again in Countersign.")

export class Rights extends Context.Service<Rights, {
  /**
   * The same person with current rights. Membership and credential cannot change until the transaction ends: their
   * removal waits for it. Call it inside the deciding transaction, before the workspace's lock. 401 when the credential
   * has ended, 404 when the person has left the workspace. A click of a messenger counts as used from then on: 409 when
   * it was used before.
   */
  readonly hold: (user: UserPrincipal) => Effect.Effect<UserPrincipal, Unauthorized | Forbidden | NotFound | Conflict>
}>()("@countersign/hub/auth/Rights") {
  static readonly layer = Layer.effect(
    Rights,
    Effect.gen(function*() {
      const repository = yield* RightsRepository
      const events = yield* ProviderEvents

      const hold = Effect.fnUntraced(function*({ factor_missing: _, ...user }: UserPrincipal) {
        const held = yield* repository.holdRole(user.org_id, user.user_id)
        const standing = held === undefined
          ? undefined
          : { role: held.role, teams: held.teams, ...factorMissing(held) }
        if (user.via.kind === "pat") {
          const token = yield* repository.holdToken(user.org_id, user.via.token_id)
          if (token === undefined || standing === undefined) return yield* Effect.fail(tokenEnded)
          const allowed = rolePermissions[standing.role]
          return { ...user, ...standing, permissions: new Set(token.scopes.filter((scope) => allowed.has(scope))) }
        }
        if (user.via.kind === "messenger") {
          const { event_id, link_id, provider } = user.via
          if (standing === undefined) return yield* Effect.fail(noWorkspace())
          // Every click is a decision.
          if (standing.factor_missing !== undefined) return yield* Effect.fail(factorRequired())
          if (!(yield* repository.holdLink(user.user_id, link_id))) return yield* Effect.fail(linkEnded)
          if (!(yield* events.record(provider, { id: event_id, type: "interaction" }))) {
            return yield* Effect.fail(conflict("conflict", "This click was handled before."))
          }
          return { ...user, ...standing, permissions: rolePermissions[standing.role] }
        }
        const session = yield* repository.holdSession(user.via.session_id)
        if (session === undefined) return yield* Effect.fail(sessionEnded)
        if (standing === undefined) return yield* Effect.fail(noWorkspace())
        return {
          ...user,
          ...standing,
          permissions: rolePermissions[standing.role],
          via: { ...user.via, stepped_up: session.stepped_up }
        }
      })

      return Rights.of({ hold })
    })
  ).pipe(Layer.provide(Layer.mergeAll(ProviderEvents.layer, RightsRepository.layer)))
}
