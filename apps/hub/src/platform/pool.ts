/**
 * The connection pool. The time of every statement is bounded, including its wait for a connection, and so is their
 * number, so a database that hangs delays no caller without limit. A statement that exceeds its time fails as a lost
 * connection does.
 */
import { PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { Cause, Context, Effect, Exit, Fiber, Layer, Metric, Option } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError } from "effect/sql"
import { clientConfig, Database, isDiskFull } from "./db.ts"
import { DatabasePatience, type Patience } from "./patience.ts"
import { Readiness } from "./readiness.ts"
import { databaseConnections, databaseStatements } from "./telemetry.ts"

/** The connections of a pool. Tests have fewer: each one plans every statement for itself. */
export class PoolSize extends Context.Reference<number>("@countersign/hub/platform/PoolSize", {
  defaultValue: () => 10
}) {}

/** A statement that finished within this time shows that the database answers. */
const promptMillis = 250
const sweepMillisMax = 250

/** How long the statements of one request have waited since the database last answered promptly. */
export interface RequestBudget {
  spentMillis: number
}
/** Absent outside of requests: then only each statement is bounded. */
export class CurrentBudget
  extends Context.Reference<RequestBudget | undefined>("@countersign/hub/platform/CurrentBudget", {
    defaultValue: () => undefined
  })
{}

/** The server itself ends a statement of the pool after this time. */
export const statementTimeoutSeconds = 60
/** After this time the server has ended the statement, or is unavailable. */
export const statementMillisMax = (statementTimeoutSeconds + 15) * 1_000
class StatementMillis extends Context.Reference<number | undefined>("@countersign/hub/platform/StatementMillis", {
  defaultValue: () => undefined
}) {}

/** For jobs without a waiting caller: only the server limits their statements. */
export const unhurried: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R> = Effect.provideService(
  StatementMillis,
  statementMillisMax
)

const unanswered = (message: string) =>
  new SqlError.SqlError({
    reason: new SqlError.ConnectionError({ cause: new Error(message), message, operation: "execute" })
  })

interface Running {
  readonly until: number
  readonly expire: () => void
}

