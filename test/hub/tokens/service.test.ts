import { newId } from "@countersign/domain/ids"
import { dayMillis } from "@countersign/domain/time"
import { tokensMax } from "@countersign/domain/tokens"
import { Members } from "@countersign/hub/members/service"
import { Tokens } from "@countersign/hub/tokens/service"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlClient } from "effect/sql"
import { actionsOf, IdentityTest, personIn, workspace } from "../../support/identity.ts"

layer(IdentityTest, { excludeTestServices: true })("personal access tokens", (it) => {
  it.effect("are shown once, and only their hash is stored", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const tokens = yield* Tokens
      const org = yield* workspace()
      const person = yield* personIn(org, "operator")
      const { token, ...rest } = yield* tokens.mint(person, { name: "ci", scopes: ["agents:read", "approvals:decide"] })
      assert.match(token, /^svc_pat_live_[0-9A-Za-z]{49}$/)
      assert.deepStrictEqual(yield* tokens.get(person, rest.id), rest)
      assert.strictEqual(rest.hint, `svc_pat_live_…${token.slice(-4)}`)
      const kept = yield* sql<
        { kept: string }
      >`select t::text as kept from tokens t where id = ${rest.id} union all select a::text from audit a where org_id = ${org}`
      assert.lengthOf(kept, 2)
      for (const row of kept) assert.notInclude(row.kept, token.slice(20))
      assert.deepStrictEqual(yield* actionsOf(org), ["token.created"])
    }))

  it.effect("are valid for 90 days by default, and a year at most", () =>
    Effect.gen(function*() {
      const tokens = yield* Tokens
      const person = yield* personIn(yield* workspace(), "owner")
      const mint = (input: { readonly expires_in_days?: number; readonly expires_at?: string }) =>
        tokens.mint(person, { name: "ci", scopes: ["agents:read"], ...input })
      const now = Date.now()
      const daysOf = (token: { readonly expires_at: string }) =>
        Math.round((Date.parse(token.expires_at) - now) / dayMillis)
      assert.strictEqual(daysOf(yield* mint({})), 90)
      assert.strictEqual(daysOf(yield* mint({ expires_in_days: 365 })), 365)
      const at = new Date(now + 5 * dayMillis).toISOString()
      assert.strictEqual((yield* mint({ expires_at: at })).expires_at, at)
      for (
        const bad of [
          { expires_at: new Date(now - 1000).toISOString() },
          { expires_at: new Date(now + 366 * dayMillis).toISOString() },
          { expires_at: "soon" },
          { expires_at: "2026-02-31" },
          { expires_at: at, expires_in_days: 5 }
        ]
      ) {
        const error = yield* Effect.flip(mint(bad))
        assert.strictEqual(error.error.details?.[0]?.path, "expires_at", JSON.stringify(bad))
      }
    }))

  it.effect("cannot be minted beyond the current role, even by an older session", () =>
    Effect.gen(function*() {
      const tokens = yield* Tokens
      const members = yield* Members
      const org = yield* workspace()
      const [boss, person] = [yield* personIn(org, "owner"), yield* personIn(org, "admin")]
      yield* tokens.mint(person, { name: "ci", scopes: ["agents:read", "workspace:write"] })
      yield* members.setRole(boss, person.user_id, "member")
      const error = yield* Effect.flip(tokens.mint(person, { name: "ci", scopes: ["agents:read", "workspace:write"] }))
      assert.strictEqual(error._tag, "Forbidden")
      assert.deepStrictEqual(error.error.data, { permission: "workspace:write" })
      assert.include(error.error.message, "workspace:write")
      assert.lengthOf((yield* tokens.list(person, {})).data, 1)
    }))

  it.effect("are limited in number by person, in all workspaces together, also for concurrent creations", () =>
    Effect.gen(function*() {
      const tokens = yield* Tokens
      const other = yield* workspace()
      const person = yield* personIn(yield* workspace(), "owner", { [other]: "owner" })
      const elsewhere = { ...person, org_id: other }
      const mint = (user: typeof person) => Effect.exit(tokens.mint(user, { name: "ci", scopes: ["agents:read"] }))
      const made = yield* Effect.forEach(
        Array.from({ length: tokensMax + 5 }),
        (_, at) => mint(at % 2 === 0 ? person : elsewhere),
        { concurrency: 10 }
      )
      assert.strictEqual(made.filter(Exit.isSuccess).length, tokensMax)
      const refused = yield* Effect.flip(tokens.mint(person, { name: "ci", scopes: ["agents:read"] }))
      assert.deepStrictEqual([refused._tag, refused.error.code, refused.error.data], ["Conflict", "limit_reached", {
        max: tokensMax
      }])
      const first = made.flatMap((exit) => Exit.isSuccess(exit) ? [exit.value] : [])[0]!
      yield* tokens.revoke(person, first.id)
      assert.isTrue(Exit.isSuccess(yield* mint(elsewhere)))
    }))

  it.effect("are seen, changed, and revoked only by their person in their workspace", () =>
    Effect.gen(function*() {
      const tokens = yield* Tokens
      const [org, other] = [yield* workspace(), yield* workspace()]
      const person = yield* personIn(org, "owner", { [other]: "owner" })
      const stranger = yield* personIn(org, "owner")
      const { token: _, ...made } = yield* tokens.mint(person, { name: "ci", scopes: ["agents:read"] })
      const elsewhere = { ...person, org_id: other }
      for (const who of [stranger, elsewhere]) {
        assert.lengthOf((yield* tokens.list(who, {})).data, 0)
        const none = newId("pat")
        for (
          const act of [
            (id: string) => tokens.get(who, id),
            (id: string) => tokens.update(who, id, { enabled: false }),
            (id: string) => tokens.revoke(who, id)
          ]
        ) {
          assert.deepStrictEqual(
            yield* Effect.flip<unknown, { readonly _tag: string }, never>(act(made.id)),
            yield* Effect.flip<unknown, { readonly _tag: string }, never>(act(none))
          )
        }
      }
      assert.deepStrictEqual((yield* tokens.list(person, {})).data, [made])
      assert.deepStrictEqual(yield* tokens.update(person, made.id, { name: "deploy", enabled: false }), {
        ...made,
        name: "deploy",
        enabled: false
      })
      yield* tokens.revoke(person, made.id)
      assert.strictEqual((yield* Effect.flip(tokens.get(person, made.id)))._tag, "NotFound")
      assert.deepStrictEqual(yield* actionsOf(org), ["token.created", "token.updated", "token.revoked"])
    }))

  it.effect("are listed newest first, page by page", () =>
    Effect.gen(function*() {
      const tokens = yield* Tokens
      const person = yield* personIn(yield* workspace(), "owner")
      for (const name of ["a", "b", "c"]) yield* tokens.mint(person, { name, scopes: ["agents:read"] })
      const first = yield* tokens.list(person, { limit: 2 })
      const second = yield* tokens.list(person, { limit: 2, cursor: first.next_cursor! })
      assert.deepStrictEqual([...first.data, ...second.data].map(({ name }) => name), ["c", "b", "a"])
      assert.isNull(second.next_cursor)
    }))

  it.effect("minted during the removal of their person do not outlive the membership", () =>
    Effect.gen(function*() {
      const tokens = yield* Tokens
      const members = yield* Members
      const sql = yield* SqlClient.SqlClient
      for (let round = 0; round < 10; round++) {
        const org = yield* workspace()
        const [boss, person] = [yield* personIn(org, "owner"), yield* personIn(org, "member")]
        const mint = Effect.exit(tokens.mint(person, { name: "ci", scopes: ["agents:read"] }))
        const exits = yield* Effect.all([mint, mint, Effect.exit(members.remove(boss, person.user_id)), mint, mint], {
          concurrency: "unbounded"
        })
        for (const exit of exits) assert.isFalse(Exit.hasDies<unknown, unknown>(exit))
        assert.isTrue(Exit.isSuccess(exits[2]))
        assert.lengthOf(yield* sql`select 1 from tokens where org_id = ${org}`, 0)
      }
    }))
})
