/** Concurrent edits of objects by several people. Spec: reference/agents.md "Concurrent edits". */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../support/hub.ts"
import { makePerson } from "../support/people.ts"

interface Edited {
  readonly noun: string
  /** Reads the object. */
  readonly read: Effect.Effect<Answer>
  /** Changes one of its fields to the n-th value. */
  readonly write: (n: number, expected?: number, cookie?: string) => Effect.Effect<Answer>
  /** The n-th value of that field. */
  readonly value: (n: number) => unknown
  readonly field: (object: Record<string, unknown>) => unknown
}

const operation = (name: string) => ({
  name,
  method: "POST",
  path: `/${name}`,
  payload_schema: { type: "object" },
  price: { type: "fixed", cents: 1 }
})

layer(HubTest(), { excludeTestServices: true })("edits of one object by two people", (it) => {
  const kinds = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner: { cookie, org } } = hub
    const agent = yield* makeAgent(hub, hub.owner)
    const other = yield* makeAgent(hub, hub.owner, { bindings: [] })
    const ownName = `own_${agent.id.slice(-8)}`
    yield* makeService(hub, hub.owner, {
      name: ownName,
      kind: "http",
      base_url: "http://127.0.0.1:9",
      operations: [operation("run")]
    })
    const policy = expectStatus(
      yield* api("POST", "/policies", { cookie, body: { name: "Rule", when: "false", then: "block" } }),
      201
    ).body.id as string
    const patch = (
      noun: string,
      path: string,
      body: (n: number) => Readonly<Record<string, unknown>>,
      field: Edited["field"],
      value: Edited["value"],
      read = api("GET", path, { cookie })
    ): Edited => ({
      noun,
      read,
      field,
      value,
      write: (n, expected, by = cookie) =>
        api(noun === "binding" ? "POST" : "PATCH", path, {
          cookie: by,
          body: { ...body(n), ...expected === undefined ? {} : { expected_version: expected } }
        })
    })
    const named = (n: number) => `Name ${n}`
    const edited: ReadonlyArray<Edited> = [
      patch("agent", `/agents/${other.id}`, (n) => ({ name: named(n) }), ({ name }) => name, named),
      patch(
        "budget",
        `/agents/${agent.id}/budget`,
        (n) => ({ monthly_budget_cents: n }),
        ({ monthly_budget_cents }) => monthly_budget_cents,
        (n) => n
      ),
      patch(
        "binding",
        `/agents/${agent.id}/services`,
        (n) => ({ service: "echo", operations: ["*"], daily_request_limit: n }),
        ({ daily_request_limit }) => daily_request_limit,
        (n) => n,
        Effect.map(
          api("GET", `/agents/${agent.id}`, { cookie }),
          (answer) => ({ ...answer, body: answer.body.bindings[0] })
        )
      ),
      patch("rule", `/policies/${policy}`, (n) => ({ name: named(n) }), ({ name }) => name, named),
      patch("service", `/services/${ownName}`, (n) => ({ title: named(n) }), ({ title }) => title, named),
      patch(
        "shipped service",
        "/services/echo",
        (n) => ({ prices: { say: { type: "fixed", cents: n } } }),
        ({ operations }) =>
          (operations as ReadonlyArray<{ name: string; price: { cents: number } }>).find(({ name }) => name === "say")
            ?.price.cents,
        (n) => n
      ),
      patch("workspace", `/workspaces/${org}`, (n) => ({ name: named(n) }), ({ name }) => name, named)
    ]
    return { hub, edited, agent, bob: yield* makePerson(hub, org, "admin", "Bob") }
  })

  it.effect("rejects a change based on an older version with 409 and the current object", () =>
    Effect.gen(function*() {
      const { bob, edited } = yield* kinds
      for (const { field, noun, read, value, write } of edited) {
        const loaded = expectStatus(yield* read, 200).body.version as number
        assert.isAtLeast(loaded, 1, noun)
        const saved = expectStatus(yield* write(11, loaded, bob.cookie), 200)
        assert.strictEqual(saved.body.version, loaded + 1, noun)
        const refused = yield* write(12, loaded)
        assert.deepStrictEqual([refused.status, refused.body.error?.code], [409, "version_conflict"], noun)
        const { last_change, ...current } = refused.body.error.data
        assert.deepStrictEqual(current, (yield* read).body, noun)
        assert.deepStrictEqual([current.version, field(current)], [loaded + 1, value(11)], noun)
        assert.deepStrictEqual(last_change.actor, { type: "user", id: bob.id, name: "Bob" }, noun)
        assert.isFalse(Number.isNaN(Date.parse(last_change.at)), noun)
        // Based on the object of the refusal, it succeeds.
        assert.strictEqual(field(expectStatus(yield* write(12, loaded + 1), 200).body), value(12), noun)
      }
    }))

  it.effect("accepts a change without a version", () =>
    Effect.gen(function*() {
      const { edited } = yield* kinds
      for (const { field, noun, read, value, write } of edited) {
        expectStatus(yield* write(21), 200)
        assert.strictEqual(field((yield* read).body), value(21), noun)
      }
    }))

  it.effect("lets exactly one of many concurrent edits succeed", () =>
    Effect.gen(function*() {
      const { edited } = yield* kinds
      for (const { field, noun, read, value, write } of edited) {
        const loaded = (yield* read).body.version as number
        const answers = yield* Effect.forEach([31, 32, 33, 34, 35, 36], (n) =>
          Effect.map(write(n, loaded), ({ status }) => ({ n, status })), {
          concurrency: "unbounded"
        })
        const winners = answers.filter(({ status }) =>
          status === 200
        )
        assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409], noun)
        const after = (yield* read).body
        assert.deepStrictEqual([after.version, field(after)], [loaded + 1, value(winners[0]!.n)], noun)
      }
    }))

  it.effect("spending, key rotation, bindings, and a freeze of the workspace do not raise an agent's version", () =>
    Effect.gen(function*() {
      const { hub, hub: { api, owner } } = yield* kinds
      const { cookie, org } = owner
      yield* topUp(hub, owner, 100)
      const agent = yield* makeAgent(hub, owner)
      const version = Effect.map(api("GET", `/agents/${agent.id}`, { cookie }), ({ body }) => body.version as number)
      const before = yield* version
      expectStatus(
        yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: {} }
        }),
        200
      )
      expectStatus(yield* api("PATCH", `/agents/${agent.id}/key`, { cookie, body: {} }), 200)
      expectStatus(
        yield* api("POST", `/agents/${agent.id}/services`, { cookie, body: { service: "http", operations: ["*"] } }),
        201
      )
      for (const frozen of [true, false]) {
        expectStatus(yield* api("PATCH", `/workspaces/${org}`, { cookie, body: { frozen } }), 200)
      }
      assert.strictEqual(yield* version, before)
    }))

  it.effect("rejects a new binding that expects version 0 after another person created one", () =>
    Effect.gen(function*() {
      const { bob, hub: { api, owner } } = yield* kinds
      const agent = yield* makeAgent(yield* TestHub, owner, { bindings: [] })
      const bind = (cookie: string, operations: ReadonlyArray<string>) =>
        api("POST", `/agents/${agent.id}/services`, {
          cookie,
          body: { service: "echo", operations, expected_version: 0 }
        })
      const [first, second] = [yield* bind(bob.cookie, ["say"]), yield* bind(owner.cookie, ["*"])]
      assert.deepStrictEqual([first.status, first.body.version], [201, 1])
      assert.deepStrictEqual([second.status, second.body.error.code, second.body.error.data.operations], [
        409,
        "version_conflict",
        ["say"]
      ])
    }))

  it.effect("counts disabling a binding as an edit of it, and keeps expected_version out of the audit log", () =>
    Effect.gen(function*() {
      const { agent, hub: { api, owner: { cookie, org } } } = yield* kinds
      const binding = Effect.map(api("GET", `/agents/${agent.id}`, { cookie }), ({ body }) => body.bindings[0])
      const { version } = yield* binding
      expectStatus(yield* api("DELETE", `/agents/${agent.id}/services/echo`, { cookie }), 204)
      assert.deepStrictEqual([(yield* binding).enabled, (yield* binding).version], [false, version + 1])
      const workspace = (yield* api("GET", `/workspaces/${org}`, { cookie })).body
      expectStatus(
        yield* api("PATCH", `/workspaces/${org}`, {
          cookie,
          body: { name: "Audited", expected_version: workspace.version }
        }),
        200
      )
      const log =
        expectStatus(yield* api("GET", "/audit-logs?action=workspace.updated&limit=1", { cookie }), 200).body.data
      assert.deepStrictEqual(log[0].data, { name: "Audited" })
    }))
})
