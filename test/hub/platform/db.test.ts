import { Db, int8Array, textArray } from "@countersign/hub/platform/db"
import { transactionRetries } from "@countersign/hub/platform/telemetry"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../support/pg.ts"

const numbers = [
  0,
  1,
  -1,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  -(2 ** 32),
  -(2 ** 32) - 1,
  Number.MAX_SAFE_INTEGER,
  Number.MIN_SAFE_INTEGER
]

const retried = Effect.map(Metric.value(transactionRetries), ({ count }) => count)

layer(PgTest, { excludeTestServices: true })("a transaction", (it) => {
  it.effect("runs again after a conflict, a bounded number of times, and after no other error", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const db = yield* Db
      const runsOf = (state: string, failures: number) => {
        let runs = 0
        const body = Effect.suspend(() =>
          ++runs > failures
            ? Effect.void
            : Effect.orDie(sql.unsafe(`do $$ begin raise exception 'a test' using errcode = '${state}'; end $$`))
        )
        return Effect.map(Effect.exit(db.transaction(body)), ({ _tag }) => [_tag, runs])
      }
      const before = yield* retried
      assert.deepStrictEqual(yield* runsOf("40P01", 2), ["Success", 3])
      assert.deepStrictEqual(yield* runsOf("40001", 1), ["Success", 2])
      assert.deepStrictEqual(yield* runsOf("40P01", 9), ["Failure", 4])
      assert.deepStrictEqual(yield* runsOf("23505", 1), ["Failure", 1])
      assert.strictEqual((yield* retried) - before, 6)
    }))

  it.effect("runs again as a whole when a nested one has the conflict, and calls back once", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const db = yield* Db
      yield* sql`create table steps (step text)`
      const calls: Array<string> = []
      const note = (step: string) =>
        Effect.andThen(
          Effect.orDie(sql`insert into steps values (${step})`),
          db.afterCommit(Effect.sync(() => void calls.push(step)))
        )
      let runs = 0
      const nested = db.transaction(Effect.gen(function*() {
        yield* note("inner")
        if (++runs === 1) {
          yield* Effect.orDie(sql.unsafe("do $$ begin raise exception 'a test' using errcode = '40P01'; end $$"))
        }
      }))
      yield* db.transaction(Effect.andThen(note("outer"), nested))
      assert.deepStrictEqual(yield* sql`select step from steps`, [{ step: "outer" }, { step: "inner" }])
      assert.deepStrictEqual(calls, ["outer", "inner"])
    }))

  it.effect("succeeds on both sides of a deadlock", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const db = yield* Db
      yield* sql`create table counts (id int primary key, n int)`
      yield* sql`insert into counts values (1, 0), (2, 0)`
      const add = (id: number) => Effect.orDie(sql`update counts set n = n + 1 where id = ${id}`)
      const runs = new Map<number, number>()
      const both = (first: number, second: number, mine: Deferred.Deferred<void>, other: Deferred.Deferred<void>) =>
        db.transaction(Effect.gen(function*() {
          runs.set(first, (runs.get(first) ?? 0) + 1)
          yield* Effect.orDie(sql`set local deadlock_timeout = '20ms'`)
          yield* add(first)
          yield* Deferred.succeed(mine, undefined)
          yield* Deferred.await(other)
          yield* add(second)
        }))
      const [one, two] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      yield* Effect.all([both(1, 2, one, two), both(2, 1, two, one)], { concurrency: 2 })
      assert.strictEqual([...runs.values()].reduce((sum, count) => sum + count), 3)
      assert.deepStrictEqual(yield* sql`select n from counts order by id`, [{ n: 2 }, { n: 2 }])
    }))
})

layer(PgTest, { excludeTestServices: true })("int8", (it) => {
  it.effect("is a number in both directions, in arrays too, whatever its halves are", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql.unsafe<{ back: ReadonlyArray<number>; texts: ReadonlyArray<string> }>(
        "select $1::int8[] back, array(select n::text from unnest($1::int8[]) with ordinality x(n, o) order by o) texts",
        [int8Array(numbers)]
      )
      assert.deepStrictEqual(row?.back, numbers)
      assert.deepStrictEqual(row?.texts, numbers.map(String))
    }))

  it.effect("takes a bigint, null, and nothing at all", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql.unsafe("select $1::int8[] a, $2::int8[] b, cardinality($3::text[]) c", [
        int8Array([7n, null]),
        int8Array([]),
        textArray([])
      ])
      assert.deepStrictEqual(row, { a: [7, null], b: [], c: 0 })
    }))

  it.effect("refuses an unsafe integer, before sending and after receiving", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      for (const wrong of [1.5, 2 ** 53, Number.NaN]) {
        assert.strictEqual((yield* Effect.exit(sql.unsafe("select $1::int8[]", [int8Array([wrong])])))._tag, "Failure")
      }
      assert.strictEqual((yield* Effect.exit(sql`select 9007199254740993::int8 as n`))._tag, "Failure")
      assert.deepStrictEqual(yield* sql`select 1::int8 as n`, [{ n: 1 }])
    }))
})
