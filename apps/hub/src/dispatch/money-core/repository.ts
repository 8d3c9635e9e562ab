/** The tick as a call inside another transaction, for a begin that must commit together with other rows. */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { TickRow } from "./statement.ts"

export class MoneyCoreRepository extends Context.Service<MoneyCoreRepository, {
  /** A call of the tick in the caller's transaction. Its later plans use keys, as a lane's do. */
  readonly tickWithin: (
    call: { readonly statement: string; readonly parameters: ReadonlyArray<unknown> }
  ) => Effect.Effect<TickRow | undefined>
}>()("@countersign/hub/dispatch/money-core/MoneyCoreRepository") {
  static readonly layer = Layer.effect(
    MoneyCoreRepository,
    Effect.map(SqlClient.SqlClient, (sql) =>
      MoneyCoreRepository.of({
        tickWithin: ({ parameters, statement }) =>
          sql`select set_config('plan_cache_mode', 'force_generic_plan', true), set_config('enable_seqscan', 'off', true),
          set_config('jit', 'off', true)`.pipe(
            Effect.andThen(sql.unsafe<TickRow>(statement, [...parameters])),
            Effect.map(([row]) => row),
            Effect.orDie
          )
      }))
  )
}
