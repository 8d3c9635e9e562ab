/** The remaining amounts of a request's limits at this moment; read without a lock, for people and estimates. */
import type { OperationCaps } from "@countersign/domain/bindings"
import type { AgentId, OrgId, StandingApprovalId } from "@countersign/domain/ids"
import type { LimitFigures, Remaining } from "@countersign/domain/service-requests"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentOperation } from "../../agents/bindings-repository.ts"

/** A limit that would block a request: its kind in the table of limits, and the block as JSON. */
export interface TightLimit {
  readonly kind: number
  readonly block: string
}

interface FigureRow {
  readonly kind: number
  readonly cap: number | null
  readonly used: number
  readonly held: number
  readonly committed: number
  readonly month_ends: Date
  readonly day_ends: Date
}

export interface Figures {
  readonly remaining: Remaining
  readonly limits: LimitFigures
}

/** The operation whose counters are read. */
interface CountedOperation extends Omit<AgentOperation, "agent"> {
  /** Empty for approvals that no agent pays for: they have no counters. */
  readonly agent: AgentId | ""
}

/** An operation that was never used has no counters: its whole caps remain. */
const figuresOf = (rows: ReadonlyArray<FigureRow>, caps: OperationCaps): Figures => {
  const set = (kind: number, unused?: number) => {
    const row = rows.find((row) => row.kind === kind)
    if (row === undefined) {
      return unused === undefined || rows[0] === undefined
        ? undefined
        : { ...rows[0], cap: unused, used: 0, held: 0, committed: 0 }
    }
    return row.cap === null ? undefined : { ...row, cap: row.cap }
  }
  const [wallet, agentMonth, month, day] = [
    set(1),
    set(2),
    set(3, caps.monthly_cap_cents),
    set(4, caps.daily_request_limit)
  ]
  const left = ({ cap, committed, held, used }: NonNullable<typeof wallet>) => cap - committed - used - held
  const money = ({ cap, committed, held, month_ends, used }: NonNullable<typeof wallet>) => ({
    cap_cents: cap,
    spent_cents: used,
    held_cents: held,
    ...committed === 0 ? {} : { committed_cents: committed },
    resets_at: month_ends.toISOString()
  })
  return {
    remaining: {
      ...(month === undefined ? {} : { operation_month_cents: left(month) }),
      ...(day === undefined ? {} : { operation_day_count: left(day) }),
      ...(agentMonth === undefined ? {} : { agent_month_cents: left(agentMonth) }),
      wallet_cents: wallet === undefined ? 0 : left(wallet)
    },
    limits: {
      ...(month === undefined ? {} : { operation_month: money(month) }),
      ...(day === undefined
        ? {}
        : {
          operation_day: {
            limit_count: day.cap,
            used_count: day.used + day.held,
            resets_at: day.day_ends.toISOString()
          }
        }),
      ...(agentMonth === undefined ? {} : { agent_month: money(agentMonth) }),
      wallet: { balance_cents: wallet === undefined ? 0 : wallet.cap - wallet.used, held_cents: wallet?.held ?? 0 }
    }
  }
}

export class LimitsRepository extends Context.Service<LimitsRepository, {
  /** Reads the mode's counters under the operation's caps; the wallet is the live one that pays, in every mode. */
  readonly figures: (of: CountedOperation, caps: OperationCaps) => Effect.Effect<Figures>
  /**
   * The first of these limits that a request of this ceiling would exceed, in the order in which the tick reports them;
   * `undefined` when it fits them all.
   */
  readonly tight: (
    org: OrgId,
    limits: ReadonlyArray<number>,
    ceilingCents: number
  ) => Effect.Effect<TightLimit | undefined>
  /** Records, for people, that a standing approval admitted a request at this time (milliseconds). */
  readonly standingUsed: (org: OrgId, id: StandingApprovalId, at: number) => Effect.Effect<void>
}>()("@countersign/hub/dispatch/decision/LimitsRepository") {
  static readonly layer = Layer.effect(
    LimitsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const now = (org: OrgId) =>
        sql`(select greatest(hub_time_or_last(), last_at) at from org_heads where org_id = ${org}) h`
      return LimitsRepository.of({
        figures: ({ agent, mode, operation, org, service }, caps) =>
          sql<FigureRow>`select x.kind::int as kind, cap_now(x, month_of(h.at)) as cap, x.committed,
            case when current then x.used else 0 end as used, case when current then x.held else 0 end as held,
            (date_trunc('month', h.at at time zone 'utc') + interval '1 month') at time zone 'utc' as month_ends,
            (date_trunc('day', h.at at time zone 'utc') + interval '1 day') at time zone 'utc' as day_ends
          from ${
            now(org)
          }, limits x, lateral (select x.period = period_of(x.kind, month_of(h.at), day_of(h.at)) as current) p
          where x.org_id = ${org} and (
            x.id = (select w.wallet from agents a cross join lateral paying_wallet(a.org_id, a.team_id, a.owner_user_id) w
              where a.org_id = ${org} and a.id = ${agent}) or
            (x.kind = 2 and x.mode = ${mode} and x.agent_id = ${agent}) or
            (x.kind in (3, 4) and x.mode = ${mode} and x.agent_id = ${agent} and x.service = ${service}
              and x.operation = ${operation}))`.pipe(
            Effect.map((rows) => figuresOf(rows, caps)),
            Effect.orDie
          ),
        tight: (org, limits, ceilingCents) =>
          sql<TightLimit>`select x.kind::int as kind, block_of(x, ${org}, month_of(h.at), day_of(h.at)) as block
          from ${now(org)}, limits x
          where x.id = reserve_limits(${limits.map(BigInt)}::bigint[], null, ${BigInt(ceilingCents)}::bigint,
            month_of(h.at), day_of(h.at), h.at, false)`.pipe(
            Effect.map((rows) => rows[0]),
            Effect.orDie
          ),
        standingUsed: (org, id, at) =>
          sql`update standing_approvals set last_used_at = greatest(last_used_at, ${new Date(at)})
          where org_id = ${org} and id = ${id}`.pipe(
            Effect.catchCause((cause) => Effect.logWarning("the use of a standing approval was not noted", cause)),
            Effect.asVoid
          )
      })
    })
  )
}
