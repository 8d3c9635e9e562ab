import { AgentBudget } from "@countersign/domain/budgets"
import { newId } from "@countersign/domain/ids"
import { Agents } from "@countersign/hub/agents/service"
import { Budgets } from "@countersign/hub/budgets/service"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { fitting } from "../../support/contract.ts"
import { HubServices } from "../../support/hub-services.ts"
import { asAgent, makeUser } from "../../support/principals.ts"
import { execute, makeWorkspace, tick } from "../../support/tick.ts"

layer(HubServices, { excludeTestServices: true })("budgets", (it) => {
  it.effect("cap, spend, holds, and operations are returned from the counters of the caller's mode", () =>
    Effect.gen(function*() {
      const budgets = yield* Budgets
      const workspace = yield* makeWorkspace({ funds: 1_000 })
      const { agent: { id }, org } = workspace
      const user = yield* makeUser(org)
      yield* execute(workspace, 30)
      yield* tick(workspace, [{ ceiling: 5 }, { mode: "test", ceiling: 2 }])
      const set = fitting(
        AgentBudget,
        yield* budgets.set(user, id, { monthly_budget_cents: 100, approval_threshold_cents: 50 })
      )
      const now = new Date()
      assert.deepStrictEqual(set, {
        monthly_budget_cents: 100,
        spent_cents: 30,
        held_cents: 5,
        committed_cents: 0,
        remaining_cents: 65,
        approval_threshold_cents: 50,
        resets_at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)).toISOString(),
        version: 2,
        operations: [{ service: "echo", operation: "say", spent_cents: 30, held_cents: 5, used_today: 2 }]
      })
      assert.deepStrictEqual(yield* budgets.get(user, id), set)
      assert.deepStrictEqual(yield* budgets.get(asAgent(org, id), id), set)
      const test = yield* budgets.get(asAgent(org, id, "test"), id)
      assert.deepStrictEqual([test.monthly_budget_cents, test.spent_cents, test.held_cents, test.remaining_cents], [
        100,
        0,
        2,
        98
      ])
    }))

  it.effect("a cap below the spent amount is accepted and blocks; null removes it; the threshold stays unless given", () =>
    Effect.gen(function*() {
      const budgets = yield* Budgets
      const agents = yield* Agents
      const sql = yield* SqlClient.SqlClient
      const workspace = yield* makeWorkspace({ funds: 1_000 })
      const { agent: { id }, org } = workspace
      const user = yield* makeUser(org)
      yield* execute(workspace, 30)
      yield* budgets.set(user, id, { monthly_budget_cents: 5_000_000_000, approval_threshold_cents: 7 })
      const lowered = yield* budgets.set(user, id, { monthly_budget_cents: 10 })
      assert.deepStrictEqual([lowered.remaining_cents, lowered.approval_threshold_cents], [-20, 7])
      yield* sql`update agents set version = 1 where id = ${id}`
      const { begins: [blocked] } = yield* tick(workspace, [{ ceiling: 1 }])
      assert.deepStrictEqual([blocked!.state, blocked!.ref], [402, "agent_budget_exceeded"])
      const lifted = yield* budgets.set(user, id, { monthly_budget_cents: null, approval_threshold_cents: null })
      assert.deepStrictEqual([lifted.monthly_budget_cents, lifted.remaining_cents, lifted.approval_threshold_cents], [
        null,
        null,
        null
      ])
      assert.isUndefined((yield* agents.get(user, id)).monthly_budget_cents)
    }))

  it.effect("an agent without limits gets them for both modes", () =>
    Effect.gen(function*() {
      const budgets = yield* Budgets
      const sql = yield* SqlClient.SqlClient
      const { org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      const id = newId("agt")
      yield* sql`insert into agents (id, org_id, name) values (${id}, ${org}, ${"Bare"})`
      assert.deepStrictEqual((yield* budgets.get(user, id)).monthly_budget_cents, null)
      assert.strictEqual((yield* budgets.set(user, id, { monthly_budget_cents: 9 })).monthly_budget_cents, 9)
      assert.strictEqual((yield* budgets.get(asAgent(org, id, "test"), id)).monthly_budget_cents, 9)
    }))

  it.effect("a cap below the children's caps is rejected", () =>
    Effect.gen(function*() {
      const budgets = yield* Budgets
      const sql = yield* SqlClient.SqlClient
      const { agent: { id }, org } = yield* makeWorkspace()
      const user = yield* makeUser(org)
      yield* sql`update limits set committed = 40 where kind = 2 and mode = 'live' and agent_id = ${id}`
      const refused = yield* Effect.flip(budgets.set(user, id, { monthly_budget_cents: 39 }))
      assert.deepStrictEqual([refused.error.code, refused.error.data], ["budget_committed", { committed_cents: 40 }])
      assert.strictEqual((yield* budgets.set(user, id, { monthly_budget_cents: 40 })).remaining_cents, 0)
    }))

  it.effect("another workspace, a member who is not the owner, and another agent see none", () =>
    Effect.gen(function*() {
      const budgets = yield* Budgets
      const { agent: { id }, org } = yield* makeWorkspace()
      const other = yield* makeWorkspace()
      const principals = [
        yield* makeUser(other.org),
        yield* makeUser(org, "member"),
        asAgent(org, newId("agt")),
        asAgent(other.org, id)
      ]
      for (const principal of principals) {
        assert.strictEqual((yield* Effect.flip(budgets.get(principal, id)))._tag, "NotFound")
      }
      for (const user of [yield* makeUser(other.org), yield* makeUser(org, "member")]) {
        assert.strictEqual((yield* Effect.flip(budgets.set(user, id, { monthly_budget_cents: 1 })))._tag, "NotFound")
      }
    }))
})
