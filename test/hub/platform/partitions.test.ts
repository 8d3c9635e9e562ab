import { idFloor } from "@countersign/domain/ids"
import { Db } from "@countersign/hub/platform/db"
import { Partitions } from "@countersign/hub/platform/partitions"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../support/pg.ts"
import { execute, fund, makeWorkspace, moveClock, tick } from "../../support/tick.ts"

const tables = ["requests", "settlements", "movements", "audit"]

const inDefault = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const counts = yield* Effect.forEach(
    tables,
    (table) => sql<{ n: number }>`select count(*) n from ${sql(`${table}_default`)}`
  )
  return counts.map(([row]) => row!.n)
})
const rowsOf = (table: string) =>
  Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql<{ name: string; n: number }>`select tableoid::regclass::text as name, count(*) n from ${
      sql(table)
    } group by 1 order by 1`
    return Object.fromEntries(rows.map((row) => [row.name, row.n]))
  })
const suffix = (millis: number) => new Date(millis).toISOString().slice(0, 7).replace("-", "_")
const monthsFromNow = (count: number) => {
  const now = new Date()
  return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + count, 15)
}

/** A database of the tests has the partitions of these months from its template; a new hub's has none. */
const Unpartitioned = Layer.effectDiscard(Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const partitions = yield* sql<{ name: string }>`select inhrelid::regclass::text as name from pg_inherits
    join pg_class c on c.oid = inhrelid where c.relkind = 'r' and c.relname not like '%\\_default'`
  yield* Effect.forEach(partitions, ({ name }) => sql`drop table ${sql(name)}`)
})).pipe(Layer.provideMerge(PgTest))

layer(Unpartitioned, { excludeTestServices: true })("partitions", (it) => {
  it.effect("exist for this month and three ahead before the first row, which lands in its own", () =>
    Effect.gen(function*() {
      yield* Effect.scoped(Layer.build(Layer.fresh(Partitions.layer)))
      const workspace = yield* makeWorkspace({ funds: 1000 })
      yield* execute(workspace, 5)
      yield* tick(workspace, [{ verdict: 3 }])
      for (const table of tables) {
        assert.deepStrictEqual(Object.keys(yield* rowsOf(table)), [`${table}_${suffix(Date.now())}`])
      }
      assert.deepStrictEqual(yield* inDefault, [0, 0, 0, 0])
    }))

  it.effect("take the rows of coming months, up to three ahead", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace()
      const later = monthsFromNow(3)
      yield* moveClock(workspace, new Date(later).toISOString())
      yield* fund(workspace, 100)
      yield* tick(workspace, [{ verdict: 3, id: idFloor("req", later) }])
      for (const table of ["requests", "settlements", "audit"]) {
        assert.include(Object.keys(yield* rowsOf(table)), `${table}_${suffix(later)}`)
      }
      assert.deepStrictEqual(yield* inDefault, [0, 0, 0, 0])
    }))

  it.effect("take over the rows of the default partition when created late, and nothing is lost", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace()
      const late = monthsFromNow(6)
      const sql = yield* SqlClient.SqlClient
      yield* moveClock(workspace, new Date(late).toISOString())
      yield* tick(workspace, [{ verdict: 3, id: idFloor("req", late) }])
      yield* sql`insert into movements (org_id, id, debit_id, credit_id, amount_cents, debit_balance_after, credit_balance_after, cause_type, cause_id, created_at)
      values (${workspace.org}, ${idFloor("led", late)}, 1, 2, 1, 0, 0, 'top_up', 'x', now())`
      assert.deepStrictEqual(yield* inDefault, [1, 1, 1, 1])
      const partitions = yield* Effect.scoped(Layer.build(Layer.fresh(Partitions.layer))).pipe(
        Effect.flatMap((context) => Effect.provide(Partitions, context))
      )
      const made = yield* partitions.ensure(late)
      assert.include(made, `audit_${suffix(late)}`)
      assert.deepStrictEqual(yield* inDefault, [0, 0, 0, 0])
      for (const table of tables) assert.strictEqual((yield* rowsOf(table))[`${table}_${suffix(late)}`], 1, table)
      assert.lengthOf(yield* partitions.ensure(late), 0)
    }))

  it.effect("are created once by hubs that start together while requests continue", () =>
    Effect.gen(function*() {
      const workspace = yield* makeWorkspace({ funds: 100_000 })
      const far = monthsFromNow(40)
      const hubs = yield* Effect.forEach([1, 2, 3], () =>
        Effect.scoped(Layer.build(Layer.fresh(Partitions.layer))).pipe(Effect.flatMap((context) =>
          Effect.provide(Partitions, context)
        )))
      const [made] = yield* Effect.all([
        Effect.forEach(hubs, (hub) =>
          hub.ensure(far), { concurrency: "unbounded" }),
        Effect.forEach(Array.from({ length: 20 }), () =>
          execute(workspace, 1))
      ], { concurrency: "unbounded" })
      assert.strictEqual(new Set(made.flat()).size, made.flat().length)
      const ofTable = Object.groupBy(made.flat(), (name) => name.slice(0, -`_${suffix(far)}`.length))
      assert.includeMembers(Object.keys(ofTable), [...tables, "request_texts", "runs", "run_steps", "run_attempts"])
      for (const [table, names] of Object.entries(ofTable)) assert.lengthOf(names ?? [], 5, table)
    }))

  it.effect("leave no gap between them, and a look-up by id reads one", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      yield* Db
      const bounds = yield* sql<
        { bound: string }
      >`select pg_get_expr(c.relpartbound, c.oid) as bound from pg_class c join pg_inherits i on i.inhrelid = c.oid
      where i.inhparent = 'requests'::regclass and pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'`
      const ranges = bounds.map(({ bound }) =>
        /FROM \('(.+)'\) TO \('(.+)'\)/.exec(bound)!.slice(1) as [string, string]
      ).sort()
      const near = ranges.filter(([from]) => from < idFloor("req", monthsFromNow(3)))
      assert.isAtLeast(near.length, 5)
      for (let at = 1; at < near.length; at++) assert.strictEqual(near[at]![0], near[at - 1]![1])
      const plan = yield* sql<
        { "QUERY PLAN": string }
      >`explain select * from requests where org_id = 'org_x' and id = ${
        sql.literal(`'${idFloor("req", Date.now())}'`)
      }`
      const scanned = plan.map((row) => row["QUERY PLAN"]).join("\n").match(/requests_\w+ /g) ?? []
      assert.deepStrictEqual(
        [...new Set(scanned.map((name) => name.trim()))].filter((name) =>
          !name.endsWith("pkey") && !name.endsWith("idx")
        ),
        [`requests_${suffix(Date.now())}`]
      )
    }))
})
