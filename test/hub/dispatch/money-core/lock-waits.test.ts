/** Batches that wait for a workspace's lock: the wait is measured, and the next batch gathers entries for as long. */
import { openLane } from "@countersign/hub/dispatch/money-core/service"
import { parametersOf, type TickRow, tickStatement } from "@countersign/hub/dispatch/money-core/statement"
import { Ticker } from "@countersign/hub/dispatch/money-core/ticker"
import { Database, singleConnection } from "@countersign/hub/platform/db"
import { assert, describe, it, layer, vi } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { PgTest } from "../../../support/pg.ts"
import { makeWorkspace } from "../../../support/tick.ts"
import { beginWith } from "../../../support/ticker.ts"

const now = (sql: SqlClient.SqlClient) =>
  Effect.map(sql<{ at: number }>`select extract(epoch from clock_timestamp())::float8 * 1000 as at`, ([row]) => row!.at)

layer(PgTest, { excludeTestServices: true })("the wait for a workspace's lock", (it) => {
  it.effect("is measured from the call of the batch until it has the lock", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { target } = yield* Database
      const { agent, hubOwner, org, wallet } = yield* makeWorkspace({ funds: 100 })
      const lane = yield* openLane(target)
      const begin = beginWith({
        org,
        agent: agent.id,
        limits: [agent.day, agent.operationMonth, agent.month, wallet],
        wallet
      })
      const holder = yield* singleConnection(target, "holder")
      const before = yield* now(sql)
      let watched = 0
      const batch = yield* holder.withTransaction(Effect.gen(function*() {
        yield* holder`select lock_org(${org})`
        const batch = yield* Effect.forkChild(
          Effect.promise(() => lane.run(tickStatement, parametersOf(hubOwner, true, false, [begin], [])))
        )
        while (
          (yield* sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`)
            .length === 0
        ) {
          yield* Effect.yieldNow
        }
        const waiting = yield* now(sql)
        watched = (yield* now(sql)) - waiting
        return batch
      }))
      const [row] = (yield* Fiber.join(batch)) as ReadonlyArray<TickRow>
      const within = (yield* now(sql)) - before
      yield* Effect.promise(() => lane.close())
      assert.deepStrictEqual(row?.o_b, [200])
      assert.isAbove(watched, 0)
      assert.isAtLeast(row!.o_waited, watched)
      assert.isAtMost(row!.o_waited, within)
    }))
})

describe("the batch after one that waited for the lock", () => {
  const begin = () => beginWith({ org: "org_1", agent: "agt_1", limits: [], wallet: null })
  const turns = async () => {
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  /** Sizes of the batches after one of `first` entries, when two entries arrive one after the other. */
  const sizesAfter = async (waitedMillis: number, first: number) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] })
    const sizes: Array<number> = []
    const ticker = new Ticker({
      openLane: () =>
        Promise.resolve({
          close: () => Promise.resolve(),
          run: () => {
            const row: TickRow = {
              o_b: Array.from({ length: 16 }, () => 200),
              o_b_ref: [],
              o_b_at: [],
              o_b_block: [],
              o_s: [],
              o_s_at: [],
              o_s_cents: [],
              o_waited: sizes.length === 0 ? waitedMillis : 0
            }
            return Promise.resolve([row])
          }
        }),
      observe: (entries) => void sizes.push(entries),
      owner: () => 1,
      isShort: () => false,
      committed: () => {},
      warn: () => {}
    })
    try {
      await Promise.all(Array.from({ length: first }, () => ticker.begin(begin())))
      const answers = [ticker.begin(begin())]
      await turns()
      answers.push(ticker.begin(begin()))
      await turns()
      const sent = sizes.slice(1)
      vi.advanceTimersByTime(20)
      await Promise.all(answers)
      return { sent, sizes: sizes.slice(1) }
    } finally {
      await ticker.close()
      vi.useRealTimers()
    }
  }

  it("gathers entries for as long as the wait for the lock took", async () => {
    assert.deepStrictEqual(await sizesAfter(12.5, 10), { sent: [], sizes: [2] })
  })

  it("gathers for at most 20 ms, however long the lock was held", async () => {
    assert.deepStrictEqual(await sizesAfter(60_000, 10), { sent: [], sizes: [2] })
  })

  it("is sent at once when the lock was free", async () => {
    assert.deepStrictEqual(await sizesAfter(0.2, 10), { sent: [1, 1], sizes: [1, 1] })
  })

  it("is sent at once after a small batch", async () => {
    assert.deepStrictEqual(await sizesAfter(12.5, 3), { sent: [1, 1], sizes: [1, 1] })
  })
})
