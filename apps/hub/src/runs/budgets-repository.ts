/** What delegated tasks have committed on the budgets of runs. Call all of it under the workspace's lock. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { int8Array } from "../platform/db.ts"

export class BudgetsRepository extends Context.Service<BudgetsRepository, {
  /** Commits a task's whole budget on all of these limits; false when one has no room. */
  readonly commit: (
    org: OrgId,
    task: string,
    limits: ReadonlyArray<number>,
    cents: number
  ) => Effect.Effect<boolean>
  /** Once: turns the commitment into what the task spent. */
  readonly release: (org: OrgId, task: string, spentCents: number) => Effect.Effect<void>
  /** The rest of a budget. */
  readonly left: (org: OrgId, limit: number) => Effect.Effect<number>
}>()("@countersign/hub/runs/BudgetsRepository") {
  static readonly layer = Layer.effect(
    BudgetsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return BudgetsRepository.of({
        commit: Effect.fnUntraced(function*(org, task, limits, cents) {
          if (limits.length === 0) return true
          const [room] = yield* sql<{ n: number }>`select count(*)::int as n from limits
          where org_id = ${org} and id = any(${int8Array([...limits])})
            and (cap is null or used + held + committed + ${BigInt(cents)}::bigint <= cap)`
          if (room?.n !== limits.length) return false
          yield* sql`insert into run_commitments (task_id, org_id, limits, cents)
          values (${task}, ${org}, ${int8Array([...limits])}, ${BigInt(cents)}::bigint)`
          yield* sql`update limits set committed = committed + ${BigInt(cents)}::bigint
          where org_id = ${org} and id = any(${int8Array([...limits])})`
          return true
        }, Effect.orDie),
        release: (org, task, spentCents) =>
          sql`with released as (delete from run_commitments where org_id = ${org} and task_id = ${task}
            returning limits, cents)
          update limits x set committed = x.committed - released.cents, used = x.used + ${BigInt(spentCents)}::bigint
          from released where x.org_id = ${org} and x.id = any(released.limits)`.pipe(Effect.asVoid, Effect.orDie),
        left: (org, limit) =>
          sql<{ cents: number }>`select greatest(0, cap - used - held - committed) as cents from limits
          where org_id = ${org} and id = ${BigInt(limit)}::bigint`.pipe(
            Effect.map(([row]) => row?.cents ?? 0),
            Effect.orDie
          )
      })
    })
  )
}
