/** Workflows and their grants. */
import type {
  AgentId,
  OrgId,
  PublishRequestId,
  TeamId,
  UserId,
  WorkflowId,
  WorkflowVersionId
} from "@countersign/domain/ids"
import type { WorkflowDefinition } from "@countersign/domain/workflow-definition"
import type { WorkflowStatus, WorkflowVisibility } from "@countersign/domain/workflows"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { likePattern, textArray } from "../platform/db.ts"
import { type KeyColumn, keysetOf, type Place, type Sorted } from "../platform/keyset.ts"
import type { WorkflowReader } from "./rules.ts"
import { isSeenWorkflow } from "./seen-workflows-repository.ts"

/** The type of the values that a sort orders by. */
export const workflowSortTypes = { created_at: "time", updated_at: "time", name: "text" } as const

export interface WorkflowRow {
  readonly id: WorkflowId
  readonly name: string
  readonly description: string
  readonly visibility: WorkflowVisibility
  readonly team_id: TeamId | null
  readonly owner_user_id: UserId | null
  readonly max_cost_cents: number | null
  readonly latest_version: number
  readonly latest_version_id: WorkflowVersionId | null
  readonly live_version_id: WorkflowVersionId | null
  readonly live_version: number | null
  readonly pending_request_id: PublishRequestId | null
  readonly pending_version_id: WorkflowVersionId | null
  readonly version: number
  readonly created_at: Date
  readonly updated_at: Date
}

export interface NewWorkflow {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly visibility: WorkflowVisibility
  readonly team_id: string | null
  readonly owner_user_id: string
  readonly max_cost_cents: number | null
}

/** Columns that a person changes; absent ones keep their values. */
export interface WorkflowChange {
  readonly name?: string
  readonly description?: string
  readonly max_cost_cents?: bigint | null
  readonly visibility?: WorkflowVisibility
  readonly team_id?: string | null
  readonly owner_user_id?: string | null
}

export interface WorkflowFilter {
  readonly reader: WorkflowReader | undefined
  /** Matches the name or the description, or equals the id. */
  readonly text?: string | undefined
  readonly status?: WorkflowStatus | undefined
  readonly visibility?: WorkflowVisibility | undefined
  readonly team?: string | undefined
  /** Granted to this agent. */
  readonly agent?: AgentId | undefined
}

export interface GrantRow {
  readonly workflow_id: WorkflowId
  readonly agent_id: AgentId
  readonly agent_name: string
  readonly owner_user_id: string | null
  readonly team_id: string | null
  readonly created_at: Date
}

/** A workflow that an agent can run. */
export interface GrantedWorkflow {
  readonly id: WorkflowId
  readonly name: string
  readonly description: string
  readonly live_version_id: WorkflowVersionId
  /** Of the live version. */
  readonly definition: WorkflowDefinition
}

