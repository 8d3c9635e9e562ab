import type { Permission, UserPrincipal } from "@countersign/domain/auth"
import { newId } from "@countersign/domain/ids"
import type { WorkspacePatch } from "@countersign/domain/workspaces"
import { Identity } from "@countersign/hub/auth/service"
import { type Signal, Signals } from "@countersign/hub/platform/signals"
import { Workspaces } from "@countersign/hub/workspaces/service"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { actionsOf, IdentityTest, personIn, signedIn, workspace } from "../../support/identity.ts"
import { steppedUp } from "../../support/principals.ts"

const rulesVersion = (org: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      Effect.map(sql<{ rules_version: number }>`select rules_version from org_heads where org_id = ${org}`, ([row]) =>
        row!.rules_version)
  )
const asToken = (user: UserPrincipal, permissions: ReadonlyArray<Permission>): UserPrincipal => ({
  ...user,
  permissions: new Set(permissions),
  via: { kind: "pat", token_id: newId("pat") as never, scopes: [] }
})

layer(IdentityTest, { excludeTestServices: true })("workspaces", (it) => {
  it.effect("are listed to their members, with their role, newest first", () =>
    Effect.gen(function*() {
      const workspaces = yield* Workspaces
      const [first, second] = [yield* workspace("First"), yield* workspace("Second")]
      yield* workspace("Foreign")
      const person = yield* personIn(first, "viewer", { [second]: "owner" })
      const page = yield* workspaces.list(person, { limit: 1 })
      const rest = yield* workspaces.list(person, { cursor: page.next_cursor! })
      assert.deepStrictEqual([...page.data, ...rest.data].map(({ name, role }) => ({ name, role })), [
        { name: "Second", role: "owner" },
        { name: "First", role: "viewer" }
      ])
    }))

  it.effect("are created with their own lock, accounts, and audit log, and their creator as owner", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const workspaces = yield* Workspaces
      const person = yield* personIn(yield* workspace(), "admin")
      const made = yield* workspaces.create(person, "New")
      assert.deepStrictEqual(made, {
        id: made.id,
        name: "New",
        role: "owner",
        frozen: false,
        approval_threshold_cents: 1000,
        approval_life_seconds: 86_400,
        separation_of_duties: false,
        second_factor: "off",
        device_output_days: 90,
        alert_levels: [50, 80, 100],
        version: 1,
        created_at: made.created_at,
        updated_at: made.updated_at
      })
      assert.deepStrictEqual(
        (yield* sql<{ kind: number }>`select kind from limits where org_id = ${made.id} order by kind`).map((
          { kind }
        ) => kind),
        [1, 8, 9]
      )
      assert.deepStrictEqual(yield* actionsOf(made.id), ["workspace.created"])
    }))

  it.effect("become a session's active one, if the person is a member", () =>
    Effect.gen(function*() {
      const workspaces = yield* Workspaces
      const identity = yield* Identity
      const [first, second, foreign] = [yield* workspace(), yield* workspace(), yield* workspace()]
      const { email } = yield* personIn(first, "owner", { [second]: "member" })
      const { principal, me } = yield* signedIn(email)
      const target = me.active_workspace === first ? second : first
      assert.strictEqual((yield* workspaces.enter(principal, target)).id, target)
      assert.strictEqual((yield* identity.sessions(principal, {})).data[0]!.active_workspace, target)
      assert.deepStrictEqual(
        yield* Effect.flip(workspaces.enter(principal, foreign)),
        yield* Effect.flip(workspaces.enter(principal, newId("org")))
      )
      const token = asToken(principal, [])
      assert.strictEqual((yield* workspaces.enter(token, token.org_id)).id, token.org_id)
      assert.strictEqual((yield* Effect.flip(workspaces.enter(token, target)))._tag, "NotFound")
    }))

  it.effect("of others are 404, for reading and changing, and for a token all except its own", () =>
    Effect.gen(function*() {
      const workspaces = yield* Workspaces
      const [own, second, foreign] = [yield* workspace(), yield* workspace(), yield* workspace()]
      const person = yield* personIn(own, "owner", { [second]: "owner" })
      const token = asToken(person, ["workspace:write"])
      const none = yield* Effect.flip(workspaces.get(person, newId("org")))
      assert.strictEqual(none._tag, "NotFound")
      for (const [who, id] of [[person, foreign], [token, foreign], [token, second]] as const) {
        assert.deepStrictEqual<unknown>(yield* Effect.flip(workspaces.get(who, id)), none)
        assert.deepStrictEqual<unknown>(yield* Effect.flip(workspaces.update(who, id, { name: "Mine" })), none)
      }
      assert.strictEqual((yield* workspaces.get(token, own)).id, own)
      assert.deepStrictEqual(yield* actionsOf(foreign), [])
    }))
})

