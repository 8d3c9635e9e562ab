/** What is left of the limits that a request must fit, at this moment; read without a lock, for people and estimates. */
import type { Mode } from "@countersign/domain/auth"
import type { Remaining } from "@countersign/domain/service-requests"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

export class Figures extends Context.Service<Figures, {
  readonly remaining: (org: string, agent: string, mode: Mode, service: string, operation: string) => Effect.Effect<Remaining>
}>()("@countersign/hub/dispatch/Figures") {
  static readonly layer = Layer.effect(Figures, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return Figures.of({
      remaining: (org, agent, mode, service, operation) =>
        sql<{ kind: number; left: number | null }>`select x.kind::int as kind, x.cap - x.committed -
            case when x.period = period_of(x.kind, month_of(h.at), day_of(h.at)) then x.used + x.held else 0 end as left
          from (select greatest(clock_timestamp(), last_at) at from org_heads where org_id = ${org}) h, limits x where x.org_id = ${org} and (
            (x.kind = 1 and x.mode = 'live' and x.agent_id is null and x.service is null) or
            (x.kind = 2 and x.mode = ${mode} and x.agent_id = ${agent}) or
            (x.kind in (3, 4) and x.mode = ${mode} and x.agent_id = ${agent} and x.service = ${service} and x.operation = ${operation}))`.pipe(
          Effect.map((rows) => {
            const left = (kind: number) => rows.find((row) => row.kind === kind)?.left ?? undefined
            const month = left(3), day = left(4), agentMonth = left(2)
            return {
              ...(month === undefined ? {} : { operation_month_cents: month }),
              ...(day === undefined ? {} : { operation_day_count: day }),
              ...(agentMonth === undefined ? {} : { agent_month_cents: agentMonth }),
              wallet_cents: left(1) ?? 0
            }
          }),
          Effect.orDie
        )
    })
  }))
}
