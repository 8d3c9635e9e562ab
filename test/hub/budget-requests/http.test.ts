/** Budget requests over HTTP, on two hubs that share a database. */
import { BudgetRequest } from "@countersign/domain/budget-requests"
import { BudgetRequests } from "@countersign/hub/budget-requests/service"
import { BudgetIncreases } from "@countersign/hub/budgets/increases"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { fitting } from "../../support/contract.ts"
import { failingAudit } from "../../support/failing-audit.ts"
import { expectHealthy } from "../../support/health.ts"
import {
  type Answer,
  expectStatus,
  HubTest,
  makeAgent,
  makeToken,
  startHub,
  TestHub,
  topUp
} from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { asUser } from "../../support/principals.ts"

const say = { service: "echo", operation: "say", payload: {} }
const ask = { amount_cents: 3, period: "month", reason: "The crawl needs more pages." }

/** An agent with a cap of one cent, already spent. */
const spentAgent = Effect.gen(function*() {
  const hub = yield* TestHub
  yield* topUp(hub, hub.owner, 1_000)
  const agent = yield* makeAgent(hub, hub.owner, { monthly_budget_cents: 1 })
  const dispatch = Effect.map(
    hub.api("POST", "/service-requests", { key: agent.key, body: say }),
    ({ body }) => body.status === "blocked" ? body.reason_code : body.status
  )
  assert.strictEqual(yield* dispatch, "executed")
  assert.strictEqual(yield* dispatch, "agent_budget_exceeded")
  return { ...agent, dispatch, budget: `/agents/${agent.id}/budget` }
})

const made = (answer: Answer) => expectStatus(answer, 201).body

