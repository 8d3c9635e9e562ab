/**
 * Protections of approvals, and the permissions of each credential around them. Spec: reference/approvals.md "Step-up",
 * reference/conventions.md "Credentials".
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answer, expectStatus, HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"
import { makePerson, makeSignedIn, makeWorkspace, stepUp } from "../../support/people.ts"

const codeOf = ({ body, status }: Answer) => status < 300 ? status : `${status} ${body.error.code}`

layer(HubTest(), { excludeTestServices: true })("protections", (it) => {
  /** A separate workspace for each test, so that no stepped-up session remains from another test. */
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const org = yield* makeWorkspace(hub)
    const owner = yield* makePerson(hub, org, "owner", "Olga")
    const as = { cookie: owner.cookie }
    return { ...hub, hub, org, owner, as }
  })

  it.effect("weakening a workspace's protection needs a stepped-up session, and a token cannot do it", () =>
    Effect.gen(function*() {
      const { api, as, hub, org, owner } = yield* world
      const pat = { pat: yield* makeToken(hub, owner, ["workspace:write", "budgets:write"]) }
      const patch = (body: object, who: object = as) =>
        Effect.map(api("PATCH", `/workspaces/${org}`, { ...who, body }), codeOf)
      for (const who of [as, pat]) {
        // Setting, lowering, and enabling are always allowed.
        assert.deepStrictEqual([
          yield* patch({ step_up_cents: who === as ? 500 : 400 }, who),
          yield* patch({ step_up_cents: 400, separation_of_duties: true }, who)
        ], [200, 200])
        for (
          const weaker of [{ step_up_cents: 401 }, { step_up_cents: null }, { separation_of_duties: false }, {
            step_up_cents: 300,
            separation_of_duties: false
          }]
        ) {
          assert.strictEqual(yield* patch(weaker, who), "403 step_up_required", JSON.stringify(weaker))
        }
        const { body } = yield* api("GET", `/workspaces/${org}`, as)
        assert.deepStrictEqual([body.step_up_cents, body.separation_of_duties], [400, true])
      }
      yield* stepUp(hub, owner)
      assert.strictEqual(yield* patch({ step_up_cents: null }, pat), "403 step_up_required")
      assert.deepStrictEqual([
        yield* patch({ step_up_cents: 600, separation_of_duties: false }),
        yield* patch({ step_up_cents: null })
      ], [200, 200])
    }))

  it.effect("weakening a rule's required approvals needs a stepped-up session, and a token cannot do it", () =>
    Effect.gen(function*() {
      const { api, as, hub, owner } = yield* world
      const pat = { pat: yield* makeToken(hub, owner, ["workspace:write"]) }
      const create = (body: object, who: object = as) =>
        api("POST", "/policies", { ...who, body: { when: "ceiling_cents > 5", then: "require_approval", ...body } })
      const { body: rule } = expectStatus(yield* create({ name: "two", required_approvals: 2 }, pat), 201)
      const patch = (body: object, who: object = as) =>
        Effect.map(api("PATCH", `/policies/${rule.id}`, { ...who, body }), codeOf)
      const remove = (who: object = as) => Effect.map(api("DELETE", `/policies/${rule.id}`, who), codeOf)
      for (const who of [as, pat]) {
        assert.deepStrictEqual([
          yield* patch({ required_approvals: 3, name: "three" }, who),
          yield* patch({ reason: "Dear" }, who)
        ], [200, 200])
        for (
          const weaker of [{ required_approvals: 2 }, { required_approvals: null }, { enabled: false }, {
            then: "allow"
          }, { when: "ceiling_cents > 6" }]
        ) {
          assert.strictEqual(yield* patch(weaker, who), "403 step_up_required", JSON.stringify(weaker))
        }
        assert.strictEqual(yield* remove(who), "403 step_up_required")
        assert.strictEqual(
          codeOf(yield* create({ name: "first", then: "allow", when: "true", position: 1 }, who)),
          "403 step_up_required"
        )
      }
      const { body: behind } = expectStatus(yield* create({ name: "last", then: "allow", when: "true" }, pat), 201)
      assert.strictEqual(
        codeOf(yield* api("PATCH", `/policies/${behind.id}`, { ...pat, body: { position: 1 } })),
        "403 step_up_required"
      )
      assert.strictEqual(yield* patch({ position: 2 }), "403 step_up_required")
      assert.deepStrictEqual(
        (yield* api("GET", "/policies", as)).body.data.map((
          { name, required_approvals }: Record<string, unknown>
        ) => [name, required_approvals]),
        [["three", 3], ["last", undefined]]
      )
      // A refused change leaves no entry in the log.
      const entries = (yield* api("GET", `/audit-logs?subject_id=${rule.id}`, as)).body.data
      assert.deepStrictEqual(
        new Set(entries.map(({ action }: { action: string }) => action)),
        new Set(["policy.created", "policy.updated"])
      )
      yield* stepUp(hub, owner)
      assert.strictEqual(yield* remove(pat), "403 step_up_required")
      assert.deepStrictEqual([yield* patch({ required_approvals: 1 }), yield* remove()], [200, 204])
    }))

  it.effect("an agent key sees approvals of its mode, without e-mail addresses", () =>
    Effect.gen(function*() {
      const { api, as, hub, org, owner } = yield* world
      yield* topUp(hub, owner, 100)
      const operator = yield* makeSignedIn(hub, org, "operator", "Otto")
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const test =
        expectStatus(yield* api("PATCH", `/agents/${agent.id}/key`, { ...as, body: { mode: "test" } }), 200).body
          .api_key
      const ask = (key: string, n: number) =>
        Effect.map(
          api("POST", "/service-requests", { key, body: { service: "echo", operation: "say", payload: { n } } }),
          (answer) => expectStatus(answer, 200).body as { id: string; approval_id: string }
        )
      const [first, live, tested] = [yield* ask(agent.key, 1), yield* ask(agent.key, 2), yield* ask(test, 3)]
      expectStatus(yield* api("POST", `/approvals/${first.approval_id}/approve`, { cookie: operator.cookie }), 200)
      const seen = (key: string, of: { approval_id: string }) => api("GET", `/approvals/${of.approval_id}`, { key })
      assert.deepStrictEqual([(yield* seen(test, live)).status, (yield* seen(agent.key, tested)).status], [404, 404])
      assert.deepStrictEqual([(yield* seen(agent.key, live)).status, (yield* seen(test, tested)).status], [200, 200])
      for (const answer of [yield* seen(agent.key, live), yield* seen(agent.key, first), yield* seen(test, tested)]) {
        assert.include(answer.text, "Otto")
        assert.notInclude(answer.text, "@")
        assert.notInclude(answer.text, "email")
      }
      assert.include((yield* api("GET", `/approvals/${first.approval_id}`, as)).text, operator.email)
      // Requests, their cancellation, and their list are limited to the key's mode, too.
      assert.deepStrictEqual([
        (yield* api("GET", `/service-requests/${live.id}`, { key: test })).status,
        (yield* api("POST", `/service-requests/${live.id}/cancel`, { key: test })).status,
        (yield* api("GET", "/service-requests", { key: test })).body.data.map(({ id }: { id: string }) => id)
      ], [404, 404, [tested.id]])
      const activity = (yield* api("GET", `/agents/${agent.id}/activity`, { key: test })).text
      assert.notInclude(activity, live.id)
      assert.notInclude(activity, "@")
    }))

  it.effect("an operator may freeze an agent, and change nothing else of it", () =>
    Effect.gen(function*() {
      const { api, as, hub, org, owner } = yield* world
      const agent = yield* makeAgent(hub, owner)
      const [operator, viewer] = [yield* makeSignedIn(hub, org, "operator"), yield* makeSignedIn(hub, org, "viewer")]
      const patch = (body: object, who: object = { cookie: operator.cookie }) =>
        api("PATCH", `/agents/${agent.id}`, { ...who, body })
      assert.strictEqual((yield* patch({ frozen: true })).body.frozen, true)
      // Lifting an agent's freeze needs agents:write, as lifting a workspace's freeze needs workspace:write.
      for (const body of [{ frozen: false }, { frozen: true, name: "Mine" }, { status: "paused" }, {}]) {
        const refused = yield* patch(body)
        assert.deepStrictEqual(
          [refused.status, refused.body.error.data],
          [403, { permission: "agents:write" }],
          JSON.stringify(body)
        )
      }
      assert.strictEqual(codeOf(yield* patch({ frozen: true }, { cookie: viewer.cookie })), "403 forbidden")
      assert.strictEqual((yield* patch({ frozen: false }, as)).body.frozen, false)
      const pat = yield* makeToken(hub, operator, ["approvals:decide"])
      assert.strictEqual(codeOf(yield* patch({ frozen: true }, { pat })), "403 session_required")
    }))

  it.effect("a token reads its person, its workspace, and its scopes, and cannot leave its workspace", () =>
    Effect.gen(function*() {
      const { api, as, hub, org, owner } = yield* world
      const second = expectStatus(yield* api("POST", "/workspaces", { ...as, body: { name: "Second" } }), 201).body.id
      const pat = { pat: yield* makeToken(hub, owner, ["approvals:read", "workspace:write"]) }
      const reader = { pat: yield* makeToken(hub, owner, ["approvals:read"]) }
      const { body: me, headers } = expectStatus(yield* api("GET", "/auth/me", pat), 200)
      assert.deepStrictEqual([me.user, me.workspaces, me.active_workspace, me.permissions], [
        { id: owner.id, email: owner.email, name: "Olga", time_zone: null, locale: null },
        [{ id: org, name: "Elsewhere", role: "owner" }],
        org,
        ["approvals:read", "workspace:write"]
      ])
      assert.deepStrictEqual([me.via.kind, me.via.scopes], ["pat", ["approvals:read", "workspace:write"]])
      assert.match(me.via.token_id, /^pat_/)
      assert.strictEqual(headers.get("cache-control"), "no-store")
      assert.deepStrictEqual((yield* api("GET", "/auth/me", as)).body.workspaces.length, 2)
      assert.deepStrictEqual((yield* api("GET", "/workspaces", pat)).body.data.map(({ id }: { id: string }) => id), [
        org
      ])
      const enter = (workspace: string) =>
        api("POST", "/workspaces/switch", { ...reader, body: { workspace_id: workspace } })
      assert.strictEqual((yield* enter(org)).body.id, org)
      const [elsewhere, unknown] = [yield* enter(second), yield* enter(`org_${"0".repeat(26)}`)]
      assert.deepStrictEqual([codeOf(elsewhere), elsewhere.body.error.message], [
        "404 not_found",
        unknown.body.error.message
      ])
      assert.deepStrictEqual(
        (yield* api("POST", "/workspaces", { ...reader, body: { name: "Third" } })).body.error.data,
        { permission: "workspace:write" }
      )
      const third = expectStatus(yield* api("POST", "/workspaces", { ...pat, body: { name: "Third" } }), 201)
      assert.strictEqual(third.body.role, "owner")
      assert.strictEqual((yield* api("GET", `/workspaces/${third.body.id}`, pat)).status, 404)
      assert.strictEqual((yield* api("GET", `/workspaces/${third.body.id}`, as)).status, 200)
      // Endpoints for sessions do not accept a token.
      for (const [method, path] of [["GET", "/auth/sessions"], ["POST", "/auth/logout"], ["GET", "/tokens"]] as const) {
        assert.strictEqual(codeOf(yield* api(method, path, pat)), "403 session_required")
      }
    }))
})
