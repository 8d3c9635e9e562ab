/**
 * Where single sign-on is required, one owner must be able to sign in on the day on which the provider is down: by a
 * password and a second factor. The start fails without such an owner, and no change takes the last one away. Spec:
 * reference/sign-in.md "Single sign-on only".
 */
import { type Conflict, conflict } from "@countersign/domain/errors"
import { Context, Effect, Layer } from "effect"
import { SettingError } from "../config.ts"
import { BreakGlassRepository } from "./break-glass-repository.ts"
import { UsersRepository } from "./repository.ts"
import { SignInPolicy } from "./sign-in-policy.ts"

const setting = "HUB_OIDC_ONLY"

const lastOne = conflict(
  "last_owner",
  "Single sign-on is required, and this is the last owner who can sign in while the provider is down. Let another " +
    "owner with a password add a second factor first.",
  { required_by: setting }
)

export class BreakGlass extends Context.Service<BreakGlass, {
  /**
   * The lock of all changes of such owners, for the caller's transaction, if the person owns a workspace. Take it before
   * the rows of people and the locks of workspaces, so that two changes do not deadlock.
   */
  readonly lockFor: (user: string) => Effect.Effect<void>
  /**
   * Runs a change that may end that the person is such an owner: a role, a membership, a factor. 409 `last_owner` for the
   * last one; the caller's transaction must then end.
   */
  readonly keepOne: <A, E, R>(user: string, change: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Conflict, R>
}>()("@countersign/hub/auth/BreakGlass") {
  static readonly layer = Layer.effect(
    BreakGlass,
    Effect.gen(function*() {
      const repository = yield* BreakGlassRepository
      const users = yield* UsersRepository
      const { ssoOnly } = yield* SignInPolicy

      const keepOne = Effect.fnUntraced(function*<A, E, R>(user: string, change: Effect.Effect<A, E, R>) {
        yield* repository.lock
        const isOne = yield* repository.includes(user)
        const result = yield* change
        if (isOne && !(yield* repository.any)) return yield* Effect.fail(lastOne)
        return result
      })

      return BreakGlass.of({
        lockFor: (user) =>
          ssoOnly
            ? Effect.flatMap(users.isOwner(user), (isOwner) => isOwner ? repository.lock : Effect.void)
            : Effect.void,
        keepOne: (user, change) => ssoOnly ? keepOne(user, change) : change
      })
    })
  )
}

/** Stops a start that would lock everybody out. */
export const ensureBreakGlass = Effect.gen(function*() {
  const { ssoOnly } = yield* SignInPolicy
  if (!ssoOnly || (yield* Effect.flatMap(BreakGlassRepository, ({ any }) => any))) return
  return yield* Effect.fail(
    new SettingError(
      setting,
      "needs one owner with a password and a second factor, for the day on which the provider is down: start without it, and add one under Settings, Security"
    )
  )
})
