/**
 * The lock of a workspace, from outside the tick. Whoever changes agents, bindings, services, policies, limits or money takes it
 * first, before any other row: one order for all, so no two of them can wait for each other.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

const briefLockTimeout = "2s"

export class OrgHeads extends Context.Service<OrgHeads, {
  /** Held to the end of the transaction. Answers the workspace's time, which never steps back. */
  readonly lock: (org: string) => Effect.Effect<Date>
  /** For the caller's transaction: a lock that is not free soon is an error. Background work tries again in a later round. */
  readonly waitBriefly: Effect.Effect<void>
  /** What dispatch decided on the rules before is stale from the commit on. Call it under the lock. */
  readonly bumpRules: (org: string) => Effect.Effect<void>
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
