/**
 * What a person changes holds from the commit that changed it, on every hub and in the thick of it: nothing is
 * admitted after it that it
 * forbids. Read off the workspace's own time, which no two hubs see in another order.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy, inDatabase, until } from "../../support/health.ts"
import { type Answer, firstOwner, makeAgent, startHub, topUp } from "../../support/hub.ts"

interface Change {
  readonly name: string
  readonly action: string
  readonly method: string
  readonly path: (ids: { readonly agent: string; readonly org: string }) => string
  readonly body?: unknown
  /** What callers hear from then on, beside `executed`. */
  readonly heard: string
}

const changes: ReadonlyArray<Change> = [
  {
    name: "a binding that is disabled",
    action: "binding.disabled",
    method: "DELETE",
    path: ({ agent }) => `/agents/${agent}/services/echo`,
    heard: "policy_violation"
  },
  {
    name: "a cap that is lowered to nothing",
    action: "binding.put",
    method: "POST",
    path: ({ agent }) => `/agents/${agent}/services`,
    body: { service: "echo", operations: ["*"], monthly_cap_cents: 0 },
    heard: "monthly_budget_exceeded"
  },
  {
    name: "a threshold that is lowered",
    action: "binding.put",
    method: "POST",
    path: ({ agent }) => `/agents/${agent}/services`,
    body: { service: "echo", operations: ["*"], approval_threshold_cents: 0 },
    heard: "approval_threshold"
  },
  {
    name: "a budget that is lowered",
    action: "agent.budget_set",
    method: "PATCH",
    path: ({ agent }) => `/agents/${agent}/budget`,
    body: { monthly_budget_cents: 1 },
    heard: "agent_budget_exceeded"
  },
  {
    name: "an agent that is paused",
    action: "agent.updated",
    method: "PATCH",
    path: ({ agent }) => `/agents/${agent}`,
    body: { status: "paused" },
    heard: "failed"
  },
  {
    name: "an agent that is frozen",
    action: "agent.updated",
    method: "PATCH",
    path: ({ agent }) => `/agents/${agent}`,
    body: { frozen: true },
    heard: "spending_frozen"
  },
  {
    name: "a key that is rotated",
    action: "agent.key_rotated",
    method: "PATCH",
    path: ({ agent }) => `/agents/${agent}/key`,
    heard: "401"
  },
  {
    name: "an agent that is deleted",
    action: "agent.deleted",
    method: "DELETE",
    path: ({ agent }) => `/agents/${agent}`,
    heard: "401"
  },
  {
    name: "a rule that blocks",
    action: "policy.created",
    method: "POST",
    path: () => "/policies",
    body: { name: "no", when: "service == \"echo\"", then: "block" },
    heard: "policy_violation"
  },
  {
    name: "a service that is switched off",
    action: "service.updated",
    method: "PATCH",
    path: () => "/services/echo",
    body: { enabled: false },
    heard: "policy_violation"
  },
  {
    name: "a workspace that is frozen",
    action: "workspace.updated",
    method: "PATCH",
    path: ({ org }) => `/workspaces/${org}`,
    body: { frozen: true },
    heard: "spending_frozen"
  }
]

const wordOf = (
  { body, status }: Answer
): string => (status !== 200 ? String(status) : (body.reason_code ?? body.status))

layer(Layer.empty, { excludeTestServices: true })("under load at two hubs", (it) => {
  for (const { action, body, heard, method, name, path } of changes) {
    it.effect(
      `${name} forbids from its commit on`,
      () =>
        Effect.gen(function*() {
          const first = yield* startHub()
          const second = yield* startHub({ database: first.target })
          const owner = yield* firstOwner(first)
          const hubs = [first.api, second.api]
          yield* topUp(first, owner, 1_000_000)
          const agent = yield* makeAgent(first, owner)
          const words = new Map<string, number>()
          let asking = true
          const load = yield* Effect.forkChild(
            Effect.forEach(
              Array.from({ length: 16 }),
              (_, caller) =>
                Effect.gen(function*() {
                  for (let n = 0; asking; n++) {
                    const word = wordOf(
                      yield* hubs[(caller + n) % 2]!("POST", "/service-requests", {
                        key: agent.key,
                        body: { service: "echo", operation: "say", payload: { n } }
                      })
                    )
                    words.set(word, (words.get(word) ?? 0) + 1)
                  }
                }),
              { concurrency: "unbounded" }
            )
          )
          yield* until(
            "both are busy",
            Effect.sync(() => (words.get("executed") ?? 0) >= 60)
          )
          const changed = yield* first.api(method, path({ agent: agent.id, org: owner.org }), {
            cookie: owner.cookie,
            ...(body === undefined ? {} : { body })
          })
          assert.isBelow(changed.status, 300, changed.text)
          // Whoever asks now, at the other hub, hears it at once.
          assert.strictEqual(
            wordOf(
              yield* second.api("POST", "/service-requests", {
                key: agent.key,
                body: { service: "echo", operation: "say", payload: {} }
              })
            ),
            heard
          )
          yield* until(
            "they hear it",
            Effect.sync(() => (words.get(heard) ?? 0) >= 60)
          )
          asking = false
          yield* Fiber.join(load)
          assert.deepStrictEqual(
            [...words.keys()].filter((word) => word !== "executed" && word !== heard),
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
          assert.strictEqual(row!.after, 0)
          assert.isAtLeast(row!.before, 60)
          yield* expectHealthy(first.target)
        }),
      120_000
    )
  }
})
