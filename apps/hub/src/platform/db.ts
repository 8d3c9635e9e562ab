/** The database: sessions and their settings, `int8` as numbers, transactions that a service can run its steps in. */
import { PgClient, PgTypes } from "@effect/sql-pg"
import { Cause, Context, Effect, Layer, Metric, Option, type Redacted, Result } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError } from "effect/sql"
import { transactionRetries } from "./telemetry.ts"

/** The location of PostgreSQL: a URL, or the embedded server's socket. */
export type DatabaseTarget =
  | { readonly url: Redacted.Redacted }
  | {
    readonly path?: string
    readonly host?: string
    readonly port?: number
    readonly username: string
    readonly password?: Redacted.Redacted
    readonly database: string
  }

export class Database extends Context.Service<Database, {
  readonly target: DatabaseTarget
  readonly embedded: boolean
  /** Announces to a waiting start that this hub's data directory will be free soon. */
  readonly announceDraining: Effect.Effect<void>
}>()("@countersign/hub/platform/Database") {}

/**
 * `int8` becomes a number: every stored one is money or a count, and far below 2^53. A larger one is a defect, not a
 * rounding.
 */
const types = PgTypes.makeRegistry()
const high = 0x1_0000_0000
types.register<number | bigint>(PgTypes.OID.int8, {
  encode: (value) => {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setBigInt64(0, BigInt(value))
    return Result.succeed(bytes)
  },
  // Writes to the sink directly: a tick has hundreds, and none needs its own byte array.
  write: (sink, value) => {
    if (typeof value === "bigint") sink.bigInt64(value)
    else if (Number.isSafeInteger(value)) {
      const upper = Math.floor(value / high)
      sink.int32(upper)
      sink.int32(value - upper * high)
    } else return Result.fail(new PgTypes.CodecError({ message: `${value} is no safe integer for an int8` }))
    return Result.void
  },
  decode: (bytes: Uint8Array) => {
    const value = Number(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getBigInt64(0))
    return Number.isSafeInteger(value)
      ? Result.succeed(value)
      : Result.fail(new PgTypes.CodecError({ message: `int8 ${value} is beyond a safe integer` }))
  }
}, { arrayOid: PgTypes.OID.int8Array })

const arrayParameter = (elementOid: number) => (values: ReadonlyArray<unknown>): PgTypes.Parameter =>
  Result.getOrThrow(PgTypes.array(values, elementOid, types))

/** Array parameters with an explicit type: the driver cannot infer it from an empty array, or from nulls only. */
export const textArray = arrayParameter(PgTypes.OID.text)
export const int4Array = arrayParameter(PgTypes.OID.int4)
export const byteaArray = arrayParameter(PgTypes.OID.bytea)
export const int8Array = arrayParameter(PgTypes.OID.int8)

/** The pattern of `like` and `ilike` that matches all values containing a text. */
export const likePattern = (text: string): string => `%${text.replace(/[\\%_]/g, "\\$&")}%`

/** The settings of every session, whatever the server's defaults are. */
export const sessionDefaults = {
  timezone: "UTC",
  synchronous_commit: "on",
  default_transaction_isolation: "read committed",
  default_transaction_read_only: "off",
  idle_in_transaction_session_timeout: "10s",
  lock_timeout: "0",
  standard_conforming_strings: "on"
} as const

/** Of connections that send the same statements all the time: each plan is made once, for any table size. */
export const keptPlanParameters = { enable_seqscan: "off", plan_cache_mode: "force_generic_plan", jit: "off" } as const

export const clientConfig = (
  target: DatabaseTarget,
  applicationName: string,
  parameters: Readonly<Record<string, string>> = {}
): PgClient.PgClientConfig => ({
  ...target,
  applicationName,
  // Detects a server that vanished while its answer is awaited.
  keepAlive: "15 seconds",
  types,
  transformJson: false,
  startupParameters: { ...sessionDefaults, ...parameters }
})

