/** What a lead may do in the team, and a worker may not. Spec: reference/teams.md "Teams". */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Call, expectStatus, HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"
import { makeSignedIn } from "../../support/people.ts"

layer(HubTest(), { excludeTestServices: true })("a lead", (it) => {
  let teams = 0
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const as = { cookie: owner.cookie }
    yield* topUp(hub, owner, 1_000)
    const lead = yield* makeSignedIn(hub, owner.org, "member", "Lea")
    const worker = yield* makeSignedIn(hub, owner.org, "member", "Will")
    const outsider = yield* makeSignedIn(hub, owner.org, "member", "Olga")
    const make = Effect.suspend(() =>
      Effect.map(
        api("POST", "/teams", { ...as, body: { name: `Team ${teams++}` } }),
        (answer) => expectStatus(answer, 201).body.id as string
      )
    )
    const add = (team: string, person: { readonly id: string }, role: string, who: Call = as) =>
      api("POST", `/teams/${team}/members`, { ...who, body: { user_id: person.id, role } })
    const team = yield* make
    const other = yield* make
    for (const [person, role] of [[lead, "lead"], [worker, "worker"]] as const) {
      expectStatus(yield* add(team, person, role), 201)
    }
    const bindings = [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
    const agent = yield* makeAgent(hub, worker, { team_id: team, bindings: [{ service: "echo", operations: ["*"] }] })
    expectStatus(yield* api("POST", `/agents/${agent.id}/services`, { ...as, body: bindings[0] }), 200)
    const pending = (key: string) =>
      Effect.map(
        api("POST", "/service-requests", { key, body: { service: "echo", operation: "say", payload: {} } }),
        (answer) => expectStatus(answer, 200).body.approval_id as string
      )
    const statuses = (calls: ReadonlyArray<readonly [method: string, path: string, body?: unknown]>, who: Call) =>
      Effect.forEach(calls, ([method, path, body]) =>
        Effect.map(
          api(method, path, { ...who, ...body === undefined ? {} : { body } }),
          ({ status }) => status
        ))
    return { ...hub, hub, as, lead, worker, outsider, team, other, add, agent, pending, statuses, bindings }
  })

  it.effect("manages members, agents, and budgets of the team, and nothing outside of it", () =>
    Effect.gen(function*() {
      const { add, agent, api, as, hub, lead, other, outsider, owner, statuses, team, worker } = yield* world
      const calls = (team: string, agent: string) =>
        [
          ["PATCH", `/teams/${team}`, { description: `of ${team}` }],
          ["PATCH", `/teams/${team}/members/${worker.id}`, { role: "worker" }],
          ["PATCH", `/agents/${agent}/budget`, { monthly_budget_cents: 500 }],
          ["POST", `/agents/${agent}/services`, { service: "echo", operations: ["*"], monthly_cap_cents: 100 }],
          ["PATCH", `/agents/${agent}`, { description: "d" }]
        ] as const
      expectStatus(yield* add(other, worker, "worker"), 201)
      const foreign = yield* makeAgent(hub, owner, { team_id: other })
      assert.deepStrictEqual(yield* statuses(calls(team, agent.id), lead), [200, 200, 200, 200, 200])
      assert.deepStrictEqual(yield* statuses(calls(other, foreign.id), lead), [403, 403, 404, 404, 404])
      assert.deepStrictEqual(yield* statuses(calls(team, agent.id), worker), [403, 403, 403, 403, 200])
      assert.strictEqual((yield* add(team, outsider, "worker", lead)).status, 201)
      assert.strictEqual((yield* add(other, outsider, "worker", lead)).status, 403)
      // Money into the pool, the team's end, and roles of the workspace are not a lead's.
      assert.deepStrictEqual(
        yield* statuses([
          ["POST", `/teams/${team}/budget`, { amount_cents: 1, direction: "allocate" }],
          ["DELETE", `/teams/${team}`],
          ["PATCH", `/members/${worker.id}`, { role: "admin" }],
          ["POST", `/orgs/${owner.org}/invites`, { email: "a@b.test", role: "member" }],
          ["POST", `/agents/${agent.id}/transfer`, { team_id: null }],
          ["PATCH", `/agents/${agent.id}/key`, {}]
        ], lead),
        [403, 403, 403, 403, 403, 403]
      )
      assert.strictEqual((yield* api("GET", `/teams/${other}/members`, lead)).status, 404)
      assert.strictEqual((yield* api("GET", `/balance?teamId=${other}`, lead)).status, 404)
      const seen = (who: Call) =>
        Effect.map(
          api("GET", `/agents?team_id=${team}`, who),
          ({ body }) => body.data.map(({ id }: { id: string }) => id)
        )
      assert.deepStrictEqual([yield* seen(lead), yield* seen(worker), yield* seen(outsider)], [
        [agent.id],
        [agent.id],
        [agent.id]
      ])
      expectStatus(yield* api("DELETE", `/teams/${team}/members/${outsider.id}`, lead), 204)
      assert.deepStrictEqual(yield* seen(outsider), [])
      // Without the role, everything ends with the next call.
      expectStatus(yield* api("PATCH", `/teams/${team}/members/${lead.id}`, { ...as, body: { role: "worker" } }), 200)
      assert.deepStrictEqual(yield* statuses(calls(team, agent.id), lead), [403, 403, 403, 403, 403])
    }))

  it.effect("gives agents of the team to its people, not to the lead; a worker gives none of theirs away", () =>
    Effect.gen(function*() {
      const { add, agent, api, as, hub, lead, outsider, team, worker } = yield* world
      expectStatus(yield* add(team, outsider, "worker"), 201)
      const give = (id: string, person: { readonly id: string }, who: Call) =>
        Effect.map(
          api("POST", `/agents/${id}/transfer`, { ...who, body: { owner_user_id: person.id } }),
          ({ status }) => status
        )
      // Another allocation would pay for a key that the worker keeps.
      assert.strictEqual(yield* give(agent.id, outsider, worker), 403)
      assert.strictEqual(yield* give(agent.id, lead, lead), 403)
      assert.strictEqual(yield* give(agent.id, outsider, lead), 200)
      assert.strictEqual(yield* give(agent.id, lead, as), 200)
      const free = yield* makeAgent(hub, worker, { bindings: [] })
      assert.strictEqual(yield* give(free.id, outsider, worker), 200)
    }))

  it.effect("and members read in the ledger what their teams have, not what others have", () =>
    Effect.gen(function*() {
      const { api, as, other, outsider, team, worker } = yield* world
      for (const id of [team, other]) {
        const body = { amount_cents: 10, direction: "allocate" }
        expectStatus(yield* api("POST", `/teams/${id}/budget`, { ...as, body }), 200)
      }
      const accounts = (who: Call, query = "") =>
        Effect.map(api("GET", `/ledger?limit=100${query}`, who), (answer) =>
          new Set(
            expectStatus(answer, 200).body.data.map((entry: { account: { id: string } }) => entry.account.id)
          ))
      const all = yield* accounts(as)
      assert.isTrue(all.has(team) && all.has(other))
      const own = yield* accounts(worker)
      assert.deepStrictEqual([own.has(team), own.has(other)], [true, false])
      assert.deepStrictEqual([...yield* accounts(outsider)].filter((id) => id === team || id === other), [])
      assert.deepStrictEqual([...yield* accounts(worker, `&account=${other}`)], [])
      assert.deepStrictEqual([...yield* accounts(worker, `&account=${team}`)], [team])
    }))

  it.effect("decides the approvals of the team's agents, and sees no others", () =>
    Effect.gen(function*() {
      const { agent, api, bindings, hub, lead, owner, pending, worker } = yield* world
      const mine = yield* pending(agent.key)
      const foreign = yield* pending((yield* makeAgent(hub, owner, { bindings })).key)
      const listed = (who: Call) =>
        Effect.map(api("GET", "/approvals", who), ({ body }) => body.data.map(({ id }: { id: string }) => id))
      assert.deepStrictEqual(yield* listed(lead), [mine])
      assert.deepStrictEqual((yield* api("GET", "/approvals/counts", lead)).body.pending, 1)
      const shown = expectStatus(yield* api("GET", `/approvals/${mine}`, lead), 200).body
      assert.isTrue(shown.allowed_decisions.every(({ allowed }: { allowed: boolean }) => allowed))
      assert.isTrue(shown.deciders.some(({ user }: { user: { id: string } }) => user.id === lead.id))
      const approve = (id: string, who: Call) => Effect.map(api("POST", `/approvals/${id}/approve`, who), (a) => a)
      assert.strictEqual((yield* approve(mine, worker)).status, 403)
      assert.strictEqual((yield* approve(foreign, lead)).status, 404)
      const decided = expectStatus(yield* approve(mine, lead), 200).body
      assert.deepStrictEqual([decided.approval.status, decided.service_request.status], ["approved", "executed"])
      assert.strictEqual((yield* api("GET", `/approvals/${foreign}`, lead)).status, 404)
    }))

  it.effect("decides the budget requests and answers the questions of the team's agents", () =>
    Effect.gen(function*() {
      const { agent, api, as, hub, lead, owner, worker } = yield* world
      expectStatus(
        yield* api("PATCH", `/agents/${agent.id}/budget`, { ...lead, body: { monthly_budget_cents: 500 } }),
        200
      )
      const ask = { amount_cents: 300, period: "month", reason: "more work" }
      const mine = expectStatus(yield* api("POST", "/budget-requests", { key: agent.key, body: ask }), 201).body.id
      const outside = yield* makeAgent(hub, owner, { monthly_budget_cents: 500 })
      const foreign = expectStatus(yield* api("POST", "/budget-requests", { key: outside.key, body: ask }), 201).body.id
      const decide = (id: string, who: Call) =>
        Effect.map(api("PATCH", `/budget-requests/${id}`, { ...who, body: { status: "approved" } }), (a) => a.status)
      assert.deepStrictEqual(
        (yield* api("GET", "/budget-requests", lead)).body.data.map(({ id }: { id: string }) => id),
        [mine]
      )
      assert.deepStrictEqual([yield* decide(mine, worker), yield* decide(foreign, lead)], [403, 404])
      assert.strictEqual(yield* decide(mine, lead), 200)
      assert.strictEqual((yield* api("GET", `/agents/${agent.id}/budget`, as)).body.monthly_budget_cents, 800)
      const question = { kind: "question", title: "Which color?" }
      const open = expectStatus(yield* api("POST", "/agent-requests", { key: agent.key, body: question }), 201).body.id
      const other =
        expectStatus(yield* api("POST", "/agent-requests", { key: outside.key, body: question }), 201).body.id
      const answer = (id: string, who: Call) =>
        Effect.map(
          api("PATCH", `/agent-requests/${id}`, { ...who, body: { status: "answered", answer: "Red" } }),
          ({ status }) => status
        )
      assert.deepStrictEqual(
        (yield* api("GET", "/agent-requests", lead)).body.data.map(({ id }: { id: string }) => id),
        [open]
      )
      assert.deepStrictEqual([yield* answer(open, worker), yield* answer(other, lead)], [403, 404])
      assert.strictEqual(yield* answer(open, lead), 200)
    }))

  it.effect("chooses the active team of the session or the token, which the person's own page shows", () =>
    Effect.gen(function*() {
      const { api, as, hub, lead, owner, team, worker } = yield* world
      const active = (who: Call) => Effect.map(api("GET", "/auth/me", who), ({ body }) => body.team)
      const enter = (who: Call, team_id: string | null) => api("POST", "/teams/switch", { ...who, body: { team_id } })
      const pat = { pat: yield* makeToken(hub, owner, ["members:read"]) }
      assert.strictEqual(yield* active(lead), null)
      expectStatus(yield* enter(lead, team), 200)
      assert.deepInclude(yield* active(lead), { id: team, role: "lead" })
      assert.strictEqual(yield* active(worker), null)
      expectStatus(yield* enter(pat, team), 200)
      assert.deepInclude(yield* active(pat), { id: team, role: null })
      assert.strictEqual(yield* active(as), null)
      assert.strictEqual((yield* enter(lead, null)).body, null)
      assert.strictEqual(yield* active(lead), null)
      expectStatus(yield* enter(lead, team), 200)
      expectStatus(yield* api("DELETE", `/teams/${team}`, as), 204)
      assert.strictEqual(yield* active(lead), null)
      assert.strictEqual((yield* enter(lead, team)).status, 404)
    }))
})
