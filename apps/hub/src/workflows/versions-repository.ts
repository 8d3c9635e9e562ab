/** Versions of workflows: rows that never change. */
import type { OrgId, UserId, WorkflowId, WorkflowVersionId } from "@countersign/domain/ids"
import type { WorkflowDefinition } from "@countersign/domain/workflow-definition"
import { versionsPageBytesMax, type WorkflowVersion } from "@countersign/domain/workflows"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { shownName } from "../platform/shown-name.ts"

export interface VersionRow {
  readonly id: WorkflowVersionId
  readonly workflow_id: WorkflowId
  readonly number: number
  /** JSON text. */
  readonly definition: string
  readonly digest: string
  readonly created_by: UserId
  readonly created_by_name: string
  readonly created_at: Date
}

export interface NewVersion {
  readonly id: string
  readonly workflow_id: string
  readonly number: number
  readonly definition: string
  readonly digest: string
  readonly created_by: string
}

export class WorkflowVersionsRepository extends Context.Service<WorkflowVersionsRepository, {
  /** Makes the row the newest version of its workflow. Call it under the workspace's lock. */
  readonly insert: (org: OrgId, version: NewVersion, at: Date) => Effect.Effect<void>
  /** Also of a deleted workflow: its runs continue. */
  readonly find: (org: OrgId, workflow: string, id: string) => Effect.Effect<Option.Option<VersionRow>>
  /** Newest first, below the number `before`; at most `limit`, and fewer when their definitions are large. */
  readonly list: (
    org: OrgId,
    workflow: string,
    page: { readonly before: number | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<VersionRow>>
}>()("@countersign/hub/workflows/WorkflowVersionsRepository") {
  static readonly layer = Layer.effect(
    WorkflowVersionsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const columns = sql`v.id, v.workflow_id, v.number, v.definition, v.digest, v.created_by,
        ${shownName(sql, "u")} as created_by_name, v.created_at`
      return WorkflowVersionsRepository.of({
        insert: (org, version, at) =>
          sql`insert into workflow_versions ${
            sql.insert({ ...version, org_id: org, bytes: Buffer.byteLength(version.definition), created_at: at })
          }`.pipe(
            Effect.andThen(
              sql`update workflows set latest_version = ${version.number}, latest_version_id = ${version.id},
              updated_at = ${at} where org_id = ${org} and id = ${version.workflow_id}`
            ),
            Effect.asVoid,
            Effect.orDie
          ),
        find: (org, workflow, id) =>
          sql<VersionRow>`select ${columns} from workflow_versions v join users u on u.id = v.created_by
          where v.org_id = ${org} and v.workflow_id = ${workflow} and v.id = ${id}`.pipe(
            Effect.map(([row]) => Option.fromNullishOr(row)),
            Effect.orDie
          ),
        list: (org, workflow, { before, limit }) =>
          sql<VersionRow>`select ${columns} from (
            select n.id, sum(n.bytes) over (order by n.number desc) - n.bytes as bytes_above from (
              select id, number, bytes from workflow_versions where org_id = ${org} and workflow_id = ${workflow}
                ${before === undefined ? sql`` : sql`and number < ${before}`}
              order by number desc limit ${limit}
            ) n
          ) p join workflow_versions v on v.id = p.id join users u on u.id = v.created_by
          where p.bytes_above <= ${versionsPageBytesMax} order by v.number desc`.pipe(Effect.orDie)
      })
    })
  )
}

export const definitionOf = (row: Pick<VersionRow, "definition">): WorkflowDefinition =>
  JSON.parse(row.definition) as WorkflowDefinition

export const toVersion = (row: VersionRow): WorkflowVersion => ({
  id: row.id,
  workflow_id: row.workflow_id,
  number: row.number,
  input_schema: {},
  ...definitionOf(row),
  digest: row.digest,
  created_by: { id: row.created_by, name: row.created_by_name },
  created_at: row.created_at.toISOString()
})