export class WorkflowsRepository extends Context.Service<WorkflowsRepository, {
  /** None when it does not exist, is deleted, or belongs to another workspace. */
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<WorkflowRow>>
  /** In the order of `sort`; returns one more than `limit` when there are more. */
  readonly list: (
    org: OrgId,
    filter: WorkflowFilter & { readonly sort: string; readonly after: Place | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<WorkflowRow & Sorted>>
  readonly count: (org: OrgId) => Effect.Effect<number>
  readonly insert: (org: OrgId, workflow: NewWorkflow, at: Date) => Effect.Effect<void>
  /** Raises the version of the workflow. */
  readonly update: (org: OrgId, id: string, change: WorkflowChange, at: Date) => Effect.Effect<void>
  readonly setLive: (org: OrgId, id: string, version: string | null, at: Date) => Effect.Effect<void>
  readonly remove: (org: OrgId, id: string, at: Date) => Effect.Effect<void>
  /** Workflows of a person, by id. */
  readonly ownedBy: (org: OrgId, user: string) => Effect.Effect<ReadonlyArray<WorkflowId>>
  /** Grants of these workflows to existing agents, by name. */
  readonly grants: (org: OrgId, workflows: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<GrantRow>>
  /** False when the agent already has the grant. */
  readonly grant: (
    org: OrgId,
    grant: { readonly workflow: string; readonly agent: AgentId; readonly by: string; readonly at: Date }
  ) => Effect.Effect<boolean>
  /** False without such a grant. */
  readonly revoke: (org: OrgId, workflow: string, agent: AgentId) => Effect.Effect<boolean>
  /** Workflows with a live version that are granted to an agent, by id. */
  readonly grantedTo: (org: OrgId, agent: AgentId) => Effect.Effect<ReadonlyArray<GrantedWorkflow>>
  /** Those of the ids that name a workflow of the workspace. */
  readonly existing: (org: OrgId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
  /** Those of the ids that name an agent of the workspace. */
  readonly existingAgents: (org: OrgId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlySet<string>>
}>()("@countersign/hub/workflows/WorkflowsRepository") {
  static readonly layer = Layer.effect(
    WorkflowsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const sortColumns: Readonly<Record<keyof typeof workflowSortTypes, KeyColumn>> = {
        created_at: { type: "time", column: sql`w.created_at` },
        updated_at: { type: "time", column: sql`w.updated_at` },
        name: { type: "text", column: sql`(lower(w.name) collate "C")` }
      }
      const columns = sql`w.id, w.name, w.description, w.visibility, w.team_id, w.owner_user_id, w.max_cost_cents,
        w.latest_version, w.latest_version_id, w.live_version_id, v.number as live_version, q.id as pending_request_id,
        q.version_id as pending_version_id, w.version, w.created_at, w.updated_at`
      const tables = sql`workflows w
        left join workflow_versions v on v.org_id = w.org_id and v.id = w.live_version_id
        left join publish_requests q on q.org_id = w.org_id and q.subject_id = w.id and q.subject_type = 'workflow'
          and q.status = 'pending'`
      const statuses = {
        pending_review: sql`q.id is not null`,
        published: sql`(q.id is null and w.live_version_id is not null)`,
        draft: sql`(q.id is null and w.live_version_id is null)`
      }
      const idsIn = (table: Statement.Fragment, org: OrgId, ids: ReadonlyArray<string>) =>
        sql<{ id: string }>`select id from ${table}
        where org_id = ${org} and id = any(${textArray(ids)}) and deleted_at is null`.pipe(
          Effect.map((rows): ReadonlySet<string> => new Set(rows.map(({ id }) => id))),
          Effect.orDie
        )
      return WorkflowsRepository.of({
        find: (org, id) =>
          sql<WorkflowRow>`select ${columns} from ${tables}
          where w.org_id = ${org} and w.id = ${id} and w.deleted_at is null`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, { after, agent, limit, reader, sort, status, team, text, visibility }) => {
          const field = sort.replace("-", "") as keyof typeof workflowSortTypes
          const order = keysetOf(sql, sort, sortColumns[field], sql`w.id`)
          const like = likePattern(text ?? "")
          const conditions = sql.and([
            sql`w.org_id = ${org} and w.deleted_at is null`,
            ...(reader === undefined ? [] : [isSeenWorkflow(sql, reader)]),
            ...(text === undefined || text === ""
              ? []
              : [sql`(w.name ilike ${like} or w.description ilike ${like} or w.id = ${text})`]),
            ...(status === undefined ? [] : [statuses[status]]),
            ...(visibility === undefined ? [] : [sql`w.visibility = ${visibility}`]),
            ...(team === undefined ? [] : [sql`w.team_id = ${team}`]),
            ...(agent === undefined ? [] : [
              sql`exists (select 1 from workflow_grants g
                where g.org_id = w.org_id and g.workflow_id = w.id and g.agent_id = ${agent})`
            ]),
            ...(after === undefined ? [] : [order.after(after)])
          ])
          return sql<WorkflowRow & Sorted>`select ${columns}, ${order.key} as sort_key from ${tables}
          where ${conditions} ${order.order} limit ${limit + 1}`.pipe(Effect.orDie)
        },
        count: (org) =>
          sql<{ count: number }>`select count(*) as count from workflows where org_id = ${org} and deleted_at is null`
            .pipe(Effect.map(([row]) => row?.count ?? 0), Effect.orDie),
        insert: (org, { max_cost_cents: cap, ...workflow }, at) =>
          sql`insert into workflows ${
            sql.insert({
              ...workflow,
              org_id: org,
              max_cost_cents: cap === null ? null : BigInt(cap),
              created_at: at,
              updated_at: at
            })
          }`.pipe(Effect.asVoid, Effect.orDie),
        update: (org, id, change, at) =>
          sql`update workflows set ${sql.update({ ...change, updated_at: at })}, version = version + 1
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        setLive: (org, id, version, at) =>
          sql`update workflows set live_version_id = ${version}, updated_at = ${at}
          where org_id = ${org} and id = ${id}`.pipe(Effect.asVoid, Effect.orDie),
        remove: (org, id, at) =>
          sql`with revoked as (delete from workflow_grants where org_id = ${org} and workflow_id = ${id} returning agent_id)
          update agents set version = version + 1 where id in (select agent_id from revoked)`.pipe(
            Effect.andThen(
              sql`update workflows set deleted_at = ${at}, live_version_id = null where org_id = ${org} and id = ${id}`
            ),
            Effect.asVoid,
            Effect.orDie
          ),
        ownedBy: (org, user) =>
          sql<{ id: WorkflowId }>`select id from workflows
          where org_id = ${org} and owner_user_id = ${user} and deleted_at is null order by id`.pipe(
            Effect.map((rows) => rows.map(({ id }) => id)),
            Effect.orDie
          ),
        grants: (org, workflows) =>
          workflows.length === 0
            ? Effect.succeed([])
            : sql<
              GrantRow
            >`select g.workflow_id, g.agent_id, a.name as agent_name, a.owner_user_id, a.team_id, g.created_at
            from workflow_grants g join agents a on a.id = g.agent_id
            where g.org_id = ${org} and g.workflow_id = any(${textArray(workflows)}) and a.deleted_at is null
            order by lower(a.name), a.id`.pipe(Effect.orDie),
        grant: (org, { agent, at, by, workflow }) =>
          // Decisions of dispatch depend on grants: the agent gets a new version.
          sql`with granted as (insert into workflow_grants (workflow_id, agent_id, org_id, granted_by, created_at)
            values (${workflow}, ${agent}, ${org}, ${by}, ${at}) on conflict do nothing returning agent_id)
          update agents set version = version + 1 where id in (select agent_id from granted) returning 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        revoke: (org, workflow, agent) =>
          sql`with revoked as (delete from workflow_grants
            where org_id = ${org} and workflow_id = ${workflow} and agent_id = ${agent} returning agent_id)
          update agents set version = version + 1 where id in (select agent_id from revoked) returning 1`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        grantedTo: (org, agent) =>
          sql<
            Omit<GrantedWorkflow, "definition"> & { definition: string }
          >`select w.id, w.name, w.description, w.live_version_id, v.definition
          from workflow_grants g join workflows w on w.id = g.workflow_id join workflow_versions v on v.id = w.live_version_id
          where g.org_id = ${org} and g.agent_id = ${agent} and w.deleted_at is null order by w.id`.pipe(
            Effect.map((rows) =>
              rows.map((row) => ({ ...row, definition: JSON.parse(row.definition) as WorkflowDefinition }))
            ),
            Effect.orDie
          ),
        existing: (org, ids) => idsIn(sql`workflows`, org, ids),
        existingAgents: (org, ids) => idsIn(sql`agents`, org, ids)
      })
    })
  )
}
