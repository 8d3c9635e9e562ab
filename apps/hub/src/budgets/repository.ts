/** The monthly limit of an agent. */
import type { Mode } from "@countersign/domain/auth"
import type { BudgetPeriod } from "@countersign/domain/budget-requests"
import type { AgentId, OrgId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface MonthFigures {
  readonly cap: number | null
  /** The part of the cap that ends with this month. */
  readonly once: number
  readonly used: number
  readonly held: number
  readonly committed: number
  readonly resets_at: Date
}

export interface EndedIncrease {
  readonly agent_id: AgentId
  /** Of an operation's limit. */
  readonly service: string | null
  readonly operation: string | null
  readonly from: number | null
  readonly to: number | null
}

export class BudgetsRepository extends Context.Service<BudgetsRepository, {
  /** Of this UTC month; zeros for an agent that has no such limit yet. */
  readonly month: (org: OrgId, agent: AgentId, mode: Mode) => Effect.Effect<MonthFigures>
  /**
   * Sets the live and the test cap, with what the agent has committed on its parent; counters stay. Returns the error
   * code when its family does not allow it. Call it under the workspace's lock.
   */
  readonly setCap: (
    org: OrgId,
    agent: AgentId,
    capCents: number | null,
    at: Date
  ) => Effect.Effect<"budget_committed" | "insufficient_budget" | null>
  /**
   * Raises the live and the test cap, permanently or for the month of `at`, the time of the workspace's lock, with what
   * the agent has committed on its parent. An agent without a cap stays without one. False when the parent has no room;
   * the caller then rolls its transaction back.
   */
  readonly raiseCap: (
    org: OrgId,
    agent: AgentId,
    raise: { readonly cents: number; readonly period: BudgetPeriod; readonly at: Date }
  ) => Effect.Effect<boolean>
  /** Workspaces with an increase whose month has passed. */
  readonly withEndedIncreases: (limit: number) => Effect.Effect<ReadonlyArray<{ readonly org_id: OrgId }>>
  /**
   * Takes increases of earlier months off the caps, which do not count them any more since the month ended. Call it
   * under the workspace's lock, whose time is `at`. Returns the live limits.
   */
  readonly endIncreases: (org: OrgId, at: Date) => Effect.Effect<ReadonlyArray<EndedIncrease>>
  readonly setThreshold: (org: OrgId, agent: AgentId, thresholdCents: number | null) => Effect.Effect<void>
  /** Raises the agent's edit version, and makes dispatch read the agent again. */
  readonly bump: (org: OrgId, agent: AgentId) => Effect.Effect<void>
}>()("@countersign/hub/budgets/BudgetsRepository") {
  static readonly layer = Layer.effect(
    BudgetsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const cents = (value: number | null) => value === null ? null : BigInt(value)
      return BudgetsRepository.of({
        month: (org, agent, mode) =>
          sql<MonthFigures>`with now as materialized (select hub_time_or_last() as at)
          select cap_now(l, n.month) as cap, case when l.once_month >= n.month then l.once_cents else 0 end as once,
            case when l.period >= n.month then l.used else 0 end as used,
            case when l.period >= n.month then l.held else 0 end as held, coalesce(l.committed, 0) as committed,
            (date_trunc('month', n.at at time zone 'utc') + interval '1 month') at time zone 'utc' as resets_at
          from (select at, month_of(at) as month from now) n
          left join limits l on l.org_id = ${org} and l.kind = 2 and l.mode = ${mode} and l.agent_id = ${agent} and l.service is null
            and l.operation is null`.pipe(
            Effect.flatMap(([row]) => row === undefined ? Effect.die("a month without a row") : Effect.succeed(row)),
            Effect.orDie
          ),
        setCap: (org, agent, capCents, at) =>
          sql<{ refusal: "budget_committed" | "insufficient_budget" | null }>`select
            set_agent_cap(${org}, ${agent}, ${cents(capCents)}::bigint, ${at}) as refusal`.pipe(
            Effect.map(([row]) => row?.refusal ?? null),
            Effect.orDie
          ),
        raiseCap: (org, agent, { at, cents, period }) =>
          sql`update limits x set cap = cap_now(x, n.month) + ${BigInt(cents)}::bigint,
            once_cents = case when x.once_month >= n.month then x.once_cents else 0 end
              + ${BigInt(period === "once" ? cents : 0)}::bigint,
            once_month = n.month
          from (select month_of(${at}) as month) n
          where x.org_id = ${org} and x.kind = 2 and x.mode in ('live', 'test') and x.agent_id = ${agent}
            and x.cap is not null`.pipe(
            Effect.andThen(sql<{ fits: boolean }>`select recommit_month(${org}, ${agent}, ${at}) as fits`),
            Effect.map(([row]) => row?.fits === true),
            Effect.orDie
          ),
        withEndedIncreases: (limit) =>
          sql<{ org_id: OrgId }>`select distinct org_id from (select org_id from limits
            where once_cents > 0 and once_month < month_of(hub_time_or_last()) limit ${limit}) s`.pipe(Effect.orDie),
        endIncreases: (org, at) =>
          sql<EndedIncrease & { readonly mode: string }>`with ended as (
            select x.id, x.mode, x.agent_id, x.service, x.operation, x.cap as "from", cap_now(x, n.month) as "to", n.month, n.day
            from (select month_of(${at}) as month, day_of(${at}) as day) n, limits x
            where x.org_id = ${org} and x.once_cents > 0 and x.once_month < n.month),
          done as (update limits x set cap = e."to", once_cents = 0, once_month = e.month,
              period = period_of(x.kind, e.month, e.day), used = used_now(x, e.month, e.day),
              held = held_now(x, e.month, e.day)
            from ended e where x.org_id = ${org} and x.id = e.id)
          select mode, agent_id, service, operation, "from", "to" from ended order by id`.pipe(
            Effect.map((rows) => rows.filter(({ mode }) => mode === "live")),
            Effect.orDie
          ),
        setThreshold: (org, agent, thresholdCents) =>
          sql`update agents set approval_threshold_cents = ${
            cents(thresholdCents)
          }::bigint where org_id = ${org} and id = ${agent}`.pipe(
            Effect.asVoid,
            Effect.orDie
          ),
        bump: (org, agent) =>
          sql`update agents set version = version + 1, edit_version = edit_version + 1, updated_at = now()
          where org_id = ${org} and id = ${agent}`.pipe(Effect.asVoid, Effect.orDie)
      })
    })
  )
}
