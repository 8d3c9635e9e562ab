import { int8Array, retryDeadlocks, textArray } from "@countersign/hub/platform/db"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
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

layer(PgTest, { excludeTestServices: true })("a transaction", (it) => {
  it.effect("runs again after a deadlock, a bounded number of times, and after no other error", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const runsOf = (state: string, failures: number) => {
        let runs = 0
        const transaction = Effect.suspend(() =>
          ++runs > failures
            ? Effect.void
            : Effect.orDie(sql.unsafe(`do $$ begin raise exception 'a test' using errcode = '${state}'; end $$`))
        )
        return Effect.map(Effect.exit(retryDeadlocks(transaction)), ({ _tag }) => [_tag, runs])
      }
      assert.deepStrictEqual(yield* runsOf("40P01", 2), ["Success", 3])
      assert.deepStrictEqual(yield* runsOf("40P01", 9), ["Failure", 4])
      assert.deepStrictEqual(yield* runsOf("23505", 1), ["Failure", 1])
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
