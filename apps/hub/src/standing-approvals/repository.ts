/** Standing approvals and their two counters: a total amount and a number of uses. */
import type { StandingApproval } from "@countersign/domain/approvals"
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, OrgId, ServiceRequestId } from "@countersign/domain/ids"
import { removedText } from "@countersign/domain/retention"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { textArray } from "../platform/db.ts"

/**
 * Bytes of payloads that one read of requests or pending approvals returns. The stored size is available without
 * reading the payload; its length is not.
 */
const payloadBytesMax = 16 * 1024 * 1024

export interface StandingRow {
  readonly id: string
  readonly agent_id: AgentId
  readonly service: string
  readonly operation: string
  readonly mode: Mode
  readonly max_cost_cents: number
  readonly max_total_cents: number | null
  readonly max_uses: number | null
  readonly condition: string | null
  readonly used_cents: number
  readonly uses: number
  readonly created_at: Date
  readonly expires_at: Date
  readonly by_id: string
  readonly by_name: string
  readonly by_email: string
  readonly last_used_at: Date | null
}

export interface StandingInput {
  readonly agent_id: AgentId
  readonly service: string
  readonly operation: string
  readonly mode: Mode
  readonly max_cost_cents: number
  readonly max_total_cents: number | undefined
  readonly max_uses: number | undefined
  readonly when: string | undefined
  readonly expires_at: Date
}

/** A pending approval that a standing approval may cover. */
export interface Pending {
  readonly id: string
  readonly request_id: ServiceRequestId
  readonly cost_cents: number
  /** JSON text. */
  readonly payload: string
}

type StandingScope = Pick<StandingInput, "agent_id" | "mode" | "service" | "operation" | "max_cost_cents">

export interface Past {
  readonly id: string
  readonly ceiling_cents: number
  readonly status: string
  readonly created_at: Date
  /** JSON text. */
  readonly payload: string
}

