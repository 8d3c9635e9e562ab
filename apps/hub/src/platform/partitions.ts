/**
 * Monthly partitions of the tables that grow without end, created in advance: requests, their texts, settlements,
 * transfers, and runs by the time in their ids, audit by its own. Several hubs may do it at once. The default partitions catch
 * rows outside of all others; they stay empty.
 */
import { idFloor, type Prefix } from "@countersign/domain/ids"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { Db } from "./db.ts"
import { unhurried } from "./pool.ts"

/**
 * Months that are ready besides the current one. A hub that was down for longer creates the missing ones before it
 * accepts requests.
 */
const monthsAhead = 3
/** Delay before checking again while another hub works on it. */
const busyMillis = 100

interface Partitioned {
  readonly table: string
  /** The prefix of the ids that it is partitioned by; `undefined`: by `created_at`. */
  readonly prefix: Prefix | undefined
  /** The column of those ids; default: `id`. */
  readonly column?: string
  /** Rows that change soon after their insertion: their pages stay so full, and a change writes no index. */
  readonly percentFilled?: number
}

const partitioned: ReadonlyArray<Partitioned> = [
  { table: "requests", prefix: "req" },
  { table: "settlements", prefix: "req", column: "request_id" },
  { table: "request_texts", prefix: "req", column: "request_id" },
  { table: "movements", prefix: "led" },
  { table: "runs", prefix: "run", percentFilled: 50 },
  { table: "run_steps", prefix: "run", column: "run_id", percentFilled: 50 },
  { table: "run_attempts", prefix: "run", column: "run_id" },
  { table: "audit", prefix: undefined }
]

/** The start of a UTC month, `ahead` months after the one of `millis`. */
const monthStart = (millis: number, ahead: number): number => {
  const at = new Date(millis)
  return Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + ahead, 1)
}

const nameOf = (table: string, start: number): string =>
  `${table}_${new Date(start).toISOString().slice(0, 7).replace("-", "_")}`

const boundOf = ({ prefix }: Partitioned, start: number): string =>
  prefix === undefined ? new Date(start).toISOString() : idFloor(prefix, start)

export class Partitions extends Context.Service<Partitions, {
  /** Creates missing partitions from the month before `millis`'s to three months after; returns their names. */
  readonly ensure: (millis: number) => Effect.Effect<ReadonlyArray<string>>
}>()("@countersign/hub/platform/Partitions") {
  /** Creates partitions before anything that depends on them starts, then daily. */
  static readonly layer = Layer.effect(
    Partitions,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const db = yield* Db

      const make = (one: Partitioned, start: number) =>
        Effect.gen(function*() {
          const name = nameOf(one.table, start)
          const [from, to] = [boundOf(one, start), boundOf(one, monthStart(start, 1))]
          // Created beside the parent, filled with the rows that the default partition caught (a hub that was down for
          // months), then attached: a month's rows are never in two places, and always visible, since all of it is one
          // transaction.
          yield* sql`lock table ${sql(one.table)} in share row exclusive mode`
          yield* sql`create table ${sql(name)} (like ${sql(one.table)} including all)`
          if (one.percentFilled !== undefined) {
            yield* sql.unsafe(`alter table ${name} set (fillfactor = ${one.percentFilled})`)
          }
          yield* sql`with moved as (delete from ${sql(`${one.table}_default`)} where ${
            one.prefix === undefined
              ? sql`created_at >= ${from}::text::timestamptz and created_at < ${to}::text::timestamptz`
              : sql`${sql(one.column ?? "id")} >= ${from} and ${sql(one.column ?? "id")} < ${to}`
          } returning *) insert into ${sql(name)} select * from moved`
          yield* sql.unsafe(
            `alter table ${one.table} attach partition ${name} for values from ('${from}') to ('${to}')`
          )
          return name
        })

      const ensure = Effect.fn("Partitions.ensure")(
        function*(millis: number) {
          const wanted = partitioned.flatMap((one) =>
            Array.from({ length: monthsAhead + 2 }, (_, at) => ({ one, start: monthStart(millis, at - 1) }))
          )
          const missing = () =>
            Effect.gen(function*() {
              const rows = yield* sql<{ name: string }>`select relname::text as name from pg_class
              where relnamespace = current_schema()::regnamespace
                and ${sql.in("relname", wanted.map(({ one, start }) => nameOf(one.table, start)))}`
              const there = new Set(rows.map((row) => row.name))
              return wanted.filter(({ one, start }) => !there.has(nameOf(one.table, start)))
            })
          // Polls instead of waiting: a waiting statement keeps its snapshot, which blocks cleanup of everything that
          // it can see.
          const turn = db.transaction(Effect.gen(function*() {
            const [lock] = yield* sql<{ got: boolean }>`
            select pg_try_advisory_xact_lock(hashtextextended('countersign partitions', 0)) got`
            if (lock?.got !== true) return "busy"
            const [next] = yield* missing()
            return next === undefined ? "done" : { made: yield* make(next.one, next.start) }
          }))
          const made: Array<string> = []
          for (;;) {
            const step = yield* turn
            if (step === "done") return made
            if (step === "busy") yield* Effect.sleep(busyMillis)
            else made.push(step.made)
          }
        },
        Effect.retry({ times: 5, while: (error: SqlError.SqlError) => error.isRetryable }),
        Effect.orDie
      )

      yield* unhurried(Effect.flatMap(Clock.currentTimeMillis, ensure))
      yield* Effect.forkScoped(
        unhurried(Effect.flatMap(Clock.currentTimeMillis, ensure)).pipe(
          Effect.catchCause((cause) =>
            Effect.logError(
              "the partitions of the next months could not be created; the hub will retry tomorrow",
              cause
            )
          ),
          Effect.schedule(Schedule.spaced("1 day"))
        )
      )
      return Partitions.of({ ensure })
    })
  )
}
