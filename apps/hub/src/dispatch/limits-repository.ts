/** What is left of the limits that a request must fit, at this moment; read without a lock, for people and estimates. */
import type { Mode } from "@countersign/domain/auth"
import type { Remaining } from "@countersign/domain/service-requests"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** A limit that would stop a request: its kind as in the table of limits, and the block as JSON. */
export interface TightLimit {
  readonly kind: number
  readonly block: string
}

export class LimitsRepository extends Context.Service<LimitsRepository, {
  readonly remaining: (org: string, agent: string, mode: Mode, service: string, operation: string) => Effect.Effect<Remaining>
  /** The first of these that a request of this ceiling would not fit, as the tick tells it; `undefined` when it fits them all. */
  readonly tight: (org: string, limits: ReadonlyArray<number>, ceilingCents: number) => Effect.Effect<TightLimit | undefined>
  /** Notes, for people, that a standing approval let a request pass at this time (milliseconds). */
  readonly standingUsed: (org: string, id: string, at: number) => Effect.Effect<void>
}>()("@countersign/hub/dispatch/LimitsRepository") {
  static readonly layer = Layer.effect(LimitsRepository, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const now = (org: string) => sql`(select greatest(clock_timestamp(), last_at) at from org_heads where org_id = ${org}) h`
    return LimitsRepository.of({
      remaining: (org, agent, mode, service, operation) =>
        sql<{ kind: number; left: number | null }>`select x.kind::int as kind, x.cap - x.committed -
            case when x.period = period_of(x.kind, month_of(h.at), day_of(h.at)) then x.used + x.held else 0 end as left
          from ${now(org)}, limits x where x.org_id = ${org} and (
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
        ),
      tight: (org, limits, ceilingCents) =>
        sql<TightLimit>`select x.kind::int as kind, block_of(x, ${org}, month_of(h.at), day_of(h.at)) as block from ${now(org)}, limits x
          where x.id = reserve_one(${limits.map(BigInt)}::bigint[], null, ${BigInt(ceilingCents)}::bigint, month_of(h.at), day_of(h.at), h.at, false)`.pipe(
          Effect.map((rows) => rows[0]), Effect.orDie
        ),
      standingUsed: (org, id, at) =>
        sql`update standing_approvals set last_used_at = greatest(last_used_at, ${new Date(at)}) where org_id = ${org} and id = ${id}`.pipe(
          Effect.catchCause((cause) => Effect.logWarning("the use of a standing approval was not noted", cause)), Effect.asVoid
        )
    })
  }))
}
