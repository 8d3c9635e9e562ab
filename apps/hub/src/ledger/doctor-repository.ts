/** SQL of the doctor: pages by key and short aggregates, so that no snapshot grows old. */
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export const scanPage = 5_000

/** Times of the workspace from `from` (inclusive; none: from the beginning) to `to` (exclusive; none: to the end). */
export interface Window {
  readonly from: Date | undefined
  readonly to: Date | undefined
  /** No transfer of the window has a smaller id (none: from the first one). */
  readonly fromId: string | undefined
}

export interface ScannedTransfer {
  readonly id: string
  readonly debit_id: number
  readonly credit_id: number
  readonly amount_cents: number
  readonly debit_balance_after: number
  readonly credit_balance_after: number
  readonly cause_type: string
  readonly cause_id: string
  /** A hash of cause and amount, to compare sets by their sums. */
  readonly mark: string
  /** It is of a later window. */
  readonly is_later: boolean
}

export interface SettlementGroup {
  readonly agent_id: AgentId
  /** The delegated task of the requests. */
  readonly task_id: string | null
  readonly mode: string
  readonly service: string
  readonly operation: string
  readonly status: string
  readonly completed_day: string
  /** Of the moment of admission, as limits count it. */
  readonly month: number | null
  readonly day: number | null
  readonly count: number
  readonly cost: number
  readonly ceiling: number
  /** Of the charged requests. */
  readonly charged: number
  /** Sums of hashes, to compare sets: of request and cost of the charged ones, of request and status of all. */
  readonly charge_marks: string
  readonly verdict_marks: string
  readonly without_request: number
  readonly example: string | null
}

export interface VerdictPage {
  readonly read: number
  readonly last: number | null
  /** Entries about the end of a request, and the sum of the hashes of request and status. */
  readonly count: number
  readonly marks: string
}

export interface SettlementPage {
  readonly groups: ReadonlyArray<SettlementGroup>
  readonly read: number
  readonly last: { readonly at: Date; readonly id: string } | undefined
}

export interface LimitRow {
  readonly id: number
  readonly kind: number
  readonly mode: string
  readonly agent_id: AgentId | null
  readonly service: string | null
  readonly operation: string | null
  readonly cap: number | null
  readonly period: number
  readonly used: number
  readonly held: number
  readonly committed: number
  /** The month's figure includes children that ended. */
  readonly is_parent: boolean
  /**
   * It is over its cap for a reason: a person has set caps of its agent again, maybe below the used amount; or refunds
   * and disputes took back at least as much from the wallet.
   */
  readonly touched: boolean
}

export interface HeldRow {
  readonly lim: number
  readonly period: number
  readonly count: number
  readonly cents: number
}

/** An agent or a task that ended: what it used in that month counts as another agent's. */
export interface EndedRow {
  readonly id: string
  readonly heir_id: string
  readonly month: number
}

export interface UsageDayRow {
  readonly day: string
  readonly agent_id: AgentId
  readonly service: string
  readonly operation: string
  readonly mode: string
  readonly executed: number
  readonly failed: number
  readonly blocked: number
  readonly cost_cents: number
}

export interface Finding {
  readonly bad: number
  readonly example: string | null
}

