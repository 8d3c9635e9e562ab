/**
 * Connections for statements that the hub sends all the time. Each makes one plan for a statement and keeps it, and the one
 * that was used last is taken first. The connections of the pool plan a statement on a partitioned table for each call,
 * and are used in turn, so that each of them must make and cache its plans.
 */
import { PgPool } from "@effect/sql-pg"
import { Context, Effect, Exit, Layer, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { clientConfig, Database, keptPlanParameters } from "./db.ts"
import { DatabasePatience } from "./patience.ts"
import { makeBounds, noteFullDisk, statementTimeoutSeconds } from "./pool.ts"

/** While all of them are busy, statements use the pool. */
const connectionsMax = 3

export class WarmConnections extends Context.Service<WarmConnections, {
  /** Sends one statement, which in a transaction is a part of it. */
  readonly query: <Row>(
    text: string,
    parameters: ReadonlyArray<unknown>
  ) => Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>
}>()("@countersign/hub/platform/WarmConnections") {
  static readonly layer = Layer.effect(
    WarmConnections,
    Effect.gen(function*() {
      const { target } = yield* Database
      const sql = yield* SqlClient.SqlClient
      const { bounded, stop } = makeBounds(yield* DatabasePatience, () => {}, yield* noteFullDisk)
      yield* Effect.addFinalizer(() => Effect.sync(stop))
      const config = clientConfig(target, "countersign-warm", {
        ...keptPlanParameters,
        statement_timeout: `${statementTimeoutSeconds}s`
      })
      // A pool of one connection opens it at its first use, and again after it was lost.
      const idle = yield* Effect.forEach(
        Array.from({ length: connectionsMax }),
        () => PgPool.make({ ...config, maxConnections: 1 })
      )
      return WarmConnections.of({
        query: <Row>(text: string, parameters: ReadonlyArray<unknown>) =>
          Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) => {
            const pool = Option.isSome(transaction) ? undefined : idle.pop()
            if (pool === undefined) return sql.unsafe<Row & object>(text, parameters)
            return bounded(
              pool.use((connection) => Effect.map(connection.query(text, parameters), ({ rows }) => rows)),
              true
            ).pipe(
              Effect.map((rows) => rows as ReadonlyArray<Row>),
              // After a timeout the driver may still hold the connection: it is taken last.
              Effect.onExit((exit) => Effect.sync(() => Exit.isSuccess(exit) ? idle.push(pool) : idle.unshift(pool)))
            )
          })
      })
    })
  )
}
