/** Removes all second factors of a person who lost them, from the command line. Spec: reference/sign-in.md "Lost factors". */
import { type Conflict, type NotFound, notFound } from "@countersign/domain/errors"
import { Context, Effect, Layer } from "effect"
import { BreakGlass } from "../auth/break-glass.ts"
import { ChallengesRepository } from "../auth/challenges-repository.ts"
import { makePersonAudit } from "../auth/person-audit.ts"
import { SessionsRepository, UsersRepository } from "../auth/repository.ts"
import { hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { FactorsRepository } from "./repository.ts"

export class FactorRemoval extends Context.Service<FactorRemoval, {
  /** Ends all sessions of the person too. Returns the number of removed factors. 409 `last_owner`: see `BreakGlass`. */
  readonly removeAll: (email: string) => Effect.Effect<number, NotFound | Conflict>
}>()("@countersign/hub/factors/FactorRemoval") {
  static readonly layer = Layer.effect(
    FactorRemoval,
    Effect.gen(function*() {
      const factors = yield* FactorsRepository
      const breakGlass = yield* BreakGlass
      const users = yield* UsersRepository
      const sessions = yield* SessionsRepository
      const challenges = yield* ChallengesRepository
      const record = yield* makePersonAudit
      const db = yield* Db

      return FactorRemoval.of({
        removeAll: Effect.fn("FactorRemoval.removeAll")(function*(email) {
          const user = yield* users.byEmail(email)
          if (user === undefined) return yield* Effect.fail(notFound("person"))
          yield* breakGlass.lockFor(user.id)
          yield* factors.lock(user.id)
          const removed = yield* breakGlass.keepOne(user.id, factors.removeAll(user.id))
          yield* challenges.removeAll(user.id)
          const ended = yield* sessions.endAll(user.id, undefined)
          yield* record(user.id, hubActor, {
            action: "user.factors_reset",
            data: { factors: removed, sessions_ended: ended }
          })
          return removed
        }, db.transaction)
      })
    })
  )
}