export class DoctorRepository extends Context.Service<DoctorRepository, {
  readonly orgs: Effect.Effect<ReadonlyArray<OrgId>>
  /** All reads in it see one snapshot. Keep it short: PostgreSQL cannot vacuum rows that die meanwhile. */
  readonly inOneSnapshot: <A>(reads: Effect.Effect<A>) => Effect.Effect<A>
  /** The latest time that the workspace has stored: everything before it is stored. */
  readonly settledUntil: (org: OrgId) => Effect.Effect<Date | undefined>
  /** By id, those of later windows too. */
  readonly transfers: (org: OrgId, window: Window, after: string) => Effect.Effect<ReadonlyArray<ScannedTransfer>>
  readonly settlements: (
    org: OrgId,
    window: Window,
    after: { readonly at: Date; readonly id: string } | undefined
  ) => Effect.Effect<SettlementPage>
  /** Entries of the log after `seq`, within the window. */
  readonly verdicts: (org: OrgId, window: Window, seq: number) => Effect.Effect<VerdictPage>
  readonly limits: (org: OrgId) => Effect.Effect<ReadonlyArray<LimitRow>>
  readonly ended: (org: OrgId) => Effect.Effect<ReadonlyArray<EndedRow>>
  /** Commitments that differ from the caps of living children and tasks, and sums that differ from the commitments. */
  readonly commitments: (org: OrgId) => Effect.Effect<Finding>
  readonly held: (org: OrgId) => Effect.Effect<ReadonlyArray<HeldRow>>
  readonly usageDays: (
    org: OrgId,
    days: { readonly from?: string; readonly before?: string },
    after: UsageDayRow | undefined
  ) => Effect.Effect<ReadonlyArray<UsageDayRow>>
  /** Requests in no state, or in two; returns the last id that was checked. */
  readonly requestStates: (
    org: OrgId,
    after: string
  ) => Effect.Effect<Finding & { readonly read: number; readonly last: string | null }>
  /** Redeemed promo codes without exactly one transfer of their amount, and transfers without a redemption. */
  readonly promoCredits: (org: OrgId) => Effect.Effect<Finding>
  /** Promo codes whose count differs from their redemptions. */
  readonly promoCounts: Effect.Effect<Finding>
  /**
   * Payments whose transfers are not their amount once and what was taken back, and transfers without a payment.
   */
  readonly paymentCredits: (org: OrgId) => Effect.Effect<Finding>
  /** Pending approvals of a request that is running or has ended. */
  readonly decidedApprovals: (org: OrgId) => Effect.Effect<Finding>
  /** Ended pools and allocations with money or holds, living ones of no team, and wallets that belong to none. */
  readonly teamWallets: (org: OrgId) => Effect.Effect<Finding>
  /** Open holds that were reserved over a minute ago, of hubs that have been gone for as long. */
  readonly deadHolds: (org: OrgId) => Effect.Effect<Finding>
  /** Whether the counted bytes of the workspace are not those of its objects. */
  readonly storedBytes: (org: OrgId) => Effect.Effect<Finding>
  /** Agents whose counted memories are not those stored. */
  readonly countedMemories: (org: OrgId) => Effect.Effect<Finding>
  /**
   * Workflows whose live version is not that of their active publication, whose newest version is not the highest, or
   * that are deleted and still granted or published.
   */
  readonly liveWorkflows: (org: OrgId) => Effect.Effect<Finding>
  /**
   * Firings whose request does not exist, or that are left to submit for minutes, and active schedules that should have
   * fired minutes ago.
   */
  readonly lostFirings: (org: OrgId) => Effect.Effect<Finding>
  /**
   * Open runs that no hub could resume, ended runs with open steps, runs that cost another amount than their steps, and
   * commitments of tasks that ended a while ago.
   */
  readonly runs: (org: OrgId) => Effect.Effect<Finding>
  /** Turns of chat that cost another amount than their steps, whose events have a gap, or that no hub takes for minutes. */
  readonly chats: (org: OrgId) => Effect.Effect<Finding>
  /**
   * Webhook endpoints without a valid position in the log, or that have nothing to send and have not read it for
   * minutes, and deliveries without an accepted attempt.
   */
  readonly webhooks: (org: OrgId) => Effect.Effect<Finding>
  /**
   * A position in the log beyond its end or far behind it, sent notices by email without a mail, mails with more
   * attempts than there are, and ended mails whose text is kept.
   */
  readonly notices: (org: OrgId) => Effect.Effect<Finding>
  /**
   * Notice channels that are ahead of the log or have not read it for ten minutes, and messages that miss a change of
   * their subject although no update of them is due.
   */
  readonly noticeChannels: (org: OrgId) => Effect.Effect<Finding>
  /** People whose role single sign-on manages without an identity, and recovery codes without a second factor. */
  readonly signIns: (org: OrgId) => Effect.Effect<Finding>
  /** Rows of sign-ins that expired over a day ago. */
  readonly begunSignIns: Effect.Effect<Finding>
  /** Objects whose bytes the last sweep did not find. */
  readonly missingObjects: (org: OrgId) => Effect.Effect<Finding>
  /**
   * Ready documents without all passages or vectors, passages of no document, and collections that count their documents
   * or passages wrongly.
   */
  readonly passages: (org: OrgId) => Effect.Effect<Finding>
  /** Entries of earlier versions whose data contains the whole input of a device command. */
  readonly entriesWithInputs: (org: OrgId) => Effect.Effect<number>
  /** Device commands whose contents should have been removed over a day ago. */
  readonly keptTooLong: (org: OrgId) => Effect.Effect<number>
  readonly searchIndexed: Effect.Effect<boolean>
  /**
   * How far the clock is off while hubs doubt it, in seconds, and workspaces whose time is more than five minutes ahead
   * of it.
   */
  readonly clock: Effect.Effect<{ readonly doubted_ahead: number | null; readonly ahead: ReadonlyArray<string> }>
  /** Examples of charged requests without their transfer, and of transfers without their charge. */
  readonly unmatchedCharges: (org: OrgId) => Effect.Effect<ReadonlyArray<string>>
  /** Examples of settlements without their audit entry, and of entries without their settlement. */
  readonly unmatchedVerdicts: (org: OrgId) => Effect.Effect<ReadonlyArray<string>>
}>()("@countersign/hub/ledger/DoctorRepository") {
  static readonly layer = Layer.effect(
    DoctorRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      /**
       * Forces index scans for pages: a connection keeps plans that were made while a table was small, which would scan
       * the whole table for each row.
       */
      const byKey = <A, E, R>(statement: Effect.Effect<A, E, R>) =>
        sql.withTransaction(
          Effect.andThen(
            sql`select set_config('enable_seqscan', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
            statement
          )
        )
      const finding = (rows: ReadonlyArray<Finding>): Finding => rows[0] ?? { bad: 0, example: null }

      return DoctorRepository.of({
        inOneSnapshot: (reads) =>
          sql.withTransaction(reads).pipe(
            Effect.provideService(SqlClient.BeginTransaction, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
            Effect.orDie
          ),
        orgs: sql<{ id: OrgId }>`select id from orgs order by id`.pipe(
          Effect.map((rows) => rows.map((row) => row.id)),
          Effect.orDie
        ),
        settledUntil: (org) =>
          sql<{ at: Date | null }>`select nullif(last_at, '-infinity') at from org_heads where org_id = ${org}`.pipe(
            Effect.map(([row]) => row?.at ?? undefined),
            Effect.orDie
          ),
        transfers: (org, { from, fromId, to }, after) =>
          sql<ScannedTransfer>`select id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after,
            cause_type, cause_id, hashtextextended(cause_id || ' ' || amount_cents, 0)::text mark,
            coalesce(created_at >= ${to ?? null}::timestamptz, false) as is_later
          from movements where ${
            sql.and([
              sql`org_id = ${org}`,
              sql`id > ${after}`,
              ...fromId === undefined ? [] : [sql`id >= ${fromId}`],
              ...from === undefined ? [] : [sql`created_at >= ${from}`]
            ])
          } order by id limit ${scanPage}`.pipe(byKey, Effect.orDie),
        settlements: (org, { from, to }, after) =>
          Effect.gen(function*() {
            const page = sql`select * from settlements where ${
              sql.and([
                sql`org_id = ${org}`,
                ...after === undefined
                  ? []
                  : [sql`(completed_at, request_id) > (${after.at}::timestamptz, ${after.id}::text)`],
                ...from === undefined ? [] : [sql`completed_at >= ${from}`],
                ...to === undefined ? [] : [sql`completed_at < ${to}`]
              ])
            } order by completed_at, request_id limit ${scanPage}`
            const [end] = yield* sql<{ read: number; at: Date | null; id: string | null }>`with s as (${page})
            select count(*) read,
              (array_agg(completed_at order by completed_at desc, request_id desc))[1] as at,
              (array_agg(request_id order by completed_at desc, request_id desc))[1] id
            from s`
            const groups = yield* sql<SettlementGroup>`with s as materialized (${page}),
              t as (select s.*, r.id found, r.task_id, coalesce(g.decided_at, r.created_at) begun from s
                left join lateral (select r.id, r.created_at, case when r.origin like '%"task_id"%'
                    then r.origin::json ->> 'task_id' end as task_id from requests r
                  where r.org_id = s.org_id and r.id = s.request_id offset 0) r on true
                left join lateral (select max(a.decided_at) filter (where a.status = 'approved') decided_at from
                  (select a.status, a.decided_at from approvals a
                    where a.org_id = s.org_id and a.request_id = s.request_id offset 0) a) g on true)
            select agent_id, task_id, mode, service, operation, status,
              to_char(completed_at at time zone 'utc', 'YYYY-MM-DD') completed_day,
              month_of(begun) as month, day_of(begun) as day,
              count(*) count, sum(cost_cents)::int8 cost, sum(ceiling_cents)::int8 ceiling,
              count(*) filter (where cost_cents > 0) charged,
              coalesce(sum(hashtextextended(request_id || ' ' || cost_cents, 0)::numeric)
                filter (where cost_cents > 0), 0)::text charge_marks,
              sum(hashtextextended(request_id || ' ' || status, 0)::numeric)::text verdict_marks,
              count(*) filter (where found is null) without_request, min(request_id) filter (where found is null) example
            from t group by 1, 2, 3, 4, 5, 6, 7, 8, 9`
            return {
              groups,
              read: end?.read ?? 0,
              last: end?.at == null || end.id === null ? undefined : { at: end.at, id: end.id }
            }
          }).pipe(byKey, Effect.orDie),
        verdicts: (org, { from, to }, seq) =>
          sql<VerdictPage>`with e as materialized (select seq, action, subject_id, outcome from audit where ${
            sql.and([
              sql`org_id = ${org}`,
              sql`seq > ${BigInt(seq)}::int8`,
              ...from === undefined ? [] : [sql`created_at >= ${from}`],
              ...to === undefined ? [] : [sql`created_at < ${to}`]
            ])
          } order by seq limit ${scanPage}),
            v as (select * from e
              where action in ('service_request.executed', 'service_request.failed', 'service_request.blocked'))
          select (select count(*) from e) read, (select max(seq) from e) last, (select count(*) from v) count,
            (select coalesce(sum(hashtextextended(subject_id || ' ' || outcome, 0)::numeric), 0)::text from v) marks`
            .pipe(
              Effect.map(([row]) => row!),
              byKey,
              Effect.orDie
            ),
        limits: (org) =>
          sql<
            LimitRow
          >`select x.id, x.kind::int kind, x.mode, x.agent_id, x.service, x.operation, x.cap, x.period, x.used,
            x.held, x.committed,
            case when x.used + x.held + x.committed > x.cap and x.agent_id is not null then
              (select count(*) from audit a
                where a.org_id = x.org_id and a.agent_id = x.agent_id and a.actor_type = 'user'
                  and (x.kind = 2 and a.action = 'agent.budget_set'
                    or x.kind in (3, 4) and a.action like 'binding.%'
                      and position('"service":' || to_json(x.service)::text in a.data) > 0))
                > case when x.kind = 2 then 0 else 1 end
              when x.used + x.held > x.cap and x.kind = 1 and x.service is null then
                x.used + x.held - x.cap <= (select coalesce(sum(p.reversed_cents), 0) from payments p
                  where p.org_id = x.org_id)
              else false end touched
          from limits x where x.org_id = ${org}`.pipe(Effect.orDie),
        ended: (org) =>
          sql<EndedRow>`select id, parent_agent_id as heir_id, ended_month as month from agents
            where org_id = ${org} and ended_month is not null and parent_agent_id is not null
          union all select id, from_agent_id, ended_month from delegated_tasks
            where org_id = ${org} and ended_month is not null`.pipe(Effect.orDie),
        commitments: (org) =>
          sql<Finding>`with
            now as (select month_of(greatest(hub_time_or_last(), last_at)) as month from org_heads where org_id = ${org}),
            ties as (select t.*, child.cap - child.once_cents as cap, commitment_of(child, now.month) as exact
              from commitments t join limits child on child.id = t.child_limit cross join now where t.org_id = ${org}),
            expected as (
              select own.id as child_limit, parents.id as parent_limit from agents a
              join limits own on own.org_id = a.org_id and own.kind = 2 and own.mode in ('live', 'test')
                and own.agent_id = a.id
              join limits parents on parents.org_id = a.org_id and parents.kind = 2 and parents.mode = own.mode
                and parents.agent_id = a.parent_agent_id
              where a.org_id = ${org} and a.deleted_at is null
              union all
              select t.budget_limit, parents.id from delegated_tasks t
              join limits parents on parents.org_id = t.org_id and parents.kind = 2 and parents.mode = t.mode
                and parents.agent_id = t.from_agent_id
              where t.org_id = ${org} and t.ended_at is null),
            faults as (
              select coalesce(e.child_limit, t.child_limit) as id
                from expected e full join ties t on t.child_limit = e.child_limit and t.parent_limit = e.parent_limit
                where e.child_limit is null or t.child_limit is null
              union all select child_limit from ties
                where exact > cents or cents < coalesce(cap, 0) or (not is_over and cents <> coalesce(cap, 0))
              union all select x.id from limits x
                left join (select parent_limit, sum(cents) as cents from ties group by 1) s on s.parent_limit = x.id
                left join (select l.id, sum(c.cents) as cents from run_commitments c cross join unnest(c.limits) l(id)
                  where c.org_id = ${org} group by 1) runs on runs.id = x.id
                where x.org_id = ${org} and x.committed <> coalesce(s.cents, 0) + coalesce(runs.cents, 0))
          select count(*) as bad, 'limit ' || min(id) as example from faults`.pipe(Effect.map(finding), Effect.orDie),
        held: (org) =>
          sql<HeldRow>`select x.id lim, x.period, count(*) count, sum(h.ceiling_cents)::int8 cents from holds h
          cross join lateral unnest(h.limits) l(id)
          join limits x on x.id = l.id
          where h.org_id = ${org} and x.period = period_of(x.kind, h.month, h.day)
          group by x.id, x.period`.pipe(Effect.orDie),
        usageDays: (org, { before, from }, after) =>
          sql<
            UsageDayRow
          >`select to_char(day, 'YYYY-MM-DD') as day, agent_id, service, operation, mode, executed, failed,
            blocked, cost_cents
          from usage_days where ${
            sql.and([
              sql`org_id = ${org}`,
              ...from === undefined ? [] : [sql`day >= ${from}::text::date`],
              ...before === undefined ? [] : [sql`day < ${before}::text::date`],
              ...after === undefined ? [] : [
                sql`(day, agent_id, service, operation, mode) > (${after.day}::text::date, ${after.agent_id}::text,
                ${after.service}::text, ${after.operation}::text, ${after.mode}::text)`
              ]
            ])
          } order by usage_days.day, agent_id, service, operation, mode limit ${scanPage}`.pipe(byKey, Effect.orDie),
        requestStates: (org, after) =>
          sql<Finding & { read: number; last: string | null }>`with r as materialized (
              select id from requests where org_id = ${org} and id > ${after} order by id limit ${scanPage}),
            t as (select r.id,
                (select count(*) from settlements s where s.org_id = ${org} and s.request_id = r.id)
                + (select count(*) from holds h where h.request_id = r.id)
                + (select count(*) filter (where a.status = 'pending') from
                  (select a.status from approvals a where a.org_id = ${org} and a.request_id = r.id offset 0) a) states
              from r)
          select count(*) read, (array_agg(id order by id desc))[1] as last,
            count(*) filter (where states <> 1) bad, min(id) filter (where states <> 1) example
          from t`.pipe(
            Effect.map(([row]) => row!),
            byKey,
            Effect.orDie
          ),
        promoCredits: (org) =>
          sql<Finding>`with m as (select id, cause_id, amount_cents from movements
              where org_id = ${org} and cause_type <> 'service_request' and cause_type = 'promo'),
            r as (select movement_id as id, promo_id as cause_id, amount_cents from promo_redemptions where org_id = ${org})
          select count(*) bad, min(d.id) example from
            ((select * from m except all select * from r) union all (select * from r except all select * from m)) d`
            .pipe(
              Effect.map(finding),
              Effect.orDie
            ),
        promoCounts: sql<Finding>`select count(*) bad, min(c.id) example from promo_codes c
          where c.redemptions <> (select count(*) from promo_redemptions r where r.promo_id = c.id)`.pipe(
          Effect.map(finding),
          Effect.orDie
        ),
        paymentCredits: (org) =>
          sql<Finding>`with m as (select m.id, m.cause_type, m.cause_id,
              case when x.kind = 1 then m.amount_cents else -m.amount_cents end as cents
            from movements m join limits x on x.id = m.credit_id
            where m.org_id = ${org} and m.cause_type <> 'service_request'
              and m.cause_type in ('payment', 'payment_reversal')),
            p as (select id, movement_id, amount_cents, reversed_cents from payments where org_id = ${org})
          select count(*) bad, min(coalesce(p.id, s.cause_id)) example from p
          full join (select cause_id, count(*) filter (where cause_type = 'payment') as credits,
              min(id) filter (where cause_type = 'payment') as movement_id,
              coalesce(sum(cents) filter (where cause_type = 'payment'), 0) as credited,
              -coalesce(sum(cents) filter (where cause_type = 'payment_reversal'), 0) as reversed
            from m group by cause_id) s on s.cause_id = p.id
          where p.id is null
            or coalesce(s.credits, 0) <> case when p.movement_id is null then 0 else 1 end
            or s.movement_id is distinct from p.movement_id
            or coalesce(s.credited, 0) <> case when p.movement_id is null then 0 else p.amount_cents end
            or coalesce(s.reversed, 0) <> p.reversed_cents`.pipe(
            Effect.map(finding),
            Effect.orDie
          ),
        decidedApprovals: (org) =>
          sql<Finding>`select count(*) bad, min(a.id) example from approvals a
          where a.org_id = ${org} and a.status = 'pending' and a.kind = 'service_request' and (
            exists (select 1 from settlements s where s.org_id = a.org_id and s.request_id = a.request_id)
            or exists (select 1 from holds h where h.request_id = a.request_id)
            or not exists (select 1 from requests r where r.org_id = a.org_id and r.id = a.request_id))`.pipe(
            Effect.map(finding),
            Effect.orDie
          ),
        teamWallets: (org) =>
          sql<Finding>`select count(*) bad, min(w.service || ' ' || w.operation) example
          from limits w
          left join team_wallets x on x.limit_id = w.id
          left join limits c on c.id = x.month_limit_id
          left join teams t on t.id = x.team_id and t.org_id = w.org_id and t.deleted_at is null
          left join team_members m on m.team_id = x.team_id and m.user_id = x.user_id
          where w.org_id = ${org} and w.kind = 1 and w.service is not null
            and (x.limit_id is null or c.used > w.used
              or case when x.ended_at is null then t.id is null or (x.user_id is not null and m.user_id is null)
                else w.cap <> w.used or w.held <> 0 end)`.pipe(
            Effect.map(finding),
            Effect.orDie
          ),
        deadHolds: (org) =>
          sql<Finding>`select count(*) bad, min(h.request_id) example from holds h
          left join owners o on o.num = h.owner
          where h.org_id = ${org} and h.phase = 1
            and h.created_at < hub_time_or_last() - interval '1 minute'
            and (o.num is null or o.ended or o.alive_until < hub_time_or_last() - interval '1 minute')`.pipe(
            Effect.map(finding),
            Effect.orDie
          ),
        storedBytes: (org) =>
          sql<Finding>`select count(*) bad, min('counts ' || t.used || ' bytes, and has ' || t.stored) example from (
            select coalesce(c.used_bytes, 0) as used, coalesce(c.deleted_bytes, 0) as deleted, s.stored, s.stored_deleted
            from (select coalesce(sum(size_bytes), 0)::bigint as stored,
                coalesce(sum(size_bytes) filter (where deleted_at is not null), 0)::bigint as stored_deleted
              from storage_objects where org_id = ${org}) s
            left join storage_totals c on c.org_id = ${org}) t
          where t.used <> t.stored or t.deleted <> t.stored_deleted`.pipe(Effect.map(finding), Effect.orDie),
        missingObjects: (org) =>
          sql<Finding>`select count(*) bad, min(id) example from storage_objects
          where org_id = ${org} and missing_at is not null`.pipe(Effect.map(finding), Effect.orDie),
        passages: (org) =>
          sql<Finding>`with c as (select x.document_id, count(*) as chunks, count(v.chunk_id) as vectors
              from knowledge_chunks x join knowledge_collections k on k.id = x.collection_id
              left join knowledge_vectors v on v.chunk_id = x.chunk_id and v.generation = k.generation
              where x.org_id = ${org} group by x.document_id),
            d as (select id, collection_id, status, deleted_at, chunks from knowledge_documents where org_id = ${org})
          select count(*) bad, min(f.id) example from (
            select d.id from d left join c on c.document_id = d.id where d.deleted_at is null and d.status = 'ready'
              and (d.chunks = 0 or coalesce(c.chunks, 0) <> d.chunks or coalesce(c.vectors, 0) <> d.chunks)
            union all select c.document_id from c left join d on d.id = c.document_id where d.id is null
            union all select k.id from knowledge_collections k where k.org_id = ${org} and k.deleted_at is null and (
              k.documents <> (select count(*) from d where d.collection_id = k.id and d.deleted_at is null)
              or k.chunks <> (select coalesce(sum(d.chunks), 0) from d
                where d.collection_id = k.id and d.status = 'ready' and d.deleted_at is null))) f`.pipe(
            Effect.map(finding),
            Effect.orDie
          ),
        runs: (org) =>
          sql<Finding>`select count(*) as bad, 'run ' || min(f.id) as example from (
            select r.id from runs r where r.org_id = ${org} and (
              (r.ended_at is null and not exists (select 1 from run_work w where w.run_id = r.id))
              or (r.ended_at is not null and exists (select 1 from run_steps s where s.org_id = r.org_id and s.run_id = r.id
                and s.status in ('pending', 'running', 'waiting')))
              or r.cost_cents <> (select coalesce(sum(s.cost_cents), 0) from run_steps s
                where s.org_id = r.org_id and s.run_id = r.id))
            union all
            select c.task_id from run_commitments c join delegated_tasks t on t.id = c.task_id
              where c.org_id = ${org} and t.ended_at < hub_time_or_last() - interval '10 minutes'
          ) f`.pipe(Effect.map(finding), Effect.orDie),
        chats: (org) =>
          sql<Finding>`select count(*) as bad, 'turn ' || min(t.id) as example from chat_turns t
          where t.org_id = ${org} and (
            t.cost_cents <> (select coalesce(sum(s.cost_cents), 0) from chat_steps s where s.turn_id = t.id)
            or (select count(*) <> coalesce(max(e.seq), 0) from chat_events e where e.turn_id = t.id)
            or t.owner = 0 and t.state in ('queued', 'running')
              and t.resumed_at < hub_time_or_last() - interval '10 minutes'
              and not exists (select 1 from chat_turns x where x.owner <> 0 and x.state = 'running')
          )`.pipe(Effect.map(finding), Effect.orDie),
        liveWorkflows: (org) =>
          sql<Finding>`select count(*) as bad, 'workflow ' || min(w.id) as example from workflows w
          left join publications p on p.subject_type = 'workflow' and p.subject_id = w.id and p.revoked_at is null
          left join publish_requests r on r.id = p.request_id
          where w.org_id = ${org} and (
            w.live_version_id is distinct from r.version_id
            or w.latest_version <> (select coalesce(max(v.number), 0) from workflow_versions v where v.workflow_id = w.id)
            or w.deleted_at is not null and exists (select 1 from workflow_grants g where g.workflow_id = w.id)
          )`.pipe(Effect.map(finding), Effect.orDie),
        countedMemories: (org) =>
          sql<Finding>`select count(*) bad, min(coalesce(t.agent_id, m.agent_id)) example
          from (select * from memory_totals where org_id = ${org}) t
          full join (select agent_id, count(*) as stored from memories where org_id = ${org} group by agent_id) m
            on m.agent_id = t.agent_id
          where coalesce(t.memories, 0) <> coalesce(m.stored, 0)`.pipe(Effect.map(finding), Effect.orDie),
        lostFirings: (org) =>
          sql<Finding>`select count(*) bad, min(id) example from (
            select f.id from firings f where f.org_id = ${org} and f.status = 'fired'
              and f.created_at < hub_time_or_last() - interval '10 minutes'
              and (f.owner is not null or not exists (
                select 1 from requests r where r.org_id = f.org_id and r.id = f.request_id))
            union all
            select s.id from schedules s where s.org_id = ${org}
              and s.fire_at < hub_time_or_null() - interval '10 minutes') lost`.pipe(Effect.map(finding), Effect.orDie),
        webhooks: (org) =>
          sql<Finding>`select count(*) bad, min(f.id) example from (
            select e.id from webhook_endpoints e left join webhook_cursors c on c.endpoint_id = e.id
              join org_heads h on h.org_id = e.org_id
              where e.org_id = ${org} and e.deleted_at is null and (c.seq is null or c.seq > h.seq
                or (e.status = 'enabled' and exists (select 1 from audit a where a.org_id = ${org} and a.seq = c.seq + 1
                  and a.created_at < hub_time_or_null() - interval '10 minutes')
                  and not exists (select 1 from webhook_deliveries d where d.endpoint_id = e.id and d.status = 'pending')))
            union all
            select d.id from webhook_deliveries d where d.org_id = ${org} and d.status = 'delivered'
              and not exists (select 1 from webhook_attempts a where a.delivery_id = d.id and a.status between 200 and 299)
          ) f`.pipe(Effect.map(finding), Effect.orDie),
        notices: (org) =>
          sql<Finding>`select count(*) bad, min(f.id) example from (
            select c.org_id as id from notice_cursors c join org_heads h on h.org_id = c.org_id
              where c.org_id = ${org} and (c.seq > h.seq or exists (select 1 from audit a
                where a.org_id = ${org} and a.seq = c.seq + 1
                  and a.created_at < hub_time_or_null() - interval '10 minutes'))
            union all
            select n.id from notices n where n.org_id = ${org} and n.medium = 'email' and n.state = 'sent'
              and n.mail_id is null
            union all
            select m.id from mails m where m.org_id = ${org}
              and (m.attempt > 5 or (m.status <> 'pending' and m.sealed is not null))) f`.pipe(
            Effect.map(finding),
            Effect.orDie
          ),
        noticeChannels: (org) =>
          sql<Finding>`select count(*) bad, min(f.id) example from (
            select c.id from notice_channels c join org_heads h on h.org_id = c.org_id
              where c.org_id = ${org} and (c.seq > h.seq or exists (select 1 from audit a where a.org_id = ${org}
                and a.seq = c.seq + 1 and a.created_at < hub_time_or_null() - interval '10 minutes'))
            union all
            select m.id from notice_messages m where m.org_id = ${org} and m.due_at is null and m.closed_at is null
              and (m.message is null or m.shown < m.wanted)
          ) f`.pipe(Effect.map(finding), Effect.orDie),
        signIns: (org) =>
          sql<Finding>`select count(*) bad, min(f.id) example from (
            select m.user_id as id from memberships m where m.org_id = ${org} and m.managed_by = 'oidc'
              and not exists (select 1 from identities i where i.user_id = m.user_id)
            union
            select m.user_id from memberships m where m.org_id = ${org}
              and exists (select 1 from recovery_codes c where c.user_id = m.user_id)
              and not exists (select 1 from factors f where f.user_id = m.user_id)
          ) f`.pipe(Effect.map(finding), Effect.orDie),
        begunSignIns: sql<Finding>`select count(*) bad, min(r.name) example from (
            select 'oidc_flows' as name, expires_at from oidc_flows
            union all select 'oidc_links', expires_at from oidc_links
            union all select 'oidc_logouts', expires_at from oidc_logouts
            union all select 'sign_in_challenges', expires_at from sign_in_challenges
            union all select 'passkey_challenges', expires_at from passkey_challenges
            union all select 'totp_enrollments', expires_at from totp_enrollments
            union all select 'device_sign_ins', expires_at from device_sign_ins
          ) r where r.expires_at < hub_time_or_last() - interval '1 day'`.pipe(Effect.map(finding), Effect.orDie),
        entriesWithInputs: (org) =>
          sql<
            { count: number }
          >`select count(*) as count from audit where org_id = ${org} and action = 'device_command.queued'
            and data::json -> 'input' is not null and data::json -> 'input' -> 'sha256' is null`.pipe(
            Effect.map(([row]) => row?.count ?? 0),
            Effect.orDie
          ),
        keptTooLong: (org) =>
          sql<{ count: number }>`select count(*) as count from device_commands c join orgs o on o.id = c.org_id
          where c.org_id = ${org} and c.removed_after_days is null
            and c.done_at < now() - make_interval(days => o.device_output_days + 1)
            and not exists (select 1 from holds h where h.request_id = c.service_request_id)`.pipe(
            Effect.map(([row]) => row?.count ?? 0),
            Effect.orDie
          ),
        unmatchedVerdicts: (org) =>
          sql<{ found: string }>`with
            s as (select request_id id, status from settlements where org_id = ${org}),
            v as (select subject_id id, outcome status from audit where org_id = ${org}
              and action in ('service_request.executed', 'service_request.failed', 'service_request.blocked'))
          select 'request ' || d.id found from
            ((select * from s except all select * from v) union all (select * from v except all select * from s)) d
          limit 5`.pipe(
            Effect.map((rows) => rows.map((row) => row.found)),
            Effect.orDie
          ),
        searchIndexed: sql<{ there: boolean }>`select to_regclass('request_texts_search') is not null as there`.pipe(
          Effect.map(([row]) => row?.there === true),
          Effect.orDie
        ),
        clock: sql<{ doubted_ahead: number | null; ahead: ReadonlyArray<string> }>`select
          (select ahead from clock_watch where doubted_at is not null) as doubted_ahead,
          array(select org_id from org_heads where last_at > clock_timestamp() + interval '5 minutes'
            and exists (select 1 from clock_watch) order by org_id limit 100) as ahead`.pipe(
          Effect.map(([row]) => row!),
          Effect.orDie
        ),
        unmatchedCharges: (org) =>
          sql<{ found: string }>`
          (select 'request ' || s.request_id found from settlements s
            where s.org_id = ${org} and s.cost_cents > 0 and not exists
              (select 1 from movements m where m.org_id = s.org_id and m.cause_type = 'service_request'
                and m.cause_id = s.request_id and m.amount_cents = s.cost_cents)
            limit 3)
          union all
          (select 'movement ' || m.id from movements m
            where m.org_id = ${org} and m.cause_type = 'service_request' and not exists
              (select 1 from settlements s
                where s.org_id = m.org_id and s.request_id = m.cause_id and s.cost_cents = m.amount_cents)
            limit 3)
          union all
          (select 'movement ' || max(m.id) from movements m
            where m.org_id = ${org} and m.cause_type = 'service_request'
            group by m.cause_id having count(*) > 1 limit 3)`.pipe(
            Effect.map((rows) => rows.map((row) => row.found)),
            Effect.orDie
          )
      })
    })
  )
}
