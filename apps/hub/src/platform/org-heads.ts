/**
 * The lock of a workspace, from outside the tick. Any transaction that changes agents, bindings, services, policies,
 * limits, or money takes it first, before any other row: one order for all prevents deadlocks. Only the row of a run in
 * `run_work` comes before it (`resources/functions/runs/save_runs.sql`).
 */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const briefLockTimeout = "2s"

export class OrgHeads extends Context.Service<OrgHeads, {
  /** Holds the lock until the end of the transaction. Returns the workspace's time, which never decreases. */
  readonly lock: (org: OrgId) => Effect.Effect<Date>
  /** For the caller's transaction: fails when the lock is not free soon. Background work retries in a later round. */
  readonly waitBriefly: Effect.Effect<void>
  /** Makes earlier decisions of dispatch on the rules stale from the commit on. Call it under the lock. */
  readonly bumpRules: (org: OrgId) => Effect.Effect<void>
}>()("@countersign/hub/platform/OrgHeads") {
  static readonly layer = Layer.effect(
    OrgHeads,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return OrgHeads.of({
        lock: (org) =>
          sql<{ at: Date }>`select lock_org(${org}) as at`.pipe(
            Effect.flatMap(([row]) =>
              row === undefined ? Effect.die(`lock_org answered nothing for ${org}`) : Effect.succeed(row.at)
            ),
            Effect.orDie
          ),
        waitBriefly: sql`select set_config('lock_timeout', ${briefLockTimeout}, true)`.pipe(
          Effect.asVoid,
          Effect.orDie
        ),
        bumpRules: (org) =>
          sql`update org_heads set rules_version = rules_version + 1 where org_id = ${org}`.pipe(
            Effect.asVoid,
            Effect.orDie
          )
      })
    })
  )
}
