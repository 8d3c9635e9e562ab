/** What streams of events ask of the database: always for many at once. */
import type { Role, UserPrincipal } from "@countersign/domain/auth"
import type { EventSource } from "@countersign/domain/events"
import { sessionAbsoluteDays } from "@countersign/domain/identity"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface EntryRow extends EventSource {
  /** Of the agent it is about. */
  readonly owner_user_id: string | null
}

export interface Membership {
  readonly org_id: string
  readonly role: Role
}

export class EventsRepository extends Context.Service<EventsRepository, {
  /** The last `seq` of each of these workspaces. */
  readonly heads: (orgs: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, number>>
  /** Entries of a workspace after `seq`, oldest first. */
  readonly entries: (org: string, seq: number, limit: number) => Effect.Effect<ReadonlyArray<EntryRow>>
  readonly memberships: (users: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Membership>>>
  /** Which of these sessions and tokens still open doors. */
  readonly credentialsAlive: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
}>()("@countersign/hub/events/EventsRepository") {
  static readonly layer = Layer.effect(EventsRepository, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return EventsRepository.of({
      heads: (orgs) =>
        sql<{ org_id: string; seq: number }>`select org_id, seq from org_heads where ${sql.in("org_id", orgs)}`.pipe(
          Effect.map((rows) => new Map(rows.map((row) => [row.org_id, row.seq]))),
          Effect.orDie
        ),
      entries: (org, seq, limit) =>
        sql<EntryRow>`select e.id, e.seq, e.action, e.subject_type, e.subject_id, e.agent_id, e.cost_cents, e.data, a.owner_user_id
          from (select * from audit where org_id = ${org} and seq > ${BigInt(seq)}::int8 order by seq limit ${limit}) e
          left join agents a on a.id = e.agent_id order by e.seq`.pipe(Effect.orDie),
      memberships: (users) =>
        sql<Membership & { user_id: string }>`select user_id, org_id, role from memberships where ${sql.in("user_id", users)} order by org_id`.pipe(
          Effect.map((rows) => Map.groupBy(rows, (row) => row.user_id)),
          Effect.orDie
        ),
      credentialsAlive: (ids) =>
        sql<{ id: string }>`select id from sessions where ${sql.in("id", ids)} and created_at > now() - make_interval(days => ${sessionAbsoluteDays})
          union all select id from tokens where ${sql.in("id", ids)} and enabled and expires_at > now()`.pipe(
          Effect.map((rows) => new Set(rows.map((row) => row.id))),
          Effect.orDie
        )
    })
  }))
}

export const credentialOf = ({ via }: UserPrincipal): string => via.kind === "session" ? via.session_id : via.token_id
