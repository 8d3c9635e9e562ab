import { FirstOwner } from "@countersign/hub/auth/first-owner"
import { opaqueToken } from "@countersign/hub/auth/hash"
import { Credentials } from "@countersign/hub/edge/credentials"
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import { SqlClient } from "effect/sql"
import { actionsOf, caller, IdentityTest, loginAs, rightPassword } from "../../support/identity.ts"

const person = { email: "Ada@Box.test", password: rightPassword, name: "Ada" }
const live = { ip: "127.0.0.1", workspace: undefined }

const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`truncate users, orgs, setup_tokens cascade`)

const newToken = Effect.flatMap(FirstOwner, (owner) => Effect.map(owner.newSetupToken, Option.getOrThrow))
const setup = (token: string, over: Partial<typeof person> = {}) =>
  Effect.flatMap(FirstOwner, (owner) => owner.setup({ token, ...person, ...over }, caller))
const counts = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    Effect.map(
      sql<{ users: number; orgs: number; owners: number; tokens: number }>`select (select count(*)::int
          from users) as users,
        (select count(*)::int from orgs) as orgs, (select count(*)::int from memberships where role = 'owner') as owners,
        (select count(*)::int from setup_tokens) as tokens`,
      ([row]) => row!
    )
)

layer(IdentityTest, { excludeTestServices: true })("the setup of an empty hub", (it) => {
  it.effect("creates the first owner, the workspace Default with its accounts, and a session", () =>
    Effect.gen(function*() {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const token = yield* newToken
      assert.match(token, /^[A-Za-z0-9_-]{43}$/)
      const { cookie, me } = yield* setup(token)
      assert.deepStrictEqual(me.user, {
        id: me.user.id,
        email: "Ada@Box.test",
        name: "Ada",
        time_zone: null,
        locale: null
      })
      assert.deepStrictEqual(me.workspaces, [{ id: me.active_workspace, name: "Default", role: "owner" }])
      assert.include(me.permissions, "workspace:write")
      const principal = yield* Effect.flatMap(Credentials, (credentials) => credentials.session(cookie, live))
      assert.strictEqual(principal.user_id, me.user.id)
      const accounts =
        yield* sql`select kind, cap, used, held from limits where org_id = ${me.active_workspace} order by kind`
      assert.deepStrictEqual(accounts.map((row) => ({ ...row })), [
        { kind: 1, cap: 0, used: 0, held: 0 },
        { kind: 8, cap: null, used: 0, held: 0 },
        { kind: 9, cap: null, used: 0, held: 0 }
      ])
      assert.deepStrictEqual(yield* actionsOf(me.active_workspace), [
        "workspace.created",
        "member.added",
        "user.signed_in"
      ])
      const stored = yield* sql<{ secret: boolean }>`select bool_or(audit::text like ${`%${token}%`}
          or audit::text like ${`%${cookie}%`}) as secret
      from audit`
      assert.isFalse(stored[0]!.secret)
    }))

  it.effect("makes the first owner an owner of every existing workspace", () =>
    Effect.gen(function*() {
      yield* emptied
      const demo = yield* Effect.flatMap(WorkspacesRepository, (repository) => repository.createOrg("Demo"))
      const { me } = yield* setup(yield* newToken)
      assert.deepStrictEqual(me.workspaces.map(({ name, role }) => ({ name, role })), [{
        name: "Default",
        role: "owner"
      }, {
        name: "Demo",
        role: "owner"
      }])
      assert.notStrictEqual(me.active_workspace, demo)
      assert.deepStrictEqual(yield* actionsOf(demo), ["member.added"])
      // A later sign-in also opens Default.
      yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from sessions`)
      const again = yield* loginAs("ada@BOX.test", rightPassword)
      assert.strictEqual(again.me.active_workspace, me.active_workspace)
    }))

  it.effect("accepts a token once", () =>
    Effect.gen(function*() {
      yield* emptied
      const token = yield* newToken
      yield* setup(token)
      const error = yield* Effect.flip(setup(token, { email: "eve@box.test" }))
      assert.strictEqual(error._tag, "Conflict")
      assert.deepStrictEqual(yield* counts, { users: 1, orgs: 1, owners: 1, tokens: 0 })
      assert.isTrue(Option.isNone(yield* Effect.flatMap(FirstOwner, (owner) => owner.newSetupToken)))
    }))

  it.effect("rejects replaced, expired, and malformed tokens", () =>
    Effect.gen(function*() {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      const [old, newer] = [yield* newToken, yield* newToken]
      for (const token of [old, "", "x", opaqueToken(), `${newer}=`]) {
        assert.strictEqual((yield* Effect.flip(setup(token)))._tag, "Unauthorized", token)
      }
      yield* sql`update setup_tokens set expires_at = now() - interval '1 second'`
      assert.strictEqual((yield* Effect.flip(setup(newer)))._tag, "Unauthorized")
      assert.deepStrictEqual(yield* counts, { users: 0, orgs: 0, owners: 0, tokens: 1 })
      yield* setup(yield* newToken)
    }))

  it.effect("of many concurrent calls with one token, one creates the owner", () =>
    Effect.gen(function*() {
      yield* emptied
      const token = yield* newToken
      const exits = yield* Effect.forEach(["a@b", "c@d", "e@f", "g@h", "i@j"], (email) =>
        Effect.exit(setup(token, { email })), {
        concurrency: "unbounded"
      })
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      assert.deepStrictEqual(yield* counts, { users: 1, orgs: 1, owners: 1, tokens: 0 })
    }))
})

layer(IdentityTest, { excludeTestServices: true })("an owner from the settings", (it) => {
  const ensure = (email: string, password: string) =>
    Effect.flatMap(FirstOwner, (owner) => owner.ensureOwner(email, password))

  it.effect("is created once, by any number of starts and concurrent hubs", () =>
    Effect.gen(function*() {
      yield* emptied
      const made = yield* Effect.forEach([1, 2, 3, 4], () => ensure("ada@localhost", rightPassword), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(made.filter((one) => one), [true])
      assert.isFalse(yield* ensure("eve@localhost", "another password"))
      assert.deepStrictEqual(yield* counts, { users: 1, orgs: 1, owners: 1, tokens: 0 })
      const { me } = yield* loginAs("ADA@localhost", rightPassword)
      assert.deepStrictEqual(me.workspaces.map(({ name }) => name), ["Default"])
    }))

  it.effect("and a concurrent setup link create one owner", () =>
    Effect.gen(function*() {
      yield* emptied
      const token = yield* newToken
      yield* Effect.all([Effect.exit(setup(token)), ensure("bob@localhost", rightPassword)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(yield* counts, { users: 1, orgs: 1, owners: 1, tokens: 0 })
    }))
})
