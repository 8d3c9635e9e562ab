/**
 * The effects of a removal on the person's agents, keys, devices, and standing approvals. Spec: reference/accounts.md
 * "Member removal".
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeToken, TestHub, topUp } from "../../support/hub.ts"
import { makePerson, makeWorkspace, type PersonInTest } from "../../support/people.ts"

const platform = { platform: "linux", arch: "x64", app_version: "1.0.0" }

layer(HubTest(), { excludeTestServices: true })("removing a member", (it) => {
  /** A person with an active agent, an active device, and a standing approval that they created. */
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const as = { cookie: owner.cookie }
    yield* topUp(hub, owner, 1_000)
    const leaver = yield* makePerson(hub, owner.org, "admin", "Lea")
    const theirs = { cookie: leaver.cookie }
    const made = expectStatus(yield* api("POST", "/agents", { ...theirs, body: { name: "Lea's agent" } }), 201).body
    expectStatus(
      yield* api("POST", `/agents/${made.id}/services`, { ...theirs, body: { service: "echo", operations: ["*"] } }),
      201
    )
    const disabled = expectStatus(yield* api("POST", "/agents", { ...theirs, body: { name: "Retired" } }), 201).body
    expectStatus(yield* api("PATCH", `/agents/${disabled.id}`, { ...theirs, body: { status: "disabled" } }), 200)
    const device = expectStatus(
      yield* api("POST", "/devices", {
        ...theirs,
        body: { name: "Lea's laptop", ...platform, capabilities: ["system.info"] }
      }),
      201
    ).body
    expectStatus(yield* api("PATCH", `/devices/${device.id}`, { ...theirs, body: { granted: ["system.info"] } }), 200)
    const dispatch = api("POST", "/service-requests", {
      key: made.api_key,
      body: { service: "echo", operation: "say", payload: {} }
    })
    // An agent of the owner for which the leaving person created a standing approval.
    const shared = expectStatus(yield* api("POST", "/agents", { ...as, body: { name: "Shared" } }), 201).body
    expectStatus(
      yield* api("POST", `/agents/${shared.id}/services`, {
        ...as,
        body: { service: "echo", operations: ["*"], approval_threshold_cents: 0 }
      }),
      201
    )
    const sharedDispatch = api("POST", "/service-requests", {
      key: shared.api_key,
      body: { service: "echo", operation: "say", payload: {} }
    })
    const held = expectStatus(yield* sharedDispatch, 200).body
    expectStatus(
      yield* api("POST", `/approvals/${held.approval_id}/approve`, {
        ...theirs,
        body: {
          remember: { max_cost_cents: 10, max_uses: 100, expires_at: new Date(Date.now() + 3_600_000).toISOString() }
        }
      }),
      200
    )
    assert.strictEqual((yield* sharedDispatch).body.status, "executed")
    const log = (subject: string) =>
      Effect.map(api("GET", `/audit-logs?subject_id=${subject}&limit=5`, as), ({ body }) => body.data[0])
    const remove = (body?: unknown) =>
      api("DELETE", `/members/${leaver.id}`, { ...as, ...body === undefined ? {} : { body } })
    return {
      hub,
      api,
      as,
      leaver,
      owner,
      agent: made.id as string,
      disabled: disabled.id as string,
      device,
      dispatch,
      shared: shared.id as string,
      sharedDispatch,
      log,
      remove
    }
  })

  it.effect("shows before the removal what the person owns", () =>
    Effect.gen(function*() {
      const { agent, api, as, device, disabled, leaver, owner } = yield* world
      const policy = expectStatus(
        yield* api("POST", "/policies", {
          ...as,
          body: { name: "Lea decides", when: "false", then: "require_approval", deciders: { user_ids: [leaver.id] } }
        }),
        201
      ).body
      for (const [name, shared] of [["Mine", false], ["My other", false], ["Ours", true]] as const) {
        expectStatus(
          yield* api("POST", "/views", {
            cookie: leaver.cookie,
            body: { screen: "agents", name, query: "", shared }
          }),
          201
        )
      }
      const holdings = expectStatus(yield* api("GET", `/members/${leaver.id}/holdings`, as), 200).body
      assert.deepStrictEqual(holdings.agents, {
        count: 2,
        data: [{ id: agent, name: "Lea's agent", status: "active" }, {
          id: disabled,
          name: "Retired",
          status: "disabled"
        }]
      })
      assert.deepStrictEqual(holdings.devices, {
        count: 1,
        data: [{ id: device.id, name: "Lea's laptop", state: "active" }]
      })
      assert.strictEqual(holdings.standing_approvals.count, 1)
      assert.deepInclude(holdings.standing_approvals.data[0], {
        agent_name: "Shared",
        service: "echo",
        operation: "say",
        max_cost_cents: 10
      })
      assert.deepStrictEqual(holdings.policies, { count: 1, data: [{ id: policy.id, name: "Lea decides" }] })
      assert.deepStrictEqual([holdings.pending_approvals, holdings.tokens], [0, 0])
      assert.deepStrictEqual([holdings.private_views, holdings.shared_views], [2, 1])
      const viewer = yield* makePerson(yield* TestHub, owner.org, "viewer")
      assert.strictEqual((yield* api("GET", `/members/${leaver.id}/holdings`, { cookie: viewer.cookie })).status, 403)
    }))

  it.effect("without transfer_to pauses their agents and drains their devices", () =>
    Effect.gen(function*() {
      const { agent, api, as, device, disabled, dispatch, leaver, log, remove } = yield* world
      const pat = yield* makeToken(yield* TestHub, leaver, ["agents:read"])
      assert.strictEqual((yield* dispatch).body.status, "executed")
      expectStatus(yield* remove(), 204)
      const refused = (yield* dispatch).body
      assert.deepStrictEqual([refused.status, refused.result.code], ["failed", "agent_disabled"])
      const status = (id: string) => Effect.map(api("GET", `/agents/${id}`, as), ({ body }) => body.status)
      assert.deepStrictEqual([yield* status(agent), yield* status(disabled)], ["paused", "disabled"])
      assert.strictEqual((yield* api("GET", `/devices/${device.id}`, as)).body.state, "draining")
      assert.deepStrictEqual([
        (yield* api("GET", "/agents", { pat })).status,
        (yield* api("GET", "/agents", { cookie: leaver.cookie })).status
      ], [401, 401])
      const [agentEntry, deviceEntry, memberEntry] = [yield* log(agent), yield* log(device.id), yield* log(leaver.id)]
      assert.deepStrictEqual([agentEntry.action, agentEntry.data], ["agent.updated", {
        fields: ["status"],
        status: { from: "active", to: "paused" },
        reason: "member_removed"
      }])
      assert.deepStrictEqual([deviceEntry.action, deviceEntry.data], ["device.updated", {
        state: "draining",
        before: "active",
        reason: "member_removed"
      }])
      assert.deepInclude(memberEntry.data, { role: "admin", agents: 1, devices: 1, standing_approvals: 1 })
      assert.isTrue((yield* api("GET", "/audit-logs/verify", as)).body.ok)
    }))

  it.effect("transfers agents and devices to transfer_to, and their keys stay valid", () =>
    Effect.gen(function*() {
      const { agent, api, as, device, disabled, dispatch, hub, log, owner, remove } = yield* world
      const recipient = yield* makePerson(hub, owner.org, "member", "Heir")
      expectStatus(yield* remove({ transfer_to: recipient.id }), 204)
      assert.strictEqual((yield* dispatch).body.status, "executed")
      const mine = expectStatus(yield* api("GET", "/agents", { cookie: recipient.cookie }), 200).body.data
      assert.sameMembers(mine.map(({ id }: { id: string }) => id), [agent, disabled])
      assert.strictEqual(mine.find(({ id }: { id: string }) => id === agent).status, "active")
      const laptop = expectStatus(yield* api("GET", `/devices/${device.id}`, { cookie: recipient.cookie }), 200).body
      assert.deepStrictEqual([laptop.owner_user_id, laptop.state], [recipient.id, "active"])
      assert.deepInclude(yield* log(agent), { action: "agent.transferred" })
      assert.deepInclude(yield* log(device.id), { action: "device.transferred" })
      assert.strictEqual((yield* api("GET", `/agents/${agent}`, as)).body.owner_user_id, recipient.id)
    }))

  for (const transfers of [false, true]) {
    it.effect(`revokes the standing approvals they created, ${transfers ? "after a transfer too" : "so that they cover no more requests"}`, () =>
      Effect.gen(function*() {
        const { api, as, owner, remove, shared, sharedDispatch } = yield* world
        expectStatus(yield* remove(transfers ? { transfer_to: owner.user } : undefined), 204)
        assert.strictEqual((yield* sharedDispatch).body.status, "approval_required")
        assert.deepStrictEqual((yield* api("GET", `/standing-approvals?agent_id=${shared}`, as)).body.data, [])
        const [entry] =
          (yield* api("GET", `/audit-logs?action=standing_approval.withdrawn&agent_id=${shared}`, as)).body.data
        assert.deepStrictEqual(entry.data, { reason: "member_removed" })
      }))
  }

  it.effect("rejects a transfer to a stranger, to a role that cannot own agents, and to the removed person, and changes nothing", () =>
    Effect.gen(function*() {
      const { agent, api, as, dispatch, hub, leaver, owner, remove } = yield* world
      const elsewhere = yield* makePerson(hub, yield* makeWorkspace(hub), "owner")
      const people: ReadonlyArray<PersonInTest> = [
        elsewhere,
        leaver,
        yield* makePerson(hub, owner.org, "viewer"),
        yield* makePerson(hub, owner.org, "operator")
      ]
      for (const { id } of people) {
        const refused = yield* remove({ transfer_to: id })
        assert.deepStrictEqual([refused.status, refused.body.error.details[0].path], [400, "transfer_to"])
      }
      assert.strictEqual((yield* remove({ transfer_to: "usr_nonsense" })).status, 400)
      assert.strictEqual((yield* dispatch).body.status, "executed")
      assert.strictEqual((yield* api("GET", `/agents/${agent}`, as)).body.owner_user_id, leaver.id)
      expectStatus(yield* api("GET", "/agents", { cookie: leaver.cookie }), 200)
    }))

  it.effect("leaves active none of the agents that the person creates during the removal", () =>
    Effect.gen(function*() {
      const { api, as, leaver, remove } = yield* world
      const attempts = Array.from(
        { length: 8 },
        (_, n) => api("POST", "/agents", { cookie: leaver.cookie, body: { name: `Late ${n}` } })
      )
      const [, answers] = yield* Effect.all([remove(), Effect.all(attempts, { concurrency: "unbounded" })], {
        concurrency: "unbounded"
      })
      const made = answers.filter(({ status }) => status === 201).map(({ body }) => body.id as string)
      for (const { status } of answers) assert.include([201, 401], status)
      for (const id of made) assert.strictEqual((yield* api("GET", `/agents/${id}`, as)).body.status, "paused")
    }))

  it.effect("two removals that name each other as recipient end without a deadlock", () =>
    Effect.gen(function*() {
      const { api, hub, owner } = yield* world
      for (let round = 0; round < 5; round++) {
        const [one, two] = [yield* makePerson(hub, owner.org, "admin"), yield* makePerson(hub, owner.org, "admin")]
        const remove = (who: PersonInTest, recipient: PersonInTest) =>
          api("DELETE", `/members/${who.id}`, { cookie: owner.cookie, body: { transfer_to: recipient.id } })
        const answers = yield* Effect.all([remove(one, two), remove(two, one)], { concurrency: "unbounded" })
        assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [204, 400])
      }
    }))
})
