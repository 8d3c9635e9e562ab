/** Reads of the audit log, by `seq`: gapless in each workspace, and increasing with `created_at`. */
import type { AuditFilter } from "@countersign/domain/audit"
import type { Mode } from "@countersign/domain/auth"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { momentMillis } from "@countersign/domain/time"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { likePattern } from "../platform/db.ts"

export interface AuditRow {
  readonly seq: number
  readonly id: string
  readonly action: string
  readonly actor_type: string
  readonly actor_id: string
  readonly actor_name: string
  readonly subject_type: string | null
  readonly subject_id: string | null
  readonly agent_id: AgentId | null
  readonly outcome: string | null
  readonly reason_code: string | null
  readonly cost_cents: number | null
  readonly ip: string | null
  readonly data: string
  readonly created_at: Date
  readonly prev_hash: Uint8Array
  readonly hash: Uint8Array
}

export interface Head {
  readonly seq: number
  readonly head: Uint8Array
  /** Times increase with `seq` after this entry; 0: always. */
  readonly times_rise_after: number
  /** The largest stored `seq`; it differs from the head's when rows were inserted or deleted outside the hub. */
  readonly last: number
}

export interface EntryFilter extends AuditFilter {
  /** Leaves out entries about requests, approvals, and standing approvals of the other mode. */
  readonly mode?: Mode
}

/** `low` inclusive, `high` exclusive. */
export interface SeqRange {
  readonly low: number
  readonly high: number
}

export interface ChainStretch {
  /** Number of rows read; less than requested at the end of the log. */
  readonly read: number
  readonly first_bad: number | null
  readonly last_seq: number | null
  readonly last_hash: Uint8Array | null
}

const columns =
  "seq, id, action, actor_type, actor_id, actor_name, subject_type, subject_id, agent_id, outcome, reason_code, " +
  "cost_cents, ip, data, created_at, prev_hash, hash"

const make = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const all = sql.literal(columns)

  const ofMode = (table: string, subject: string, mode: Mode) =>
    sql`(subject_type is distinct from ${subject} or exists (select 1 from ${sql(table)} t
      where t.org_id = audit.org_id and t.id = audit.subject_id and t.mode = ${mode}))`

  /** Compares the text first, so that few entries are parsed. */
  const inData = (field: "service" | "operation", value: string) =>
    sql`(case when data like ${
      likePattern(JSON.stringify(value))
    } then data::json->>${field} = ${value} else false end)`

  const conditions = (filter: EntryFilter) => [
    ...filter.from === undefined ? [] : [sql`created_at >= ${new Date(momentMillis(filter.from))}`],
    ...filter.to === undefined ? [] : [sql`created_at < ${new Date(momentMillis(filter.to))}`],
    ...filter.actor_id === undefined ? [] : [sql`actor_id = ${filter.actor_id}`],
    ...filter.agent_id === undefined ? [] : [sql`agent_id = ${filter.agent_id}`],
    ...filter.subject_id === undefined ? [] : [sql`subject_id = ${filter.subject_id}`],
    ...filter.service === undefined ? [] : [inData("service", filter.service)],
    ...filter.operation === undefined ? [] : [inData("operation", filter.operation)],
    ...filter.outcome === undefined ? [] : [sql`(outcome = ${filter.outcome} or reason_code = ${filter.outcome})`],
    ...filter.min_cents === undefined ? [] : [sql`cost_cents >= ${BigInt(filter.min_cents)}::bigint`],
    ...filter.max_cents === undefined ? [] : [sql`cost_cents <= ${BigInt(filter.max_cents)}::bigint`],
    ...filter.mode === undefined
      ? []
      : [
        ofMode("requests", "service_request", filter.mode),
        ofMode("approvals", "approval", filter.mode),
        ofMode("standing_approvals", "standing_approval", filter.mode)
      ],
    ...filter.action === undefined
      ? []
      : filter.action.endsWith(".*")
      ? [sql`starts_with(action, ${filter.action.slice(0, -1)})`]
      : [sql`action = ${filter.action}`],
    ...filter.q === undefined
      ? []
      : [
        sql`concat_ws(' ', id, action, actor_name, actor_id, subject_id, reason_code, data) ilike ${
          likePattern(filter.q)
        }`
      ]
  ]
  const within = (org: OrgId, range: SeqRange) => [
    sql`org_id = ${org}`,
    sql`seq >= ${BigInt(range.low)}::int8`,
    sql`seq < ${BigInt(range.high)}::int8`
  ]

  return {
    head: (org: OrgId): Effect.Effect<Head, SqlError.SqlError> =>
      sql<Head>`select h.seq, h.head, h.times_rise_after,
          coalesce((select a.seq from audit a where a.org_id = h.org_id order by a.seq desc limit 1), 0) last
        from org_heads h where h.org_id = ${org}`.pipe(
        Effect.map(([row]) => row ?? { seq: 0, head: new Uint8Array(32), times_rise_after: 0, last: 0 })
      ),

    timeOf: (org: OrgId, seq: number): Effect.Effect<Date | undefined, SqlError.SqlError> =>
      sql<{ created_at: Date }>`select created_at from audit where org_id = ${org} and seq = ${BigInt(seq)}::int8`.pipe(
        Effect.map(([row]) => row?.created_at)
      ),

    newestFirst: (org: OrgId, range: SeqRange, filter: EntryFilter, limit: number) =>
      sql<AuditRow>`select ${all} from audit
        where ${sql.and([...within(org, range), ...conditions(filter)])}
        order by seq desc limit ${limit}`,

    oldestFirst: (org: OrgId, range: SeqRange, filter: EntryFilter, limit: number) =>
      sql<AuditRow>`select ${all} from audit
        where ${sql.and([...within(org, range), ...conditions(filter)])}
        order by seq limit ${limit}`,

    /**
     * Recomputes the entries after `seq`, whose hash was `prev`, up to `until` (inclusive): each `seq` and each hash.
     */
    recompute: (
      org: OrgId,
      after: { readonly seq: number; readonly hash: Uint8Array },
      until: number,
      limit: number
    ) =>
      sql<ChainStretch>`
        with stretch as (
            select seq, created_at, prev_hash, hash,
              audit_leaf(seq, wire_time(created_at), id, action, actor_type, actor_id, actor_name, subject_type, subject_id,
                agent_id, outcome, reason_code, cost_cents, ip, data) leaf
            from audit where org_id = ${org} and seq > ${BigInt(after.seq)}::int8 and seq <= ${
        BigInt(until)
      }::int8 order by seq limit ${limit}),
          linked as (
            select *, lag(hash, 1, ${after.hash}::bytea) over (order by seq) expected_prev,
              lag(seq, 1, ${BigInt(after.seq)}::int8) over (order by seq) + 1 expected_seq
            from stretch),
          last as (select * from stretch order by seq desc limit 1)
        select (select count(*) from stretch) read, (select seq from last) last_seq, (select hash from last) last_hash,
          (select min(expected_seq) from linked
            where seq <> expected_seq or prev_hash <> expected_prev or hash <> sha256(prev_hash || leaf)) first_bad`
        .pipe(Effect.map(([row]) => row!))
  }
})

export class AuditRepository
  extends Context.Service<AuditRepository, Effect.Success<typeof make>>()("@countersign/hub/audit/AuditRepository")
{
  static readonly layer = Layer.effect(AuditRepository, make)
}
