/** The owner who can sign in while the provider is down. Spec: reference/sign-in.md "Single sign-on only". */
import { Effect, Option } from "effect"
import { withoutPassword } from "../auth/repository.ts"
import { SettingError, Settings } from "../config.ts"
import { OidcRepository } from "./repository.ts"

/** Stops a start that would lock everybody out. */
export const ensureBreakGlass = Effect.gen(function*() {
  const { oidc } = yield* Settings
  if (!Option.exists(oidc, ({ only }) => only)) return
  const repository = yield* OidcRepository
  if (yield* repository.hasBreakGlass(withoutPassword)) return
  return yield* Effect.fail(
    new SettingError(
      "HUB_OIDC_ONLY",
      "needs one owner with a password and a second factor, for the day on which the provider is down: start without it, and add one under Settings, Security"
    )
  )
})
