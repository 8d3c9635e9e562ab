/** What the start of a run reads of its workflow. */
import type { AgentId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { WarmConnections } from "../platform/warm-connections.ts"
import { keysOf, type Placed, type Wanted } from "./wanted.ts"

export interface RunnableWorkflow {
  readonly id: string
  readonly name: string
  readonly visibility: "private" | "team" | "org"
  readonly team_id: string | null
  readonly owner_user_id: string | null
  readonly live_version_id: string | null
  readonly max_cost_cents: number | null
  /** The agents that it is granted to, by id. */
  readonly granted: ReadonlyArray<{ readonly id: AgentId; readonly name: string }>
}

export interface FiledRequest {
  readonly mode: "live" | "test"
  readonly origin: string | null
}

const columns = `w.id, w.name, w.visibility, w.team_id, w.owner_user_id, w.live_version_id, w.max_cost_cents,
  coalesce((select json_agg(json_build_object('id', a.id, 'name', a.name) order by a.id)
    from workflow_grants g join agents a on a.id = g.agent_id
    where g.workflow_id = w.id and a.org_id = w.org_id and a.deleted_at is null), '[]') as granted`

export class RunnableWorkflows extends Context.Service<RunnableWorkflows, {
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<RunnableWorkflow>>
  readonly findEach: (wanted: ReadonlyArray<Wanted>) => Effect.Effect<ReadonlyArray<RunnableWorkflow & Placed>>
  readonly hasVersion: (org: OrgId, workflow: string, version: string) => Effect.Effect<boolean>
  readonly request: (org: OrgId, id: ServiceRequestId) => Effect.Effect<Option.Option<FiledRequest>>
  readonly agentName: (org: OrgId, id: string) => Effect.Effect<Option.Option<string>>
}>()("@countersign/hub/runs/RunnableWorkflows") {
  static readonly layer = Layer.effect(
    RunnableWorkflows,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const warm = yield* WarmConnections
      return RunnableWorkflows.of({
        find: (org, id) =>
          sql<RunnableWorkflow>`select ${sql.literal(columns)}
          from workflows w where w.org_id = ${org} and w.id = ${id} and w.deleted_at is null`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row)),
            Effect.orDie
          ),
        findEach: (wanted) =>
          warm.query<RunnableWorkflow & Placed>(
            `select wanted.place::int, ${columns}
            from unnest($1, $2) with ordinality as wanted(org_id, id, place)
              cross join lateral (
                select * from workflows where id = wanted.id and org_id = wanted.org_id and deleted_at is null offset 0
              ) w`,
            keysOf(wanted)
          ).pipe(Effect.orDie),
        hasVersion: (org, workflow, version) =>
          sql`select 1 from workflow_versions
          where org_id = ${org} and workflow_id = ${workflow} and id = ${version}`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        request: (org, id) =>
          sql<FiledRequest>`select mode, origin from requests where org_id = ${org} and id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row)),
            Effect.orDie
          ),
        agentName: (org, id) =>
          sql<{ name: string }>`select name from agents where org_id = ${org} and id = ${id} and deleted_at is null`
            .pipe(
              Effect.map(([row]) => Option.fromUndefinedOr(row?.name)),
              Effect.orDie
            )
      })
    })
  )
}
