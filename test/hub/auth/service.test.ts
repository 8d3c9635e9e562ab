import { newId } from "@countersign/domain/ids"
import { opaqueToken } from "@countersign/hub/auth/hash"
import { PasswordReset } from "@countersign/hub/auth/password-reset"
import { argon2Parameters, Passwords } from "@countersign/hub/auth/passwords"
import { Identity } from "@countersign/hub/auth/service"
import { Credentials } from "@countersign/hub/edge/credentials"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import {
  actionsOf,
  caller,
  IdentityTest,
  loginAs,
  personIn,
  rightPassword,
  signedIn,
  workspace
} from "../../support/identity.ts"

const nextPassword = "another correct horse"
const place = { rpId: undefined, origin: "http://127.0.0.1" }
const live = { ip: "127.0.0.1", workspace: undefined }
const session = (cookie: string, over: { readonly workspace?: string } = {}) =>
  Effect.flatMap(Credentials, (credentials) => credentials.session(cookie, { ...live, ...over }))
const isAlive = (cookie: string) => Effect.map(Effect.exit(session(cookie)), Exit.isSuccess)

layer(IdentityTest, { excludeTestServices: true })("signing in", (it) => {
  it.effect("opens a session in the last used workspace, and stores only the hash of the cookie", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const [first, second] = [yield* workspace("First"), yield* workspace("Second")]
      const { email, user_id } = yield* personIn(first, "admin", { [second]: "viewer" })
      const { cookie, me } = yield* loginAs(email.toUpperCase(), rightPassword)
      assert.strictEqual(me.user.email, email)
      assert.strictEqual(me.active_workspace, second)
      assert.deepStrictEqual(me.workspaces, [{ id: second, name: "Second", role: "viewer" }, {
        id: first,
        name: "First",
        role: "admin"
      }])
      assert.notInclude(me.permissions, "agents:write")
      yield* sql`update sessions set org_id = ${first} where user_id = ${user_id}`
      assert.strictEqual((yield* loginAs(email, rightPassword)).me.active_workspace, first)
      const rows = yield* sql<{ row: string }>`select s::text as row from sessions s where user_id = ${user_id}`
      assert.lengthOf(rows, 2)
      for (const { row } of rows) assert.notInclude(row, cookie)
      assert.deepStrictEqual(yield* actionsOf(second), ["user.signed_in"])
    }))

  it.effect("gives a wrong password and an unknown address the same answer", () =>
    Effect.gen(function*() {
      const { email } = yield* personIn(yield* workspace(), "owner")
      const [wrong, unknown] = [
        yield* Effect.flip(loginAs(email, nextPassword)),
        yield* Effect.flip(loginAs("nobody@box.test", rightPassword))
      ]
      assert.strictEqual(wrong._tag, "Unauthorized")
      assert.deepStrictEqual(wrong, unknown)
    }))

  it.effect("is refused to a person without a workspace, after the password was verified", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { email, user_id } = yield* personIn(yield* workspace(), "member")
      yield* sql`delete from memberships where user_id = ${user_id}`
      assert.strictEqual((yield* Effect.flip(loginAs(email, rightPassword)))._tag, "Forbidden")
      assert.strictEqual((yield* Effect.flip(loginAs(email, nextPassword)))._tag, "Unauthorized")
    }))

  it.effect("hashes the password again when its parameters are outdated", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { email, user_id } = yield* personIn(yield* workspace(), "owner")
      const old = yield* Effect.provide(
        Effect.flatMap(Passwords, (passwords) => passwords.hash(rightPassword)),
        Passwords.layerWith({ ...argon2Parameters, memoryKib: 128, passes: 3 })
      )
      yield* sql`update users set password_hash = ${old} where id = ${user_id}`
      const stored = Effect.map(
        sql<{ password_hash: string }>`select password_hash from users where id = ${user_id}`,
        ([row]) => row!.password_hash
      )
      yield* Effect.flip(loginAs(email, nextPassword))
      assert.strictEqual(yield* stored, old)
      yield* loginAs(email, rightPassword)
      const rehashed = yield* stored
      assert.include(rehashed, "$m=64,t=1,p=1$")
      yield* loginAs(email, rightPassword)
      assert.strictEqual(yield* stored, rehashed)
    }))
})