export class StandingApprovalsRepository extends Context.Service<StandingApprovalsRepository, {
  readonly add: (org: OrgId, id: string, input: StandingInput, by: string) => Effect.Effect<void>
  /** The number of an agent's standing approvals that are not revoked and not expired. */
  readonly countOf: (org: OrgId, agent: AgentId) => Effect.Effect<number>
  readonly find: (org: OrgId, id: string) => Effect.Effect<Option.Option<StandingRow>>
  readonly list: (
    org: OrgId,
    filter: { readonly agent_id: AgentId | undefined; readonly after: string | undefined; readonly limit: number }
  ) => Effect.Effect<ReadonlyArray<StandingRow>>
  /** Returns its agent; none when it was already revoked or does not exist. */
  readonly withdraw: (org: OrgId, id: string) => Effect.Effect<Option.Option<AgentId>>
  /**
   * Pending approvals of an agent and operation that only the threshold holds: one vote is enough, and no policy and no
   * test script requires them. Oldest first, at most `limit`, with at most `payloadBytesMax` of payloads. `found`:
   * their number, at most `limit` + 1.
   */
  readonly pending: (
    org: OrgId,
    scope: StandingScope,
    except: string | undefined,
    limit: number
  ) => Effect.Effect<{ readonly rows: ReadonlyArray<Pending>; readonly found: number }>
  /** Those of these approvals that still meet the conditions of `pending`, oldest first. */
  readonly stillPending: (
    org: OrgId,
    scope: StandingScope,
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Pick<Pending, "id" | "cost_cents">>>
  /** The last requests of an agent and operation, newest first. */
  readonly past: (
    org: OrgId,
    scope: Omit<StandingScope, "max_cost_cents">,
    limit: number
  ) => Effect.Effect<ReadonlyArray<Past>>
}>()("@countersign/hub/standing-approvals/StandingApprovalsRepository") {
  static readonly layer = Layer.effect(
    StandingApprovalsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const standing = sql.literal(
        `select s.id, s.agent_id, s.service, s.operation, s.mode, s.max_cost_cents, s.max_total_cents,
        s.max_uses, s.condition, t.used + t.held as used_cents,
      n.used + n.held as uses, s.created_at, s.expires_at, u.id as by_id, u.name as by_name, u.email as by_email, s.last_used_at
      from standing_approvals s
      join limits t on t.id = s.total_limit
      join limits n on n.id = s.uses_limit
      join users u on u.id = s.created_by`
      )
      const inScope = (scope: StandingScope) =>
        sql`a.agent_id = ${scope.agent_id} and a.mode = ${scope.mode} and a.service = ${scope.service} and a.operation = ${scope.operation}
        and a.kind = 'service_request' and a.status = 'pending' and a.expires_at > hub_time_or_last() and a.policy_id is null
        and a.required_approvals = 1 and a.cost_cents <= ${BigInt(scope.max_cost_cents)}::bigint
        and t.test_outcome is distinct from 'approval'`
      return StandingApprovalsRepository.of({
        add: Effect.fnUntraced(function*(org, id, input, by) {
          yield* sql`select lock_org(${org})`
          // Its two counters are ordinary limits named by it; `valid_until` ends it by the database's clock.
          const limit = (kind: number, cap: number | undefined) =>
            sql<{ id: number }>`insert into limits (org_id, kind, mode, agent_id, operation, cap, valid_until)
            values (${org}, ${kind}, ${input.mode}, ${input.agent_id}, ${id},
            ${cap === undefined ? null : BigInt(cap)}::bigint, ${input.expires_at}) returning id`.pipe(
              Effect.map(([row]) => row?.id ?? 0)
            )
          const total = yield* limit(6, input.max_total_cents)
          const uses = yield* limit(7, input.max_uses)
          yield* sql`insert into standing_approvals (id, org_id, agent_id, service, operation, mode, max_cost_cents,
              max_total_cents, max_uses, condition, total_limit, uses_limit, created_by, created_at, expires_at)
          values (${id}, ${org}, ${input.agent_id}, ${input.service}, ${input.operation}, ${input.mode},
            ${BigInt(input.max_cost_cents)}::bigint,
            ${input.max_total_cents === undefined ? null : BigInt(input.max_total_cents)}::bigint,
              ${input.max_uses === undefined ? null : BigInt(input.max_uses)}::bigint, ${input.when ?? null}::text,
            ${BigInt(total)}::bigint, ${BigInt(uses)}::bigint, ${by}, hub_time_or_last(), ${input.expires_at})`
          yield* sql`update agents set version = version + 1 where org_id = ${org} and id = ${input.agent_id}`
        }, Effect.orDie),
        countOf: (org, agent) =>
          sql<{ count: number }>`select count(*)::int as count from standing_approvals
          where org_id = ${org} and agent_id = ${agent} and withdrawn_at is null and expires_at > hub_time_or_last()`
            .pipe(
              Effect.map(([row]) => row?.count ?? 0),
              Effect.orDie
            ),
        find: (org, id) =>
          sql<StandingRow>`${standing} where s.org_id = ${org} and s.id = ${id} and s.withdrawn_at is null`.pipe(
            Effect.map((rows) => Option.fromNullishOr(rows[0])),
            Effect.orDie
          ),
        list: (org, filter) => {
          const conditions: Array<Statement.Fragment> = [sql`s.org_id = ${org}`, sql`s.withdrawn_at is null`]
          if (filter.agent_id !== undefined) conditions.push(sql`s.agent_id = ${filter.agent_id}`)
          if (filter.after !== undefined) conditions.push(sql`s.id < ${filter.after}`)
          return sql<StandingRow>`${standing} where ${sql.and(conditions)} order by s.id desc limit ${filter.limit + 1}`
            .pipe(
              Effect.orDie
            )
        },
        withdraw: Effect.fnUntraced(function*(org, id) {
          yield* sql`select lock_org(${org})`
          const [row] = yield* sql<
            { agent_id: AgentId; total_limit: number; uses_limit: number }
          >`update standing_approvals
          set withdrawn_at = hub_time_or_last()
          where org_id = ${org} and id = ${id} and withdrawn_at is null returning agent_id, total_limit, uses_limit`
          if (row === undefined) return Option.none()
          yield* sql`update limits set valid_until = hub_time_or_last()
          where org_id = ${org} and id in (${BigInt(row.total_limit)}::bigint, ${BigInt(row.uses_limit)}::bigint)`
          yield* sql`update agents set version = version + 1 where org_id = ${org} and id = ${row.agent_id}`
          return Option.some(row.agent_id)
        }, Effect.orDie),
        pending: (org, scope, except, limit) =>
          sql<Pending & { readonly found: number }>`select q.id, q.request_id, q.cost_cents, q.payload, q.found
          from (select p.*, r.payload, sum(octet_length(r.payload)) over (order by p.id) as bytes, count(*) over ()::int as found
            from (select a.org_id, a.id, a.request_id, a.cost_cents from approvals a
              join requests t on t.org_id = a.org_id and t.id = a.request_id
              where a.org_id = ${org} and ${inScope(scope)} and a.id <> ${except ?? ""}
              order by a.id limit ${limit + 1}) p
            join requests r on r.org_id = p.org_id and r.id = p.request_id) q
          where q.bytes <= ${payloadBytesMax} order by q.id limit ${limit}`.pipe(
            Effect.map((rows) => ({ rows, found: rows[0]?.found ?? 0 })),
            Effect.orDie
          ),
        stillPending: (org, scope, ids) =>
          sql<Pick<Pending, "id" | "cost_cents">>`select a.id, a.cost_cents from approvals a
          join requests t on t.org_id = a.org_id and t.id = a.request_id
          where a.org_id = ${org} and a.id = any(${textArray([...ids])}::text[]) and ${inScope(scope)} order by a.id`
            .pipe(
              Effect.orDie
            ),
        past: (org, { agent_id, mode, operation, service }, limit) =>
          sql<Past>`select r.id, r.ceiling_cents,
            coalesce(s.status, case when h.request_id is null then 'approval_required' else 'running' end) as status, r.created_at,
            case when sum(octet_length(r.payload)) over (order by r.id desc) <= ${payloadBytesMax} then r.payload
              else ${removedText} end as payload
          from (select * from requests where org_id = ${org} and agent_id = ${agent_id} and mode = ${mode} and service = ${service}
            and operation = ${operation} order by id desc limit ${limit}) r
          left join settlements s on s.org_id = r.org_id and s.request_id = r.id
          left join holds h on h.request_id = r.id
          order by r.id desc`.pipe(Effect.orDie)
      })
    })
  )
}

export const toStanding = (row: StandingRow): StandingApproval => ({
  id: row.id as StandingApproval["id"],
  agent_id: row.agent_id as StandingApproval["agent_id"],
  service: row.service,
  operation: row.operation,
  mode: row.mode,
  max_cost_cents: row.max_cost_cents,
  ...(row.max_total_cents === null ? {} : { max_total_cents: row.max_total_cents }),
  ...(row.max_uses === null ? {} : { max_uses: row.max_uses }),
  ...(row.condition === null ? {} : { when: row.condition }),
  used_cents: row.used_cents,
  uses: row.uses,
  created_by: { id: row.by_id, name: row.by_name, email: row.by_email },
  created_at: row.created_at.toISOString(),
  ...(row.last_used_at === null ? {} : { last_used_at: row.last_used_at.toISOString() }),
  expires_at: row.expires_at.toISOString()
})
