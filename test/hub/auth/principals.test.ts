import { rolePermissions } from "@countersign/domain/auth"
import { type CredentialKind, mintCredential } from "@countersign/domain/credentials"
import { newId } from "@countersign/domain/ids"
import { AgentKeys } from "@countersign/hub/auth/agent-keys"
import { credentialHash } from "@countersign/hub/auth/hash"
import { Credentials } from "@countersign/hub/edge/credentials"
import { Members } from "@countersign/hub/members/service"
import { ConfirmedVersions } from "@countersign/hub/platform/confirmed-versions"
import { Signals } from "@countersign/hub/platform/signals"
import { Tokens } from "@countersign/hub/tokens/service"
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { vi } from "vitest"
import { IdentityTest, personIn, workspace } from "../../support/identity.ts"

const live = { ip: "127.0.0.1", workspace: undefined }
const agentKey = (token: string, ip = live.ip) =>
  Effect.flatMap(Credentials, (credentials) => credentials.agentKey(token, ip))
const personalToken = (token: string, over: { readonly workspace?: string; readonly ip?: string } = {}) =>
  Effect.flatMap(Credentials, (credentials) => credentials.personalToken(token, { ...live, ...over }))

const agentIn = (org: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const id = newId("agt")
    return Effect.as(sql`insert into agents (id, org_id, name) values (${id}, ${org}, 'Scout')`, id)
  })
const keyOf = Effect.fnUntraced(function*(org: string, agent: string, mode: "live" | "test" = "live") {
  const sql = yield* SqlClient.SqlClient
  const { token, hint } = mintCredential(`agent_key_${mode}`)
  const id = newId("key")
  yield* sql`insert into agent_keys (id, org_id, agent_id, mode, key_hash, hint)
    values (${id}, ${org}, ${agent}, ${mode}, ${credentialHash(token)}, ${hint})`
  return { id, token }
})
const mistype = (token: string) => token.slice(0, -10) + (token.at(-10) === "A" ? "B" : "A") + token.slice(-9)

/** Simulates another hub, or an unreachable database: the table is unavailable, so that any look-up is a defect. */
const withoutTable = <A, E, R>(table: "agent_keys" | "tokens", body: Effect.Effect<A, E, R>) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.acquireUseRelease(
      sql`alter table ${sql(table)} rename to out_of_reach`,
      () => body,
      () => Effect.orDie(sql`alter table out_of_reach rename to ${sql(table)}`)
    ))

