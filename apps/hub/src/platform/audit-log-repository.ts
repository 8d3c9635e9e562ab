/** The only place that appends an entry outside the tick to a workspace's chain. */
import { newId } from "@countersign/domain/ids"
import type { LastChange } from "@countersign/domain/versions"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { entryDataText } from "./audit-entry-data.ts"
import type { Actor, ChangeFilter, Entry } from "./audit-log.ts"

interface ChangeRow {
  readonly actor_type: string
  readonly actor_id: string
  readonly actor_name: string
  readonly created_at: Date
}

export const makeLogRepository = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Runs in the caller's transaction, which holds the workspace's lock from here on; `committed` runs after it. */
  append: (org: string, actor: Actor, entry: Entry, committed: Effect.Effect<void>): Effect.Effect<void> =>
    sql`select append_audit(${org}, ${
      entry.id ?? newId("aud")
    }, ${entry.action}, ${actor.type}, ${actor.id}, ${actor.name},
      ${entry.subject?.type ?? null}, ${entry.subject?.id ?? null}, ${entry.agent_id ?? null}, ${entry.outcome ?? null},
      ${entry.reason_code ?? null}, ${entry.cost_cents === undefined ? null : BigInt(entry.cost_cents)}::bigint,
      ${actor.ip ?? null}, ${entryDataText(entry.data)})`.pipe(
      Effect.andThen(sql.afterCommit(committed)),
      Effect.orDie
    ),
  /** Reads by subject, newest first: an object has as many entries as edits. */
  lastChange: (org: string, { actions, service, subject }: ChangeFilter): Effect.Effect<LastChange | undefined> =>
    sql<ChangeRow>`select actor_type, actor_id, actor_name, created_at from audit
      where org_id = ${org} and subject_id = ${subject} and action = any(${[...actions]}::text[])
        and (${service ?? null}::text is null or data::json->>'service' = ${service ?? null})
      order by seq desc limit 1`.pipe(
      Effect.map(([row]) =>
        row === undefined ? undefined : {
          actor: { type: row.actor_type, id: row.actor_id, name: row.actor_name },
          at: row.created_at.toISOString()
        }
      ),
      Effect.orDie
    ),
  seqOf: (org: string): Effect.Effect<number> =>
    sql<{ seq: number }>`select seq from org_heads where org_id = ${org}`.pipe(
      Effect.map(([head]) => head?.seq ?? 0),
      Effect.orDie
    )
}))