/** Bounds effects by one coarse timer for all of them. `changed` gets the number of effects in progress, `failed` each failure. */
export const makeBounds = (
  patience: Patience,
  changed: (running: number) => void,
  failed: (error: unknown) => void
) => {
  const running = new Set<Running>()
  const add = (entry: Running) => {
    running.add(entry)
    changed(running.size)
  }
  const remove = (entry: Running) => {
    if (running.delete(entry)) changed(running.size)
  }
  let timer: NodeJS.Timeout | undefined
  const sweep = () => {
    const now = performance.now()
    for (const each of running) if (now >= each.until) each.expire()
    if (running.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  /**
   * `detached`: the caller gets the failure at once, while the driver still releases the connection. Within a
   * transaction the caller must wait for that, since its next statement uses the same connection.
   */
  const bounded = <A, E, R>(
    effect: Effect.Effect<A, E, R>,
    detached: boolean
  ): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.withFiber<A, E | SqlError.SqlError, R>((parent) => {
      if (running.size >= patience.statementsMax) {
        return Effect.fail(unanswered("too many statements are queued for the database"))
      }
      const budget = parent.getRef(CurrentBudget)
      const own = parent.getRef(StatementMillis) ?? patience.statementMillis
      const millis = budget === undefined ? own : Math.min(own, patience.requestMillis - budget.spentMillis)
      if (millis <= 0) return Effect.fail(unanswered("the database did not answer in time"))
      return Effect.callback<A, E | SqlError.SqlError>((resume) => {
        const began = performance.now()
        let isExpired = false
        // In a separate fiber, because a COMMIT is not interruptible otherwise.
        const fiber = Effect.runForkWith(parent.context as Context.Context<R>)(effect)
        const entry: Running = {
          until: began + millis,
          expire: () => {
            if (isExpired) return
            isExpired = true
            if (detached) finish(Exit.fail(unanswered("the database did not answer in time")))
            fiber.interruptUnsafe()
          }
        }
        const finish = (exit: Exit.Exit<A, E | SqlError.SqlError>) => {
          remove(entry)
          if (budget !== undefined) {
            const elapsed = performance.now() - began
            budget.spentMillis = elapsed < promptMillis ? 0 : budget.spentMillis + elapsed
          }
          resume(exit)
        }
        add(entry)
        timer ??= setInterval(sweep, Math.min(sweepMillisMax, patience.statementMillis / 4))
        fiber.addObserver((exit) => {
          if (Exit.isFailure(exit)) failed(Cause.squash(exit.cause))
          finish(
            isExpired && Exit.isFailure(exit) ? Exit.fail(unanswered("the database did not answer in time")) : exit
          )
        })
        return Effect.andThen(Effect.sync(() => remove(entry)), Fiber.interrupt(fiber))
      })
    })
  return { bounded, stop: () => clearInterval(timer) }
}

/** Notes a full disk after a failed statement. Commands have no readiness. */
export const noteFullDisk = Effect.map(
  Effect.serviceOption(Readiness),
  Option.match({
    onNone: () => () => {},
    onSome: ({ setDiskFull }) => (error: unknown) => {
      if (isDiskFull(error)) setDiskFull(true)
    }
  })
)

type Bounded = ReturnType<typeof makeBounds>["bounded"]

/** The state of a connection that is reserved for a transaction. */
interface Reserved {
  /** A transaction was begun, and its end was not confirmed. */
  isOpen: boolean
}

const connectionOf = (
  connection: PgConnection.PgConnection,
  limit: Bounded | undefined,
  reserved?: Reserved
): SqlConnection.Connection => {
  const within = <A>(effect: Effect.Effect<A, SqlError.SqlError>) => limit === undefined ? effect : limit(effect, false)
  const rows = (sql: string, params: ReadonlyArray<unknown>, prepare: boolean) =>
    within(Effect.map(connection.query(sql, params, prepare), (result) => result.rows))
  const setOpen = (isOpen: boolean) =>
    Effect.sync(() => {
      if (reserved !== undefined) reserved.isOpen = isOpen
    })
  const begin = (sql: string) => within(Effect.andThen(setOpen(true), connection.query(sql, [])))
  const end = (sql: string) => Effect.tap(within(connection.query(sql, [])), setOpen(false))
  return {
    execute: (sql, params) =>
      sql === "BEGIN"
        ? Effect.map(begin(sql), (result) => result.rows)
        : sql === "ROLLBACK"
        ? Effect.map(end(sql), (result) => result.rows)
        : rows(sql, params, true),
    // A transaction with its own settings: `BEGIN ISOLATION LEVEL …`.
    executeUnprepared: (sql, params) =>
      sql.startsWith("BEGIN") ? Effect.map(begin(sql), (result) => result.rows) : rows(sql, params, false),
    executeRaw: (sql, params) => sql === "COMMIT" ? end(sql) : within(connection.query(sql, params)),
    executeValues: (sql, params) => within(connection.queryValues(sql, params)),
    executeValuesUnprepared: (sql, params) => within(connection.queryValues(sql, params, false)),
    executeStream: (sql, params) => connection.stream(sql, params)
  }
}

/** PostgreSQL answers `ROLLBACK` to the `COMMIT` of a transaction that failed. */
const commit = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  Effect.flatMap(
    connection.executeRaw("COMMIT", []) as Effect.Effect<PgConnection.Result, SqlError.SqlError>,
    ({ command }) =>
      command === "ROLLBACK"
        ? Effect.fail(
          new SqlError.SqlError({
            reason: new SqlError.UnknownError({
              cause: new Error("COMMIT rolled back an aborted transaction"),
              message: "COMMIT rolled back an aborted transaction",
              operation: "commit"
            })
          })
        )
        : Effect.void
  )

export const poolLayer: Layer.Layer<SqlClient.SqlClient, SqlError.SqlError, Database> = Layer.effect(
  SqlClient.SqlClient,
  Effect.gen(function*() {
    const { target } = yield* Database
    const context = yield* Effect.context<never>()
    const connections = yield* PoolSize
    yield* Metric.update(databaseConnections, connections)
    const { bounded, stop } = makeBounds(
      yield* DatabasePatience,
      (statements) => databaseStatements.updateUnsafe(statements, context),
      yield* noteFullDisk
    )
    yield* Effect.addFinalizer(() => Effect.sync(stop))
    const config = clientConfig(target, "countersign", { statement_timeout: `${statementTimeoutSeconds}s` })
    const pool = yield* PgPool.make({ ...config, maxConnections: connections })
    return yield* SqlClient.make({
      acquirer: Effect.map(pool.get, (connection) => connectionOf(connection, bounded)),
      borrower: (use) => bounded(pool.use((connection) => use(connectionOf(connection, undefined))), true),
      // COMMIT and ROLLBACK may be refused like any statement. The transaction then ends with its connection; otherwise
      // the next user would work in that transaction, and commit it.
      transactionAcquirer: Effect.flatMap(bounded(pool.reserve, false), (connection) => {
        const reserved: Reserved = { isOpen: false }
        return Effect.as(
          Effect.addFinalizer(() => reserved.isOpen ? pool.invalidate(connection) : Effect.void),
          connectionOf(connection, bounded, reserved)
        )
      }),
      prepareTransactionControls: true,
      commit,
      releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
      compiler: PgClient.makeCompiler(undefined, false),
      driver: "pg",
      spanAttributes: [["db.system.name", "postgresql"]]
    })
  })
).pipe(Layer.provide(Reactivity.layer))