layer(IdentityTest, { excludeTestServices: true })("settings of a workspace", (it) => {
  it.effect("are changed separately, reset by null, and returned as stored", () =>
    Effect.gen(function*() {
      const workspaces = yield* Workspaces
      const org = yield* workspace()
      const person = yield* personIn(org, "owner")
      const all: WorkspacePatch = {
        name: "Renamed",
        frozen: true,
        approval_threshold_cents: 100_000_000_000,
        approval_life_seconds: 60,
        separation_of_duties: true,
        retention_days: 30,
        device_output_days: 7,
        alert_levels: [10],
        step_up_cents: 5_000_000_000,
        second_factor: "off"
      }
      const changed = yield* workspaces.update(person, org, all)
      const { created_at: _, updated_at: __, id: ___, role: ____, version: _____, ...settings } = changed
      assert.deepStrictEqual<unknown>(settings, all)
      assert.deepStrictEqual(yield* workspaces.get(person, org), changed)
      const unset = yield* workspaces.update(steppedUp(person), org, {
        retention_days: null,
        step_up_cents: null,
        alert_levels: []
      })
      assert.notProperty(unset, "retention_days")
      assert.notProperty(unset, "step_up_cents")
      assert.deepStrictEqual([unset.alert_levels, unset.name, unset.frozen], [[], "Renamed", true])
      assert.deepStrictEqual(yield* workspaces.update(person, org, {}), unset)
      assert.deepStrictEqual(yield* actionsOf(org), ["workspace.updated", "workspace.updated"])
    }))

  it.effect("that dispatch reads make every earlier decision stale and notify every hub; others do not", () =>
    Effect.gen(function*() {
      const workspaces = yield* Workspaces
      const signals = yield* Signals
      const org = yield* workspace()
      const person = yield* personIn(org, "owner")
      const received: Array<Signal> = []
      const stop = signals.subscribe((signal) => {
        if (signal.kind === "config" && signal.org === org) received.push(signal)
      })
      const before = yield* rulesVersion(org)
      yield* workspaces.update(person, org, { name: "Renamed", alert_levels: [50] })
      assert.deepStrictEqual([yield* rulesVersion(org), received.length], [before, 0])
      const deciding: ReadonlyArray<WorkspacePatch> = [
        { frozen: true },
        { approval_threshold_cents: 1 },
        { approval_life_seconds: 60 },
        { separation_of_duties: true }
      ]
      for (const [at, patch] of deciding.entries()) {
        yield* workspaces.update(person, org, patch)
        assert.deepStrictEqual([yield* rulesVersion(org), received.length], [before + at + 1, at + 1])
      }
      stop()
    }))

  it.effect("need workspace:write there; a freeze alone is also allowed to deciders of approvals; thresholds also need budgets:write", () =>
    Effect.gen(function*() {
      const workspaces = yield* Workspaces
      const org = yield* workspace()
      const owner = yield* personIn(org, "owner")
      const [admin, operator, member] = [
        yield* personIn(org, "admin"),
        yield* personIn(org, "operator"),
        yield* personIn(org, "member")
      ]
      const denied = (who: UserPrincipal, patch: WorkspacePatch, permission: Permission) =>
        Effect.map(Effect.flip(workspaces.update(who, org, patch)), (error) => {
          assert.strictEqual(error._tag, "Forbidden")
          assert.deepStrictEqual(error.error.data, { permission })
        })
      yield* workspaces.update(admin, org, { name: "By admin", frozen: false })
      yield* denied(operator, { name: "x" }, "workspace:write")
      yield* denied(operator, { frozen: true, name: "x" }, "workspace:write")
      yield* denied(operator, { frozen: false }, "workspace:write")
      yield* denied(member, { frozen: true }, "workspace:write")
      assert.isTrue((yield* workspaces.update(operator, org, { frozen: true })).frozen)
      const token = asToken(owner, ["workspace:write"])
      yield* workspaces.update(token, org, { name: "By token" })
      yield* denied(token, { approval_threshold_cents: 5 }, "budgets:write")
      yield* workspaces.update(asToken(owner, ["workspace:write", "budgets:write"]), org, {
        approval_threshold_cents: 5
      })
      yield* denied(asToken(owner, ["approvals:read"]), { frozen: true }, "workspace:write")
      yield* workspaces.update(asToken(owner, ["approvals:decide"]), org, { frozen: true })
    }))

  it.effect("need the role of that workspace, not of the active one", () =>
    Effect.gen(function*() {
      const workspaces = yield* Workspaces
      const [active, other] = [yield* workspace(), yield* workspace("Other")]
      const strong = yield* personIn(active, "owner", { [other]: "viewer" })
      const weak = yield* personIn(active, "viewer", { [other]: "owner" })
      assert.strictEqual((yield* Effect.flip(workspaces.update(strong, other, { name: "x" })))._tag, "Forbidden")
      assert.strictEqual((yield* workspaces.update(weak, other, { name: "Mine" })).name, "Mine")
    }))
})
