/**
 * Ends children whose time to live is over, their descendants first, and corrects commitments that were above a cap.
 * Several hubs may run it at once: each acts under the workspace's lock on the current rows.
 */
import { Context, Effect, Layer } from "effect"
import { Agents } from "../agents/service.ts"
import { hubActor } from "../platform/audit-log.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, eachWorkspace, repeatRounds } from "../platform/rounds.ts"
import { dueFamilies, FamiliesRepository } from "./repository.ts"

const roundMillis = 2_000
const batchMax = 100

export class FamilySweeper extends Context.Service<FamilySweeper, {
  /** Ends agents that are due; returns how many were. */
  readonly ending: Effect.Effect<number>
  /** Returns the number of workspaces with such commitments. */
  readonly corrections: Effect.Effect<number>
}>()("@countersign/hub/families/FamilySweeper") {
  static readonly layer = Layer.effect(
    FamilySweeper,
    Effect.gen(function*() {
      const families = yield* FamiliesRepository
      const agents = yield* Agents
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const { eachLocked, locked } = yield* backgroundTransactions

      /** A transaction for each agent, so that the lock is held briefly; a crash in between leaves the rest due. */
      const ending = Effect.gen(function*() {
        const due = yield* families.ending(batchMax)
        yield* eachWorkspace(
          "agents whose time is over",
          due,
          Effect.fnUntraced(function*({ id, org_id: org }) {
            const next = locked(org, () =>
              Effect.gen(function*() {
                const member = yield* families.lastOf(org, id)
                if (member !== undefined) yield* agents.end(org, member, hubActor, "time_to_live")
                return member !== undefined && member !== id
              }))
            for (let count = 0; count < batchMax && (yield* next); count++);
          })
        )
        return due.length
      })

      const corrections = Effect.gen(function*() {
        const orgs = yield* families.overCommitted(batchMax)
        yield* eachLocked("commitments above a cap", orgs, ({ org_id: org }, at) => families.correct(org, at, batchMax))
        return orgs.length
      })

      yield* repeatRounds(
        readiness,
        "families",
        roundMillis,
        Effect.all([ending, corrections], { discard: true }),
        dueWork.wait(...dueFamilies)
      )
      return FamilySweeper.of({ ending, corrections })
    })
  )
}
