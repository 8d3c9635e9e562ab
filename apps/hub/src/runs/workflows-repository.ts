/** What the start of a run reads of its workflow. */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"

export interface RunnableWorkflow {
  readonly id: string
  readonly name: string
  readonly visibility: "private" | "team" | "org"
  readonly team_id: string | null
  readonly owner_user_id: string | null
  readonly live_version_id: string | null
  readonly max_cost_cents: number | null
}

export interface FiledRequest {
  readonly mode: "live" | "test"
  readonly origin: string | null
}

export class RunnableWorkflows extends Context.Service<RunnableWorkflows, {
  readonly find: (org: string, id: string) => Effect.Effect<Option.Option<RunnableWorkflow>>
  /** Also a deleted one: its runs stay. */
  readonly findAny: (org: string, id: string) => Effect.Effect<Option.Option<RunnableWorkflow>>
  readonly hasVersion: (org: string, workflow: string, version: string) => Effect.Effect<boolean>
  /** The agents that it is granted to. */
  readonly granted: (
    org: string,
    workflow: string
  ) => Effect.Effect<ReadonlyArray<{ readonly id: string; readonly name: string }>>
  readonly request: (org: string, id: string) => Effect.Effect<Option.Option<FiledRequest>>
  readonly agentName: (org: string, id: string) => Effect.Effect<Option.Option<string>>
}>()("@countersign/hub/runs/RunnableWorkflows") {
  static readonly layer = Layer.effect(
    RunnableWorkflows,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return RunnableWorkflows.of({
        find: (org, id) =>
          sql<RunnableWorkflow>`select id, name, visibility, team_id, owner_user_id, live_version_id, max_cost_cents
          from workflows where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row)),
            Effect.orDie
          ),
        findAny: (org, id) =>
          sql<RunnableWorkflow>`select id, name, visibility, team_id, owner_user_id, live_version_id, max_cost_cents
          from workflows where org_id = ${org} and id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromUndefinedOr(row)),
            Effect.orDie
          ),
        hasVersion: (org, workflow, version) =>
          sql`select 1 from workflow_versions
          where org_id = ${org} and workflow_id = ${workflow} and id = ${version}`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        granted: (org, workflow) =>
          sql<
            { id: string; name: string }
          >`select a.id, a.name from workflow_grants g join agents a on a.id = g.agent_id
          where a.org_id = ${org} and g.workflow_id = ${workflow} and a.deleted_at is null order by a.id`.pipe(
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
