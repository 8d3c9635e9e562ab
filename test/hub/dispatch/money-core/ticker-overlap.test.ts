import type { BeginAnswer } from "@countersign/hub/dispatch/money-core/entries"
import type { Lane } from "@countersign/hub/dispatch/money-core/lanes"
import { openLane } from "@countersign/hub/dispatch/money-core/service"
import { Ticker } from "@countersign/hub/dispatch/money-core/ticker"
import { Database } from "@countersign/hub/platform/db"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { PgTest } from "../../../support/pg.ts"
import { makeWorkspace } from "../../../support/tick.ts"
import { beginWith } from "../../../support/ticker.ts"

layer(PgTest, { excludeTestServices: true })("the batch that gathers while a tick runs", (it) => {
  /** Runs two rounds of requests, the second sent while the first's tick runs; returns the order of events. */
  const rounds = Effect.fnUntraced(function*(count: number) {
    const { target } = yield* Database
    const run = Effect.runPromiseWith(yield* Effect.context<never>())
    const { agent, hubOwner, org, wallet } = yield* makeWorkspace({ funds: 10_000 })
    const order: Array<string> = []
    const answers: Array<Promise<BeginAnswer>> = []
    const ask = (name: string) => {
      for (let at = 0; at < count; at++) {
        const begun = ticker.begin(
          beginWith({ org, agent: agent.id, limits: [agent.day, agent.operationMonth, agent.month, wallet], wallet })
        )
        answers.push(begun)
        if (at === 0) void begun.then(() => order.push(`${name} answered`))
      }
    }
    const observed = (lane: Lane): Lane => ({
      close: lane.close,
      run: async (text, parameters) => {
        order.push("a tick sent")
        const rows = await lane.run(text, parameters)
        if (answers.length === count) ask("second")
        return rows
      }
    })
    const ticker = yield* Effect.acquireRelease(
      Effect.sync(() =>
        new Ticker({
          openLane: async () => observed(await run(openLane(target))),
          owner: () => hubOwner,
          committed: () => {},
          warn: () => {}
        })
      ),
      (ticker) => Effect.promise(() => ticker.close())
    )
    ask("first")
    return yield* Effect.promise(async () => {
      while (answers.length < 2 * count) await answers.at(-1)
      return { order, kinds: [...new Set((await Promise.all(answers)).map(({ kind }) => kind))] }
    })
  })

  it.effect("is sent before the tick is answered when it is large", () =>
    Effect.gen(function*() {
      const { kinds, order } = yield* rounds(40)
      assert.deepStrictEqual(kinds, ["admitted"])
      assert.deepStrictEqual(order, ["a tick sent", "a tick sent", "first answered", "second answered"])
    }))

  it.effect("waits for the entries that the answers lead to when it is small", () =>
    Effect.gen(function*() {
      const { kinds, order } = yield* rounds(3)
      assert.deepStrictEqual(kinds, ["admitted"])
      assert.deepStrictEqual(order, ["a tick sent", "first answered", "a tick sent", "second answered"])
    }))
})
