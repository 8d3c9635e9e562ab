/** Reads of service requests: what was asked, what came of it, what is still open. */
import type { RequestStatus } from "@countersign/domain/service-requests"
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { TickRow } from "./tick-statement.ts"
import type { RequestFacts } from "./view.ts"

interface Row {
  readonly id: string; readonly agent_id: string; readonly mode: string; readonly service: string; readonly operation: string; readonly payload: string
  readonly ceiling_cents: number; readonly approval_id: string | null; readonly origin: string | null; readonly test_outcome: string | null; readonly created_at: Date
  readonly s_status: RequestStatus | null; readonly s_cost: number | null; readonly s_ceiling: number | null; readonly s_reason: string | null
  readonly s_result: string | null; readonly s_block: string | null; readonly s_late: string | null; readonly s_at: Date | null
  readonly h_phase: number | null; readonly h_ceiling: number | null
}

export interface StoredRequest extends RequestFacts {
  readonly payload: string
  readonly script: string | null
  /** A hub is at it now: reserved and neither settled nor running at a provider. */
  readonly in_flight: boolean
}

const toFacts = (row: Row): StoredRequest => {
  const waiting = row.s_status === null && row.h_phase === null
  return {
    id: row.id, agent_id: row.agent_id, mode: row.mode, service: row.service, operation: row.operation, payload: row.payload, script: row.test_outcome, in_flight: row.s_status === null && row.h_phase === 1,
    status: row.s_status ?? (row.h_phase === null ? "approval_required" : "running"),
    cost_cents: row.s_cost ?? 0,
    ceiling_cents: row.s_ceiling ?? row.h_ceiling ?? row.ceiling_cents,
    reason_code: waiting ? "approval_threshold" : row.s_reason,
    approval_id: row.approval_id,
    result: row.s_result, block: row.s_block, late_result: row.s_late, origin: row.origin,
    created_at: row.created_at.getTime(), completed_at: row.s_at === null ? null : row.s_at.getTime()
  }
}

