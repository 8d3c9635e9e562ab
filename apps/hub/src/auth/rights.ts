/**
 * A person's right to act at the moment of a decision: credentials, roles, and scopes may have changed since the call
 * began.
 */
import { rolePermissions, type UserPrincipal } from "@countersign/domain/auth"
import { type NotFound, noWorkspace, type Unauthorized, unauthorized } from "@countersign/domain/errors"
import { Context, Effect, Layer } from "effect"
import { RightsRepository } from "./rights-repository.ts"

const sessionEnded = unauthorized("The session has ended. Sign in again.")
const tokenEnded = unauthorized(
  "The personal access token was revoked, disabled, or has expired. Create a new one in the account settings."
)

export class Rights extends Context.Service<Rights, {
  /**
   * The same person with current rights. Membership and credential cannot change until the transaction ends: their
   * removal waits for it. Call it inside the deciding transaction, before the workspace's lock. 401 when the credential
   * has ended, 404 when the person has left the workspace.
   */
  readonly hold: (user: UserPrincipal) => Effect.Effect<UserPrincipal, Unauthorized | NotFound>
}>()("@countersign/hub/auth/Rights") {
  static readonly layer = Layer.effect(
    Rights,
    Effect.gen(function*() {
      const repository = yield* RightsRepository

      const hold = Effect.fnUntraced(function*(user: UserPrincipal) {
        const standing = yield* repository.holdRole(user.org_id, user.user_id)
        if (user.via.kind === "pat") {
          const token = yield* repository.holdToken(user.org_id, user.via.token_id)
          if (token === undefined || standing === undefined) return yield* Effect.fail(tokenEnded)
          const allowed = rolePermissions[standing.role]
          return { ...user, ...standing, permissions: new Set(token.scopes.filter((scope) => allowed.has(scope))) }
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
  ).pipe(Layer.provide(RightsRepository.layer))
}
