/** Families of agents through HTTP: spawning, caps, ends, and the books at every node. */
import { newId } from "@countersign/domain/ids"
import { FamilySweeper } from "@countersign/hub/families/sweeper"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy } from "../../support/health.ts"
import { type Answer, expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { makePerson, makeWorkspace } from "../../support/people.ts"

const echo = { service: "echo", operations: ["*"] }
const family = Effect.gen(function*() {
  const hub = yield* TestHub
  const { api, owner } = hub
  yield* topUp(hub, owner, 100_000)
  const spawn = (key: string, body: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
    api("POST", "/agents/spawn", {
      key,
      headers,
      body: { name: "Child", services: [echo], monthly_budget_cents: 0, ...body }
    })
  const say = (key: string, headers: Record<string, string> = {}) =>
    api("POST", "/service-requests", { key, headers, body: { service: "echo", operation: "say", payload: {} } })
  const budget = (id: string) =>
    Effect.map(api("GET", `/agents/${id}/budget`, { cookie: owner.cookie }), (answer) => {
      const { committed_cents, held_cents, monthly_budget_cents, spent_cents } = expectStatus(answer, 200).body
      return { cap: monthly_budget_cents, spent: spent_cents, held: held_cents, committed: committed_cents }
    })
  const setCap = (id: string, cents: number | null) =>
    api("PATCH", `/agents/${id}/budget`, { cookie: owner.cookie, body: { monthly_budget_cents: cents } })
  const remove = (id: string) =>
    Effect.map(api("DELETE", `/agents/${id}`, { cookie: owner.cookie }), (answer) => expectStatus(answer, 204))
  const root = (cents?: number) => makeAgent(hub, owner, cents === undefined ? {} : { monthly_budget_cents: cents })
  const agree = expectHealthy(hub.target)
  const sql = <A>(use: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
    hub.run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, use)))
  /** Moves everything that these agents did into the month before. */
  const monthTurns = (...agents: ReadonlyArray<string>) =>
    Effect.forEach(agents, (agent) =>
      Effect.andThen(
        sql((sql) =>
          sql`update limits set period = period - case kind when 4 then 31 else 1 end
            where org_id = ${owner.org} and agent_id = ${agent} and kind in (2, 3, 4) and period > 0`
        ),
        sql((sql) =>
          sql`update requests set created_at = created_at - interval '31 days'
            where org_id = ${owner.org} and agent_id = ${agent}`
        )
      ), { discard: true })
  return { hub, api, owner, spawn, say, budget, setCap, remove, root, agree, sql, monthTurns }
})
const code = (answer: Answer): string => answer.body.error.code

