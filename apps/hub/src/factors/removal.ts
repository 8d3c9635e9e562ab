/** Removes all second factors of a person who lost them, from the command line. Spec: reference/sign-in.md "Lost factors". */
import { type NotFound, notFound } from "@countersign/domain/errors"
import { Context, Effect, Layer } from "effect"
import { ChallengesRepository } from "../auth/challenges-repository.ts"
import { makePersonAudit } from "../auth/person-audit.ts"
import { SessionsRepository, UsersRepository } from "../auth/repository.ts"
import { hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { FactorsRepository } from "./repository.ts"

export class FactorRemoval extends Context.Service<FactorRemoval, {
  /** Ends all sessions of the person too. Returns the number of removed factors. */
  readonly removeAll: (email: string) => Effect.Effect<number, NotFound>
}>()("@countersign/hub/factors/FactorRemoval") {
  static readonly layer = Layer.effect(
    FactorRemoval,
    Effect.gen(function*() {
      const factors = yield* FactorsRepository
      const users = yield* UsersRepository
      const sessions = yield* SessionsRepository
      const challenges = yield* ChallengesRepository
      const record = yield* makePersonAudit
      const db = yield* Db

      return FactorRemoval.of({
        removeAll: Effect.fn("FactorRemoval.removeAll")(function*(email) {
          const user = yield* users.byEmail(email)
          if (user === undefined) return yield* Effect.fail(notFound("person"))
          yield* factors.lock(user.id)
          const removed = yield* factors.removeAll(user.id)
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