layer(IdentityTest, { excludeTestServices: true })("an agent key", (it) => {
  it.effect("authenticates its agent, in the key's mode", () =>
    Effect.gen(function*() {
      const org = yield* workspace()
      const agent = yield* agentIn(org)
      for (const mode of ["live", "test"] as const) {
        const { id, token } = yield* keyOf(org, agent, mode)
        const expected = {
          kind: "agent",
          org_id: org,
          agent_id: agent,
          agent_name: "Scout",
          mode,
          key_id: id,
          agent_version: 1,
          ip: "10.0.0.1"
        }
        assert.deepStrictEqual<unknown>(yield* agentKey(token, "10.0.0.1"), expected)
        assert.deepStrictEqual<unknown>(yield* agentKey(token, "10.0.0.2"), { ...expected, ip: "10.0.0.2" })
      }
    }))

  it.effect("that is mistyped is refused without a look-up, with another message than an unknown one", () =>
    Effect.gen(function*() {
      const org = yield* workspace()
      const { token } = yield* keyOf(org, yield* agentIn(org))
      const stranger = mintCredential("agent_key_live").token
      const unknown = yield* Effect.flip(agentKey(stranger))
      yield* withoutTable(
        "agent_keys",
        Effect.gen(function*() {
          for (
            const wrong of [mistype(token), token.slice(0, -1), "agent_key_live_", token.replace("_live_", "_test_")]
          ) {
            const error = yield* Effect.flip(agentKey(wrong))
            assert.include(error.error.message, "mistyped")
            assert.notInclude(error.error.message, wrong.slice(20) || "never")
          }
          assert.isTrue(Exit.hasDies(yield* Effect.exit(agentKey(stranger))))
        })
      )
      assert.include(unknown.error.message, "rotated")
    }))

  it.effect("that was found before is found again without a look-up", () =>
    Effect.gen(function*() {
      const org = yield* workspace()
      const { token } = yield* keyOf(org, yield* agentIn(org))
      const found = yield* agentKey(token)
      const again = yield* withoutTable(
        "agent_keys",
        Effect.forEach(Array.from({ length: 100 }), () => agentKey(token))
      )
      for (const one of again) assert.deepStrictEqual(one, found)
    }))

  it.effect("ends at once by the signal of its workspace, and not by another workspace's signal", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const signals = yield* Signals
      const [org, other] = [yield* workspace(), yield* workspace()]
      const { id, token } = yield* keyOf(org, yield* agentIn(org))
      yield* agentKey(token)
      yield* sql`update agent_keys set expires_at = now() where id = ${id}`
      signals.config(other)
      yield* agentKey(token)
      signals.config(org)
      assert.include((yield* Effect.flip(agentKey(token))).error.message, "expired")
      yield* sql`delete from agent_keys where id = ${id}`
      assert.include((yield* Effect.flip(agentKey(token))).error.message, "rotated")
    }))

  it.effect("rotated by another hub also ends by its signal", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const org = yield* workspace()
      const { id, token } = yield* keyOf(org, yield* agentIn(org))
      yield* agentKey(token)
      yield* sql`update agent_keys set expires_at = now() where id = ${id}`
      const notifyAsAnotherHub = sql`select pg_notify('countersign', ${`other-hub config ${org}`})`
      yield* Effect.flip(Effect.andThen(notifyAsAnotherHub, agentKey(token))).pipe(
        Effect.retry(Schedule.spaced("10 millis"))
      )
    }))

  it.effect("in its grace period works until the end of the period, also from memory", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const org = yield* workspace()
      const agent = yield* agentIn(org)
      const [lasting, { id, token }] = [yield* keyOf(org, agent), yield* keyOf(org, agent)]
      yield* sql`update agent_keys set expires_at = now() + interval '2 seconds' where id = ${id}`
      yield* agentKey(lasting.token)
      yield* agentKey(token)
      yield* withoutTable(
        "agent_keys",
        Effect.gen(function*() {
          // No signal arrives and no look-up is possible: memory applies the end itself, and still serves the other
          // key.
          assert.isTrue(
            Exit.hasDies(yield* Effect.exit(agentKey(token).pipe(Effect.repeat(Schedule.spaced("20 millis")))))
          )
          yield* agentKey(lasting.token)
        })
      )
      assert.include((yield* Effect.flip(agentKey(token))).error.message, "expired")
    }))

  it.effect("is not read again while begins confirm its agent's version, and is read after a lost signal of a change", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const versions = yield* ConfirmedVersions
      const org = yield* workspace()
      const agent = yield* agentIn(org)
      const { id, token } = yield* keyOf(org, agent)
      const start = performance.now()
      const at = (millis: number) => vi.spyOn(performance, "now").mockReturnValue(start + millis)
      yield* Effect.addFinalizer(() => Effect.sync(() => vi.restoreAllMocks()))
      at(0)
      yield* agentKey(token)
      for (const minute of [1, 2, 3]) {
        at(minute * 60_000)
        versions.confirm(agent, 1, performance.now())
        assert.strictEqual((yield* withoutTable("agent_keys", agentKey(token))).key_id, id)
      }
      yield* sql`delete from agent_keys where id = ${id}`
      yield* sql`update agents set version = 2 where id = ${agent}`
      versions.confirm(agent, 2, performance.now())
      versions.confirm(agent, 1, performance.now() + 60_000)
      at(3 * 60_000 + 15_000)
      assert.strictEqual((yield* Effect.flip(agentKey(token)))._tag, "Unauthorized")
    }))

  it.effect("of a deleted agent is refused", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const org = yield* workspace()
      const agent = yield* agentIn(org)
      const { token } = yield* keyOf(org, agent)
      yield* sql`update agents set deleted_at = now() where id = ${agent}`
      assert.strictEqual((yield* Effect.flip(agentKey(token)))._tag, "Unauthorized")
    }))

  it.effect("of another kind is refused without a look-up of keys", () =>
    Effect.gen(function*() {
      for (const kind of ["svc_pat_live", "svc_device_live"] as const satisfies ReadonlyArray<CredentialKind>) {
        assert.strictEqual(
          (yield* withoutTable("agent_keys", Effect.flip(agentKey(mintCredential(kind).token))))._tag,
          "Unauthorized"
        )
      }
    }))

  it.effect("writes its agent's last-seen time once for many calls", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const org = yield* workspace()
      const agents = [yield* agentIn(org), yield* agentIn(org)]
      const sighting = sql<{ agent_id: string }>`select agent_id from agent_sightings
        where org_id = ${org} order by agent_id`
      // Closing the layer writes the pending last-seen times.
      yield* Effect.provide(
        Effect.gen(function*() {
          const keys = yield* AgentKeys
          for (const agent of agents) {
            const { token } = yield* keyOf(org, agent)
            yield* Effect.forEach(Array.from({ length: 50 }), () => keys.find(token, "::1"), {
              concurrency: "unbounded"
            })
          }
        }),
        Layer.fresh(AgentKeys.layer),
        { local: true }
      )
      const rows = yield* sighting
      assert.deepStrictEqual(rows.map((row) => row.agent_id), [...agents].sort())
    }))
})