export interface ListFilter {
  readonly limit: number
  readonly after: string | undefined
  readonly status: ReadonlyArray<RequestStatus> | undefined
  readonly agent_id: string | undefined
  /** Only of agents that this person owns. */
  readonly owner_user_id: string | undefined
  readonly service: string | undefined
  readonly operation: string | undefined
  readonly mode: string | undefined
  /** Bounds of ids: from inclusive, to exclusive. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly q: string | undefined
}

/** An open hold, for what drives it on: sweeper, poller, hooks. */
export interface OpenHold {
  readonly request_id: string; readonly org_id: string; readonly agent_id: string; readonly mode: string; readonly service: string; readonly operation: string
  readonly ceiling_cents: number; readonly phase: number; readonly sends: number; readonly provider_ref: string | null; readonly started: string | null
  readonly poll_attempt: number; readonly payload: string; readonly deadline_passed: boolean; readonly created_at: Date; readonly running_because: string | null
}

const escapeLike = (text: string) => text.replace(/[\\%_]/g, (character) => `\\${character}`)

export class RequestsRepository extends Context.Service<RequestsRepository, {
  readonly find: (org: string, id: string) => Effect.Effect<Option.Option<StoredRequest>>
  readonly findMany: (org: string, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<StoredRequest>>
  /** Newest first, at most `limit + 1`. */
  readonly list: (org: string, filter: ListFilter) => Effect.Effect<ReadonlyArray<StoredRequest>>
  /** The person who owns an agent. */
  readonly ownerOf: (org: string, agent: string) => Effect.Effect<string | undefined>
  /** A settled request by its provider's name for it. */
  readonly settledByRef: (org: string, service: string, ref: string) => Effect.Effect<Option.Option<string>>
  /** Whose work it is, over all workspaces: for callbacks of shipped services. */
  readonly orgOfRef: (service: string, ref: string) => Effect.Effect<string | undefined>
  readonly orgOfSettled: (service: string, id: string) => Effect.Effect<string | undefined>
  readonly orgExists: (org: string) => Effect.Effect<boolean>
  /** Whether a key still opens its agent's door: asked again when a decision on it was stale. */
  readonly keyIsAlive: (org: string, keyId: string) => Effect.Effect<boolean>
  /** A call of the tick in the caller's transaction. */
  readonly tickWithin: (call: { readonly statement: string; readonly parameters: ReadonlyArray<unknown> }) => Effect.Effect<TickRow | undefined>
  /** Takes the workspace's lock, in the caller's transaction. */
  readonly lock: (org: string) => Effect.Effect<void>
  /** Keeps a callback whose work is not known yet; a later one of the same work replaces it. */
  readonly keepEarly: (org: string, service: string, ref: string, body: string) => Effect.Effect<void>
  readonly takeEarly: (org: string, service: string, ref: string) => Effect.Effect<Option.Option<string>>
  /** Which of these are settled or wait no more. */
  readonly settled: (ids: ReadonlyArray<{ readonly org: string; readonly id: string }>) => Effect.Effect<ReadonlySet<string>>
  /** The request that a key stands for, with the hash it is bound to. */
  readonly byKey: (org: string, scope: string, key: string) => Effect.Effect<Option.Option<{ readonly request_id: string; readonly hash: string }>>
  readonly openHold: (id: string) => Effect.Effect<Option.Option<OpenHold>>
  readonly openHoldByRef: (org: string, service: string, ref: string) => Effect.Effect<Option.Option<OpenHold>>
  /**
   * Notes, before it happens, that this owner sends the request a second time. `spent`: it was sent twice already; `gone`: it is another
   * owner's, or nobody's any more.
   */
  readonly markSecondSend: (id: string, owner: number) => Effect.Effect<"marked" | "spent" | "gone">
  /** Keeps what came after the verdict; the first stands. */
  readonly keepLate: (org: string, id: string, result: string) => Effect.Effect<boolean>
}>()("@countersign/hub/dispatch/RequestsRepository") {
  static readonly layer = Layer.effect(RequestsRepository, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(`r.id, r.agent_id, r.mode, r.service, r.operation, r.payload, r.ceiling_cents, r.approval_id, r.origin, r.test_outcome, r.created_at,
      s.status as s_status, s.cost_cents as s_cost, s.ceiling_cents as s_ceiling, s.reason_code as s_reason, s.result as s_result, s.block as s_block,
      s.late_result as s_late, s.completed_at as s_at, h.phase::int as h_phase, h.ceiling_cents as h_ceiling`)
    const joins = sql.literal(`left join settlements s on s.org_id = r.org_id and s.request_id = r.id left join holds h on h.request_id = r.id`)
    const hold = sql.literal(`select h.request_id, h.org_id, h.agent_id, h.mode, h.service, h.operation, h.ceiling_cents, h.phase::int as phase, h.sends::int as sends,
      h.provider_ref, h.started, h.poll_attempt, h.created_at, h.running_because, r.payload, coalesce(h.deadline_at <= clock_timestamp(), false) as deadline_passed
      from holds h join requests r on r.org_id = h.org_id and r.id = h.request_id`)
    const one = (rows: ReadonlyArray<OpenHold>) => Option.fromNullishOr(rows[0])

    const findMany = (org: string, ids: ReadonlyArray<string>) =>
      sql<Row>`select ${columns} from requests r ${joins} where r.org_id = ${org} and r.id = any(${ids}::text[])`.pipe(Effect.map((rows) => rows.map(toFacts)), Effect.orDie)

    /** Of statuses that most requests have: looked at while the list is walked. */
    const inState = (status: ReadonlyArray<RequestStatus>) =>
      sql.or([
        sql`s.status = any(${status}::text[])`,
        ...status.includes("running") ? [sql`(s.request_id is null and h.request_id is not null)`] : [],
        ...status.includes("approval_required") ? [sql`(s.request_id is null and h.request_id is null)`] : []
      ])

    /** Of statuses that few may have: found by their own indexes, a page of each, or the walk would be as long as the table. */
    const rare = (org: string, filter: ListFilter, status: ReadonlyArray<RequestStatus>) => {
      const narrowed: Array<Statement.Fragment> = [sql`org_id = ${org}`]
      if (filter.after !== undefined) narrowed.push(sql`request_id < ${filter.after}`)
      if (filter.from !== undefined) narrowed.push(sql`request_id >= ${filter.from}`)
      if (filter.to !== undefined) narrowed.push(sql`request_id < ${filter.to}`)
      if (filter.agent_id !== undefined) narrowed.push(sql`agent_id = ${filter.agent_id}`)
      if (filter.service !== undefined) narrowed.push(sql`service = ${filter.service}`)
      if (filter.operation !== undefined) narrowed.push(sql`operation = ${filter.operation}`)
      if (filter.mode !== undefined) narrowed.push(sql`mode = ${filter.mode}`)
      // What only the request tells cannot be counted here.
      const page = filter.owner_user_id === undefined && (filter.q ?? "") === "" ? sql`order by request_id desc limit ${filter.limit + 1}` : sql``
      const from = (table: Statement.Fragment, ...more: ReadonlyArray<Statement.Fragment>) => sql`(select request_id from ${table} where ${sql.and([...narrowed, ...more])} ${page})`
      return sql.join(" union all ", false)([...new Set(status)].map((state) => {
        if (state === "running") return from(sql`holds`)
        if (state === "approval_required") return from(sql`approvals`, sql`status = 'pending'`)
        return from(sql`settlements`, sql`status <> 'executed'`, sql`status = ${state}`)
      }))
    }

    const list = (org: string, filter: ListFilter) => {
      const conditions: Array<Statement.Fragment> = [sql`r.org_id = ${org}`]
      if (filter.after !== undefined) conditions.push(sql`r.id < ${filter.after}`)
      if (filter.from !== undefined) conditions.push(sql`r.id >= ${filter.from}`)
      if (filter.to !== undefined) conditions.push(sql`r.id < ${filter.to}`)
      if (filter.agent_id !== undefined) conditions.push(sql`r.agent_id = ${filter.agent_id}`)
      if (filter.owner_user_id !== undefined) conditions.push(sql`r.agent_id in (select id from agents where org_id = ${org} and owner_user_id = ${filter.owner_user_id})`)
      if (filter.service !== undefined) conditions.push(sql`r.service = ${filter.service}`)
      if (filter.operation !== undefined) conditions.push(sql`r.operation = ${filter.operation}`)
      if (filter.mode !== undefined) conditions.push(sql`r.mode = ${filter.mode}`)
      if (filter.q !== undefined && filter.q !== "") conditions.push(sql`(r.id = ${filter.q} or r.service || '.' || r.operation ilike ${`%${escapeLike(filter.q)}%`} or r.payload ilike ${`%${escapeLike(filter.q)}%`})`)
      if (filter.status !== undefined) conditions.push(filter.status.includes("executed") ? inState(filter.status) : sql`r.id in (${rare(org, filter, filter.status)})`)
      return sql<Row>`select ${columns} from requests r ${joins} where ${sql.and(conditions)} order by r.id desc limit ${filter.limit + 1}`.pipe(Effect.map((rows) => rows.map(toFacts)), Effect.orDie)
    }

    return RequestsRepository.of({
      find: (org, id) => Effect.map(findMany(org, [id]), (rows) => Option.fromNullishOr(rows[0])),
      findMany,
      list,
      ownerOf: (org, agent) =>
        sql<{ owner_user_id: string | null }>`select owner_user_id from agents where org_id = ${org} and id = ${agent}`.pipe(Effect.map(([row]) => row?.owner_user_id ?? undefined), Effect.orDie),
      settledByRef: (org, service, ref) =>
        sql<{ request_id: string }>`select request_id from settlements where org_id = ${org} and service = ${service} and provider_ref = ${ref} order by request_id desc limit 1`.pipe(
          Effect.map(([row]) => Option.fromNullishOr(row?.request_id)), Effect.orDie),
      orgOfRef: (service, ref) =>
        sql<{ org_id: string }>`select org_id from holds where service = ${service} and provider_ref = ${ref} union all
          select org_id from settlements where service = ${service} and provider_ref = ${ref} limit 1`.pipe(Effect.map(([row]) => row?.org_id), Effect.orDie),
      orgOfSettled: (service, id) =>
        sql<{ org_id: string }>`select org_id from settlements where request_id = ${id} and service = ${service}`.pipe(Effect.map(([row]) => row?.org_id), Effect.orDie),
      orgExists: (org) => sql`select 1 from org_heads where org_id = ${org}`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie),
      keyIsAlive: (org, keyId) =>
        sql`select 1 from agent_keys k join agents a on a.id = k.agent_id where k.id = ${keyId} and k.org_id = ${org} and a.deleted_at is null
          and (k.expires_at is null or k.expires_at > clock_timestamp())`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie),
      tickWithin: ({ parameters, statement }) => sql.unsafe<TickRow>(statement, [...parameters]).pipe(Effect.map(([row]) => row), Effect.orDie),
      lock: (org) => sql`select lock_org(${org})`.pipe(Effect.asVoid, Effect.orDie),
      keepEarly: (org, service, ref, body) =>
        sql`insert into early_callbacks (org_id, service, ref, body) values (${org}, ${service}, ${ref}, ${body}) on conflict (org_id, service, ref) do update set body = excluded.body, received_at = now()`.pipe(Effect.asVoid, Effect.orDie),
      takeEarly: (org, service, ref) =>
        sql<{ body: string }>`delete from early_callbacks where org_id = ${org} and service = ${service} and ref = ${ref} and received_at > now() - interval '1 hour' returning body`.pipe(
          Effect.map(([row]) => Option.fromNullishOr(row?.body)), Effect.orDie),
      settled: (ids) =>
        sql<{ request_id: string }>`select s.request_id from settlements s join unnest(${ids.map((x) => x.org)}::text[], ${ids.map((x) => x.id)}::text[]) u(org, id)
          on s.org_id = u.org and s.request_id = u.id`.pipe(Effect.map((rows) => new Set(rows.map((row) => row.request_id))), Effect.orDie),
      byKey: (org, scope, key) =>
        sql<{ request_id: string; hash: string }>`select request_id, encode(hash, 'hex') as hash from idempotency_keys
          where org_id = ${org} and scope = ${scope} and key = ${key} and expires_at > clock_timestamp()`.pipe(Effect.map((rows) => Option.fromNullishOr(rows[0])), Effect.orDie),
      openHold: (id) => sql<OpenHold>`${hold} where h.request_id = ${id}`.pipe(Effect.map(one), Effect.orDie),
      openHoldByRef: (org, service, ref) => sql<OpenHold>`${hold} where h.org_id = ${org} and h.service = ${service} and h.provider_ref = ${ref}`.pipe(Effect.map(one), Effect.orDie),
      markSecondSend: (id, owner) =>
        sql<{ fresh: boolean }>`update holds h set sends = 1 from holds was where h.request_id = ${id} and h.owner = ${owner} and h.phase = 1 and was.request_id = h.request_id
          returning was.sends = 0 as fresh`.pipe(Effect.map(([row]) => row === undefined ? "gone" : row.fresh ? "marked" : "spent"), Effect.orDie),
      keepLate: (org, id, result) =>
        sql`update settlements set late_result = ${result} where org_id = ${org} and request_id = ${id} and late_result is null returning request_id`.pipe(
          Effect.map((rows) => rows.length === 1), Effect.orDie)
    })
  }))
}
