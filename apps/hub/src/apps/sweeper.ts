/**
 * Renews tokens before they expire, also those of apps that nobody uses, revokes what is left to revoke, and deletes old sign-ins. Any number of hubs
 * share the work: a renewal has a lease. Spec: reference/apps.md "Renewal".
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { Readiness } from "../platform/readiness.ts"
import { repeatLongRounds, repeatRounds } from "../platform/rounds.ts"
import { AppsRepository } from "./repository.ts"
import { AppRevocations } from "./revocations.ts"
import { AppTokens } from "./tokens.ts"

const roundMillis = 15_000
const batchMax = 100
/** So that a provider that does not answer delays the others by one round. */
const ofProviderMax = 10
const statesRoundMillis = 600_000

export class AppSweeper extends Context.Service<AppSweeper, {
  /** One round of renewals; returns the number of apps that were due. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/apps/AppSweeper") {
  static readonly layer = Layer.effect(
    AppSweeper,
    Effect.gen(function*() {
      const repository = yield* AppsRepository
      const tokens = yield* AppTokens
      const revocations = yield* AppRevocations
      const readiness = yield* Readiness

      const renew = Effect.fnUntraced(function*({ id, org_id }: { readonly org_id: OrgId; readonly id: string }) {
        const row = yield* repository.tokens(org_id, id)
        if (Option.isSome(row) && row.value.renewal_due) yield* tokens.renew(org_id, id, row.value.version)
      })

      const round = Effect.gen(function*() {
        const due = yield* repository.due(batchMax, ofProviderMax)
        yield* Effect.forEach(
          due,
          (app) =>
            Effect.catchCause(
              renew(app),
              (cause) => Effect.logWarning(`the token of ${app.id} could not be renewed; the hub will retry`, cause)
            ),
          { concurrency: "unbounded", discard: true }
        )
        return due.length
      })

      yield* repeatLongRounds(readiness, "apps", roundMillis, round)
      yield* repeatLongRounds(readiness, "app revocations", roundMillis, revocations.round)
      yield* repeatRounds(readiness, "app sign-ins", statesRoundMillis, repository.dropExpiredStates)
      return AppSweeper.of({ round })
    })
  )
}
