/** The limits and reports around each check of a person's password. Spec: reference/accounts.md "Sign-in". */
import type { ApiError } from "@countersign/domain/errors"
import { Effect } from "effect"
import { LoginLimits, type SignInSource } from "./login-limits.ts"
import { SignInReports } from "./sign-in-reports.ts"

/** Limits the attempts for an account and an address; a wrong password (401) is counted and reported. */
export const limitedPassword = Effect.gen(function*() {
  const limits = yield* LoginLimits
  const reports = yield* SignInReports
  return Effect.fnUntraced(function*<A>(
    email: string,
    caller: SignInSource,
    attempt: Effect.Effect<A, ApiError>
  ) {
    const attempts = yield* limits.signIn(email, caller)
    return yield* Effect.tapError(attempt, ({ error }) =>
      error.code === "unauthorized"
        ? Effect.andThen(reports.counted("password", "failed"), reports.failed(email, caller, attempts))
        : Effect.void)
  })
})
