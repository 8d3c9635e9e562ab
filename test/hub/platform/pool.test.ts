import { patienceDefault } from "@countersign/hub/platform/patience"
import { CurrentBudget } from "@countersign/hub/platform/pool"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../support/pg.ts"

layer(PgTest, { excludeTestServices: true })("a request that used up its time for the database", (it) => {
  const orgs = (sql: SqlClient.SqlClient, id: string) =>
    sql<{ n: number }>`select count(*)::int as n from owners where hub_id = ${id}`.pipe(Effect.map(([row]) => row?.n))

  /** Runs a transaction whose time ends before it does. */
  const overdue = (sql: SqlClient.SqlClient, id: string, then: Effect.Effect<void, string>) => {
    const budget = { spentMillis: 0 }
    return Effect.exit(
      sql.withTransaction(Effect.gen(function*() {
        yield* sql`insert into owners (hub_id, alive_until) values (${id}, now())`
        budget.spentMillis = patienceDefault.requestMillis
        yield* then
      })).pipe(Effect.provideService(CurrentBudget, budget))
    )
  }

  for (const [end, then] of [["COMMIT", Effect.void], ["ROLLBACK", Effect.fail("refused")]] as const) {
    it.effect(`leaves nothing of a transaction whose ${end} was not sent to the next transaction`, () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        const exit = yield* overdue(sql, end, then)
        assert.strictEqual(exit._tag, "Failure")
        yield* sql.withTransaction(sql`select 1`)
        assert.strictEqual(yield* orgs(sql, end), 0)
      }))

    it.effect(`runs no statement in a transaction whose ${end} was not sent`, () =>
      Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* overdue(sql, `${end} before`, then)
        const [row] = yield* sql<{ open: boolean }>`select pg_current_xact_id_if_assigned() is not null as open`
        assert.deepStrictEqual(row, { open: false })
      }))
  }
})
