import { newId } from "@countersign/domain/ids"
import { Credentials } from "@countersign/hub/edge/credentials"
import { Members } from "@countersign/hub/members/service"
import { Tokens } from "@countersign/hub/tokens/service"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { actionsOf, IdentityTest, personIn, signedIn, workspace } from "../../support/identity.ts"

const owners = (org: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => Effect.map(sql`select 1 from memberships where org_id = ${org} and role = 'owner'`, (rows) => rows.length)
  )

layer(IdentityTest, { excludeTestServices: true })("members", (it) => {
  it.effect("are listed with their roles, only those of this workspace", () =>
    Effect.gen(function*() {
      const members = yield* Members
      const [org, other] = [yield* workspace(), yield* workspace()]
      const [ada, bob] = [yield* personIn(org, "owner"), yield* personIn(org, "viewer", { [other]: "owner" })]
      yield* personIn(other, "member")
      const page = yield* members.list(ada, { limit: 1 })
      const rest = yield* members.list(ada, { cursor: page.next_cursor! })
      assert.deepStrictEqual(
        [...page.data, ...rest.data].map(({ user_id, email, role }) => ({ user_id, email, role })),
        [
          { user_id: bob.user_id, email: bob.email, role: "viewer" },
          { user_id: ada.user_id, email: ada.email, role: "owner" }
        ]
      )
    }))

  it.effect("get another role from people with the permission, an owner's only from an owner", () =>
    Effect.gen(function*() {
      const members = yield* Members
      const org = yield* workspace()
      const [owner, admin, member] = [
        yield* personIn(org, "owner"),
        yield* personIn(org, "admin"),
        yield* personIn(org, "member")
      ]
      assert.strictEqual((yield* members.setRole(admin, member.user_id, "operator")).role, "operator")
      for (
        const attempt of [
          members.setRole(admin, member.user_id, "owner"),
          members.setRole(admin, owner.user_id, "viewer"),
          members.remove(admin, owner.user_id),
          members.setRole(admin, admin.user_id, "owner")
        ]
      ) assert.strictEqual((yield* Effect.flip<unknown, { readonly _tag: string }, never>(attempt))._tag, "Forbidden")
      assert.strictEqual((yield* members.setRole(owner, admin.user_id, "owner")).role, "owner")
      yield* members.setRole(owner, admin.user_id, "owner")
      assert.deepStrictEqual(yield* actionsOf(org), ["member.updated", "member.updated"])
    }))

  it.effect("of other workspaces are 404", () =>
    Effect.gen(function*() {
      const members = yield* Members
      const [org, other] = [yield* workspace(), yield* workspace()]
      const [owner, stranger] = [yield* personIn(org, "owner"), yield* personIn(other, "member")]
      const none = newId("usr")
      assert.deepStrictEqual(
        yield* Effect.flip(members.setRole(owner, stranger.user_id, "viewer")),
        yield* Effect.flip(members.setRole(owner, none, "viewer"))
      )
      assert.deepStrictEqual(
        yield* Effect.flip(members.remove(owner, stranger.user_id)),
        yield* Effect.flip(members.remove(owner, none))
      )
    }))

  it.effect("who are removed lose their sessions and tokens there at once, and nothing elsewhere", () =>
    Effect.gen(function*() {
      const members = yield* Members
      const tokens = yield* Tokens
      const credentials = yield* Credentials
      const [org, other] = [yield* workspace(), yield* workspace()]
      const owner = yield* personIn(org, "owner")
      const person = yield* personIn(org, "member", { [other]: "member" })
      const mintIn = (org_id: typeof org) => tokens.mint({ ...person, org_id }, { name: "ci", scopes: ["agents:read"] })
      const [here, there] = [yield* mintIn(org), yield* mintIn(other)]
      const sql = yield* SqlClient.SqlClient
      const [one, two] = [yield* signedIn(person.email), yield* signedIn(person.email)]
      for (const [session, active] of [[one, org], [two, other]] as const) {
        yield* sql`update sessions set org_id = ${active} where id = ${session.me.via.session_id}`
      }
      const call = { ip: "::1", workspace: undefined }
      const alive = Effect.map(
        Effect.all([
          Effect.exit(credentials.session(one.cookie, call)),
          Effect.exit(credentials.session(two.cookie, call)),
          Effect.exit(credentials.session(two.cookie, { ...call, workspace: org })),
          Effect.exit(credentials.personalToken(here.token, call)),
          Effect.exit(credentials.personalToken(there.token, call))
        ]),
        (exits) => exits.map(Exit.isSuccess)
      )
      assert.deepStrictEqual(yield* alive, [true, true, true, true, true])
      yield* members.remove(owner, person.user_id)
      assert.deepStrictEqual(yield* alive, [false, true, false, false, true])
      // Rejoining restores none of them.
      yield* sql`insert into memberships (org_id, user_id, role) values (${org}, ${person.user_id}, 'member')`
      assert.deepStrictEqual(yield* alive, [false, true, true, false, true])
      assert.deepStrictEqual((yield* actionsOf(org)).at(-1), "member.removed")
    }))
})

layer(IdentityTest, { excludeTestServices: true })("the last owner", (it) => {
  it.effect("cannot be demoted or removed, and loses nothing by the attempt", () =>
    Effect.gen(function*() {
      const members = yield* Members
      const credentials = yield* Credentials
      const org = yield* workspace()
      const owner = yield* personIn(org, "owner")
      yield* personIn(org, "admin")
      const { cookie } = yield* signedIn(owner.email)
      for (const attempt of [members.setRole(owner, owner.user_id, "admin"), members.remove(owner, owner.user_id)]) {
        const error = yield* Effect.flip<
          unknown,
          { readonly _tag: string; readonly error: { readonly code: string } },
          never
        >(
          attempt
        )
        assert.deepStrictEqual([error._tag, error.error.code], ["Conflict", "last_owner"])
      }
      yield* credentials.session(cookie, { ip: "::1", workspace: undefined })
      const second = yield* personIn(org, "owner")
      yield* members.remove(owner, owner.user_id)
      assert.strictEqual((yield* Effect.flip(members.remove(second, second.user_id)))._tag, "Conflict")
    }))

  it.effect("remains when all owners demote or remove each other at once", () =>
    Effect.gen(function*() {
      const members = yield* Members
      for (let round = 0; round < 10; round++) {
        const org = yield* workspace()
        const people = yield* Effect.forEach([1, 2, 3], () => personIn(org, "owner"))
        const attempts = people.flatMap((one, at) => {
          const next = people[(at + 1) % people.length]!
          return [members.setRole(one, next.user_id, "viewer"), members.remove(one, next.user_id)] as const
        })
        const exits = yield* Effect.forEach(attempts, (attempt) => Effect.exit<unknown, unknown, never>(attempt), {
          concurrency: "unbounded"
        })
        assert.isFalse(exits.some((exit) => Exit.hasDies(exit)))
        assert.strictEqual(yield* owners(org), 1)
      }
    }))
})