layer(IdentityTest, { excludeTestServices: true })("a personal access token", (it) => {
  const minted = Effect.fnUntraced(function*(
    role: "owner" | "operator" | "viewer" = "owner",
    scopes: ReadonlyArray<"agents:read" | "agents:write" | "approvals:decide"> = ["agents:read"]
  ) {
    const org = yield* workspace()
    const person = yield* personIn(org, role)
    const token = yield* Effect.flatMap(Tokens, (tokens) => tokens.mint(person, { name: "ci", scopes }))
    return { org, person, ...token }
  })

  it.effect("has the permissions that are in both its scopes and the current role", () =>
    Effect.gen(function*() {
      const members = yield* Members
      const { org, person, token } = yield* minted("owner", ["agents:read", "agents:write", "approvals:decide"])
      const boss = yield* personIn(org, "owner")
      const allowed = Effect.map(personalToken(token), ({ permissions }) => [...permissions])
      assert.deepStrictEqual(yield* allowed, ["agents:read", "agents:write", "approvals:decide"])
      yield* members.setRole(boss, person.user_id, "operator")
      assert.deepStrictEqual(yield* allowed, ["agents:read", "approvals:decide"])
      yield* members.setRole(boss, person.user_id, "viewer")
      assert.deepStrictEqual(yield* allowed, ["agents:read"])
      yield* members.setRole(boss, person.user_id, "owner")
      assert.deepStrictEqual(yield* allowed, ["agents:read", "agents:write", "approvals:decide"])
      assert.isTrue(rolePermissions.owner.has("budgets:write"))
    }))

  it.effect("that is mistyped is refused without a look-up; an unknown one gets another message", () =>
    Effect.gen(function*() {
      const { token } = yield* minted()
      yield* withoutTable(
        "tokens",
        Effect.gen(function*() {
          assert.include((yield* Effect.flip(personalToken(mistype(token)))).error.message, "mistyped")
          assert.isTrue(Exit.hasDies(yield* Effect.exit(personalToken(token))))
        })
      )
      assert.include(
        (yield* Effect.flip(personalToken(mintCredential("svc_pat_live").token))).error.message,
        "unknown"
      )
      assert.include(
        (yield* Effect.flip(personalToken(mintCredential("agent_key_live").token))).error.message,
        "unknown"
      )
    }))

  it.effect("ends when it expires, is disabled, is revoked, or its person leaves", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const tokens = yield* Tokens
      const { org, person, token, id } = yield* minted()
      const refusal = Effect.map(Effect.flip(personalToken(token)), (error) => error.error.message)
      yield* tokens.update(person, id, { enabled: false })
      assert.include(yield* refusal, "disabled")
      yield* tokens.update(person, id, { enabled: true })
      yield* personalToken(token)
      yield* sql`update tokens set expires_at = now() where id = ${id}`
      assert.include(yield* refusal, "expired")
      yield* sql`update tokens set expires_at = now() + interval '1 day' where id = ${id}`
      yield* sql`delete from memberships where org_id = ${org} and user_id = ${person.user_id}`
      assert.include(yield* refusal, "no longer belongs")
      yield* sql`delete from tokens where id = ${id}`
      assert.include(yield* refusal, "unknown")
    }))

  it.effect("belongs to one workspace: another is 404, also if its person is a member there", () =>
    Effect.gen(function*() {
      const [org, other, foreign] = [yield* workspace(), yield* workspace(), yield* workspace()]
      const person = yield* personIn(org, "owner", { [other]: "owner" })
      const { token } = yield* Effect.flatMap(
        Tokens,
        (tokens) => tokens.mint(person, { name: "ci", scopes: ["agents:read"] })
      )
      assert.strictEqual((yield* personalToken(token, { workspace: org })).org_id, org)
      const errors = yield* Effect.forEach(
        [other, foreign, newId("org"), "x"],
        (workspace) => Effect.flip(personalToken(token, { workspace }))
      )
      for (const error of errors) {
        assert.strictEqual(error._tag, "NotFound")
        assert.deepStrictEqual(error, errors[0])
      }
    }))

  it.effect("shows the time and address of its last use, written at most once a minute", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const tokens = yield* Tokens
      const { person, token, id } = yield* minted()
      assert.notProperty(yield* tokens.get(person, id), "last_used_at")
      yield* personalToken(token, { ip: "10.0.0.1" })
      const first = yield* tokens.get(person, id)
      assert.strictEqual(first.last_used_ip, "10.0.0.1")
      yield* personalToken(token, { ip: "10.0.0.2" })
      assert.deepStrictEqual(yield* tokens.get(person, id), first)
      yield* sql`update tokens set last_used_at = now() - interval '61 seconds' where id = ${id}`
      yield* personalToken(token, { ip: "10.0.0.2" })
      assert.strictEqual((yield* tokens.get(person, id)).last_used_ip, "10.0.0.2")
    }))
})
