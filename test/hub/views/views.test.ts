/** Saved views over HTTP. */
import { viewsMax } from "@countersign/domain/views"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeToken, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

interface View {
  readonly id: string
  readonly name: string
  readonly can_edit: boolean
}

layer(HubTest(), { excludeTestServices: true })("saved views", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    const org = yield* makeWorkspace(hub)
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const operator = yield* makeSignedIn(hub, org, "operator", "Otto")
    const member = yield* makeSignedIn(hub, org, "member", "Mara")
    const create = (who: object, body: object) =>
      api("POST", "/views", { ...who, body: { screen: "requests", name: "Blocked", query: "status=blocked", ...body } })
    const names = (who: object, more = "") =>
      Effect.map(
        api("GET", `/views${more}`, who),
        (answer) => expectStatus(answer, 200).body.data.map(({ name }: View) => name) as ReadonlyArray<string>
      )
    return { hub, api, owner, org, admin, operator, member, create, names }
  })

  it.effect("are listed by position for their creator, and once shared for everyone with access to the screen", () =>
    Effect.gen(function*() {
      const { admin, api, create, member, names, operator } = yield* world
      const first = expectStatus(yield* create(operator, {}), 201)
      const { body: view } = first
      assert.deepStrictEqual(
        [view.screen, view.name, view.query, view.shared, view.position, view.created_by, view.can_edit],
        ["requests", "Blocked", "status=blocked", false, 0, { id: operator.id, name: "Otto" }, true]
      )
      assert.strictEqual(first.headers.get("location"), `/api/v1/views/${view.id}`)
      expectStatus(
        yield* create(operator, { name: "Log", screen: "audit", query: "action=agent.*", shared: true }),
        201
      )
      expectStatus(yield* create(operator, { name: "Top", query: "", position: 0 }), 201)
      assert.deepStrictEqual(yield* names(operator), ["Blocked", "Top", "Log"])
      assert.deepStrictEqual(yield* names(operator, "?screen=audit"), ["Log"])
      assert.deepStrictEqual(yield* names(admin), ["Log"])
      assert.deepStrictEqual(yield* names(member), [], "a member may not read the audit log")
      const page = expectStatus(yield* api("GET", "/views?limit=2", operator), 200).body
      assert.deepStrictEqual([page.data.length, yield* names(operator, `?limit=2&cursor=${page.next_cursor}`)], [2, [
        "Log"
      ]])
      expectStatus(
        yield* api("PATCH", `/views/${view.id}`, {
          ...operator,
          body: { shared: true, name: "All blocked", position: 9 }
        }),
        200
      )
      assert.deepStrictEqual(yield* names(member), ["All blocked"])
      assert.deepStrictEqual((yield* api("GET", "/views", member)).body.data.map(({ can_edit }: View) => can_edit), [
        false
      ])
    }))

  it.effect("are changed and deleted by their creator, shared ones also by an admin; others get 403, or 404 for views they do not see", () =>
    Effect.gen(function*() {
      const { admin, api, create, hub, member, names, operator } = yield* world
      const own = expectStatus(yield* create(operator, { name: "Private" }), 201).body.id
      const shared = expectStatus(yield* create(operator, { name: "Shared", shared: true }), 201).body.id
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      const change = (who: object, id: string) =>
        Effect.map(api("PATCH", `/views/${id}`, { ...who, body: { name: `Changed ${id}` } }), ({ status }) => status)
      const remove = (who: object, id: string) => Effect.map(api("DELETE", `/views/${id}`, who), ({ status }) => status)
      for (const act of [change, remove]) {
        assert.deepStrictEqual([
          yield* act(admin, own),
          yield* act(member, own),
          yield* act(stranger, own),
          yield* act(stranger, shared)
        ], [404, 404, 404, 404])
        assert.strictEqual(yield* act(member, shared), 403)
      }
      assert.deepStrictEqual([yield* change(admin, shared), yield* change(operator, own)], [200, 200])
      assert.deepStrictEqual(yield* names(operator), [`Changed ${own}`, `Changed ${shared}`])
      assert.deepStrictEqual(
        [yield* remove(admin, shared), yield* remove(operator, own), yield* remove(operator, own)],
        [204, 204, 404]
      )
    }))

  it.effect("write each change to the log, and nothing if nothing changes", () =>
    Effect.gen(function*() {
      const { admin, api, create } = yield* world
      const { body: view } = expectStatus(yield* create(admin, {}), 201)
      for (const body of [{ name: "Blocked" }, { name: "Stopped" }]) {
        expectStatus(yield* api("PATCH", `/views/${view.id}`, { ...admin, body }), 200)
      }
      expectStatus(yield* api("DELETE", `/views/${view.id}`, admin), 204)
      const { body } = expectStatus(yield* api("GET", `/audit-logs?subject_id=${view.id}`, admin), 200)
      assert.deepStrictEqual(
        body.data.map((
          { action, actor, data }: { action: string; actor: { id: string }; data: unknown }
        ) => [action, actor.id, data]).toReversed(),
        [
          ["view.created", admin.id, {
            screen: "requests",
            name: "Blocked",
            query: "status=blocked",
            shared: false,
            position: 0
          }],
          ["view.updated", admin.id, { screen: "requests", name: { from: "Blocked", to: "Stopped" } }],
          ["view.deleted", admin.id, { screen: "requests", name: "Stopped", shared: false }]
        ]
      )
    }))

  it.effect("need the permission of their screen, also with a token, and a query that fits an address", () =>
    Effect.gen(function*() {
      const { create, hub, member, owner } = yield* world
      assert.strictEqual((yield* create(member, { screen: "audit" })).body.error.data.permission, "audit:read")
      const pat = yield* makeToken(hub, owner, ["agents:read"])
      assert.deepStrictEqual([
        (yield* create({ pat }, {})).status,
        (yield* create({ pat }, { screen: "agents" })).status
      ], [403, 201])
      for (const query of ["a b", "a#b", "é", "x".repeat(2_001)]) {
        assert.deepStrictEqual((yield* create(member, { query })).body.error.details[0].path, "query")
      }
    }))

  it.effect("are at most 100 per person, also for two concurrent creations", () =>
    Effect.gen(function*() {
      const { create, member } = yield* world
      const made = yield* Effect.all(
        Array.from({ length: viewsMax - 1 }, (_, at) => create(member, { name: `View ${at}` })),
        { concurrency: 8 }
      )
      assert.isTrue(made.every(({ status }) => status === 201))
      const last = yield* Effect.all([create(member, { name: "One" }), create(member, { name: "Other" })], {
        concurrency: 2
      })
      assert.sameMembers(last.map(({ body, status }) => `${status} ${body.error?.code ?? ""}`), [
        "201 ",
        "409 limit_reached"
      ])
    }))

  it.effect("have distinct names in each screen of a person, also for two concurrent creations: 409 with the field", () =>
    Effect.gen(function*() {
      const { admin, api, create, names, operator } = yield* world
      const made = yield* Effect.all([create(operator, {}), create(operator, { name: "BLOCKED" })], { concurrency: 2 })
      assert.sameMembers(made.map(({ status }) => status), [201, 409])
      const refused = made.find(({ status }) => status === 409)?.body.error
      assert.deepStrictEqual([refused.code, refused.details.map(({ path }: { path: string }) => path)], ["conflict", [
        "name"
      ]])
      expectStatus(yield* create(operator, { screen: "agents" }), 201)
      expectStatus(yield* create(admin, {}), 201)
      const other = expectStatus(yield* create(operator, { name: "Other", shared: true }), 201).body
      const rename = (who: object, name: string) =>
        Effect.map(api("PATCH", `/views/${other.id}`, { ...who, body: { name } }), ({ status }) => status)
      assert.deepStrictEqual(
        [
          yield* rename(operator, "blocked"),
          yield* rename(admin, "blocked"),
          yield* rename(operator, "OTHER")
        ],
        [409, 409, 200],
        "an admin's change of a shared view is compared with the views of its owner"
      )
      assert.include(yield* names(operator), "OTHER")
    }))

  it.effect("stay when their creator leaves if they are shared, and are deleted otherwise", () =>
    Effect.gen(function*() {
      const { admin, api, create, hub, names, operator, org } = yield* world
      expectStatus(yield* create(operator, { name: "Private" }), 201)
      const { id } = expectStatus(yield* create(operator, { name: "Shared", shared: true }), 201).body
      expectStatus(yield* api("DELETE", `/members/${operator.id}`, admin), 204)
      assert.deepStrictEqual(yield* names(admin), ["Shared"])
      expectStatus(yield* api("PATCH", `/views/${id}`, { ...admin, body: { name: "Kept" } }), 200)
      const back = yield* makeSignedIn(hub, org, "operator", "Olga")
      assert.deepStrictEqual(yield* names(back), ["Kept"])
      assert.strictEqual((yield* create(operator, {})).status, 401)
    }))
})
