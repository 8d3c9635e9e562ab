/**
 * A person's change applies from its commit on, on every hub and under load: nothing that it forbids is admitted after
 * it. The order comes from the workspace's own time, which is the same for all hubs.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy, inDatabase, until } from "../../../support/health.ts"
import { type Answer, firstOwner, makeAgent, startHub, topUp } from "../../../support/hub.ts"

interface Change {
  readonly name: string
  readonly action: string
  readonly method: string
  readonly path: (ids: { readonly agent: string; readonly org: string; readonly team: string }) => string
  readonly body?: unknown
  /** The outcome after the change, besides `executed`. */
  readonly outcome: string
  /** The requests that the change still allows; default none. */
  readonly allows?: number
}

const changes: ReadonlyArray<Change> = [
  {
    name: "a disabled binding",
    action: "binding.disabled",
    method: "DELETE",
    path: ({ agent }) => `/agents/${agent}/services/echo`,
    outcome: "policy_violation"
  },
  {
    name: "a cap lowered to 0",
    action: "binding.put",
    method: "POST",
    path: ({ agent }) => `/agents/${agent}/services`,
    body: { service: "echo", operations: ["*"], monthly_cap_cents: 0 },
    outcome: "monthly_budget_exceeded"
  },
  {
    name: "a lowered threshold",
    action: "binding.put",
    method: "POST",
    path: ({ agent }) => `/agents/${agent}/services`,
    body: { service: "echo", operations: ["*"], approval_threshold_cents: 0 },
    outcome: "approval_threshold"
  },
  {
    name: "a lowered budget",
    action: "agent.budget_set",
    method: "PATCH",
    path: ({ agent }) => `/agents/${agent}/budget`,
    body: { monthly_budget_cents: 1 },
    outcome: "agent_budget_exceeded"
  },
  {
    name: "a paused agent",
    action: "agent.updated",
    method: "PATCH",
    path: ({ agent }) => `/agents/${agent}`,
    body: { status: "paused" },
    outcome: "failed"
  },
  {
    name: "a frozen agent",
    action: "agent.updated",
    method: "PATCH",
    path: ({ agent }) => `/agents/${agent}`,
    body: { frozen: true },
    outcome: "spending_frozen"
  },
  {
    name: "a rotated key",
    action: "agent.key_rotated",
    method: "PATCH",
    path: ({ agent }) => `/agents/${agent}/key`,
    outcome: "401"
  },
  {
    name: "a deleted agent",
    action: "agent.deleted",
    method: "DELETE",
    path: ({ agent }) => `/agents/${agent}`,
    outcome: "401"
  },
  {
    name: "a blocking rule",
    action: "policy.created",
    method: "POST",
    path: () => "/policies",
    body: { name: "no", when: "service == \"echo\"", then: "block" },
    outcome: "policy_violation"
  },
  {
    name: "a disabled service",
    action: "service.updated",
    method: "PATCH",
    path: () => "/services/echo",
    body: { enabled: false },
    outcome: "policy_violation"
  },
  {
    name: "a frozen workspace",
    action: "workspace.updated",
    method: "PATCH",
    path: ({ org }) => `/workspaces/${org}`,
    body: { frozen: true },
    outcome: "spending_frozen"
  },
  {
    name: "a new pool with money for one request",
    action: "team_budget.allocated",
    method: "POST",
    path: ({ team }) => `/teams/${team}/budget`,
    body: { amount_cents: 1, direction: "allocate" },
    outcome: "insufficient_balance",
    allows: 1
  }
]

const outcomeOf = (
  { body, status }: Answer
): string => (status !== 200 ? String(status) : (body.reason_code ?? body.status))

layer(Layer.empty, { excludeTestServices: true })("under load at two hubs", (it) => {
  for (const { action, allows = 0, body, method, name, outcome, path } of changes) {
    it.effect(
      `${name} takes effect from its commit on`,
      () =>
        Effect.gen(function*() {
          const first = yield* startHub()
          const second = yield* startHub({ database: first.target })
          const owner = yield* firstOwner(first)
          const hubs = [first.api, second.api]
          yield* topUp(first, owner, 1_000_000)
          const team = yield* first.api("POST", "/teams", { cookie: owner.cookie, body: { name: "Team" } })
          const agent = yield* makeAgent(first, owner, { team_id: team.body.id })
          const seen = new Map<string, number>()
          let running = true
          const load = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: 16 }),
              (_, caller) =>
                Effect.gen(function*() {
                  for (let n = 0; running; n++) {
                    const code = outcomeOf(
                      yield* hubs[(caller + n) % 2]!("POST", "/service-requests", {
                        key: agent.key,
                        body: { service: "echo", operation: "say", payload: { n } }
                      })
                    )
                    seen.set(code, (seen.get(code) ?? 0) + 1)
                  }
                }),
              { concurrency: "unbounded" }
            )
          )
          yield* until(
            "both are busy",
            Effect.sync(() => (seen.get("executed") ?? 0) >= 60)
          )
          const changed = yield* first.api(method, path({ agent: agent.id, org: owner.org, team: team.body.id }), {
            cookie: owner.cookie,
            ...(body === undefined ? {} : { body })
          })
          assert.isBelow(changed.status, 300, changed.text)
          // The next request at the other hub has the new outcome at once.
          for (let allowed = 0; allowed <= allows; allowed++) {
            const next = outcomeOf(
              yield* second.api("POST", "/service-requests", {
                key: agent.key,
                body: { service: "echo", operation: "say", payload: {} }
              })
            )
            if (next !== "executed" || allowed === allows) assert.strictEqual(next, outcome)
          }
          yield* until(
            "the new outcome appears",
            Effect.sync(() => (seen.get(outcome) ?? 0) >= 60)
          )
          running = false
          yield* Fiber.join(load)
          assert.deepStrictEqual(
            [...seen.keys()].filter((code) => code !== "executed" && code !== outcome),
            []
          )
          const [row] = yield* inDatabase(
            first.target,
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) =>
                sql<{
                  after: number
                  before: number
                }>`select count(*) filter (where r.created_at > a.created_at) as after,
                count(*) filter (where r.created_at <= a.created_at) as before
            from (select created_at from audit where org_id = ${owner.org} and action = ${action} order by seq desc limit 1) a
            join requests r on r.org_id = ${owner.org} join settlements s on s.org_id = r.org_id and s.request_id = r.id
              and s.status = 'executed'`
            )
          )
          assert.strictEqual(row!.after, allows)
          assert.isAtLeast(row!.before, 60)
          yield* expectHealthy(first.target)
        })
    )
  }
})