/** One separate connection: a tick lane, an owner's lock. */
export const singleConnection = (
  target: DatabaseTarget,
  applicationName: string,
  parameters: Readonly<Record<string, string>> = {}
) => PgClient.makeClient(clientConfig(target, applicationName, parameters)).pipe(Effect.provide(Reactivity.layer))

/**
 * 08: the connection; 57: the server shuts down, or the statement is canceled; 53, 58: it lacks a resource, or its disk
 * fails; 28, 3D: it does not accept logins at the moment; 25: not primary (yet); 55: not available at the moment.
 */
const passingCodes = /^(08|25|28|3D|53|55|57|58)/

interface SqlFailure {
  readonly reason?: { readonly _tag: string; readonly cause?: { readonly code?: unknown } }
}

/** The SQLSTATE of a failed statement; empty when the server sent none. */
export const sqlStateOf = (error: unknown): string =>
  String((error as SqlFailure | undefined)?.reason?.cause?.code ?? "")

/** The server or the connection caused the error, not the statement: a retry may succeed. */
export const isPassing = (error: unknown): boolean =>
  passingCodes.test(sqlStateOf(error)) || (error as SqlFailure | undefined)?.reason?._tag === "ConnectionError"

/** 53100: the server could not extend a file. */
export const isDiskFull = (error: unknown): boolean => sqlStateOf(error) === "53100"

/** An error of the server or the connection in one line, for logs; `undefined` for any other error. */
export const passingText = (error: unknown): string | undefined => {
  if (!isPassing(error)) return undefined
  if (isDiskFull(error)) return "disk full: the database could not write (SQLSTATE 53100)"
  const { reason } = error as {
    readonly reason: { readonly message?: string; readonly cause?: { readonly message?: string } }
  }
  const state = sqlStateOf(error)
  return `${reason.cause?.message ?? reason.message ?? "no reason"}${state === "" ? "" : ` (SQLSTATE ${state})`}`
}

/** 40P01: PostgreSQL ended the transaction to break a deadlock; 40001: it conflicted with another one. */
const conflictCodes = /^(40P01|40001)$/
const conflictRetriesMax = 3

/** The transaction conflicted with another one, nothing of it was stored, and it may run again at once. */
export const isConflict = (error: unknown): boolean => conflictCodes.test(sqlStateOf(error))

export class Db extends Context.Service<Db, {
  /**
   * Runs in one transaction; nested calls are savepoints. A lost database is a defect.
   *
   * After a deadlock or a conflict of serialization the outermost transaction runs again, a few times at most: nothing
   * of it was stored, and its callbacks after the commit were dropped. So its body changes the database only. A change
   * of memory, a metric, a signal, or a call to another system belongs into `afterCommit`, or must be harmless when it
   * happens twice.
   */
  readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Runs once the outermost transaction commits; dropped on rollback. */
  readonly afterCommit: (effect: Effect.Effect<void>) => Effect.Effect<void>
  /** Whether the caller is in a transaction. */
  readonly isWithin: Effect.Effect<boolean>
}>()("@countersign/hub/platform/Db") {
  static readonly layer = Layer.effect(
    Db,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const once = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        Effect.catch(
          sql.withTransaction(effect),
          (error) => SqlError.isSqlError(error) ? Effect.die(error) : Effect.fail(error)
        )
      const again = <A, E, R>(effect: Effect.Effect<A, E, R>, retries: number): Effect.Effect<A, E, R> =>
        Effect.catchCause(once(effect), (cause) => {
          const error = Cause.squash(cause)
          if (retries === 0 || !isConflict(error)) return Effect.failCause(cause)
          return Effect.logInfo(`a transaction runs again after a conflict, SQLSTATE ${sqlStateOf(error)}`).pipe(
            Effect.andThen(Metric.update(transactionRetries, 1)),
            Effect.andThen(again(effect, retries - 1))
          )
        })
      const isWithin = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)
      return Db.of({
        isWithin,
        transaction: (effect) =>
          Effect.flatMap(isWithin, (within) => within ? once(effect) : again(effect, conflictRetriesMax)),
        afterCommit: (effect) => sql.afterCommit(effect)
      })
    })
  )
}
