/** Which wallet pays for an agent, and transfers between the wallets of a workspace. Spec: reference/teams.md "Pools and
 * allocations". */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy } from "../../support/health.ts"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"
import { makeSignedIn } from "../../support/people.ts"
import { httpUpstream } from "../../support/upstream.ts"

interface Entry {
  readonly account: { readonly type: string; readonly id: string }
  readonly amount_cents: number
  readonly cause: { readonly type: string; readonly id: string }
}

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "the wallets of a team",
  (it) => {
    let teams = 0
    const world = Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const as = { cookie: owner.cookie }
      yield* topUp(hub, owner, 10_000)
      const lead = yield* makeSignedIn(hub, owner.org, "member", "Lea")
      const worker = yield* makeSignedIn(hub, owner.org, "member", "Will")
      const team = expectStatus(yield* api("POST", "/teams", { ...as, body: { name: `Team ${teams++}` } }), 201).body.id
      for (const [person, role] of [[lead, "lead"], [worker, "worker"]] as const) {
        const body = { user_id: person.id, role }
        expectStatus(yield* api("POST", `/teams/${team}/members`, { ...as, body }), 201)
      }
      const pool = (cents: number, direction = "allocate", who: object = as, headers: Record<string, string> = {}) =>
        api("POST", `/teams/${team}/budget`, { ...who, headers, body: { amount_cents: cents, direction } })
      const allocate = (cents: number, direction = "allocate", who: object = lead, person = worker.id) =>
        api("POST", `/teams/${team}/workers/${person}/budget/allocate`, {
          ...who,
          body: { amount_cents: cents, direction }
        })
      const end = (who: object = lead) => api("DELETE", `/teams/${team}/workers/${worker.id}/budget`, who)
      const balance = (of = "") =>
        Effect.map(api("GET", `/balance${of}`, as), ({ body }) => body.balance_cents as number)
      const budget = Effect.map(api("GET", `/teams/${team}/budget`, as), (answer) => expectStatus(answer, 200).body)
      const member = Effect.map(
        api("GET", `/teams/${team}/members`, as),
        (answer) =>
          expectStatus(answer, 200).body.data.find(({ user_id }: { user_id: string }) => user_id === worker.id)
      )
      const agentOf = (who: { readonly cookie: string }, input: object = {}) =>
        makeAgent(hub, who, { bindings: [{ service: "echo", operations: ["*"] }], team_id: team, ...input })
      const spend = (key: string) =>
        Effect.map(
          api("POST", "/service-requests", { key, body: { service: "echo", operation: "say", payload: {} } }),
          (answer) => expectStatus(answer, 200).body
        )
      return { ...hub, as, hub, lead, worker, team, pool, allocate, end, balance, budget, member, agentOf, spend }
    })

    it.effect("pay in this order: the owner's allocation, the team's pool, the workspace's wallet, and an empty one blocks", () =>
      Effect.gen(function*() {
        const { agentOf, allocate, balance, end, member, budget, pool, spend, team, worker } = yield* world
        const { key } = yield* agentOf(worker)
        const before = yield* balance()
        assert.strictEqual((yield* spend(key)).status, "executed")
        assert.strictEqual(yield* balance(), before - 1)
        assert.deepInclude(yield* budget, { opened: false, balance_cents: 0 })
        expectStatus(yield* pool(2), 200)
        yield* spend(key)
        assert.deepStrictEqual([yield* balance(), yield* balance(`?teamId=${team}`)], [before - 3, 1])
        expectStatus(yield* allocate(1), 200)
        yield* spend(key)
        const blocked = yield* spend(key)
        assert.deepStrictEqual([blocked.status, blocked.reason_code], ["blocked", "insufficient_balance"])
        assert.deepInclude(blocked.block, {
          limit: "wallet",
          scope: { type: "worker", id: worker.id },
          next_action: { kind: "top_up", href: `/api/v1/teams/${team}/workers/${worker.id}/budget/allocate` }
        })
        assert.deepStrictEqual((yield* member).allocation, {
          balance_cents: 0,
          held_cents: 0,
          available_cents: 0,
          spent_this_month_cents: 1
        })
        assert.strictEqual((yield* member).spent_this_month_cents, 3)
        expectStatus(yield* end(), 204)
        assert.strictEqual((yield* member).allocation, null)
        const again = yield* spend(key)
        assert.deepStrictEqual(again.block.scope, { type: "team", id: team })
        assert.strictEqual(again.block.next_action.href, `/api/v1/teams/${team}/budget`)
        assert.deepStrictEqual(yield* budget, {
          opened: true,
          balance_cents: 0,
          held_cents: 0,
          available_cents: 0,
          allocated_cents: 0,
          spent_this_month_cents: 2
        })
        assert.strictEqual(yield* balance(), before - 3)
      }))

    it.effect("move no more than their source has free, and each transfer has two entries in the ledger", () =>
      Effect.gen(function*() {
        const { allocate, api, as, balance, budget, hub, owner, pool, run, team, worker } = yield* world
        const before = yield* balance()
        const refused = [
          yield* pool(before + 1),
          yield* pool(1, "return"),
          yield* allocate(1),
          yield* allocate(1, "return")
        ]
        assert.deepStrictEqual(
          refused.map(({ body, status }) => [status, body.error.code, body.error.data.available_cents]),
          [[409, "insufficient_balance", before], ...Array.from({ length: 3 }, () => [409, "insufficient_balance", 0])]
        )
        const first = yield* pool(100, "allocate", as, { "idempotency-key": `k-${team}` })
        const repeated = yield* pool(100, "allocate", as, { "idempotency-key": `k-${team}` })
        assert.deepStrictEqual([repeated.text, repeated.headers.get("idempotent-replayed")], [first.text, "true"])
        expectStatus(yield* allocate(60), 200)
        // Wallet, transfer, and audit entry are written by one transaction: a kill leaves all of them or none.
        const written = yield* run(Effect.orDie(Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql<{ by: string }>`select distinct by from (
            select xmin::text as by from team_wallets where team_id = ${team} and user_id = ${worker.id}
            union all select xmin::text from limits where operation = ${`${team} ${worker.id}`} and kind = 1
            union all select xmin::text from limits where operation = ${team} and kind = 1
            union all (select xmin::text from movements where org_id = ${owner.org} order by id desc limit 1)
            union all (select xmin::text from audit where org_id = ${owner.org} order by seq desc limit 1)) w`
        )))
        assert.lengthOf(written, 1)
        expectStatus(yield* allocate(20, "return"), 200)
        assert.strictEqual((yield* allocate(41, "return")).status, 409)
        expectStatus(yield* pool(30, "return"), 200)
        assert.deepInclude(yield* budget, { balance_cents: 30, allocated_cents: 40 })
        assert.strictEqual(yield* balance(), before - 70)
        const entries: ReadonlyArray<Entry> = (yield* api("GET", "/ledger?limit=8", as)).body.data
        assert.deepStrictEqual(
          entries.map(({ account, amount_cents, cause }) => [account.type, account.id, amount_cents, cause.type]),
          [
            ["team", team, -30, "team_budget"],
            ["org", entries[1]!.account.id, 30, "team_budget"],
            ["worker", worker.id, -20, "worker_budget"],
            ["team", team, 20, "worker_budget"],
            ["team", team, -60, "worker_budget"],
            ["worker", worker.id, 60, "worker_budget"],
            ["org", entries[1]!.account.id, -100, "team_budget"],
            ["team", team, 100, "team_budget"]
          ]
        )
        for (const account of [worker.id, team]) {
          const own: ReadonlyArray<Entry> = (yield* api("GET", `/ledger?account=${account}`, as)).body.data
          assert.deepStrictEqual([...new Set(own.map((entry) => entry.account.id))], [account])
        }
        yield* expectHealthy(hub.target)
      }))

    it.effect("return to the pool when a person leaves the team or the workspace, and to the wallet when the team is deleted", () =>
      Effect.gen(function*() {
        const { agentOf, allocate, api, as, balance, budget, hub, lead, pool, spend, team, worker } = yield* world
        const before = yield* balance()
        const { id, key } = yield* agentOf(worker)
        expectStatus(yield* pool(100), 200)
        expectStatus(yield* allocate(30), 200)
        expectStatus(yield* allocate(40, "allocate", lead, lead.id), 200)
        expectStatus(yield* api("DELETE", `/teams/${team}/members/${worker.id}`, lead), 204)
        assert.deepInclude(yield* budget, { balance_cents: 60, allocated_cents: 40 })
        yield* spend(key)
        const { teams } = expectStatus(yield* api("GET", `/members/${lead.id}/holdings`, as), 200).body
        assert.deepInclude(teams.data[0], { id: team, allocation_cents: 40, held_cents: 0 })
        expectStatus(yield* api("DELETE", `/members/${lead.id}`, as), 204)
        assert.deepInclude(yield* budget, { balance_cents: 99, allocated_cents: 0, spent_this_month_cents: 1 })
        expectStatus(yield* api("DELETE", `/teams/${team}`, as), 204)
        assert.strictEqual(yield* balance(), before - 1)
        assert.strictEqual((yield* api("GET", `/teams/${team}/budget`, as)).status, 404)
        assert.notProperty((yield* api("GET", `/agents/${id}`, as)).body, "team_id")
        yield* spend(key)
        assert.strictEqual(yield* balance(), before - 2)
        yield* expectHealthy(hub.target)
      }))

    it.effect("stay while requests hold their money, and a late end charges the wallet that held it", () =>
      Effect.gen(function*() {
        const { agentOf, allocate, api, as, balance, budget, end, hub, lead, pool, spend, team, worker } = yield* world
        const upstream = yield* httpUpstream((_, response) =>
          void response.writeHead(202, { "content-type": "application/json" }).end(JSON.stringify({ id: "job" }))
        )
        yield* makeService(hub, hub.owner, {
          name: "slow",
          kind: "http",
          base_url: upstream.origin,
          operations: [{
            name: "do",
            method: "POST",
            path: "/job",
            payload_schema: { type: "object" },
            price: { type: "fixed", cents: 10 },
            async: {
              mode: "poll",
              path: "/jobs/${ref}",
              ref: "/id",
              status: "/state",
              executed: ["done"],
              failed: ["bad"]
            }
          }]
        })
        const bindings = [{ service: "slow", operations: ["*"] }, { service: "echo", operations: ["*"] }]
        const { id: agent, key } = yield* agentOf(worker, { bindings })
        const start = Effect.map(
          api("POST", "/service-requests", { key, body: { service: "slow", operation: "do", payload: {} } }),
          (answer) => expectStatus(answer, 202).body.id as string
        )
        const settle = (id: string, body: object) =>
          api("POST", `/service-requests/${id}/settle`, { ...as, body: { comment: "seen", ...body } })
        const before = yield* balance()
        expectStatus(yield* pool(100), 200)
        expectStatus(yield* allocate(15), 200)
        const first = yield* start
        const blocked = [
          yield* end(),
          yield* api("DELETE", `/teams/${team}/members/${worker.id}`, lead),
          yield* api("DELETE", `/members/${worker.id}`, as),
          yield* api("DELETE", `/teams/${team}`, as)
        ]
        assert.deepStrictEqual(
          blocked.map(({ body, status }) => [status, body.error.code, body.error.data.held_cents]),
          Array.from({ length: 4 }, () => [409, "holds_open", 10])
        )
        assert.strictEqual((yield* allocate(6, "return")).body.error.data.available_cents, 5)
        // The agent leaves the team meanwhile: its running request stays with the allocation.
        expectStatus(yield* api("POST", `/agents/${agent}/transfer`, { ...as, body: { team_id: null } }), 200)
        yield* spend(key)
        expectStatus(yield* settle(first, { status: "executed", cost_cents: 7 }), 200)
        assert.deepInclude(yield* budget, { balance_cents: 85, allocated_cents: 8, spent_this_month_cents: 7 })
        expectStatus(yield* end(), 204)
        assert.strictEqual(yield* balance(), before - 101)
        expectStatus(yield* api("POST", `/agents/${agent}/transfer`, { ...as, body: { team_id: team } }), 200)
        const second = yield* start
        assert.deepInclude(yield* budget, { balance_cents: 93, held_cents: 10, available_cents: 83 })
        assert.deepInclude((yield* api("GET", `/balance?teamId=${team}`, as)).body, {
          balance_cents: 93,
          held_cents: 10
        })
        expectStatus(yield* settle(second, { status: "failed" }), 200)
        expectStatus(yield* api("DELETE", `/teams/${team}`, as), 204)
        assert.strictEqual(yield* balance(), before - 8)
        yield* expectHealthy(hub.target)
      }))

    it.effect("bound a test request too, and are not charged for it", () =>
      Effect.gen(function*() {
        const { agentOf, allocate, end, member, pool, spend, worker } = yield* world
        expectStatus(yield* pool(1), 200)
        const { key } = yield* agentOf(worker, { mode: "test" })
        assert.strictEqual((yield* spend(key)).status, "executed")
        expectStatus(yield* allocate(1), 200)
        expectStatus(yield* allocate(1, "return"), 200)
        assert.strictEqual((yield* spend(key)).reason_code, "insufficient_balance")
        assert.deepInclude((yield* member).allocation, { balance_cents: 0, spent_this_month_cents: 0 })
        expectStatus(yield* end(), 204)
        assert.strictEqual((yield* spend(key)).status, "executed")
      }))
  }
)
