/** SQL of the event streams: always for many at once. */
import type { EventSource } from "@countersign/domain/events"
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { type LiveCredentials, makeLivenessRepository, type Membership } from "../auth/liveness-repository.ts"

export interface EntryRow extends EventSource {
  readonly created_at: Date
  /** Of the entry's agent; of an approval of a device command, the owner of the device. */
  readonly owner_user_id: string | null
  /** Of the entry's agent; null for an approval of a device command. */
  readonly team_id: string | null
}

export class EventsRepository extends Context.Service<EventsRepository, {
  /** The last `seq` of each of these workspaces. */
  readonly heads: (orgs: ReadonlyArray<OrgId>) => Effect.Effect<ReadonlyMap<OrgId, number>>
  /** Entries of a workspace after `seq`, oldest first. `data` is read for two actions only, and of it only the id. */
  readonly entries: (org: OrgId, seq: number, limit: number) => Effect.Effect<ReadonlyArray<EntryRow>>
  readonly memberships: (users: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Membership>>>
  /** Sessions and tokens of these ids that are still valid. */
  readonly credentialsAlive: (ids: ReadonlyArray<string>) => Effect.Effect<LiveCredentials>
}>()("@countersign/hub/audit/EventsRepository") {
  static readonly layer = Layer.effect(
    EventsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const liveness = yield* makeLivenessRepository
      return EventsRepository.of({
        heads: (orgs) =>
          sql<{ org_id: OrgId; seq: number }>`select org_id, seq from org_heads where ${sql.in("org_id", orgs)}`.pipe(
            Effect.map((rows) => new Map(rows.map((row) => [row.org_id, row.seq]))),
            Effect.orDie
          ),
        entries: (org, seq, limit) =>
          sql<
            EntryRow
          >`select e.id, e.seq, e.action, e.subject_type, e.subject_id, e.agent_id, e.cost_cents, e.created_at,
            coalesce(d.owner_user_id, a.owner_user_id) as owner_user_id,
            case when d.id is null then a.team_id end as team_id,
            case e.action when 'service_request.approval_required' then e.data::json ->> 'approval_id' end as approval_id,
            case e.action when 'approval.approved' then e.data::json ->> 'service_request_id' end as service_request_id
          from (select * from audit where org_id = ${org} and seq > ${BigInt(seq)}::int8 order by seq limit ${limit}) e
          left join agents a on a.id = e.agent_id
          left join lateral (select d.id, d.owner_user_id from approvals p join devices d on d.id = p.device_id
            where e.subject_type = 'approval' and p.org_id = ${org} and p.id = e.subject_id limit 1) d on true
          order by e.seq`.pipe(Effect.orDie),
        memberships: liveness.memberships,
        credentialsAlive: liveness.credentialsAlive
      })
    })
  )
}
