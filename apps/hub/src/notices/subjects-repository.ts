/** The columns of agents, runs, and apps that notices show. */
import type { OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface NoticedAgent {
  readonly name: string
  readonly owner_user_id: string | null
  readonly team_id: string | null
}

export interface NoticedRun {
  readonly status: string
  readonly parent_run_id: string | null
  readonly mode: string
  readonly source_id: string
  readonly workflow_name: string
  readonly workflow_owner: string | null
}

export interface NoticedApp {
  readonly status: string
  readonly name: string
  readonly provider: string
  readonly user_id: string
  readonly visibility: string
}

export class SubjectsRepository extends Context.Service<SubjectsRepository, {
  readonly agent: (org: OrgId, id: string) => Effect.Effect<NoticedAgent | undefined>
  readonly run: (org: OrgId, id: string) => Effect.Effect<NoticedRun | undefined>
  readonly app: (org: OrgId, id: string) => Effect.Effect<NoticedApp | undefined>
}>()("@countersign/hub/notices/SubjectsRepository") {
  static readonly layer = Layer.effect(
    SubjectsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return SubjectsRepository.of({
        agent: (org, id) =>
          sql<NoticedAgent>`select name, owner_user_id, team_id from agents
          where org_id = ${org} and id = ${id} and deleted_at is null`.pipe(Effect.map(([row]) => row), Effect.orDie),
        run: (org, id) =>
          sql<NoticedRun>`select r.status, r.parent_run_id, r.mode, r.source_id, w.name as workflow_name,
            w.owner_user_id as workflow_owner
          from runs r join workflows w on w.org_id = r.org_id and w.id = r.workflow_id
          where r.org_id = ${org} and r.id = ${id}`.pipe(Effect.map(([row]) => row), Effect.orDie),
        app: (org, id) =>
          sql<NoticedApp>`select status, name, provider, user_id, visibility from apps
          where org_id = ${org} and id = ${id}`.pipe(Effect.map(([row]) => row), Effect.orDie)
      })
    })
  )
}
