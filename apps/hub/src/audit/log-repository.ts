/** The one place where an entry outside of the tick is appended to a workspace's chain. */
import { newId } from "@countersign/domain/ids"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Actor, Entry } from "./service.ts"

export const makeLogRepository = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** In the caller's transaction, which holds the workspace's lock from here on; `committed` runs after it. */
  append: (org: string, actor: Actor, entry: Entry, committed: Effect.Effect<void>): Effect.Effect<void> =>
    sql`select append_audit(${org}, ${entry.id ?? newId("aud")}, ${entry.action}, ${actor.type}, ${actor.id}, ${actor.name},
      ${entry.subject?.type ?? null}, ${entry.subject?.id ?? null}, ${entry.agent_id ?? null}, ${entry.outcome ?? null},
      ${entry.reason_code ?? null}, ${entry.cost_cents === undefined ? null : BigInt(entry.cost_cents)}::bigint,
      ${actor.ip ?? null}, ${JSON.stringify(entry.data ?? {})})`.pipe(Effect.andThen(sql.afterCommit(committed)), Effect.orDie),
  seqOf: (org: string): Effect.Effect<number> =>
    sql<{ seq: number }>`select seq from org_heads where org_id = ${org}`.pipe(
      Effect.map(([head]) => head?.seq ?? 0),
      Effect.orDie
    )
}))
