/**
 * Roles over HTTP, as in the contract's table, and tokens restricted by them. Spec: reference/conventions.md "Roles and
 * permissions".
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, expectStatus, HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"
import { makePerson } from "../../support/people.ts"

/** The status, and the missing permission of a refusal. */
const statusAndDenial = ({ body, status }: Answer) =>
  status === 403 ? [403, body.error.data?.permission ?? body.error.code] : [status]

layer(HubTest(), { excludeTestServices: true })("roles over HTTP", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    yield* topUp(hub, owner, 100)
    const agent = yield* makeAgent(hub, owner)
    const person = (role: "admin" | "operator" | "member" | "viewer") =>
      Effect.map(makePerson(hub, owner.org, role), ({ cookie, id }) => ({
        id,
        cookie,
        call: (method: string, path: string, body?: unknown) =>
          Effect.map(api(method, path, { cookie, ...body === undefined ? {} : { body } }), statusAndDenial)
      }))
    return { ...hub, hub, agent, person, workspace: `/workspaces/${owner.org}`, as: { cookie: owner.cookie } }
  })

  it.effect("an operator decides, reads, and freezes, and changes no settings", () =>
    Effect.gen(function*() {
      const { agent, api, as, person, workspace } = yield* world
      const { call } = yield* person("operator")
      for (
        const path of [
          "/agents",
          "/audit-logs",
          "/usage",
          "/ledger",
          "/balance",
          "/members",
          "/services",
          "/approvals",
          "/service-requests",
          "/standing-approvals"
        ]
      ) assert.deepStrictEqual(yield* call("GET", path), [200], path)
      const refused = [
        ["POST", "/agents", { name: "x" }, "agents:write"],
        ["PATCH", `/agents/${agent.id}`, { name: "x" }, "agents:write"],
        ["DELETE", `/agents/${agent.id}`, undefined, "agents:write"],
        ["PATCH", `/agents/${agent.id}/key`, {}, "agents:keys"],
        ["PATCH", `/agents/${agent.id}/budget`, { monthly_budget_cents: 1 }, "budgets:write"],
        ["POST", "/balance/top-up", { amount_cents: 1 }, "billing:write"],
        ["PATCH", workspace, { name: "x" }, "workspace:write"],
        ["PATCH", workspace, { frozen: false }, "workspace:write"],
        ["PATCH", workspace, { frozen: true, name: "x" }, "workspace:write"],
        ["GET", "/policies", undefined, "workspace:write"],
        ["GET", "/secrets", undefined, "catalog:write"],
        ["POST", "/services/import", {}, "catalog:write"],
        ["PATCH", `/members/usr_${"0".repeat(26)}`, { role: "viewer" }, "members:write"]
      ] as const
      for (const [method, path, body, permission] of refused) {
        assert.deepStrictEqual(yield* call(method, path, body), [403, permission], `${method} ${path}`)
      }
      // An operator may also freeze the workspace, and may not lift the freeze.
      assert.deepStrictEqual(yield* call("PATCH", workspace, { frozen: true }), [200])
      assert.strictEqual(
        (yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: {} }
        }))
          .body.reason_code,
        "spending_frozen"
      )
      expectStatus(yield* api("PATCH", workspace, { ...as, body: { frozen: false } }), 200)
    }))

  it.effect("a member manages their own agents, without money; those of others are 404", () =>
    Effect.gen(function*() {
      const { agent, api, hub, person } = yield* world
      const { call, cookie } = yield* person("member")
      assert.deepStrictEqual(yield* call("GET", "/audit-logs"), [403, "audit:read"])
      const own = expectStatus(yield* api("POST", "/agents", { cookie, body: { name: "Mine" } }), 201)
      const mine = `/agents/${own.body.id}`
      assert.deepStrictEqual((yield* api("GET", "/agents", { cookie })).body.data.map(({ id }: { id: string }) => id), [
        own.body.id
      ])
      assert.deepStrictEqual(yield* call("POST", `${mine}/services`, { service: "echo", operations: ["*"] }), [201])
      assert.deepStrictEqual(yield* call("PATCH", mine, { name: "Renamed", status: "paused" }), [200])
      assert.deepStrictEqual(yield* call("PATCH", `${mine}/key`, {}), [200])
      for (
        const caps of [{ monthly_cap_cents: 1 }, { daily_request_limit: 1 }, { approval_threshold_cents: 1 }, {
          per_operation: { say: { monthly_cap_cents: 1 } }
        }]
      ) {
        assert.deepStrictEqual(
          yield* call("POST", `${mine}/services`, { service: "echo", operations: ["*"], ...caps }),
          [
            403,
            "budgets:write"
          ]
        )
      }
      assert.deepStrictEqual(yield* call("POST", "/agents", { name: "x", monthly_budget_cents: 1 }), [
        403,
        "budgets:write"
      ])
      assert.deepStrictEqual(yield* call("PATCH", `${mine}/budget`, { monthly_budget_cents: 1 }), [
        403,
        "budgets:write"
      ])
      // A binding with caps that another person set cannot be loosened by replacing it.
      expectStatus(
        yield* api("POST", `${mine}/services`, {
          cookie: hub.owner.cookie,
          body: { service: "echo", operations: ["*"], monthly_cap_cents: 1 }
        }),
        200
      )
      assert.deepStrictEqual(yield* call("POST", `${mine}/services`, { service: "echo", operations: ["*"] }), [
        403,
        "budgets:write"
      ])
      const theirs = `/agents/${agent.id}`
      const foreign = [
        ["GET", theirs],
        ["PATCH", theirs, { name: "x" }],
        ["DELETE", theirs],
        ["PATCH", `${theirs}/key`, {}],
        ["POST", `${theirs}/services`, { service: "echo", operations: ["*"] }],
        ["DELETE", `${theirs}/services/echo`],
        ["GET", `${theirs}/budget`],
        ["POST", "/service-requests/estimate", { service: "echo", operation: "say", payload: {}, agent_id: agent.id }]
      ] as const
      for (const [method, path, body] of foreign) {
        assert.deepStrictEqual(yield* call(method, path, body), [404], `${method} ${path}`)
      }
      assert.deepStrictEqual(yield* call("DELETE", mine), [204])
    }))

  it.effect("a viewer reads, and changes nothing", () =>
    Effect.gen(function*() {
      const { agent, person } = yield* world
      const { call } = yield* person("viewer")
      for (
        const path of [
          "/agents",
          "/audit-logs",
          "/usage",
          "/ledger",
          "/balance",
          "/members",
          "/approvals",
          `/agents/${agent.id}/budget`
        ]
      ) assert.deepStrictEqual(yield* call("GET", path), [200], path)
      const refused = [
        ["POST", "/agents", { name: "x" }, "agents:write"],
        ["POST", "/tokens", { name: "x", scopes: ["agents:read"] }, "tokens:write"],
        ["POST", "/service-requests/estimate", {}, "requests:write"],
        ["POST", `/approvals/apr_${"0".repeat(26)}/approve`, {}, "approvals:decide"],
        ["PATCH", `/agents/${agent.id}`, { name: "x" }, "agents:write"]
      ] as const
      for (const [method, path, body, permission] of refused) {
        assert.deepStrictEqual(yield* call(method, path, body), [403, permission], `${method} ${path}`)
      }
    }))

  it.effect("an admin does everything except creating and removing owners; the last owner stays", () =>
    Effect.gen(function*() {
      const { api, as, owner, person } = yield* world
      const admin = yield* person("admin")
      const other = yield* person("viewer")
      assert.deepStrictEqual(yield* admin.call("PATCH", `/members/${other.id}`, { role: "operator" }), [200])
      for (
        const [path, body] of [[`/members/${other.id}`, { role: "owner" }], [`/members/${owner.user}`, {
          role: "admin"
        }]] as const
      ) assert.strictEqual((yield* admin.call("PATCH", path, body))[0], 403, path)
      assert.strictEqual((yield* admin.call("DELETE", `/members/${owner.user}`))[0], 403)
      for (
        const attempt of [
          api("PATCH", `/members/${owner.user}`, { ...as, body: { role: "admin" } }),
          api("DELETE", `/members/${owner.user}`, as)
        ]
      ) {
        const { body, status } = yield* attempt
        assert.deepStrictEqual([status, body.error.code], [409, "last_owner"])
      }
      assert.deepStrictEqual(yield* admin.call("DELETE", `/members/${other.id}`), [204])
      // After the membership ends, the session has no workspace to act in.
      assert.notStrictEqual((yield* other.call("GET", "/agents"))[0], 200)
    }))

  it.effect("a token has the permissions that are in both its scopes and its person's current role", () =>
    Effect.gen(function*() {
      const { api, as, hub, person } = yield* world
      const operator = yield* person("operator")
      assert.deepStrictEqual(yield* operator.call("POST", "/tokens", { name: "x", scopes: ["agents:write"] }), [
        403,
        "agents:write"
      ])
      const pat = yield* makeToken(hub, operator, ["approvals:decide", "agents:read"])
      const decide = Effect.map(
        api("POST", "/approvals/decide", { pat, body: { ids: [`apr_${"0".repeat(26)}`], decision: "reject" } }),
        statusAndDenial
      )
      assert.deepStrictEqual([
        yield* decide,
        statusAndDenial(yield* api("GET", "/agents", { pat })),
        statusAndDenial(yield* api("GET", "/usage", { pat }))
      ], [[200], [200], [403, "usage:read"]])
      expectStatus(yield* api("PATCH", `/members/${operator.id}`, { ...as, body: { role: "viewer" } }), 200)
      assert.deepStrictEqual([yield* decide, statusAndDenial(yield* api("GET", "/agents", { pat }))], [[
        403,
        "approvals:decide"
      ], [
        200
      ]])
      expectStatus(yield* api("DELETE", `/members/${operator.id}`, as), 204)
      assert.strictEqual((yield* api("GET", "/agents", { pat })).status, 401)
    }))
})