layer(IdentityTest, { excludeTestServices: true })("a session", (it) => {
  const aged = (cookie: string, column: "last_seen_at" | "created_at", age: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      Effect.gen(function*() {
        const { via } = yield* session(cookie)
        yield* sql`update sessions set ${sql(column)} = now() - ${age}::text::interval
        where id = ${via.kind === "session" ? via.session_id : ""}`
      }))

  it.effect("ends after 14 days without use, and not a minute before", () =>
    Effect.gen(function*() {
      const { email } = yield* personIn(yield* workspace(), "owner")
      const { cookie } = yield* signedIn(email)
      yield* aged(cookie, "last_seen_at", "13 days 23 hours 59 minutes")
      assert.isTrue(yield* isAlive(cookie))
      yield* aged(cookie, "last_seen_at", "14 days 1 minute")
      assert.strictEqual((yield* Effect.flip(session(cookie)))._tag, "Unauthorized")
    }))

  it.effect("ends 90 days after the sign-in despite its use, and is deleted by the next sign-in", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { email, user_id } = yield* personIn(yield* workspace(), "owner")
      const { cookie } = yield* signedIn(email)
      yield* aged(cookie, "created_at", "89 days 23 hours 59 minutes")
      assert.isTrue(yield* isAlive(cookie))
      yield* aged(cookie, "created_at", "90 days 1 minute")
      assert.isFalse(yield* isAlive(cookie))
      yield* signedIn(email)
      assert.lengthOf(yield* sql`select 1 from sessions where user_id = ${user_id}`, 1)
    }))

  it.effect("writes its use at most once a minute", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { email, user_id } = yield* personIn(yield* workspace(), "owner")
      const { cookie } = yield* signedIn(email)
      const version = Effect.map(
        sql<{ xmin: string }>`select xmin::text from sessions where user_id = ${user_id}`,
        ([row]) => row!.xmin
      )
      const first = yield* version
      yield* session(cookie)
      assert.strictEqual(yield* version, first)
      yield* sql`update sessions set last_seen_at = now() - interval '61 seconds' where user_id = ${user_id}`
      const aged = yield* version
      yield* session(cookie)
      const noted = yield* version
      assert.notStrictEqual(noted, aged)
      yield* session(cookie)
      assert.strictEqual(yield* version, noted)
    }))

  it.effect("is not found by a value that is not a cookie of the hub", () =>
    Effect.gen(function*() {
      for (const cookie of ["", "x", opaqueToken(), `${opaqueToken()}=`, "a".repeat(10_000)]) {
        assert.strictEqual((yield* Effect.flip(session(cookie)))._tag, "Unauthorized")
      }
    }))

  it.effect("acts in the workspace that the call names, with the role there; another person's workspace is 404", () =>
    Effect.gen(function*() {
      const [own, other, foreign] = [yield* workspace(), yield* workspace(), yield* workspace()]
      const { email } = yield* personIn(own, "viewer", { [other]: "admin" })
      const { cookie, me } = yield* signedIn(email)
      for (const [org, role] of [[own, "viewer"], [other, "admin"]] as const) {
        const principal = yield* session(cookie, { workspace: org })
        assert.deepStrictEqual([principal.org_id, principal.role, principal.permissions.has("agents:write")], [
          org,
          role,
          role === "admin"
        ])
      }
      assert.strictEqual((yield* session(cookie)).org_id, me.active_workspace)
      const errors = yield* Effect.forEach(
        [foreign, newId("org"), "nonsense", ""],
        (workspace) => Effect.flip(session(cookie, { workspace }))
      )
      for (const error of errors) {
        assert.strictEqual(error._tag, "NotFound")
        assert.deepStrictEqual(error, errors[0])
      }
    }))

  it.effect("is listed to its person, and only that person can end it", () =>
    Effect.gen(function*() {
      const identity = yield* Identity
      const org = yield* workspace()
      const [ada, eve] = [yield* personIn(org, "member"), yield* personIn(org, "owner")]
      const one = yield* signedIn(ada.email)
      const two = yield* signedIn(ada.email)
      const stranger = yield* signedIn(eve.email)
      const page = yield* identity.sessions(two.principal, { limit: 1 })
      assert.deepStrictEqual(page.data.map(({ id, current, ip, user_agent }) => ({ id, current, ip, user_agent })), [
        { id: two.me.via.session_id, current: true, ip: caller.ip, user_agent: caller.userAgent }
      ])
      const rest = yield* identity.sessions(two.principal, { cursor: page.next_cursor! })
      assert.deepStrictEqual(rest.data.map(({ id, current }) => ({ id, current })), [{
        id: one.me.via.session_id,
        current: false
      }])
      assert.isNull(rest.next_cursor)
      assert.strictEqual((yield* Effect.flip(identity.sessions(two.principal, { cursor: "bad" })))._tag, "BadRequest")

      const foreign = yield* Effect.flip(identity.endSession(stranger.principal, one.me.via.session_id))
      assert.deepStrictEqual(
        foreign,
        yield* Effect.flip(identity.endSession(stranger.principal, newId("ses") as never))
      )
      assert.isTrue(yield* isAlive(one.cookie))
      yield* identity.endSession(two.principal, one.me.via.session_id)
      assert.deepStrictEqual([yield* isAlive(one.cookie), yield* isAlive(two.cookie)], [false, true])
      yield* identity.logout(two.principal)
      assert.isFalse(yield* isAlive(two.cookie))
      assert.deepStrictEqual(yield* actionsOf(org), [
        "user.signed_in",
        "user.signed_in",
        "user.signed_in",
        "user.session_ended",
        "user.signed_out"
      ])
    }))

  it.effect("is stepped up by the password, for five minutes, without other sessions", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const identity = yield* Identity
      const { email } = yield* personIn(yield* workspace(), "owner")
      const one = yield* signedIn(email)
      const two = yield* signedIn(email)
      const steppedUp = (cookie: string) =>
        Effect.map(session(cookie), ({ via }) => via.kind === "session" && via.stepped_up)
      assert.strictEqual(
        (yield* Effect.flip(identity.stepUp(one.principal, { password: nextPassword }, place)))._tag,
        "Forbidden"
      )
      assert.isFalse(yield* steppedUp(one.cookie))
      const { stepped_up_until } = yield* identity.stepUp(one.principal, { password: rightPassword }, place)
      assert.isAtMost(Math.abs(Date.parse(stepped_up_until) - Date.now() - 300_000), 60_000)
      assert.deepStrictEqual([yield* steppedUp(one.cookie), yield* steppedUp(two.cookie)], [true, false])
      yield* sql`update sessions set stepped_up_until = now() - interval '1 second' where id = ${one.me.via.session_id}`
      assert.isFalse(yield* steppedUp(one.cookie))
    }))
})

