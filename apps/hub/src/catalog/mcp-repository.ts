/** MCP services: their tools, and when their server's list is read next. */
import type { OrgId } from "@countersign/domain/ids"
import type { McpToolState } from "@countersign/domain/mcp-services"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { textArray } from "../platform/db.ts"
import type { ToolForm, ToolRow } from "./mcp-tools.ts"

/** Between two reads of a server's list. */
export const refreshSeconds = 3_600

export interface McpServerRow {
  readonly refreshed_at: Date
  readonly error: string | null
}

interface StoredTool {
  readonly tool: string
  readonly operation: string
  readonly state: McpToolState
  readonly pinned: string | null
  readonly digest: string | null
  readonly pending: string | null
  readonly pending_digest: string | null
  readonly refused_digest: string | null
  readonly problem: string | null
}

const formIn = (text: string | null): ToolForm | null => text === null ? null : JSON.parse(text) as ToolForm
const textOf = (form: ToolForm | null): string | null => form === null ? null : JSON.stringify(form)

const toRow = (row: StoredTool): ToolRow => ({ ...row, pinned: formIn(row.pinned), pending: formIn(row.pending) })

export class McpRepository extends Context.Service<McpRepository, {
  /** None for a service of another kind. */
  readonly server: (org: OrgId, service: string) => Effect.Effect<Option.Option<McpServerRow>>
  readonly insertServer: (org: OrgId, service: string) => Effect.Effect<void>
  /** After a read of the list: its time, or the problem. */
  readonly refreshed: (org: OrgId, service: string, error: string | null) => Effect.Effect<void>
  /** Reads the list again soon: its address or credential changed. */
  readonly refreshSoon: (org: OrgId, service: string) => Effect.Effect<void>
  /** Due services of all workspaces; each is taken by one hub and due again after `refreshSeconds`. */
  readonly takeDue: (
    limit: number
  ) => Effect.Effect<ReadonlyArray<{ readonly org_id: OrgId; readonly service: string }>>
  /** In order of the tool's name. */
  readonly tools: (org: OrgId, service: string) => Effect.Effect<ReadonlyArray<ToolRow>>
  /** Writes these rows and deletes all others. */
  readonly putTools: (org: OrgId, service: string, rows: ReadonlyArray<ToolRow>) => Effect.Effect<void>
}>()("@countersign/hub/catalog/McpRepository") {
  static readonly layer = Layer.effect(
    McpRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      return McpRepository.of({
        server: (org, service) =>
          sql<McpServerRow>`select refreshed_at, error from mcp_servers where org_id = ${org} and service = ${service}`
            .pipe(
              Effect.map(([row]) => Option.fromNullishOr(row)),
              Effect.orDie
            ),
        insertServer: (org, service) =>
          sql`insert into mcp_servers (org_id, service, due_at)
          values (${org}, ${service}, clock_timestamp() + ${refreshSeconds} * interval '1 second')`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        refreshed: (org, service, error) =>
          sql`update mcp_servers set error = ${error},
            refreshed_at = case when ${error}::text is null then clock_timestamp() else refreshed_at end,
            due_at = clock_timestamp() + ${refreshSeconds} * interval '1 second'
          where org_id = ${org} and service = ${service}`.pipe(Effect.asVoid, Effect.orDie),
        refreshSoon: (org, service) =>
          sql`update mcp_servers set due_at = clock_timestamp() where org_id = ${org} and service = ${service}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        takeDue: (limit) =>
          sql<{ org_id: OrgId; service: string }>`update mcp_servers m
          set due_at = clock_timestamp() + ${refreshSeconds} * interval '1 second'
          from (select org_id, service from mcp_servers where due_at <= clock_timestamp()
            order by due_at limit ${limit} for update skip locked) d
          where m.org_id = d.org_id and m.service = d.service returning m.org_id, m.service`.pipe(Effect.orDie),
        tools: (org, service) =>
          sql<
            StoredTool
          >`select tool, operation, state, pinned, digest, pending, pending_digest, refused_digest, problem
          from mcp_tools where org_id = ${org} and service = ${service} order by tool collate "C"`.pipe(
            Effect.map((rows) => rows.map(toRow)),
            Effect.orDie
          ),
        putTools: Effect.fnUntraced(function*(org, service, rows) {
          yield* sql`delete from mcp_tools where org_id = ${org} and service = ${service}
            and tool <> all(${textArray(rows.map(({ tool }) => tool))})`
          for (const row of rows) {
            yield* sql`insert into mcp_tools (org_id, service, tool, operation, state, pinned, digest, pending,
              pending_digest, refused_digest, problem)
            values (${org}, ${service}, ${row.tool}, ${row.operation}, ${row.state}, ${
              textOf(row.pinned)
            }, ${row.digest},
              ${textOf(row.pending)}, ${row.pending_digest}, ${row.refused_digest}, ${row.problem})
            on conflict (org_id, service, tool) do update set operation = excluded.operation, state = excluded.state,
              pinned = excluded.pinned, digest = excluded.digest, pending = excluded.pending,
              pending_digest = excluded.pending_digest, refused_digest = excluded.refused_digest, problem = excluded.problem`
          }
        }, Effect.orDie)
      })
    })
  )
}
