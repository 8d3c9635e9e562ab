/** Data for the decider beside the request: figures, earlier decisions, and pending approvals by workspace. */
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { makePerson, makeWorkspace } from "../../support/people.ts"

layer(HubTest(), { excludeTestServices: true })("an approval in the inbox", (it) => {
  /** A separate workspace with an agent whose paid requests all require approval. */
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api } = hub
    const person = yield* makePerson(hub, yield* makeWorkspace(hub, "Inbox"), "owner", "Ada")
    const as = { cookie: person.cookie }
    yield* topUp(hub, person, 1_000)
    const asking = (more: object = {}) =>
      makeAgent(hub, person, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0, ...more }]
      })
    const ask = Effect.fnUntraced(function*(key: string, payload: unknown = {}) {
      const { body } = expectStatus(
        yield* api("POST", "/service-requests", { key, body: { service: "echo", operation: "say", payload } }),
        200
      )
      assert.strictEqual(body.status, "approval_required")
      return body.approval_id as string
    })
    const read = (id: string) =>
      Effect.map(api("GET", `/approvals/${id}`, as), (answer) => expectStatus(answer, 200).body)
    const decide = (id: string, decision: "approve" | "reject") =>
      Effect.map(api("POST", `/approvals/${id}/${decision}`, as), (answer) => expectStatus(answer, 200))
    return { ...hub, hub, person, as, asking, ask, read, decide }
  })

  it.effect("shows cap, spent, and held of every limit that is set, including unused ones", () =>
    Effect.gen(function*() {
      const { api, as, ask, asking, decide, read } = yield* world
      const agent = yield* asking({ monthly_cap_cents: 50, daily_request_limit: 10 })
      const first = yield* ask(agent.key)
      const month = (yield* read(first)).limits.operation_month
      assert.deepStrictEqual([month.cap_cents, month.spent_cents, month.held_cents], [50, 0, 0])
      yield* decide(first, "approve")
      expectStatus(
        yield* api("PATCH", `/agents/${agent.id}/budget`, { ...as, body: { monthly_budget_cents: 30 } }),
        200
      )
      const { limits, remaining } = yield* read(yield* ask(agent.key, { n: 2 }))
      const [resets, tomorrow] = [
        Date.parse(limits.operation_month.resets_at),
        Date.parse(limits.operation_day.resets_at)
      ]
      assert.isAbove(tomorrow, Date.now())
      assert.isAtLeast(resets, tomorrow)
      assert.deepStrictEqual([limits.operation_month.resets_at.slice(8), limits.operation_day.resets_at.slice(11)], [
        "01T00:00:00.000Z",
        "00:00:00.000Z"
      ])
      assert.deepStrictEqual(limits, {
        operation_month: { cap_cents: 50, spent_cents: 1, held_cents: 0, resets_at: limits.operation_month.resets_at },
        operation_day: { limit_count: 10, used_count: 1, resets_at: limits.operation_day.resets_at },
        agent_month: { cap_cents: 30, spent_cents: 1, held_cents: 0, resets_at: limits.operation_month.resets_at },
        wallet: { balance_cents: 999, held_cents: 0 }
      })
      assert.deepStrictEqual(remaining, {
        operation_month_cents: 49,
        operation_day_count: 9,
        agent_month_cents: 29,
        wallet_cents: 999
      })
    }))

  it.effect("shows the last decisions on the same operation, and how often this exact action was approved", () =>
    Effect.gen(function*() {
      const { ask, asking, decide, person, read } = yield* world
      const agent = yield* asking()
      const same = { to: "x", amount: 1 }
      const decidedIds: Array<string> = []
      for (
        const [payload, decision] of [[same, "approve"], [{ to: "y" }, "reject"], [same, "approve"], [same, "reject"], [
          { to: "z" },
          "approve"
        ], [{ to: "y" }, "approve"]] as const
      ) {
        const id = yield* ask(agent.key, payload)
        yield* decide(id, decision)
        decidedIds.push(id)
      }
      const other = yield* asking()
      yield* decide(yield* ask(other.key, same), "approve")
      const { previous, recent } = yield* read(yield* ask(agent.key, same))
      assert.deepStrictEqual([
        recent.count_30d,
        recent.approved,
        recent.rejected,
        recent.median_cents,
        recent.same_action_approved
      ], [6, 4, 2, 1, 2])
      assert.deepStrictEqual(
        recent.decisions.map((
          { approval_id, decision, same_action }: { approval_id: string; decision: string; same_action: boolean }
        ) => [approval_id, decision, same_action]),
        [
          [decidedIds[5], "approved", false],
          [decidedIds[4], "approved", false],
          [decidedIds[3], "rejected", true],
          [decidedIds[2], "approved", true],
          [decidedIds[1], "rejected", false]
        ]
      )
      assert.deepStrictEqual([recent.decisions[0].decided_by.id, recent.decisions[0].cost_cents], [person.id, 1])
      assert.deepStrictEqual([previous.approval_id, previous.payload], [decidedIds[5], { to: "y" }])
    }))

  it.effect("is listed by status, agent, service, and operation; several statuses are listed newest first", () =>
    Effect.gen(function*() {
      const { api, as, ask, asking, decide } = yield* world
      const [agent, other] = [yield* asking(), yield* asking()]
      const [approved, rejected, pending, others] = [
        yield* ask(agent.key),
        yield* ask(agent.key),
        yield* ask(agent.key),
        yield* ask(other.key)
      ]
      yield* decide(approved, "approve")
      yield* decide(rejected, "reject")
      const list = (query: string) =>
        Effect.map(
          api("GET", `/approvals?${query}`, as),
          (answer) => expectStatus(answer, 200).body.data.map(({ id }: { id: string }) => id)
        )
      assert.deepStrictEqual(yield* list(""), [pending, others])
      assert.deepStrictEqual(yield* list("status=approved&status=rejected"), [rejected, approved])
      assert.deepStrictEqual(yield* list("status=pending&status=approved"), [others, pending, approved])
      assert.deepStrictEqual(yield* list(`agent_id=${other.id}`), [others])
      assert.deepStrictEqual([
        yield* list("service=echo&operation=say"),
        yield* list("service=echo&operation=none"),
        yield* list("service=none")
      ], [[pending, others], [], []])
      const first = (yield* api("GET", "/approvals?status=pending&status=approved&limit=2", as)).body
      assert.deepStrictEqual(yield* list(`status=pending&status=approved&limit=2&cursor=${first.next_cursor}`), [
        approved
      ])
      assert.strictEqual((yield* api("GET", "/approvals?status=none", as)).status, 400)
    }))

  it.effect("is counted in each workspace of a person, for a member only their own, and not after it expired", () =>
    Effect.gen(function*() {
      const { api, as, ask, asking, hub, person } = yield* world
      const agent = yield* asking()
      const [first] = [yield* ask(agent.key), yield* ask(agent.key)]
      const elsewhere = yield* makePerson(hub, yield* makeWorkspace(hub, "Elsewhere"), "owner", "Grace")
      yield* hub.run(
        Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.addMember(person.org, elsewhere.id, "member"))
      )
      const counts = (query: string, cookie: string) =>
        Effect.map(api("GET", `/approvals/counts${query}`, { cookie }), (answer) => expectStatus(answer, 200).body)
      const own = yield* counts("", person.cookie)
      assert.deepStrictEqual([
        own.pending,
        own.data.map(({ pending, workspace }: { pending: number; workspace: string }) => [workspace, pending])
      ], [2, [[person.org, 2]]])
      assert.strictEqual(own.data[0].next_expires_at, (yield* api("GET", `/approvals/${first}`, as)).body.expires_at)
      const all = yield* counts("?workspace=all", elsewhere.cookie)
      assert.deepStrictEqual([
        all.pending,
        all.data.length,
        all.data.map(({ pending }: { pending: number }) => pending)
      ], [0, 2, [0, 0]])
      assert.strictEqual((yield* api("GET", `/approvals/counts?workspace=${elsewhere.org}`, as)).status, 404)
      yield* Effect.orDie(
        hub.run(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) => sql`update approvals set expires_at = now() - interval '1 second' where id = ${first}`
          )
        )
      )
      assert.strictEqual((yield* counts("", person.cookie)).pending, 1)
    }))
})