layer(IdentityTest, { excludeTestServices: true })("a password", (it) => {
  it.effect("change ends every other session of the person and of nobody else", () =>
    Effect.gen(function*() {
      const identity = yield* Identity
      const org = yield* workspace()
      const [ada, bob] = [yield* personIn(org, "owner"), yield* personIn(org, "owner")]
      const [one, two, other] = [yield* signedIn(ada.email), yield* signedIn(ada.email), yield* signedIn(bob.email)]
      assert.strictEqual(
        (yield* Effect.flip(identity.changePassword(one.principal, nextPassword, nextPassword)))._tag,
        "Forbidden"
      )
      assert.isTrue(yield* isAlive(two.cookie))
      yield* identity.changePassword(one.principal, rightPassword, nextPassword)
      assert.deepStrictEqual([yield* isAlive(one.cookie), yield* isAlive(two.cookie), yield* isAlive(other.cookie)], [
        true,
        false,
        true
      ])
      assert.strictEqual((yield* Effect.flip(loginAs(ada.email, rightPassword)))._tag, "Unauthorized")
      yield* loginAs(ada.email, nextPassword)
    }))

  it.effect("change during many sign-ins with the old one leaves none of them signed in", () =>
    Effect.gen(function*() {
      const identity = yield* Identity
      const sql = yield* SqlClient.SqlClient
      for (let round = 0; round < 10; round++) {
        const { email, user_id } = yield* personIn(yield* workspace(), "owner")
        const { principal } = yield* signedIn(email)
        yield* Effect.all([
          ...Array.from({ length: 4 }, () => Effect.exit(loginAs(email, rightPassword))),
          identity.changePassword(principal, rightPassword, nextPassword),
          ...Array.from({ length: 4 }, () => Effect.exit(loginAs(email, rightPassword)))
        ], { concurrency: "unbounded" })
        const left = yield* sql<{ id: string }>`select id from sessions where user_id = ${user_id}`
        assert.deepStrictEqual(left.map(({ id }) => id), [
          principal.via.kind === "session" ? principal.via.session_id : ""
        ])
      }
    }))

  it.effect("changed twice concurrently is changed once", () =>
    Effect.gen(function*() {
      const identity = yield* Identity
      const { email } = yield* personIn(yield* workspace(), "owner")
      const [one, two] = [yield* signedIn(email), yield* signedIn(email)]
      const exits = yield* Effect.all([
        Effect.exit(identity.changePassword(one.principal, rightPassword, "first new password")),
        Effect.exit(identity.changePassword(two.principal, rightPassword, "second new password"))
      ], { concurrency: "unbounded" })
      assert.strictEqual(exits.filter(Exit.isSuccess).length, 1)
      assert.strictEqual([yield* isAlive(one.cookie), yield* isAlive(two.cookie)].filter((alive) => alive).length, 1)
    }))

  it.effect("reset from the command line is given or generated, and ends every session", () =>
    Effect.gen(function*() {
      const passwords = yield* PasswordReset
      const [org, other] = [yield* workspace(), yield* workspace()]
      const { email } = yield* personIn(org, "owner", { [other]: "member" })
      const { cookie } = yield* signedIn(email)
      const { password } = yield* passwords.reset(email.toLowerCase())
      assert.isFalse(yield* isAlive(cookie))
      yield* loginAs(email, password)
      assert.deepStrictEqual(yield* passwords.reset(email, nextPassword), { password: nextPassword })
      yield* loginAs(email, nextPassword)
      assert.strictEqual((yield* actionsOf(org)).filter((action) => action === "user.password_reset").length, 2)
      assert.strictEqual((yield* actionsOf(other)).filter((action) => action === "user.password_reset").length, 2)
      assert.strictEqual((yield* Effect.flip(passwords.reset("nobody@box.test")))._tag, "NotFound")
      assert.strictEqual((yield* Effect.flip(passwords.reset(email, "short")))._tag, "BadRequest")
    }))
})
