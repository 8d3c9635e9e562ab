/** The demo workspace of this database, and the progress of its creation. */
import type { AgentId, OrgId, UserId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface DemoRow {
  readonly org_id: OrgId
  readonly agent_id: AgentId
  readonly finished: boolean
}

export class DemoRepository extends Context.Service<DemoRepository, {
  readonly find: Effect.Effect<Option.Option<DemoRow>>
  readonly anyWorkspace: Effect.Effect<boolean>
  readonly insert: (org: OrgId, agent: AgentId) => Effect.Effect<void>
  readonly finish: Effect.Effect<void>
  /** The hub's first person: a member of every workspace that the hub creates. */
  readonly firstPerson: Effect.Effect<Option.Option<UserId>>
  /** Marks that its agents have sent the requests of its history. */
  readonly markHistorySent: (org: OrgId) => Effect.Effect<void>
  readonly agents: (org: OrgId) => Effect.Effect<ReadonlyArray<{ readonly id: AgentId; readonly name: string }>>
}>()("@countersign/hub/demo/DemoRepository") {
  static readonly layer = Layer.effect(
    DemoRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return DemoRepository.of({
        find: sql<DemoRow>`select org_id, agent_id, finished from demo`.pipe(
          Effect.map(([row]) => Option.fromNullishOr(row)),
          Effect.orDie
        ),
        anyWorkspace: sql`select 1 from orgs limit 1`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie),
        insert: (org, agent) =>
          sql`insert into demo (org_id, agent_id) values (${org}, ${agent})`.pipe(Effect.asVoid, Effect.orDie),
        finish: sql`update demo set finished = true`.pipe(Effect.asVoid, Effect.orDie),
        firstPerson: sql<{ id: UserId }>`select id from users order by id limit 1`.pipe(
          Effect.map(([row]) => Option.fromNullishOr(row?.id)),
          Effect.orDie
        ),
        markHistorySent: (org) =>
          sql`insert into agent_sightings (agent_id, org_id, last_seen_at)
          select id, org_id, hub_time_or_last() from agents where org_id = ${org} and deleted_at is null order by id
          on conflict (agent_id) do nothing`.pipe(Effect.asVoid, Effect.orDie),
        agents: (org) =>
          Effect.orDie(sql<{ id: AgentId; name: string }>`select id, name from agents
          where org_id = ${org} and deleted_at is null order by id`)
      })
    })
  )
}
