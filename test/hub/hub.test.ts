import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { firstOwner, HubTest, makeAgent, makeToken, startHub, TestHub, topUp } from "../support/hub.ts"
import { freshDatabase } from "../support/pg.ts"

layer(HubTest(), { excludeTestServices: true })("a hub in this process", (it) => {
  it.effect("executes an agent's request, visible to its owner", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      yield* topUp(hub, hub.owner, 1_000)
      const agent = yield* makeAgent(hub, hub.owner, { name: "Scout" })
      const done = yield* hub.api("POST", "/service-requests", {
        key: agent.key,
        body: { service: "echo", operation: "say", payload: { text: "hi" } }
      })
      assert.deepStrictEqual([done.status, done.body.status], [200, "executed"])
      const seen = yield* hub.api("GET", `/service-requests/${done.body.id}`, {
        pat: yield* makeToken(hub, hub.owner, ["requests:read"])
      })
      assert.deepStrictEqual([seen.status, seen.body.agent_id], [200, agent.id])
      const [row] = yield* hub.run(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ n: number }>`select count(*) as n from requests`)
      )
      assert.strictEqual(row?.n, 1)
    }))
})

describe("two hubs in this process", () => {
  it.live("share a database, and either may end", () =>
    Effect.gen(function*() {
      const database = yield* freshDatabase
      const first = yield* startHub({ database })
      const second = yield* startHub({ database })
      const owner = yield* firstOwner(first)
      assert.strictEqual((yield* second.api("GET", "/auth/me", { cookie: owner.cookie })).status, 200)
      yield* first.stop
      const agent = yield* makeAgent(second, owner)
      assert.strictEqual((yield* second.api("GET", `/agents/${agent.id}`, { key: agent.key })).status, 200)
    }))
})
