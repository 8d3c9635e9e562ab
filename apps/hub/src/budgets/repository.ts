/** The monthly limit of an agent. */
import type { Mode } from "@countersign/domain/auth"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export interface MonthFigures {
  readonly cap: number | null
  readonly used: number
  readonly held: number
  readonly committed: number
  readonly resets_at: Date
}

export class BudgetsRepository extends Context.Service<BudgetsRepository, {
  /** Of this UTC month; zeros for an agent that has no such limit yet. */
  readonly month: (org: string, agent: string, mode: Mode) => Effect.Effect<MonthFigures>
  /** The total of the caps of active children, over both modes. */
  readonly committed: (org: string, agent: string) => Effect.Effect<number>
  /** Sets the live and the test cap; counters stay. Call it under the workspace's lock. */
  readonly setCap: (org: string, agent: string, capCents: number | null) => Effect.Effect<void>
  readonly setThreshold: (org: string, agent: string, thresholdCents: number | null) => Effect.Effect<void>
  /** Raises the agent's edit version, and makes dispatch read the agent again. */
  readonly bump: (org: string, agent: string) => Effect.Effect<void>
}>()("@countersign/hub/budgets/BudgetsRepository") {
  static readonly layer = Layer.effect(
    BudgetsRepository,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const cents = (value: number | null) => value === null ? null : BigInt(value)
      return BudgetsRepository.of({
        month: (org, agent, mode) =>
          sql<MonthFigures>`with now as materialized (select hub_time_or_last() as at)
          select l.cap, case when l.period >= n.month then l.used else 0 end as used,
            case when l.period >= n.month then l.held else 0 end as held, coalesce(l.committed, 0) as committed,
            (date_trunc('month', n.at at time zone 'utc') + interval '1 month') at time zone 'utc' as resets_at
          from (select at, month_of(at) as month from now) n
          left join limits l on l.org_id = ${org} and l.kind = 2 and l.mode = ${mode} and l.agent_id = ${agent} and l.service is null
            and l.operation is null`.pipe(
            Effect.flatMap(([row]) => row === undefined ? Effect.die("a month without a row") : Effect.succeed(row)),
            Effect.orDie
          ),
        committed: (org, agent) =>
          sql<{ committed: number }>`select coalesce(max(committed), 0) as committed from limits
          where org_id = ${org} and kind = 2 and mode in ('live', 'test') and agent_id = ${agent}`.pipe(
            Effect.map(([row]) => row?.committed ?? 0),
            Effect.orDie
          ),
        setCap: (org, agent, capCents) =>
          sql`insert into limits (org_id, kind, mode, agent_id, cap)
            select ${org}, 2, m, ${agent}, ${cents(capCents)}::bigint from unnest(array['live', 'test']) m
          on conflict (org_id, kind, mode, agent_id, service, operation) do update set cap = excluded.cap`.pipe(
            Effect.asVoid,
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
