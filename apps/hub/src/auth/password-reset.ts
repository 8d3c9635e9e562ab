/** Sets a person's password from the command line. Spec: reference/accounts.md "Passwords". */
import { type BadRequest, invalidField, type NotFound, notFound, type Unavailable } from "@countersign/domain/errors"
import { isNewPassword, passwordLengthMax, passwordLengthMin } from "@countersign/domain/identity"
import { Context, Effect, Layer } from "effect"
import { hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { ChallengesRepository } from "./challenges-repository.ts"
import { opaqueToken } from "./hash.ts"
import { Passwords } from "./passwords.ts"
import { makePersonAudit } from "./person-audit.ts"
import { SessionsRepository, UsersRepository } from "./repository.ts"

export class PasswordReset extends Context.Service<PasswordReset, {
  /** A generated password if none is given. Ends all sessions of the person; second factors stay. */
  readonly reset: (
    email: string,
    password?: string
  ) => Effect.Effect<{ readonly password: string }, NotFound | BadRequest | Unavailable>
}>()("@countersign/hub/auth/PasswordReset") {
  static readonly layer = Layer.effect(
    PasswordReset,
    Effect.gen(function*() {
      const users = yield* UsersRepository
      const sessions = yield* SessionsRepository
      const challenges = yield* ChallengesRepository
      const passwords = yield* Passwords
      const record = yield* makePersonAudit
      const db = yield* Db

      const reset = Effect.fn("PasswordReset.reset")(function*(email: string, given?: string) {
        if (given !== undefined && !isNewPassword(given)) {
          return yield* Effect.fail(
            invalidField("password", `expected ${passwordLengthMin} to ${passwordLengthMax} characters`)
          )
        }
        const user = yield* users.byEmail(email)
        if (user === undefined) return yield* Effect.fail(notFound("person"))
        const password = given ?? opaqueToken()
        const hash = yield* passwords.hash(password)
        yield* db.transaction(Effect.gen(function*() {
          yield* users.setPassword(user.id, hash)
          const ended = yield* sessions.endAll(user.id, undefined)
          yield* challenges.removeAll(user.id)
          yield* record(user.id, hubActor, { action: "user.password_reset", data: { sessions_ended: ended } })
        }))
        return { password }
      })

      return PasswordReset.of({ reset })
    })
  )
}
