/** Delegated tasks through HTTP: transitions, the budget, requests, events, and the books after each step. */
import { newId } from "@countersign/domain/ids"
import { DelegationSweeper } from "@countersign/hub/delegations/sweeper"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy } from "../../support/health.ts"
import { type Answer, expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { makePerson, makeWorkspace } from "../../support/people.ts"

const echo = { service: "echo", operations: ["*"] }
const code = (answer: Answer): string => answer.body.error.code

interface Pair {
  readonly id: string
  readonly key: string
}

/** A parent with a budget, and a child of it. */
const scene = Effect.gen(function*() {
  const hub = yield* TestHub
  const { api, owner } = hub
  yield* topUp(hub, owner, 10_000)
  const pair = Effect.fnUntraced(function*(
    { cap = 100, childCap = 0, mode = "live", binding = {} }: {
      readonly cap?: number
      readonly childCap?: number
      readonly mode?: "live" | "test"
      readonly binding?: object
    } = {}
  ) {
    const parent = yield* makeAgent(hub, owner, {
      monthly_budget_cents: cap,
      mode,
      bindings: [{ ...echo, ...binding }]
    })
    const made = expectStatus(
      yield* api("POST", "/agents/spawn", {
        key: parent.key,
        body: { name: "Child", services: [echo], monthly_budget_cents: childCap }
      }),
      201
    )
    const child: Pair = { id: made.body.id, key: made.body.api_key }
    return { parent, child }
  })
  const delegate = (from: Pair, to: Pair, body: object = {}, headers: Record<string, string> = {}) =>
    api("POST", `/agents/${from.id}/delegated-tasks`, {
      key: from.key,
      headers,
      body: { to_agent_id: to.id, goal: "Say it", budget_cents: 5, services: ["echo"], ...body }
    })
  const set = (agent: Pair, task: string, body: object) =>
    api("PATCH", `/agents/${agent.id}/delegated-tasks/${task}`, { key: agent.key, body })
  const say = (agent: Pair, task?: string, headers: Record<string, string> = {}) =>
    api("POST", "/service-requests", {
      key: agent.key,
      headers: { ...headers, ...task === undefined ? {} : { "x-delegated-task": task } },
      body: { service: "echo", operation: "say", payload: {} }
    })
  const budget = (agent: Pair) =>
    Effect.map(api("GET", `/agents/${agent.id}/budget`, { key: agent.key }), (answer) => {
      const { committed_cents, held_cents, spent_cents } = expectStatus(answer, 200).body
      return { spent: spent_cents, held: held_cents, committed: committed_cents }
    })
  return { hub, api, owner, pair, delegate, set, say, budget, agree: expectHealthy(hub.target) }
})

layer(HubTest(), { excludeTestServices: true })("delegated tasks", (it) => {
  it.effect("a task commits its budget, and its requests spend it and not the child's month", () =>
    Effect.gen(function*() {
      const { agree, api, budget, delegate, pair, say, set } = yield* scene
      const { child, parent } = yield* pair()
      const deadline_at = "2999-01-01T00:00:00.000Z"
      const answer = expectStatus(yield* delegate(parent, child, { input: { text: "hi" }, deadline_at }), 201)
      const { body: task } = answer
      assert.strictEqual(answer.headers.get("location"), `/api/v1/delegated-tasks/${task.id}`)
      assert.deepStrictEqual({ ...task, id: "", created_at: "" }, {
        id: "",
        from_agent_id: parent.id,
        to_agent_id: child.id,
        from_agent_name: "Agent",
        to_agent_name: "Child",
        goal: "Say it",
        input: { text: "hi" },
        services: ["echo"],
        budget_cents: 5,
        spent_cents: 0,
        held_cents: 0,
        status: "accepted",
        deadline_at,
        created_at: ""
      })
      assert.deepStrictEqual(yield* budget(parent), { spent: 0, held: 0, committed: 5 })
      assert.strictEqual((yield* say(child)).body.reason_code, "agent_budget_exceeded")
      const said = expectStatus(yield* say(child, task.id), 200).body
      assert.deepStrictEqual([said.status, said.cost_cents, said.origin], ["executed", 1, { task_id: task.id }])
      expectStatus(yield* set(child, task.id, { status: "in_progress" }), 200)
      expectStatus(yield* say(child, task.id), 200)
      for (const agent of [parent, child]) {
        const read = expectStatus(yield* api("GET", `/delegated-tasks/${task.id}`, { key: agent.key }), 200).body
        assert.deepInclude(read, { status: "in_progress", spent_cents: 2, held_cents: 0 })
        const listed = yield* api("GET", `/agents/${agent.id}/delegated-tasks?status=in_progress`, { key: agent.key })
        assert.deepStrictEqual(listed.body.data, [read])
      }
      assert.deepStrictEqual([yield* budget(parent), yield* budget(child)], [
        { spent: 0, held: 0, committed: 5 },
        { spent: 0, held: 0, committed: 0 }
      ])
      yield* agree
      const done = expectStatus(yield* set(child, task.id, { status: "completed", result: { ok: true } }), 200).body
      assert.deepInclude(done, { status: "completed", result: { ok: true }, spent_cents: 2 })
      assert.isString(done.ended_at)
      assert.deepStrictEqual(yield* budget(parent), { spent: 2, held: 0, committed: 0 })
      yield* agree
    }))

  it.effect("a request over the task's budget is blocked by the task, with the budget's figures", () =>
    Effect.gen(function*() {
      const { agree, api, delegate, pair, say } = yield* scene
      const { child, parent } = yield* pair()
      const task = expectStatus(yield* delegate(parent, child, { budget_cents: 1 }), 201).body.id
      expectStatus(yield* say(child, task), 200)
      const blocked = expectStatus(yield* say(child, task), 200).body
      assert.deepStrictEqual([blocked.status, blocked.reason_code], ["blocked", "task_budget_exceeded"])
      assert.deepInclude(blocked.block, {
        limit: "task_budget",
        scope: { type: "delegated_task", id: task },
        limit_cents: 1,
        spent_cents: 1,
        held_cents: 0
      })
      const estimate = yield* api("POST", "/service-requests/estimate", {
        key: child.key,
        headers: { "x-delegated-task": task },
        body: { service: "echo", operation: "say", payload: {} }
      })
      assert.deepInclude(estimate.body, { status: "blocked", reason_code: "task_budget_exceeded" })
      yield* agree
    }))

  it.effect("a foreign or ended task, and a service that the task does not name, block a request", () =>
    Effect.gen(function*() {
      const { agree, delegate, pair, say, set } = yield* scene
      const { child, parent } = yield* pair()
      const other = yield* pair()
      const foreign = expectStatus(yield* delegate(other.parent, other.child), 201).body.id
      const narrow = expectStatus(yield* delegate(parent, child, { services: ["email"] }), 201).body.id
      const ended = expectStatus(yield* delegate(parent, child), 201).body.id
      expectStatus(yield* say(child, ended), 200)
      expectStatus(yield* set(parent, ended, { status: "cancelled" }), 200)
      for (const task of [foreign, narrow, ended, newId("dlg")]) {
        const blocked = expectStatus(yield* say(child, task), 200).body
        assert.deepStrictEqual([blocked.status, blocked.reason_code], ["blocked", "policy_violation"], task)
        assert.deepStrictEqual(blocked.block.scope, { type: "delegated_task", id: task })
      }
      const malformed = expectStatus(yield* say(child, "task 1"), 400)
      assert.strictEqual(malformed.body.error.details[0].path, "x-delegated-task")
      yield* agree
    }))

  it.effect("only the right side makes a transition, and only once", () =>
    Effect.gen(function*() {
      const { delegate, pair, set } = yield* scene
      const { child, parent } = yield* pair()
      const task = expectStatus(yield* delegate(parent, child), 201).body.id
      for (const status of ["in_progress", "completed", "failed"]) {
        assert.strictEqual(code(expectStatus(yield* set(parent, task, { status }), 403)), "forbidden")
      }
      expectStatus(yield* set(child, task, { status: "cancelled" }), 403)
      expectStatus(yield* set(child, task, { status: "completed", error: { code: "x", message: "y" } }), 400)
      expectStatus(yield* set(child, task, { status: "failed", result: 1 }), 400)
      assert.strictEqual(code(expectStatus(yield* set(child, task, { status: "accepted" }), 409)), "invalid_transition")
      const failed = expectStatus(
        yield* set(child, task, { status: "failed", error: { code: "x", message: "y" } }),
        200
      )
      assert.deepStrictEqual(failed.body.error, { code: "x", message: "y" })
      const again = expectStatus(yield* set(parent, task, { status: "cancelled" }), 409)
      assert.deepStrictEqual([code(again), again.body.error.data], ["invalid_transition", { status: "failed" }])
      const wrongAgent = { ...parent, id: child.id }
      expectStatus(yield* set(wrongAgent, task, { status: "cancelled" }), 404)
    }))

  it.effect("a task beyond the parent's budget, to another agent, or with a wrong input is refused", () =>
    Effect.gen(function*() {
      const { agree, api, budget, delegate, hub, owner, pair } = yield* scene
      const { child, parent } = yield* pair({ cap: 10, childCap: 4 })
      const other = yield* makeAgent(hub, owner)
      assert.strictEqual(
        code(expectStatus(yield* delegate(parent, child, { budget_cents: 7 }), 409)),
        "insufficient_budget"
      )
      expectStatus(yield* delegate(parent, other), 403)
      expectStatus(yield* delegate(parent, parent), 403)
      expectStatus(yield* delegate(parent, { id: newId("agt"), key: "" }), 404)
      for (
        const [body, path] of [
          [{ services: ["nothing"] }, "services.0"],
          [{ deadline_at: "2020-01-01T00:00:00Z" }, "deadline_at"],
          [{ deadline_at: "soon" }, "deadline_at"],
          [{ goal: "" }, "goal"]
        ] as const
      ) {
        assert.strictEqual((yield* delegate(parent, child, body)).body.error.details[0].path, path)
      }
      expectStatus(
        yield* api("PATCH", `/agents/${parent.id}`, { cookie: owner.cookie, body: { frozen: true } }),
        200
      )
      assert.strictEqual(code(yield* delegate(parent, child)), "spending_frozen")
      assert.strictEqual((yield* budget(parent)).committed, 4)
      yield* agree
    }))

  it.effect("an agent that is published to the workspace takes tasks of every agent", () =>
    Effect.gen(function*() {
      const { agree, api, budget, delegate, hub, owner, pair, say, set } = yield* scene
      const { parent } = yield* pair()
      const shared = yield* makeAgent(hub, owner)
      expectStatus(yield* delegate(parent, shared), 403)
      const { body: request } = expectStatus(
        yield* api("POST", `/agents/${shared.id}/publish`, { cookie: owner.cookie, body: { scope: "org" } }),
        201
      )
      expectStatus(
        yield* api("PATCH", `/publish-requests/${request.id}`, { cookie: owner.cookie, body: { status: "approved" } }),
        200
      )
      const task = expectStatus(yield* delegate(parent, shared), 201).body.id
      assert.strictEqual((yield* say(shared, task)).body.status, "executed")
      expectStatus(yield* set(shared, task, { status: "completed" }), 200)
      assert.deepStrictEqual([yield* budget(parent), yield* budget(shared)], [
        { spent: 1, held: 0, committed: 0 },
        { spent: 0, held: 0, committed: 0 }
      ])
      yield* agree
    }))

  it.effect("an agent that is published to a team takes tasks of the team's agents, as long as it is published", () =>
    Effect.gen(function*() {
      const { agree, api, delegate, hub, owner, pair, say } = yield* scene
      const as = { cookie: owner.cookie }
      const team = (name: string) =>
        Effect.map(
          api("POST", "/teams", { ...as, body: { name } }),
          (answer): string => expectStatus(answer, 201).body.id
        )
      const [one, other] = [yield* team("North"), yield* team("South")]
      const transfer = (agent: Pair, team_id: string | null) =>
        Effect.map(
          api("POST", `/agents/${agent.id}/transfer`, { ...as, body: { team_id } }),
          (answer) => expectStatus(answer, 200)
        )
      const { child, parent } = yield* pair()
      const shared = yield* makeAgent(hub, owner)
      const { body: request } = expectStatus(
        yield* api("POST", `/agents/${shared.id}/publish`, { ...as, body: { scope: "team", team_id: one } }),
        201
      )
      const { body: { publication_id } } = expectStatus(
        yield* api("PATCH", `/publish-requests/${request.id}`, { ...as, body: { status: "approved" } }),
        200
      )
      expectStatus(yield* delegate(parent, shared), 403)
      yield* transfer(parent, other)
      expectStatus(yield* delegate(parent, shared), 403)
      yield* transfer(parent, one)
      const task = expectStatus(yield* delegate(parent, shared), 201).body.id
      assert.strictEqual((yield* say(shared, task)).body.status, "executed")
      // Of a person who delegates for the agent, the agent's team counts as well.
      const body = { to_agent_id: shared.id, goal: "Say it", budget_cents: 5, services: ["echo"] }
      const byPerson = (from: Pair) =>
        Effect.map(api("POST", `/agents/${from.id}/delegated-tasks`, { ...as, body }), ({ status }) => status)
      assert.strictEqual(yield* byPerson(parent), 201)
      expectStatus(yield* api("POST", `/publications/${publication_id}/revoke`, as), 200)
      expectStatus(yield* delegate(parent, shared), 403)
      assert.strictEqual(yield* byPerson(parent), 403)
      expectStatus(yield* delegate(parent, child), 201)
      yield* agree
    }))

  it.effect("a freeze of the agent that delegated a task stops the task's requests", () =>
    Effect.gen(function*() {
      const { api, delegate, owner, pair, say } = yield* scene
      const { child, parent } = yield* pair()
      const task = expectStatus(yield* delegate(parent, child), 201).body.id
      expectStatus(yield* say(child, task), 200)
      const freeze = (frozen: boolean) =>
        api("PATCH", `/agents/${parent.id}`, { cookie: owner.cookie, body: { frozen } })
      expectStatus(yield* freeze(true), 200)
      const blocked = (yield* say(child, task)).body
      assert.deepStrictEqual([blocked.reason_code, blocked.block.scope.id], ["spending_frozen", parent.id])
      expectStatus(yield* freeze(false), 200)
      assert.strictEqual((yield* say(child, task)).body.status, "executed")
    }))

  it.effect("a request that runs when its task is cancelled settles in the month of the parent", () =>
    Effect.gen(function*() {
      const { agree, api, budget, delegate, owner, pair, say, set } = yield* scene
      const { child, parent } = yield* pair({ mode: "test" })
      const task = expectStatus(yield* delegate(parent, child), 201).body.id
      const running = expectStatus(yield* say(child, task, { "x-test-outcome": "running" }), 202).body
      yield* agree
      expectStatus(yield* set(parent, task, { status: "cancelled" }), 200)
      yield* agree
      expectStatus(
        yield* api("POST", `/service-requests/${running.id}/settle`, {
          cookie: owner.cookie,
          body: { status: "executed", comment: "done" }
        }),
        200
      )
      assert.strictEqual((yield* budget(parent)).committed, 0)
      yield* agree
    }))

  it.effect("an approval of a task's request spends the task, and nothing once it has ended", () =>
    Effect.gen(function*() {
      const { agree, api, budget, delegate, owner, pair, say, set } = yield* scene
      const { child, parent } = yield* pair({ binding: { approval_threshold_cents: 0 } })
      const task = expectStatus(yield* delegate(parent, child), 201).body.id
      const [first, second] = [(yield* say(child, task)).body, (yield* say(child, task)).body]
      assert.deepStrictEqual([first.status, first.origin], ["approval_required", { task_id: task }])
      const approve = (id: string) => api("POST", `/approvals/${id}/approve`, { cookie: owner.cookie, body: {} })
      const approved = expectStatus(yield* approve(first.approval_id), 200).body
      assert.strictEqual(approved.service_request.status, "executed")
      assert.strictEqual((yield* budget(child)).spent, 0)
      const edited = expectStatus(yield* say(child, task), 200).body
      const { payload_digest } = (yield* api("GET", `/approvals/${edited.approval_id}`, { cookie: owner.cookie })).body
      const replaced = expectStatus(
        yield* api("POST", `/approvals/${edited.approval_id}/edit`, {
          cookie: owner.cookie,
          body: { payload: { text: "edited" }, payload_digest }
        }),
        200
      ).body
      assert.deepInclude(replaced.service_request.origin, { task_id: task, replaces: edited.id })
      expectStatus(yield* set(child, task, { status: "completed" }), 200)
      const late = expectStatus(yield* approve(second.approval_id), 200).body
      assert.deepStrictEqual(
        [late.service_request.status, late.service_request.reason_code],
        ["blocked", "policy_violation"]
      )
      assert.deepStrictEqual(yield* budget(parent), { spent: 1, held: 0, committed: 0 })
      yield* agree
    }))

  it.effect("an idempotency key is bound to the task", () =>
    Effect.gen(function*() {
      const { delegate, pair, say } = yield* scene
      const { child, parent } = yield* pair({ childCap: 5 })
      const created = { "idempotency-key": "task-1" }
      const task = expectStatus(yield* delegate(parent, child, {}, created), 201).body.id
      assert.strictEqual(expectStatus(yield* delegate(parent, child, {}, created), 201).body.id, task)
      const headers = { "idempotency-key": "say-1" }
      const first = expectStatus(yield* say(child, task, headers), 200)
      const again = expectStatus(yield* say(child, task, headers), 200)
      assert.deepStrictEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
      assert.strictEqual(code(expectStatus(yield* say(child, undefined, headers), 409)), "idempotency_conflict")
    }))

  it.effect("a task fails when its deadline passes, and with its agents", () =>
    Effect.gen(function*() {
      const { agree, api, budget, delegate, hub, owner, pair } = yield* scene
      const { child, parent } = yield* pair()
      const late = expectStatus(yield* delegate(parent, child, { deadline_at: "2999-01-01T00:00:00Z" }), 201).body.id
      const deadlines = hub.run(Effect.flatMap(DelegationSweeper, (sweeper) => sweeper.deadlines))
      yield* deadlines
      yield* hub.run(Effect.orDie(Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update delegated_tasks set deadline_at = now() - interval '1 second' where id = ${late}`
      )))
      yield* deadlines
      const passed = (yield* api("GET", `/delegated-tasks/${late}`, { key: parent.key })).body
      assert.deepStrictEqual([passed.status, passed.error.code], ["failed", "deadline_passed"])
      const open = expectStatus(yield* delegate(parent, child), 201).body.id
      expectStatus(yield* api("DELETE", `/agents/${child.id}`, { cookie: owner.cookie }), 204)
      const failed = (yield* api("GET", `/delegated-tasks/${open}`, { key: parent.key })).body
      assert.deepStrictEqual([failed.status, failed.error.code], ["failed", "agent_ended"])
      assert.deepStrictEqual(yield* budget(parent), { spent: 0, held: 0, committed: 0 })
      yield* agree
      const second = yield* pair()
      const orphan = expectStatus(yield* delegate(second.parent, second.child), 201).body.id
      expectStatus(yield* api("DELETE", `/agents/${second.parent.id}`, { cookie: owner.cookie }), 204)
      const cancelled = (yield* api("GET", `/delegated-tasks/${orphan}`, { key: second.child.key })).body
      assert.strictEqual(cancelled.status, "cancelled")
      yield* agree
    }))

  it.effect("both agents follow the events of a task to its end, and resume after the last one they have", () =>
    Effect.gen(function*() {
      const { api, delegate, pair, set } = yield* scene
      const { child, parent } = yield* pair()
      const task = expectStatus(yield* delegate(parent, child), 201).body.id
      const following = yield* Effect.forkChild(api("GET", `/delegated-tasks/${task}/events`, { key: parent.key }))
      expectStatus(yield* set(child, task, { status: "in_progress" }), 200)
      const reattach = (agent: Pair, body?: object) =>
        api("POST", `/agents/${agent.id}/delegated-tasks/${task}/reattach`, { key: agent.key, ...body && { body } })
      const { events, task: shown } = expectStatus(yield* reattach(parent), 200).body
      assert.deepStrictEqual(events.map(({ status }: { status: string }) => status), ["accepted", "in_progress"])
      assert.strictEqual(shown.status, "in_progress")
      expectStatus(yield* set(child, task, { status: "completed" }), 200)
      const after = expectStatus(yield* reattach(parent, { after: events[1].id }), 200).body
      assert.deepStrictEqual(after.events.map(({ status }: { status: string }) => status), ["completed"])
      expectStatus(yield* reattach(parent, { after: newId("evt") }), 400)
      expectStatus(yield* reattach(child), 403)
      const streamed = expectStatus(yield* Fiber.join(following), 200)
      assert.deepStrictEqual([...streamed.text.matchAll(/"status":"(\w+)"/gu)].map(([, status]) => status), [
        "accepted",
        "in_progress",
        "completed"
      ])
      const resumed = yield* api("GET", `/delegated-tasks/${task}/events`, {
        key: child.key,
        headers: { "last-event-id": events[1].id }
      })
      assert.match(resumed.text, new RegExp(`id: ${after.events[0].id}\nevent: delegated_task.updated\ndata: `))
      assert.notInclude(resumed.text, events[0].id)
    }))

  it.effect("other agents, members without either agent, and other workspaces see no task", () =>
    Effect.gen(function*() {
      const { api, delegate, hub, owner, pair } = yield* scene
      const { child, parent } = yield* pair()
      const task = expectStatus(yield* delegate(parent, child), 201).body.id
      const other = yield* makeAgent(hub, owner)
      const member = yield* makePerson(hub, owner.org, "member")
      const stranger = yield* makePerson(hub, yield* makeWorkspace(hub), "owner")
      for (const caller of [{ key: other.key }, { cookie: member.cookie }, { cookie: stranger.cookie }]) {
        expectStatus(yield* api("GET", `/delegated-tasks/${task}`, caller), 404)
        expectStatus(yield* api("GET", `/delegated-tasks/${task}/events`, caller), 404)
        expectStatus(yield* api("GET", `/agents/${parent.id}/delegated-tasks`, caller), 404)
      }
      const viewer = yield* makePerson(hub, owner.org, "viewer")
      expectStatus(yield* api("GET", `/delegated-tasks/${task}`, { cookie: viewer.cookie }), 200)
      const body = { to_agent_id: child.id, goal: "g", budget_cents: 1, services: [] }
      const create = (cookie: string) => api("POST", `/agents/${parent.id}/delegated-tasks`, { cookie, body })
      expectStatus(yield* create(viewer.cookie), 403)
      expectStatus(yield* create(owner.cookie), 201)
    }))

  it.effect("the workspace's list pages through the tasks that the caller sees, and selects by agent and status", () =>
    Effect.gen(function*() {
      const { api, delegate, hub, owner, pair, set } = yield* scene
      const first = yield* pair()
      const second = yield* pair()
      const made = (answer: Answer): string => expectStatus(answer, 201).body.id
      const done = made(yield* delegate(first.parent, first.child))
      expectStatus(yield* set(first.child, done, { status: "completed" }), 200)
      const open = made(yield* delegate(first.parent, first.child))
      const other = made(yield* delegate(second.parent, second.child))
      const list = (caller: { readonly cookie?: string; readonly key?: string }, query = "") =>
        Effect.map(api("GET", `/delegated-tasks${query}`, caller), (answer) => expectStatus(answer, 200).body)
      const ids = ({ data }: { readonly data: ReadonlyArray<{ readonly id: string }> }) => data.map(({ id }) => id)
      const page = yield* list(owner, "?limit=2")
      assert.deepStrictEqual(ids(page), [other, open])
      assert.strictEqual(ids(yield* list(owner, `?limit=1&cursor=${page.next_cursor}`))[0], done)
      for (const agent of [first.parent, first.child]) {
        assert.deepStrictEqual(ids(yield* list(owner, `?agent_id=${agent.id}`)), [open, done])
        assert.deepStrictEqual(ids(yield* list(agent)), [open, done])
        assert.deepStrictEqual(ids(yield* list(agent, `?agent_id=${second.child.id}`)), [])
      }
      assert.deepStrictEqual(ids(yield* list(owner, `?agent_id=${first.child.id}&status=completed`)), [done])
      const member = yield* makePerson(hub, owner.org, "member")
      assert.deepStrictEqual(ids(yield* list(member)), [])
      expectStatus(
        yield* api("POST", `/agents/${second.child.id}/transfer`, {
          cookie: owner.cookie,
          body: { owner_user_id: member.id }
        }),
        200
      )
      assert.deepStrictEqual(ids(yield* list(member)), [other])
      const stranger = yield* makePerson(hub, yield* makeWorkspace(hub), "owner")
      assert.deepStrictEqual(ids(yield* list(stranger)), [])
    }))

  it.effect("racing requests against one task spend exactly its budget", () =>
    Effect.gen(function*() {
      const { agree, budget, delegate, pair, say, set } = yield* scene
      const { child, parent } = yield* pair()
      const task = expectStatus(yield* delegate(parent, child, { budget_cents: 7 }), 201).body.id
      const [answers] = yield* Effect.all([
        Effect.all(Array.from({ length: 20 }, () => say(child, task)), { concurrency: "unbounded" }),
        Effect.all(Array.from({ length: 5 }, () => say(parent)), { concurrency: "unbounded" })
      ], { concurrency: 2 })
      assert.lengthOf(answers.filter(({ body }) => body.status === "executed"), 7)
      assert.lengthOf(answers.filter(({ body }) => body.reason_code === "task_budget_exceeded"), 13)
      expectStatus(yield* set(parent, task, { status: "cancelled" }), 200)
      assert.deepStrictEqual(yield* budget(parent), { spent: 12, held: 0, committed: 0 })
      yield* agree
    }))
})