layer(HubTest(), { excludeTestServices: true })("budget requests", (it) => {
  it.effect("an agent asks, a person approves, and the raised cap admits exactly that much more", () =>
    Effect.gen(function*() {
      const { api, owner } = yield* TestHub
      const agent = yield* spentAgent
      const answer = yield* api("POST", "/budget-requests", { key: agent.key, body: ask })
      const request = fitting(BudgetRequest, made(answer))
      assert.strictEqual(answer.headers.get("location"), `/api/v1/budget-requests/${request.id}`)
      assert.deepStrictEqual(
        [request.status, request.amount_cents, request.period, request.requested_by.type, request.requested_by.id],
        ["pending", 3, "month", "agent", agent.id]
      )
      const again = yield* api("POST", "/budget-requests", {
        cookie: owner.cookie,
        body: { ...ask, agent_id: agent.id }
      })
      assert.deepStrictEqual([again.status, again.body.error.code, again.body.error.data], [
        409,
        "budget_request_pending",
        { id: request.id }
      ])
      const path = `/budget-requests/${request.id}`
      const approved = expectStatus(
        yield* api("PATCH", path, {
          cookie: owner.cookie,
          body: { status: "approved", amount_cents: 2, comment: "Two are enough." }
        }),
        200
      )
      assert.deepStrictEqual(
        [approved.body.status, approved.body.amount_cents, approved.body.requested_amount_cents, approved.body.comment],
        ["approved", 2, 3, "Two are enough."]
      )
      assert.strictEqual(approved.body.decided_by.id, owner.user)
      assert.deepStrictEqual((yield* api("GET", path, { key: agent.key })).body, approved.body)
      assert.deepStrictEqual(
        [yield* agent.dispatch, yield* agent.dispatch, yield* agent.dispatch],
        ["executed", "executed", "agent_budget_exceeded"]
      )
      const budget = yield* api("GET", agent.budget, { key: agent.key })
      assert.deepStrictEqual([budget.body.monthly_budget_cents, budget.body.remaining_cents], [3, 0])
      const second = yield* api("PATCH", path, { cookie: owner.cookie, body: { status: "rejected" } })
      assert.deepStrictEqual([second.status, second.body.error.code, second.body.error.data.status], [
        409,
        "conflict",
        "approved"
      ])
      const log = yield* api("GET", `/audit-logs?agent_id=${agent.id}`, { cookie: owner.cookie })
      const actions = log.body.data.map(({ action }: { readonly action: string }) => action)
      assert.deepStrictEqual(
        actions.filter((action: string) => action.startsWith("budget_request.") || action === "agent.budget_set"),
        ["budget_request.approved", "agent.budget_set", "budget_request.created"]
      )
    }))

  it.effect("shows the address of a decider without a name to people only", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const agent = yield* makeAgent(hub, owner, { monthly_budget_cents: 1 })
      const nameless = yield* makeSignedIn(hub, owner.org, "admin", "")
      const { id } = made(yield* api("POST", "/budget-requests", { key: agent.key, body: ask }))
      const path = `/budget-requests/${id}`
      const rejected = yield* api("PATCH", path, { cookie: nameless.cookie, body: { status: "rejected" } })
      const seen = { id: nameless.id, name: nameless.email }
      assert.deepStrictEqual(expectStatus(rejected, 200).body.decided_by, seen)
      const shared = yield* api("GET", path, { cookie: owner.cookie })
      assert.deepStrictEqual(shared.body.decided_by, seen)
      const own = yield* api("GET", path, { key: agent.key })
      assert.deepStrictEqual(own.body.decided_by, { id: nameless.id, name: "" })
      const list = yield* api("GET", "/budget-requests", { key: agent.key })
      assert.notInclude(JSON.stringify(list.body), nameless.email)
      const asked = made(
        yield* api("POST", "/budget-requests", { cookie: nameless.cookie, body: { ...ask, agent_id: agent.id } })
      )
      assert.strictEqual(asked.requested_by.name, nameless.email)
      const read = yield* api("GET", `/budget-requests/${asked.id}`, { key: agent.key })
      assert.deepStrictEqual(read.body.requested_by, { type: "user", id: nameless.id, name: "" })
      const ended = { cookie: nameless.cookie, body: { status: "withdrawn" } }
      expectStatus(yield* api("PATCH", `/budget-requests/${asked.id}`, ended), 200)
    }))

  it.effect("a token of the requester withdraws only with one of the permissions that ask", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const agent = yield* makeAgent(hub, owner, { monthly_budget_cents: 1 })
      const body = { status: "withdrawn" }
      for (const scope of ["requests:write", "budgets:write"]) {
        const { id } = made(
          yield* api("POST", "/budget-requests", { cookie: owner.cookie, body: { ...ask, agent_id: agent.id } })
        )
        const reader = yield* makeToken(hub, owner, ["budgets:read"])
        const refused = yield* api("PATCH", `/budget-requests/${id}`, { pat: reader, body })
        assert.deepStrictEqual([refused.status, refused.body.error.data], [403, { permission: "requests:write" }])
        const pat = yield* makeToken(hub, owner, [scope])
        expectStatus(yield* api("PATCH", `/budget-requests/${id}`, { pat, body }), 200)
      }
    }))

  it.effect("an increase for one month ends with the month, before and after the round that writes it down", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const agent = yield* spentAgent
      const request = made(yield* api("POST", "/budget-requests", { key: agent.key, body: { ...ask, period: "once" } }))
      expectStatus(
        yield* api("PATCH", `/budget-requests/${request.id}`, { cookie: owner.cookie, body: { status: "approved" } }),
        200
      )
      const figures = Effect.map(api("GET", agent.budget, { cookie: owner.cookie }), ({ body }) => [
        body.monthly_budget_cents,
        body.increase_this_month_cents,
        body.spent_cents
      ])
      assert.deepStrictEqual(yield* figures, [4, 3, 1])
      assert.deepStrictEqual([yield* agent.dispatch, yield* agent.dispatch], ["executed", "executed"])
      // The month of the increase and of the spent amount is now the last one.
      yield* hub.run(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`update limits set once_month = once_month - 1, period = period - 1 where agent_id = ${agent.id} and kind = 2`
        }).pipe(Effect.orDie)
      )
      assert.deepStrictEqual(yield* figures, [1, undefined, 0])
      assert.deepStrictEqual([yield* agent.dispatch, yield* agent.dispatch], ["executed", "agent_budget_exceeded"])
      yield* hub.run(BudgetIncreases.use((increases) => increases.end))
      assert.deepStrictEqual(yield* figures, [1, undefined, 1])
      const [row] = yield* hub.run(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          return yield* sql`select cap, used, once_cents from limits
          where agent_id = ${agent.id} and kind = 2 and mode = 'live'`
        }).pipe(Effect.orDie)
      )
      assert.deepStrictEqual(row, { cap: 1, used: 1, once_cents: 0 })
      const entry = yield* api("GET", "/audit-logs?action=agent.increase_ended", { cookie: owner.cookie })
      assert.deepStrictEqual(entry.body.data[0].data, { monthly_cap_cents: { from: 4, to: 1 } })
      // The settlements did not move to another month: the doctor reads them with the books of this one.
      yield* hub.run(
        SqlClient.SqlClient.use((sql) =>
          Effect.orDie(
            sql`update limits set used = used + 3 where agent_id = ${agent.id} and kind = 2 and mode = 'live'`
          )
        )
      )
    }))

  it.effect("an operation's cap rises for good or for the month, and a replaced binding keeps the month's increase", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      yield* topUp(hub, owner, 1_000)
      const binding = { service: "echo", operations: ["*"], monthly_cap_cents: 1 }
      const agent = yield* makeAgent(hub, owner, { bindings: [binding] })
      const dispatch = Effect.map(
        api("POST", "/service-requests", { key: agent.key, body: say }),
        ({ body }) => body.status === "blocked" ? body.reason_code : body.status
      )
      const grant = Effect.fnUntraced(function*(period: string, cents: number) {
        const body = { ...ask, period, amount_cents: cents, operation: "echo.say", agent_id: agent.id }
        const { id } = made(yield* api("POST", "/budget-requests", { cookie: owner.cookie, body }))
        const decision = { cookie: owner.cookie, body: { status: "approved" } }
        return expectStatus(yield* api("PATCH", `/budget-requests/${id}`, decision), 200).body
      })
      const capOf = Effect.map(
        api("GET", `/agents/${agent.id}/budget`, { cookie: owner.cookie }),
        ({ body }) => body.operations.map((each: { readonly monthly_cap_cents: number }) => each.monthly_cap_cents)
      )
      assert.deepStrictEqual([yield* dispatch, yield* dispatch], ["executed", "monthly_budget_exceeded"])
      assert.strictEqual((yield* grant("once", 1)).operation, "echo.say")
      assert.deepStrictEqual([yield* dispatch, yield* dispatch], ["executed", "monthly_budget_exceeded"])
      yield* grant("month", 1)
      assert.deepStrictEqual(yield* capOf, [3])
      assert.deepStrictEqual([yield* dispatch, yield* dispatch], ["executed", "monthly_budget_exceeded"])
      const { bindings } = (yield* api("GET", `/agents/${agent.id}`, { cookie: owner.cookie })).body
      assert.deepStrictEqual(bindings[0].per_operation, { say: { monthly_cap_cents: 2 } })
      expectStatus(
        yield* api("POST", `/agents/${agent.id}/services`, {
          cookie: owner.cookie,
          body: { ...binding, monthly_cap_cents: 3 }
        }),
        200
      )
      assert.deepStrictEqual(yield* capOf, [4])
      assert.deepStrictEqual([yield* dispatch, yield* dispatch], ["executed", "monthly_budget_exceeded"])
      const foreign = yield* api("POST", "/budget-requests", {
        key: agent.key,
        body: { ...ask, operation: "http.fetch" }
      })
      assert.deepStrictEqual([foreign.status, foreign.body.error.details[0].path], [400, "operation"])
    }))

  it.effect("the end of an increase is logged once, also when another change of the cap comes before the round", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const session = { cookie: owner.cookie }
      const binding = { service: "echo", operations: ["*"], monthly_cap_cents: 5 }
      const { id } = yield* makeAgent(hub, owner, { monthly_budget_cents: 10, bindings: [binding] })
      const increase = Effect.fnUntraced(function*(operation?: string) {
        const body = { ...ask, period: "once", agent_id: id, ...operation === undefined ? {} : { operation } }
        const request = made(yield* api("POST", "/budget-requests", { ...session, body }))
        const path = `/budget-requests/${request.id}`
        return expectStatus(yield* api("PATCH", path, { ...session, body: { status: "approved" } }), 200)
      })
      const replaceBinding = Effect.map(
        api("POST", `/agents/${id}/services`, { ...session, body: { ...binding, monthly_cap_cents: 6 } }),
        (answer) => expectStatus(answer, 200)
      )
      const setBudget = Effect.map(
        api("PATCH", `/agents/${id}/budget`, { ...session, body: { monthly_budget_cents: 20 } }),
        (answer) => expectStatus(answer, 200)
      )
      const turnMonth = hub.run(
        SqlClient.SqlClient.use((sql) =>
          Effect.orDie(sql`update limits set once_month = once_month - 1, period = period - 1 where agent_id = ${id}`)
        )
      )
      const ended = Effect.map(
        api("GET", `/audit-logs?action=agent.increase_ended&agent_id=${id}`, session),
        ({ body }) => body.data.map(({ data }: { readonly data: object }) => data)
      )
      const expected: Array<object> = []
      const cases: ReadonlyArray<readonly [operation: string | undefined, change: typeof setBudget, object]> = [
        [undefined, increase(), { monthly_cap_cents: { from: 13, to: 10 } }],
        [undefined, setBudget, { monthly_cap_cents: { from: 16, to: 10 } }],
        ["echo.say", increase("echo.say"), { operation: "echo.say", monthly_cap_cents: { from: 8, to: 5 } }],
        ["echo.say", replaceBinding, { operation: "echo.say", monthly_cap_cents: { from: 11, to: 5 } }]
      ]
      for (const [operation, change, data] of cases) {
        yield* increase(operation)
        yield* turnMonth
        yield* change
        yield* hub.run(BudgetIncreases.use((increases) => increases.end))
        expected.unshift(data)
        assert.deepStrictEqual(yield* ended, expected)
      }
    }))

  it.effect("only its requester withdraws it, only budgets:write decides, and each sees only what is theirs", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const member = yield* makeSignedIn(hub, owner.org, "member")
      const viewer = yield* makeSignedIn(hub, owner.org, "viewer")
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      const agent = yield* makeAgent(hub, owner, { monthly_budget_cents: 1 })
      const other = yield* makeAgent(hub, owner)
      const own = yield* makeAgent(hub, member)
      const input = { ...ask, agent_id: agent.id }
      const statusOf = (call: Effect.Effect<Answer>) => Effect.map(call, ({ status }) => status)
      const post = (call: object) => statusOf(api("POST", "/budget-requests", call))
      assert.deepStrictEqual(
        [
          yield* post({ cookie: viewer.cookie, body: input }),
          yield* post({ pat: yield* makeToken(hub, owner, ["budgets:read"]), body: input }),
          yield* post({ cookie: member.cookie, body: input }),
          yield* post({ cookie: stranger.cookie, body: input }),
          yield* post({ key: other.key, body: input }),
          yield* post({ cookie: owner.cookie, body: ask }),
          yield* post({ cookie: owner.cookie, body: { ...input, period: "year" } }),
          yield* post({ cookie: owner.cookie, body: { ...input, amount_cents: 0 } }),
          yield* post({ cookie: owner.cookie, body: { ...input, reason: "" } })
        ],
        [403, 403, 404, 404, 400, 400, 400, 400, 400]
      )
      const mine = made(
        yield* api("POST", "/budget-requests", { cookie: member.cookie, body: { ...ask, agent_id: own.id } })
      )
      const { id } = made(yield* api("POST", "/budget-requests", { key: agent.key, body: ask }))
      const patch = (call: object) => statusOf(api("PATCH", `/budget-requests/${id}`, call))
      const approved = { status: "approved" }
      assert.deepStrictEqual(
        [
          yield* patch({ key: agent.key, body: approved }),
          yield* patch({ key: other.key, body: { status: "withdrawn" } }),
          yield* patch({ cookie: owner.cookie, body: { status: "withdrawn" } }),
          yield* patch({ cookie: viewer.cookie, body: approved }),
          yield* patch({ cookie: member.cookie, body: approved }),
          yield* patch({ cookie: stranger.cookie, body: approved }),
          yield* patch({ cookie: owner.cookie, body: { status: "rejected", amount_cents: 1 } }),
          yield* patch({ cookie: owner.cookie, body: { status: "pending" } })
        ],
        [403, 404, 403, 403, 404, 404, 400, 400]
      )
      const denied = yield* api("PATCH", `/budget-requests/${mine.id}`, { cookie: member.cookie, body: approved })
      assert.deepStrictEqual([denied.status, denied.body.error.data], [403, { permission: "budgets:write" }])
      const seen = (call: object, query = "") =>
        Effect.map(
          api("GET", `/budget-requests?limit=200${query}`, call),
          ({ body }) => body.data.map((each: { readonly id: string }) => each.id)
        )
      assert.deepStrictEqual(yield* seen({ key: agent.key }), [id])
      assert.deepStrictEqual(yield* seen({ key: other.key }, `&agent_id=${agent.id}`), [])
      assert.deepStrictEqual(yield* seen({ cookie: member.cookie }), [mine.id])
      assert.deepStrictEqual(yield* seen({ cookie: stranger.cookie }), [])
      assert.deepStrictEqual(yield* seen({ cookie: viewer.cookie }, "&status=pending"), [id, mine.id])
      const withdrawn = expectStatus(
        yield* api("PATCH", `/budget-requests/${id}`, { key: agent.key, body: { status: "withdrawn" } }),
        200
      )
      assert.deepStrictEqual([withdrawn.body.status, withdrawn.body.decided_by], ["withdrawn", undefined])
      assert.deepStrictEqual(yield* seen({ cookie: owner.cookie }, `&status=withdrawn&agent_id=${agent.id}`), [id])
      expectStatus(yield* api("DELETE", `/agents/${own.id}`, { cookie: member.cookie }), 204)
      const ended = yield* api("GET", `/budget-requests/${mine.id}`, { cookie: owner.cookie })
      assert.strictEqual(ended.body.status, "withdrawn")
    }))

  it.effect("a lead decides for agents of the team only, and raising a child's cap takes from its parent", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const as = { cookie: owner.cookie }
      const lead = yield* makeSignedIn(hub, owner.org, "member", "Lea")
      const worker = yield* makeSignedIn(hub, owner.org, "member", "Will")
      const { id: team } = made(yield* api("POST", "/teams", { ...as, body: { name: "Crawlers" } }))
      for (const [person, role] of [[lead, "lead"], [worker, "worker"]] as const) {
        made(yield* api("POST", `/teams/${team}/members`, { ...as, body: { user_id: person.id, role } }))
      }
      const parent = yield* makeAgent(hub, worker, { team_id: team })
      expectStatus(
        yield* api("PATCH", `/agents/${parent.id}/budget`, { ...as, body: { monthly_budget_cents: 10 } }),
        200
      )
      const child = made(
        yield* api("POST", "/agents/spawn", {
          key: parent.key,
          body: { name: "Child", services: [{ service: "echo", operations: ["*"] }], monthly_budget_cents: 5 }
        })
      )
      const request = made(
        yield* api("POST", "/budget-requests", { key: child.api_key, body: { ...ask, amount_cents: 6 } })
      )
      const foreign = made(
        yield* api("POST", "/budget-requests", { key: (yield* makeAgent(hub, owner)).key, body: ask })
      )
      const patch = (by: { readonly cookie: string }, id: string, body: object = { status: "approved" }) =>
        api("PATCH", `/budget-requests/${id}`, { cookie: by.cookie, body })
      const seen = yield* api("GET", "/budget-requests?status=pending", { cookie: lead.cookie })
      assert.deepStrictEqual(seen.body.data.map((each: { readonly id: string }) => each.id), [request.id])
      const counts = yield* api("GET", "/approvals/counts", { cookie: lead.cookie })
      assert.strictEqual(counts.body.budget_requests, 1)
      assert.deepStrictEqual(
        [(yield* patch(worker, request.id)).status, (yield* patch(lead, foreign.id)).status],
        [403, 404]
      )
      const tooMuch = yield* patch(lead, request.id)
      assert.deepStrictEqual([tooMuch.status, tooMuch.body.error.code], [409, "insufficient_budget"])
      const granted = yield* patch(lead, request.id, { status: "approved", amount_cents: 3 })
      assert.deepStrictEqual([granted.status, granted.body.amount_cents], [200, 3])
      const budgets = yield* Effect.forEach([parent.id, child.id], (id) => api("GET", `/agents/${id}/budget`, as))
      assert.deepStrictEqual(
        budgets.map(({ body }) => [body.monthly_budget_cents, body.committed_cents, body.remaining_cents]),
        [[10, 8, 2], [8, 0, 8]]
      )
      expectStatus(yield* api("DELETE", `/agents/${child.id}`, as), 204)
      const back = yield* api("GET", `/agents/${parent.id}/budget`, as)
      assert.deepStrictEqual([back.body.committed_cents, back.body.remaining_cents], [0, 10])
      yield* expectHealthy(hub.target)
    }))

  it.effect("of racing approvals on two hubs one counts, and of racing requests one is made", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const second = yield* startHub({ database: hub.target })
      const agent = yield* makeAgent(hub, owner, { monthly_budget_cents: 10 })
      const both = [api, second.api]
      for (let round = 1; round <= 3; round++) {
        const asked = yield* Effect.forEach(
          [...both, ...both, ...both],
          (api) => api("POST", "/budget-requests", { key: agent.key, body: ask }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(asked.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409])
        const { id } = asked.find(({ status }) => status === 201)!.body
        const decided = yield* Effect.forEach(
          [...both, ...both],
          (api, at) =>
            api("PATCH", `/budget-requests/${id}`, {
              cookie: owner.cookie,
              body: { status: "approved", amount_cents: at + 1 }
            }),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(decided.map(({ status }) => status).sort(), [200, 409, 409, 409])
        const granted = decided.find(({ status }) => status === 200)!.body.amount_cents
        const budget = yield* api("GET", `/agents/${agent.id}/budget`, { cookie: owner.cookie })
        const { monthly_budget_cents: cap } = budget.body
        expectStatus(
          yield* api("PATCH", `/agents/${agent.id}/budget`, {
            cookie: owner.cookie,
            body: { monthly_budget_cents: cap - granted }
          }),
          200
        )
        assert.strictEqual(cap, 10 + granted)
      }
    }))

  it.effect("an approval that fails before its commit leaves the cap and the request as they were", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const agent = yield* makeAgent(hub, owner, { monthly_budget_cents: 10 })
      const { id } = made(yield* api("POST", "/budget-requests", { key: agent.key, body: ask }))
      const sql = yield* hub.run(SqlClient.SqlClient)
      const entries = sql<{ count: number }>`select count(*) as count from audit where agent_id = ${agent.id}`
      const before = yield* Effect.orDie(entries)
      const decision = { cookie: owner.cookie, body: { status: "approved" } }
      // The entry that ends the transaction fails: everything before it must be undone, the raised cap included.
      const cutRequests = Layer.fresh(BudgetRequests.layer).pipe(Layer.provide(failingAudit))
      const cut = BudgetRequests.use((requests) =>
        requests.decide(asUser(owner.org, owner.user), id, { status: "approved" })
      )
      assert.isTrue(Exit.isFailure(yield* Effect.exit(hub.run(Effect.provide(cut, cutRequests)))))
      assert.strictEqual((yield* api("GET", `/budget-requests/${id}`, { key: agent.key })).body.status, "pending")
      const budget = yield* api("GET", `/agents/${agent.id}/budget`, { cookie: owner.cookie })
      assert.strictEqual(budget.body.monthly_budget_cents, 10)
      assert.deepStrictEqual(yield* Effect.orDie(entries), before)
      expectStatus(yield* api("PATCH", `/budget-requests/${id}`, decision), 200)
      yield* expectHealthy(hub.target)
    }))

  it.effect("of an agent in a team are decided by the team's lead, and by no worker; an operation's name may have dots", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api } = hub
      const org = yield* makeWorkspace(hub)
      const admin = yield* makeSignedIn(hub, org, "admin")
      const lead = yield* makeSignedIn(hub, org, "member", "Lena")
      const worker = yield* makeSignedIn(hub, org, "member", "Wim")
      const team = made(yield* api("POST", "/teams", { ...admin, body: { name: "Crew" } })).id
      for (const [person, role] of [[lead, "lead"], [worker, "worker"]] as const) {
        made(yield* api("POST", `/teams/${team}/members`, { ...admin, body: { user_id: person.id, role } }))
      }
      const bindings = [{ service: "device", operations: ["*"], monthly_cap_cents: 1 }]
      const inTeam = yield* makeAgent(hub, admin, { bindings, team_id: team })
      const elsewhere = yield* makeAgent(hub, admin, { monthly_budget_cents: 1 })
      const body = { ...ask, operation: "device.shell.run" }
      const request = made(yield* api("POST", "/budget-requests", { key: inTeam.key, body }))
      assert.strictEqual(request.operation, "device.shell.run")
      const other = made(yield* api("POST", "/budget-requests", { key: elsewhere.key, body: ask }))
      const ids = (who: object) =>
        Effect.map(
          api("GET", "/budget-requests", who),
          (answer) => expectStatus(answer, 200).body.data.map(({ id }: { readonly id: string }) => id)
        )
      assert.deepStrictEqual([yield* ids(lead), yield* ids(worker)], [[request.id], []])
      const approve = (who: object, id: string) =>
        Effect.map(
          api("PATCH", `/budget-requests/${id}`, { ...who, body: { status: "approved" } }),
          ({ status }) => status
        )
      assert.deepStrictEqual(
        [yield* approve(worker, request.id), yield* approve(lead, other.id), yield* approve(lead, request.id)],
        [404, 404, 200]
      )
      const { body: agent } = yield* api("GET", `/agents/${inTeam.id}`, lead)
      assert.strictEqual(agent.bindings[0].per_operation["shell.run"].monthly_cap_cents, 4)
    }))
})
