/**
 * Ends increases of caps that were granted for one month. Admission stops counting an increase with the first moment of
 * the next month; this round, or a change of a cap that comes first, then writes the cap without it, for every other
 * reader. Spec: reference/budgets-and-ledger.md "Budget requests".
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, repeatRounds } from "../platform/rounds.ts"
import { BudgetsRepository } from "./repository.ts"

const roundMillis = 10_000
/** Limits that one round reads. */
const batchMax = 1_000

/**
 * Ends the increases of a workspace with their audit entries, in the caller's transaction and under the workspace's
 * lock, whose time is `at`. A change of a cap calls it first: it would overwrite an ended increase.
 */
export const increaseEnds = Effect.gen(function*() {
  const repository = yield* BudgetsRepository
  const audit = yield* AuditLog
  return Effect.fnUntraced(function*(org: OrgId, at: Date) {
    for (const { agent_id, from, operation, service, to } of yield* repository.endIncreases(org, at)) {
      yield* audit.record(org, hubActor, {
        action: "agent.increase_ended",
        subject: { type: "agent", id: agent_id },
        agent_id,
        data: {
          ...(service === null ? {} : { operation: `${service}.${operation}` }),
          monthly_cap_cents: { from, to }
        }
      })
    }
  })
})

export class BudgetIncreases extends Context.Service<BudgetIncreases, {
  /** One round over all workspaces; returns the number of workspaces with ended increases. */
  readonly end: Effect.Effect<number>
}>()("@countersign/hub/budgets/BudgetIncreases") {
  static readonly layer = Layer.effect(
    BudgetIncreases,
    Effect.gen(function*() {
      const repository = yield* BudgetsRepository
      const endOf = yield* increaseEnds
      const readiness = yield* Readiness
      const { eachLocked } = yield* backgroundTransactions

      const end = Effect.gen(function*() {
        const due = yield* repository.withEndedIncreases(batchMax)
        yield* eachLocked("ended budget increases", due, ({ org_id }, at) => endOf(org_id, at))
        return due.length
      })

      yield* repeatRounds(readiness, "budget increases", roundMillis, end)
      return BudgetIncreases.of({ end })
    })
  )
}
