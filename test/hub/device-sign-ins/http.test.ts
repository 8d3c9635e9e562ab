import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, expectStatus, type HubInTest, HubTest, startHub, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

const codes = ({ body, status }: Answer) => [status, body?.error?.code]

const start = Effect.fnUntraced(function*(
  { api }: Pick<HubInTest, "api">,
  scopes: ReadonlyArray<string> = ["agents:read", "audit:read"]
) {
  const body = { client_name: "countersign on build-1", scopes }
  return expectStatus(yield* api("POST", "/auth/device", { body }), 200).body as {
    readonly device_code: string
    readonly user_code: string
    readonly verification_uri: string
    readonly verification_uri_complete: string
  }
})

const poll = ({ api }: Pick<HubInTest, "api">, device_code: string) =>
  api("POST", "/auth/device/token", { body: { device_code } })

/** As if the last poll was long ago. */
const later = (hub: HubInTest) =>
  Effect.orDie(
    hub.run(
      Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`update device_sign_ins set polled_at = polled_at - interval '1 minute'`
      )
    )
  )

layer(HubTest(), { excludeTestServices: true })("a device sign-in", (it) => {
  it.effect("gives the program a token of the person once, after an approval", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const started = yield* start(hub)
      assert.match(started.user_code, /^[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/u)
      assert.strictEqual(started.verification_uri_complete, `${started.verification_uri}?code=${started.user_code}`)
      assert.deepStrictEqual(codes(yield* poll(hub, started.device_code)), [400, "authorization_pending"])
      const shown = expectStatus(
        yield* api("GET", `/auth/device/${started.user_code.toLowerCase().replace("-", "")}`, owner),
        200
      ).body
      assert.deepStrictEqual([shown.client_name, shown.address, shown.scopes], [
        "countersign on build-1",
        "127.0.0.1",
        ["agents:read", "audit:read"]
      ])
      expectStatus(yield* api("POST", `/auth/device/${started.user_code}/confirm`, owner), 204)
      assert.strictEqual((yield* api("POST", `/auth/device/${started.user_code}/confirm`, owner)).status, 410)
      yield* later(hub)
      const token = expectStatus(yield* poll(hub, started.device_code), 200)
      assert.strictEqual(token.headers.get("cache-control"), "no-store")
      assert.deepStrictEqual({ ...token.body, access_token: "" }, {
        access_token: "",
        token_type: "Bearer",
        scope: "agents:read audit:read",
        workspace_id: owner.org
      })
      yield* later(hub)
      assert.deepStrictEqual(codes(yield* poll(hub, started.device_code)), [400, "expired_token"])
      const pat = token.body.access_token as string
      const me = expectStatus(yield* api("GET", "/auth/me", { pat }), 200).body
      assert.deepStrictEqual([me.user.id, me.via.scopes], [owner.user, ["agents:read", "audit:read"]])
      const [listed] = expectStatus(yield* api("GET", "/tokens", owner), 200).body.data
      assert.strictEqual(listed.name, "countersign on build-1")
      assert.approximately(Date.parse(listed.expires_at) - Date.now(), 90 * 86_400_000, 3_600_000)
      const log = yield* api("GET", "/audit-logs?action=device_sign_in.approved", owner)
      assert.include(expectStatus(log, 200).text, me.via.token_id)
      const rows = yield* Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql<{ token: unknown }>`select token from device_sign_ins where status = 'collected'`)))
      assert.deepStrictEqual(
        rows.map((row) =>
          row.token
        ),
        [null]
      )
    }))

  it.effect("answers slow_down to a client that polls too fast, and access_denied to a rejected one", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const { device_code, user_code } = yield* start(hub)
      yield* poll(hub, device_code)
      assert.deepStrictEqual(codes(yield* poll(hub, device_code)), [400, "slow_down"])
      yield* later(hub)
      assert.deepStrictEqual(codes(yield* poll(hub, device_code)), [400, "authorization_pending"])
      expectStatus(yield* api("POST", `/auth/device/${user_code}/reject`, owner), 204)
      yield* later(hub)
      assert.deepStrictEqual(codes(yield* poll(hub, device_code)), [400, "access_denied"])
      assert.strictEqual((yield* api("GET", `/auth/device/${user_code}`, owner)).status, 410)
      for (const wrong of ["0".repeat(43), "nothing of ours"]) {
        assert.deepStrictEqual(codes(yield* poll(hub, wrong)), [400, "expired_token"])
      }
    }))

  it.effect("never grants more than was requested, or than the role has", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const member = yield* makeSignedIn(hub, owner.org, "member")
      const viewer = yield* makeSignedIn(hub, owner.org, "viewer")
      const { device_code, user_code } = yield* start(hub, ["agents:write", "audit:read", "workspace:write"])
      const confirm = (person: { readonly cookie: string }, body: unknown) =>
        api("POST", `/auth/device/${user_code}/confirm`, { cookie: person.cookie, body })
      const beyond = yield* confirm(member, { scopes: ["agents:write", "agents:keys"] })
      assert.deepStrictEqual([beyond.status, beyond.body.error.details[0].path], [400, "scopes.1"])
      const lacking = yield* confirm(member, { scopes: ["audit:read"] })
      assert.deepStrictEqual([lacking.status, lacking.body.error.data], [403, { permission: "audit:read" }])
      const without = yield* confirm(viewer, {})
      assert.deepStrictEqual([without.status, without.body.error.data], [403, { permission: "tokens:write" }])
      const foreign = yield* makeWorkspace(hub)
      assert.strictEqual((yield* confirm(member, { workspace_id: foreign })).status, 404)
      expectStatus(yield* confirm(member, {}), 204)
      assert.strictEqual(expectStatus(yield* poll(hub, device_code), 200).body.scope, "agents:write")
    }))

  it.effect("is approved once and fetched once in a race on two hubs", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const other = yield* startHub({ database: hub.target })
      const { device_code, user_code } = yield* start(hub)
      const confirmed = yield* Effect.forEach(
        [hub, other, hub, other],
        (each) => each.api("POST", `/auth/device/${user_code}/confirm`, { cookie: hub.owner.cookie }),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(confirmed.map(({ status }) => status).sort(), [204, 410, 410, 410])
      const fetched = yield* Effect.forEach([hub, other, hub, other], (each) => poll(each, device_code), {
        concurrency: "unbounded"
      })
      assert.strictEqual(fetched.filter(({ status }) => status === 200).length, 1)
    }).pipe(Effect.scoped))

  it.effect("ends after ten minutes, and guesses of codes are limited", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const { device_code, user_code } = yield* start(hub)
      yield* Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`update device_sign_ins set expires_at = clock_timestamp()`)))
      assert.deepStrictEqual(codes(yield* poll(hub, device_code)), [400, "expired_token"])
      assert.strictEqual((yield* api("GET", `/auth/device/${user_code}`, owner)).status, 410)
      const guesses = yield* Effect.forEach(Array.from({ length: 11 }), () =>
        api("GET", "/auth/device/ZZZZ-ZZZZ", owner))
      assert.deepStrictEqual([guesses[0]?.status, guesses[10]?.status], [404, 429])
    }))
})