layer(HubTest(), { excludeTestServices: true })("families of agents", (it) => {
  it.effect("a spawned child has a key, its parent's owner, and a budget that is committed on the parent", () =>
    Effect.gen(function*() {
      const { agree, api, budget, owner, root, say, spawn } = yield* family
      const parent = yield* root(100)
      const answer = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 60, personality: "calm" }), 201)
      const { body: child } = answer
      assert.strictEqual(answer.headers.get("location"), `/api/v1/agents/${child.id}`)
      assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      assert.deepStrictEqual(
        [child.parent_agent_id, child.depth, child.owner_user_id, child.monthly_budget_cents, child.personality],
        [parent.id, 1, owner.user, 60, "calm"]
      )
      assert.deepStrictEqual(yield* budget(parent.id), { cap: 100, spent: 0, held: 0, committed: 60 })
      assert.strictEqual((yield* say(child.api_key)).body.status, "executed")
      assert.deepStrictEqual((yield* budget(child.id)).spent, 1)
      assert.deepStrictEqual((yield* budget(parent.id)).spent, 0)
      const own = yield* api("GET", `/agents/${child.id}`, { key: child.api_key })
      assert.strictEqual(expectStatus(own, 200).body.parent_agent_id, parent.id)
      yield* agree
    }))

  it.effect("a family is read level by level, each agent with what it holds, committed, and spawned", () =>
    Effect.gen(function*() {
      const { api, hub, owner, remove, root, spawn } = yield* family
      const parent = yield* root(100)
      const child = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 60 }), 201).body
      const other = expectStatus(yield* spawn(parent.key), 201).body
      const grandchild = expectStatus(yield* spawn(child.api_key, { monthly_budget_cents: 20 }), 201).body
      const list = (query: string, cookie = owner.cookie) =>
        Effect.map(api("GET", `/agents?${query}`, { cookie }), (answer) => expectStatus(answer, 200).body)
      const ids = ({ data }: { readonly data: ReadonlyArray<{ readonly id: string }> }) => data.map(({ id }) => id)
      const children = yield* list(`parent_agent_id=${parent.id}`)
      assert.deepStrictEqual(ids(children), [other.id, child.id])
      assert.deepInclude(children.data[1], { held_cents: 0, committed_cents: 20, child_count: 1, depth: 1 })
      assert.deepInclude((yield* api("GET", `/agents/${parent.id}`, { cookie: owner.cookie })).body, {
        committed_cents: 60,
        child_count: 2
      })
      const [newest] = ids(yield* list(`parent_agent_id=${parent.id}&limit=1&sort=created_at`))
      assert.strictEqual(newest, child.id)
      const roots = ids(yield* list("parent_agent_id=none&limit=200"))
      assert.include(roots, parent.id)
      assert.notIncludeMembers(roots, [child.id, other.id, grandchild.id])

      // A member sees a family from the first agent that they see.
      const member = yield* makePerson(hub, owner.org, "member")
      for (const { id } of [child, grandchild]) {
        const body = { owner_user_id: member.id }
        expectStatus(yield* api("POST", `/agents/${id}/transfer`, { cookie: owner.cookie, body }), 200)
      }
      assert.deepStrictEqual(ids(yield* list("parent_agent_id=none", member.cookie)), [child.id])
      assert.deepStrictEqual(ids(yield* list(`parent_agent_id=${child.id}`, member.cookie)), [grandchild.id])
      assert.deepStrictEqual(ids(yield* list(`parent_agent_id=${parent.id}`, member.cookie)), [child.id])
      yield* remove(child.id)
      assert.deepStrictEqual(ids(yield* list(`parent_agent_id=${parent.id}`)), [grandchild.id, other.id])
      expectStatus(yield* api("GET", "/agents?parent_agent_id=root", { cookie: owner.cookie }), 400)
    }))

  it.effect("a replayed spawn answers the same child without its key, and creates no second one", () =>
    Effect.gen(function*() {
      const { budget, root, spawn } = yield* family
      const parent = yield* root(100)
      const headers = { "idempotency-key": "spawn-1" }
      const first = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 10 }, headers), 201)
      const second = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 10 }, headers), 201)
      const { api_key, ...shown } = first.body
      assert.isString(api_key)
      assert.deepStrictEqual(second.body, { ...shown, api_key_shown: true })
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
      assert.strictEqual((yield* budget(parent.id)).committed, 10)
      assert.strictEqual(code(yield* spawn(parent.key, { monthly_budget_cents: 11 }, headers)), "idempotency_conflict")
    }))

  it.effect("the estimate names the refusal that the spawn has, and commits nothing", () =>
    Effect.gen(function*() {
      const { api, budget, owner, root, spawn } = yield* family
      const parent = yield* root(100)
      const estimate = (body: Record<string, unknown>, key = parent.key) =>
        api("POST", "/agents/spawn/estimate", {
          key,
          body: { name: "Child", services: [echo], monthly_budget_cents: 0, ...body }
        })
      assert.deepStrictEqual((yield* estimate({ monthly_budget_cents: 100 })).body, {
        would_commit_cents: 100,
        passes: true
      })
      const refused: ReadonlyArray<readonly [Record<string, unknown>, number, string]> = [
        [{ monthly_budget_cents: 101 }, 409, "insufficient_budget"],
        [{ monthly_budget_cents: null }, 409, "insufficient_budget"],
        [{ services: [{ service: "email", operations: ["*"] }] }, 403, "not_subset"]
      ]
      for (const [body, status, refusal] of refused) {
        assert.deepInclude((yield* estimate(body)).body, { passes: false, code: refusal })
        const answer = expectStatus(yield* spawn(parent.key, body), status)
        assert.strictEqual(code(answer), refusal)
      }
      // An increase for one month is for requests: a commitment outlives the month.
      const asked = yield* api("POST", "/budget-requests", {
        key: parent.key,
        body: { amount_cents: 100, period: "once", reason: "one time" }
      })
      expectStatus(
        yield* api("PATCH", `/budget-requests/${expectStatus(asked, 201).body.id}`, {
          cookie: owner.cookie,
          body: { status: "approved" }
        }),
        200
      )
      assert.strictEqual((yield* budget(parent.id)).cap, 200)
      assert.strictEqual((yield* estimate({ monthly_budget_cents: 101 })).body.code, "insufficient_budget")
      const over = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 101 }), 409)
      assert.deepStrictEqual(over.body.error.data, { available_cents: 100 })
      const frozen = yield* root()
      yield* api("PATCH", `/agents/${frozen.id}`, { cookie: owner.cookie, body: { frozen: true } })
      assert.strictEqual((yield* estimate({}, frozen.key)).body.code, "spending_frozen")
      assert.strictEqual(code(yield* spawn(frozen.key)), "spending_frozen")
      yield* api("PATCH", `/agents/${frozen.id}`, {
        cookie: owner.cookie,
        body: { frozen: false, status: "paused" }
      })
      assert.strictEqual(code(yield* spawn(frozen.key)), "agent_disabled")
      assert.strictEqual((yield* budget(parent.id)).committed, 0)
    }))

  it.effect("a family has at most three levels below its root", () =>
    Effect.gen(function*() {
      const { root, spawn } = yield* family
      let key = (yield* root()).key
      for (const depth of [1, 2, 3]) {
        const child = expectStatus(yield* spawn(key), 201).body
        assert.strictEqual(child.depth, depth)
        key = child.api_key
      }
      assert.strictEqual(code(expectStatus(yield* spawn(key), 409)), "spawn_depth_exceeded")
    }))

  it.effect("a child inherits caps and thresholds that it leaves out, and gets none beyond its parent's", () =>
    Effect.gen(function*() {
      const { hub, owner, spawn } = yield* family
      const parent = yield* makeAgent(hub, owner, {
        bindings: [{
          service: "echo",
          operations: ["say"],
          monthly_cap_cents: 50,
          daily_request_limit: 5,
          per_operation: { say: { monthly_cap_cents: 40 } }
        }]
      })
      const bound = (body: Record<string, unknown>) => spawn(parent.key, { services: [{ service: "echo", ...body }] })
      const inherited = expectStatus(yield* bound({ operations: ["say"] }), 201).body.bindings[0]
      assert.deepInclude(inherited, {
        monthly_cap_cents: 50,
        daily_request_limit: 5,
        per_operation: { say: { monthly_cap_cents: 40, daily_request_limit: 5 } }
      })
      const lower = expectStatus(yield* bound({ operations: ["say"], monthly_cap_cents: 30 }), 201).body.bindings[0]
      assert.deepInclude(lower, { monthly_cap_cents: 30, daily_request_limit: 5 })
      for (
        const [body, path] of [
          [{ operations: ["*"] }, "services.0.operations.0"],
          [{ operations: ["say"], monthly_cap_cents: 45 }, "services.0.monthly_cap_cents"],
          [{ operations: ["say"], daily_request_limit: 6 }, "services.0.daily_request_limit"],
          [{ operations: ["say"], approval_threshold_cents: 1_001 }, "services.0.approval_threshold_cents"],
          [
            { operations: ["say"], per_operation: { say: { monthly_cap_cents: 41 } } },
            "services.0.per_operation.say.monthly_cap_cents"
          ]
        ] as const
      ) {
        const refused = expectStatus(yield* bound(body), 403)
        assert.strictEqual(code(refused), "not_subset")
        assert.include(refused.body.error.data.fields, path)
      }
    }))

  it.effect("a parent's admission counts what its children have committed", () =>
    Effect.gen(function*() {
      const { agree, root, say, spawn } = yield* family
      const parent = yield* root(10)
      expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 9 }), 201)
      assert.strictEqual((yield* say(parent.key)).body.status, "executed")
      assert.strictEqual((yield* say(parent.key)).body.reason_code, "agent_budget_exceeded")
      yield* agree
    }))

  it.effect("raising and lowering a child's cap moves what it has committed", () =>
    Effect.gen(function*() {
      const { agree, budget, root, setCap, spawn } = yield* family
      const parent = yield* root(100)
      const child = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 40 }), 201).body
      expectStatus(yield* setCap(child.id, 100), 200)
      assert.strictEqual((yield* budget(parent.id)).committed, 100)
      assert.strictEqual(code(expectStatus(yield* setCap(child.id, 101), 409)), "insufficient_budget")
      assert.strictEqual(code(expectStatus(yield* setCap(child.id, null), 409)), "insufficient_budget")
      expectStatus(yield* setCap(child.id, 30), 200)
      assert.strictEqual((yield* budget(parent.id)).committed, 30)
      const below = expectStatus(yield* setCap(parent.id, 29), 409)
      assert.deepStrictEqual([code(below), below.body.error.data], ["budget_committed", { committed_cents: 30 }])
      expectStatus(yield* setCap(parent.id, 30), 200)
      assert.deepStrictEqual(yield* budget(parent.id), { cap: 30, spent: 0, held: 0, committed: 30 })
      yield* agree
    }))

  it.effect("a parent without a cap gets one only when each child has one", () =>
    Effect.gen(function*() {
      const { agree, budget, root, setCap, spawn } = yield* family
      const parent = yield* root()
      const child = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: null }), 201).body
      assert.strictEqual(code(expectStatus(yield* setCap(parent.id, 1_000), 409)), "budget_committed")
      expectStatus(yield* setCap(child.id, 5), 200)
      assert.strictEqual((yield* budget(parent.id)).committed, 5)
      expectStatus(yield* setCap(parent.id, 1_000), 200)
      yield* agree
    }))

  it.effect("a child that ends returns what it did not use, and its use counts as its parent's", () =>
    Effect.gen(function*() {
      const { agree, budget, remove, root, say, spawn } = yield* family
      const parent = yield* root(10)
      const child = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 8 }), 201).body
      const grandchild = expectStatus(yield* spawn(child.api_key, { monthly_budget_cents: 3 }), 201).body
      yield* say(child.api_key)
      yield* say(child.api_key)
      yield* say(grandchild.api_key)
      yield* remove(child.id)
      assert.deepStrictEqual(yield* budget(parent.id), { cap: 10, spent: 2, held: 0, committed: 3 })
      const after = expectStatus(
        yield* (yield* family).api("GET", `/agents/${grandchild.id}`, {
          key: grandchild.api_key
        }),
        200
      ).body
      assert.deepStrictEqual([after.parent_agent_id, after.depth], [parent.id, 1])
      yield* agree
      yield* remove(grandchild.id)
      assert.deepStrictEqual(yield* budget(parent.id), { cap: 10, spent: 3, held: 0, committed: 0 })
      yield* agree
    }))

  it.effect("a request in flight settles in its parent's month when its child has ended", () =>
    Effect.gen(function*() {
      const { agree, api, budget, owner, remove, root, say, spawn } = yield* family
      const parent = yield* root(10)
      const child = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 5 }), 201).body
      const key = expectStatus(
        yield* api("PATCH", `/agents/${child.id}/key`, { cookie: owner.cookie, body: { mode: "test" } }),
        200
      ).body.api_key
      const running = expectStatus(yield* say(key, { "x-test-outcome": "running" }), 202).body
      yield* remove(child.id)
      yield* agree
      expectStatus(
        yield* api("POST", `/service-requests/${running.id}/settle`, {
          cookie: owner.cookie,
          body: { status: "executed", comment: "done" }
        }),
        200
      )
      assert.deepStrictEqual(yield* budget(parent.id), { cap: 10, spent: 0, held: 0, committed: 0 })
      yield* agree
    }))

  it.effect("children of a deleted root become roots of depth 0 with their own budgets", () =>
    Effect.gen(function*() {
      const { agree, api, owner, remove, root, spawn } = yield* family
      const parent = yield* root(50)
      const child = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 20 }), 201).body
      const grandchild = expectStatus(yield* spawn(child.api_key, { monthly_budget_cents: 5 }), 201).body
      yield* remove(parent.id)
      const [a, b] = yield* Effect.all(
        [child.id, grandchild.id].map((id) => api("GET", `/agents/${id}`, { cookie: owner.cookie }))
      )
      assert.deepStrictEqual([a!.body.parent_agent_id, a!.body.depth, a!.body.monthly_budget_cents], [undefined, 0, 20])
      assert.deepStrictEqual([b!.body.parent_agent_id, b!.body.depth], [child.id, 1])
      yield* agree
    }))

  it.effect("an agent ends when its time is over, after its descendants", () =>
    Effect.gen(function*() {
      const { agree, api, budget, hub, owner, root, spawn, sql } = yield* family
      const parent = yield* root(50)
      const child = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 20, ttl_seconds: 3_600 }), 201).body
      const grandchild = expectStatus(yield* spawn(child.api_key, { monthly_budget_cents: 5 }), 201).body
      assert.isString(child.ends_at)
      const ending = hub.run(Effect.flatMap(FamilySweeper, (sweeper) => sweeper.ending))
      yield* ending
      assert.strictEqual((yield* budget(parent.id)).committed, 20)
      yield* sql((sql) => sql`update agents set ends_at = now() - interval '1 second' where id = ${child.id}`)
      yield* ending
      for (const id of [child.id, grandchild.id]) {
        expectStatus(yield* api("GET", `/agents/${id}`, { cookie: owner.cookie }), 404)
      }
      assert.deepStrictEqual(yield* budget(parent.id), { cap: 50, spent: 0, held: 0, committed: 0 })
      const ended = yield* sql((sql) =>
        sql<{ subject_id: string }>`select subject_id from audit
          where action = 'agent.deleted' and subject_id in (${child.id}, ${grandchild.id})
          order by seq`
      )
      assert.deepStrictEqual(ended.map(({ subject_id }) => subject_id), [grandchild.id, child.id])
      const activity = yield* api("GET", `/agents/${parent.id}/activity?type=child`, { cookie: owner.cookie })
      assert.deepStrictEqual(activity.body.data.map(({ action }: { action: string }) => action), [
        "child.ended",
        "child.spawned"
      ])
      yield* agree
    }))

  it.effect("a cap below what a child used commits the use until the month turns", () =>
    Effect.gen(function*() {
      const { agree, budget, hub, monthTurns, remove, root, say, setCap, spawn } = yield* family
      const parent = yield* root(10)
      const child = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 5 }), 201).body
      for (let count = 0; count < 4; count++) yield* say(child.api_key)
      expectStatus(yield* setCap(child.id, 1), 200)
      assert.strictEqual((yield* budget(parent.id)).committed, 4)
      yield* agree
      yield* monthTurns(parent.id, child.id)
      yield* hub.run(Effect.flatMap(FamilySweeper, (sweeper) => sweeper.corrections))
      assert.strictEqual((yield* budget(parent.id)).committed, 1)
      yield* agree
      assert.strictEqual((yield* say(child.api_key)).body.status, "executed")
      yield* remove(child.id)
      yield* agree
    }))

  it.effect("a clone is a root agent with bindings, budget, and threshold, nothing spent, and its own key", () =>
    Effect.gen(function*() {
      const { agree, api, owner, root, say, spawn } = yield* family
      const parent = yield* root(50)
      const child = expectStatus(yield* spawn(parent.key, { monthly_budget_cents: 20, name: "Scout" }), 201).body
      yield* say(child.api_key)
      const made = expectStatus(
        yield* api("POST", `/agents/${child.id}/clone`, { cookie: owner.cookie, body: {} }),
        201
      ).body
      assert.deepInclude(made, { name: "Scout (copy)", depth: 0, monthly_budget_cents: 20, spent_this_month_cents: 0 })
      assert.isUndefined(made.parent_agent_id)
      assert.deepStrictEqual(made.bindings.map(({ service }: { service: string }) => service), ["echo"])
      assert.strictEqual((yield* say(made.api_key)).body.status, "executed")
      yield* agree
    }))

  it.effect("a clone needs the permission for keys, and for budgets when there is one", () =>
    Effect.gen(function*() {
      const { api, hub, owner } = yield* family
      const member = yield* makePerson(hub, owner.org, "member")
      const plain = yield* makeAgent(hub, member)
      expectStatus(yield* api("POST", `/agents/${plain.id}/clone`, { cookie: member.cookie }), 201)
      expectStatus(
        yield* api("PATCH", `/agents/${plain.id}/budget`, {
          cookie: owner.cookie,
          body: { monthly_budget_cents: 1 }
        }),
        200
      )
      const refused = yield* api("POST", `/agents/${plain.id}/clone`, { cookie: member.cookie })
      assert.deepStrictEqual(expectStatus(refused, 403).body.error.data, { permission: "budgets:write" })
    }))

  it.effect("a workspace has one assistant, which an owner creates and nobody deletes", () =>
    Effect.gen(function*() {
      const { api, hub } = yield* family
      const org = yield* makeWorkspace(hub)
      const admin = yield* makePerson(hub, org, "admin")
      const member = yield* makePerson(hub, org, "member")
      const create = (cookie: string) => api("POST", "/agents", { cookie, body: { name: "Ada", kind: "yupi" } })
      assert.strictEqual(code(expectStatus(yield* create(member.cookie), 403)), "forbidden")
      const made = expectStatus(yield* create(admin.cookie), 201).body
      assert.strictEqual(made.kind, "yupi")
      assert.strictEqual(code(expectStatus(yield* create(admin.cookie), 409)), "conflict")
      const removed = yield* api("DELETE", `/agents/${made.id}`, { cookie: admin.cookie })
      assert.strictEqual(code(expectStatus(removed, 409)), "agent_protected")
      const listed = yield* api("GET", "/agents?kind=yupi", { cookie: admin.cookie })
      assert.deepStrictEqual(listed.body.data.map(({ id }: { id: string }) => id), [made.id])
      expectStatus(
        yield* api("POST", `/agents/${newId("agt")}/clone`, { cookie: admin.cookie, body: {} }),
        404
      )
    }))

  it.effect("racing spawns commit exactly what fits", () =>
    Effect.gen(function*() {
      const { agree, budget, root, spawn } = yield* family
      const parent = yield* root(50)
      const answers = yield* Effect.all(
        Array.from({ length: 12 }, () => spawn(parent.key, { monthly_budget_cents: 7 })),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(answers.filter(({ status }) => status === 201), 7)
      assert.lengthOf(answers.filter(({ status }) => status === 409), 5)
      assert.strictEqual((yield* budget(parent.id)).committed, 49)
      yield* agree
    }))
})
