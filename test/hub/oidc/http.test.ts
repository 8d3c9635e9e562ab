import { ensureBreakGlass } from "@countersign/hub/auth/break-glass"
import { Passwords } from "@countersign/hub/auth/passwords"
import { SessionsRepository, UsersRepository } from "@countersign/hub/auth/repository"
import { recoveryCodeHash } from "@countersign/hub/factors/recovery-code"
import { FactorRemoval } from "@countersign/hub/factors/removal"
import { FactorsRepository, newFactorId } from "@countersign/hub/factors/repository"
import { stepSeconds } from "@countersign/hub/factors/totp"
import { returnPathOf, withError } from "@countersign/hub/oidc/return-path"
import { Retention } from "@countersign/hub/retention/service"
import { claimValues, parseRoleMapping, type RoleMapping, targetsOf } from "@countersign/hub/sso-settings/role-mapping"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { JWTPayload } from "jose"
import { createHash } from "node:crypto"
import { Secret, TOTP } from "otpauth"
import { expectHealthy } from "../../support/health.ts"
import {
  type Answer,
  cookieOf,
  expectStatus,
  firstOwner,
  type HubInTest,
  makeAgent,
  type OwnerInTest,
  startHub
} from "../../support/hub.ts"
import {
  clientId,
  clientSecret,
  type IdentityProvider,
  startIdentityProvider
} from "../../support/identity-provider.ts"
import { mailServer } from "../../support/mail-server.ts"
import { makePerson, makeSignedIn, password, stepUp } from "../../support/people.ts"
import { freshDatabase } from "../../support/pg.ts"
import { closedPort } from "../../support/upstream.ts"

const codes = ({ body, status }: Answer) => [status, body?.error?.code]

describe("roles from a claim", () => {
  const mapping: RoleMapping = {
    claim: "groups",
    rules: [
      { value: "staff", workspace: "Acme", role: "viewer" },
      { value: "ops", workspace: "Acme", role: "operator", team: "On call" },
      { value: "ops", workspace: "Gone", role: "owner" }
    ]
  }
  const workspaceOf = (name: string) => name === "Acme" ? "org_1" : undefined

  it("are the highest one in each known workspace", () => {
    assert.deepStrictEqual([...targetsOf(mapping, ["staff", "ops", "else"], workspaceOf)], [
      ["org_1", { role: "operator", teams: ["On call"] }]
    ])
    assert.strictEqual(targetsOf(mapping, [], workspaceOf).size, 0)
  })
  it("distinguish a missing claim from an empty one", () => {
    assert.isUndefined(claimValues({ sub: "1" }, "groups"))
    assert.isUndefined(claimValues({ groups: null }, "groups"))
    assert.isUndefined(claimValues({ groups: { a: 1 } }, "groups"))
    assert.deepStrictEqual(claimValues({ groups: [] }, "groups"), [])
    assert.deepStrictEqual(claimValues({ groups: "" }, "groups"), [])
    assert.deepStrictEqual(claimValues({ groups: "ops" }, "groups"), ["ops"])
    assert.deepStrictEqual(claimValues({ groups: ["ops", 1, null] }, "groups"), ["ops"])
    assert.deepStrictEqual(claimValues({ realm: { roles: ["ops"] } }, "/realm/roles"), ["ops"])
  })
  it("are refused with the place of the mistake", () => {
    for (
      const [text, problem] of [
        ["{", /not JSON/u],
        ["{}", /must be/u],
        [`{"claim":"g","rules":[{"value":"a","workspace":"w","role":"boss"}]}`, /rules\[0\]\.role/u],
        [`{"claim":"g","rules":[{"value":"a","role":"owner"}]}`, /rules\[0\]\.workspace/u],
        [`{"claim":"g","rules":[],"more":1}`, /more/u]
      ] as const
    ) assert.match(String(parseRoleMapping(text)), problem)
  })
})

it("a sign-in returns to a path of the console, never to another site", () => {
  const kept = ["/", "/w/here?a=1#b", "/w/a%20b", "/w//x"]
  for (const path of kept) assert.strictEqual(returnPathOf(path), path)
  const others = [
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "/.//evil.example",
    "/..//evil.example/x"
  ]
  for (const path of [...others, "/a/..//evil.example", "/w/\t/x", "w", ""]) {
    assert.strictEqual(returnPathOf(path), "/", path)
  }
  assert.strictEqual(withError("/w/here?a=1#b", "no_access"), "/w/here?a=1&error=no_access#b")
})

interface SignOn {
  readonly hub: HubInTest
  readonly owner: OwnerInTest
  readonly idp: IdentityProvider
  /** Of a further hub on the same database. */
  readonly env: Readonly<Record<string, string>>
}
class World extends Context.Service<World, SignOn>()("test/hub/oidc/World") {}

const rules = [
  { value: "staff", workspace: "Default", role: "viewer" },
  { value: "ops", workspace: "Default", role: "operator", team: "On call" },
  { value: "night", workspace: "Default", role: "operator", team: "Night shift" },
  { value: "boss", workspace: "Default", role: "owner" }
]

const signOn = Effect.fnUntraced(function*(env: Readonly<Record<string, string>> = {}) {
  const port = yield* closedPort
  const idp = yield* startIdentityProvider(`http://127.0.0.1:${port}/api/v1/auth/oidc/callback`)
  const database = yield* freshDatabase
  const all = {
    HUB_OIDC_ISSUER: idp.issuer,
    HUB_OIDC_CLIENT_ID: clientId,
    HUB_OIDC_CLIENT_SECRET: clientSecret,
    HUB_OIDC_SCOPES: "openid email profile groups",
    HUB_OIDC_ROLES: JSON.stringify({ claim: "groups", rules }),
    ...env
  }
  const hub = yield* startHub({ database, env: { HUB_PORT: String(port), ...all } })
  return { hub, idp, owner: yield* firstOwner(hub), env: all }
})

type Jar = Map<string, Map<string, string>>

/** Follows redirects as a browser does, and stops before the hub's own pages; the location is where it stopped. */
const browse = (hub: HubInTest, path: string, jar: Jar = new Map()) =>
  Effect.promise(async () => {
    let url = path.startsWith("http") ? path : `${hub.url}/api/v1${path}`
    for (let hops = 0; hops < 12; hops++) {
      const { host, pathname } = new URL(url)
      if (url.startsWith(hub.url) && !pathname.startsWith("/api/")) return { url, jar }
      const cookies = jar.get(host) ?? new Map<string, string>()
      jar.set(host, cookies)
      const answer = await fetch(url, {
        redirect: "manual",
        headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }
      })
      for (const cookie of answer.headers.getSetCookie()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(cookie) ?? []
        if (value === "") cookies.delete(name)
        else cookies.set(name, value)
      }
      const location = answer.headers.get("location")
      if (location === null) throw new Error(`${answer.status} at ${url}: ${await answer.text()}`)
      url = new URL(location, url).href
    }
    throw new Error("too many redirects")
  })

const cookieIn = (hub: HubInTest, jar: Jar): string | undefined => {
  const session = jar.get(new URL(hub.url).host)?.get("svc_session")
  return session === undefined ? undefined : `svc_session=${session}`
}

const signIn = Effect.fnUntraced(function*(
  { hub, idp }: Pick<SignOn, "hub" | "idp">,
  account: string,
  claims: Readonly<Record<string, unknown>>
) {
  idp.account = account
  idp.claims.set(account, claims)
  const { jar, url } = yield* browse(hub, "/auth/oidc/start?to=/w/here")
  return { cookie: cookieIn(hub, jar), error: new URL(url).searchParams.get("error"), jar, url }
})

/** The status and the error code of a call of `/mcp`. */
const mcp = (hub: HubInTest, token: string, agent?: string) =>
  Effect.promise(async () => {
    const answer = await fetch(`${hub.url}/mcp${agent === undefined ? "" : `?agent_id=${agent}`}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream"
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
    })
    const text = await answer.text()
    return [answer.status, answer.ok ? undefined : (JSON.parse(text) as { error: { code: string } }).error.code]
  })

/** The access token of a client that a person allowed to act as an agent. */
const mcpGrant = (hub: HubInTest, cookie: string, agent_id: string) =>
  Effect.promise(async () => {
    const post = async (path: string, body: Readonly<Record<string, unknown>>) => {
      const headers = { "content-type": "application/json", cookie }
      const answer = await fetch(hub.url + path, { method: "POST", headers, body: JSON.stringify(body) })
      return await answer.json() as Readonly<Record<string, string>>
    }
    const redirect_uri = "http://127.0.0.1:9/callback"
    const { client_id = "" } = await post("/oauth/register", { client_name: "Test", redirect_uris: [redirect_uri] })
    const verifier = "v".repeat(43)
    const { redirect_to = "" } = await post("/oauth/authorize", {
      response_type: "code",
      client_id,
      redirect_uri,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      resource: `${hub.url}/mcp`,
      state: "s",
      agent_id,
      decision: "approve"
    })
    const answer = await fetch(`${hub.url}/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        client_id,
        redirect_uri,
        code: new URL(redirect_to).searchParams.get("code") ?? "",
        code_verifier: verifier
      })
    })
    return (await answer.json() as { access_token: string }).access_token
  })

/** The code of an authenticator app some steps from now. */
const codeOf = (secret: string, steps: number): string =>
  new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: stepSeconds, algorithm: "SHA1" }).generate({
    timestamp: Date.now() + steps * stepSeconds * 1_000
  })

const person = (name: string, groups?: ReadonlyArray<string>) => ({
  email: `${name}@box.test`,
  email_verified: true,
  name,
  ...groups === undefined ? {} : { groups }
})

layer(Layer.effect(World, signOn()), { excludeTestServices: true })("single sign-on", (it) => {
  it.effect("creates a person by a rule, and changes only the roles that it gave", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { hub: { api }, owner } = world
      const first = yield* signIn(world, "sub-1", person("grace", ["staff", "ops"]))
      assert.deepStrictEqual([first.error, new URL(first.url).pathname], [null, "/w/here"])
      const cookie = first.cookie!
      const me = expectStatus(yield* api("GET", "/auth/me", { cookie }), 200).body
      assert.deepStrictEqual([me.user.email, me.user.name, me.workspaces[0].role], [
        "grace@box.test",
        "grace",
        "operator"
      ])
      const [session] = expectStatus(yield* api("GET", "/auth/sessions", { cookie }), 200).body.data
      assert.strictEqual(session.method, "oidc")
      assert.isAtMost(Date.parse(session.expires_at) - Date.now(), 12 * 3_600_000 + 60_000)
      const missing = yield* signIn(world, "sub-1", person("grace"))
      assert.strictEqual(
        (yield* api("GET", "/auth/me", { cookie: missing.cookie! })).body.workspaces[0].role,
        "operator"
      )
      yield* signIn(world, "sub-1", person("grace", ["staff"]))
      assert.strictEqual((yield* api("GET", "/auth/me", { cookie })).body.workspaces[0].role, "viewer")
      expectStatus(
        yield* api("PATCH", `/members/${me.user.id}`, { cookie: owner.cookie, body: { role: "admin" } }),
        200
      )
      yield* signIn(world, "sub-1", person("grace", ["ops"]))
      assert.strictEqual((yield* api("GET", "/auth/me", { cookie })).body.workspaces[0].role, "admin")
    }))

  it.effect("takes roles away by an empty claim, also from open sessions and tokens", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { api } = world.hub
      const { cookie } = yield* signIn(world, "sub-2", person("heidi", ["ops"]))
      const token = expectStatus(
        yield* api("POST", "/tokens", { cookie: cookie!, body: { name: "t", scopes: ["agents:read"] } }),
        201
      ).body.token as string
      expectStatus(yield* api("GET", "/agents", { pat: token }), 200)
      const out = yield* signIn(world, "sub-2", person("heidi", []))
      assert.deepStrictEqual([out.error, out.cookie], ["no_access", undefined])
      assert.strictEqual((yield* api("GET", "/auth/me", { cookie: cookie! })).status, 401)
      assert.strictEqual((yield* api("GET", "/agents", { pat: token })).status, 401)
      assert.strictEqual((yield* signIn(world, "sub-2", person("heidi", ["ops"]))).error, null)
    }))

  it.effect("creates nobody without a rule or an invite", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { hub: { api }, owner } = world
      assert.strictEqual((yield* signIn(world, "sub-3", person("ivan", ["else"]))).error, "no_access")
      assert.strictEqual((yield* signIn(world, "sub-3", person("ivan"))).error, "no_access")
      assert.strictEqual((yield* signIn(world, "sub-4", { groups: ["ops"] })).error, "email_missing")
      expectStatus(
        yield* api("POST", `/orgs/${owner.org}/invites`, {
          cookie: owner.cookie,
          body: { email: "ivan@box.test", role: "member" }
        }),
        201
      )
      const unverified = { ...person("ivan"), email_verified: false }
      assert.strictEqual((yield* signIn(world, "sub-3", unverified)).error, "no_access")
      // The provider verified another address than the one in the ID token.
      world.idp.forge = ({ email_verified: _, ...token }) => ({ ...token, email: "ivan@box.test" })
      const mixed = yield* signIn(world, "sub-eve", person("eve"))
      world.idp.forge = undefined
      assert.deepStrictEqual([mixed.error, mixed.cookie], ["no_access", undefined])
      const { cookie, error } = yield* signIn(world, "sub-3", person("ivan"))
      assert.isNull(error)
      assert.strictEqual((yield* api("GET", "/auth/me", { cookie: cookie! })).body.workspaces[0].role, "member")
    }))

  it.effect("survives missing and hostile claims, other clocks, and changed addresses", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { hub: { api }, idp, owner } = world
      const now = () => Math.floor(Date.now() / 1_000)
      const clock = (seconds: number) => (token: JWTPayload) => ({
        ...token,
        iat: now() + seconds,
        nbf: now() + seconds,
        exp: now() + seconds + 1
      })
      const mallory = person("mallory", ["ops"])
      /** The sign-ins of one account, one after another: its claims, what happens to its ID token, and the result. */
      const cases: ReadonlyArray<
        readonly [
          name: string,
          claims: Readonly<Record<string, unknown>>,
          forge: ((token: JWTPayload) => JWTPayload) | undefined,
          result: { readonly error: string } | { readonly role: string; readonly email: string }
        ]
      > = [
        ["no address for a new person", { groups: ["ops"] }, undefined, { error: "email_missing" }],
        ["an empty address", { ...mallory, email: " " }, undefined, { error: "email_missing" }],
        ["an address of another type", { ...mallory, email: ["a@b.test"] }, undefined, { error: "email_missing" }],
        ["an unverified address", { ...mallory, email_verified: false }, undefined, { error: "email_unverified" }],
        ["the same as a text", { ...mallory, email_verified: "false" }, undefined, { error: "email_unverified" }],
        ["the address of an account", { ...mallory, email: owner.email }, undefined, { error: "link_required" }],
        ["a clock 45 s ahead", mallory, clock(45), { role: "operator", email: mallory.email }],
        ["a clock 45 s behind", mallory, clock(-45), { role: "operator", email: mallory.email }],
        ["a clock 5 min ahead", mallory, clock(300), { error: "token_invalid" }],
        ["a clock 5 min behind", mallory, clock(-300), { error: "token_invalid" }],
        ["another issuer", mallory, (token) => ({ ...token, iss: "https://evil.example" }), { error: "token_invalid" }],
        ["another client's token", mallory, (token) => ({ ...token, aud: "another" }), { error: "token_invalid" }],
        ["another sign-in's nonce", mallory, (token) => ({ ...token, nonce: "n" }), { error: "token_invalid" }],
        ["no nonce", mallory, ({ nonce: _, ...token }) => token, { error: "token_invalid" }],
        ["another subject than userinfo", mallory, (token) => ({ ...token, sub: "sub-1" }), { error: "token_invalid" }],
        ["an empty subject", mallory, (token) => ({ ...token, sub: "" }), { error: "token_invalid" }],
        ["no groups", person("mallory"), undefined, { role: "operator", email: mallory.email }],
        ["groups of another type", { ...mallory, groups: { a: 1 } }, undefined, {
          role: "operator",
          email: mallory.email
        }],
        ["a changed address", { ...mallory, email: "m@new.test" }, undefined, {
          role: "operator",
          email: "m@new.test"
        }],
        ["an unverified change", { ...mallory, email: "ceo@box.test", email_verified: false }, undefined, {
          role: "operator",
          email: "m@new.test"
        }],
        ["the address of somebody else", { ...mallory, email: owner.email }, undefined, {
          role: "operator",
          email: "m@new.test"
        }],
        ["no address any more", { groups: ["ops"] }, undefined, { role: "operator", email: "m@new.test" }],
        ["empty groups", person("mallory", []), undefined, { error: "no_access" }],
        ["no groups after empty ones", person("mallory"), undefined, { error: "no_access" }]
      ]
      for (const [name, claims, forge, result] of cases) {
        idp.forge = forge
        const { cookie, error } = yield* signIn(world, "sub-mallory", claims)
        idp.forge = undefined
        if (cookie === undefined) {
          assert.deepStrictEqual({ error: error ?? "" }, result, name)
          continue
        }
        const { user, workspaces } = expectStatus(yield* api("GET", "/auth/me", { cookie }), 200).body
        assert.deepStrictEqual({ role: workspaces[0].role, email: user.email }, result, name)
      }
    }))

  it.effect("links an account by its address only after one sign-in by password", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { hub } = world
      const account = yield* makePerson(hub, world.owner.org, "operator")
      const claims = { email: account.email, email_verified: true, name: "Judy" }
      const first = yield* signIn(world, "sub-5", claims)
      assert.deepStrictEqual([first.error, first.cookie], ["link_required", undefined])
      const link = first.jar.get(new URL(hub.url).host)?.get("svc_oidc_link")
      const by = (who: string) =>
        hub.api("POST", "/auth/login", {
          cookie: `svc_oidc_link=${link}`,
          body: { email: who, password }
        })
      const stranger = yield* makePerson(hub, world.owner.org, "viewer")
      expectStatus(yield* by(stranger.email), 200)
      assert.strictEqual((yield* signIn(world, "sub-5", claims)).error, "link_required")
      expectStatus(yield* by(account.email), 200)
      const linked = yield* signIn(world, "sub-5", claims)
      assert.isNull(linked.error)
      const me = expectStatus(yield* hub.api("GET", "/auth/me", { cookie: linked.cookie! }), 200).body
      assert.deepStrictEqual([me.user.id, me.workspaces[0].role], [account.id, "operator"])
      const moved = yield* signIn(world, "sub-5", { ...claims, email: "judy@elsewhere.test" })
      assert.strictEqual((yield* hub.api("GET", "/auth/me", { cookie: moved.cookie! })).body.user.id, account.id)
      assert.strictEqual((yield* signIn(world, "sub-6", claims)).error, "identity_taken")
    }))

  it.effect("refuses replayed, foreign, and tampered answers, and a canceled sign-in", () =>
    Effect.gen(function*() {
      const { hub, idp } = yield* World
      idp.account = "sub-7"
      idp.claims.set("sub-7", person("kim", ["ops"]))
      const step = (url: string, cookie: string) =>
        Effect.promise(() => fetch(url, { redirect: "manual", headers: { cookie } }))
      /** A browser at the callback, before it is opened. */
      const atCallback = Effect.fnUntraced(function*() {
        const started = yield* step(`${hub.url}/api/v1/auth/oidc/start`, "")
        const cookie = started.headers.getSetCookie()[0]!.split(";")[0]!
        const cookies = new Map<string, string>()
        let url = started.headers.get("location")!
        while (!url.startsWith(`${hub.url}/api/v1/auth/oidc/callback`)) {
          const answer = yield* step(url, [...cookies].map(([name, value]) => `${name}=${value}`).join("; "))
          for (const each of answer.headers.getSetCookie()) {
            const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(each) ?? []
            cookies.set(name, value)
          }
          url = new URL(answer.headers.get("location")!, url).href
        }
        return { cookie, url }
      })
      const errorAt = Effect.fnUntraced(function*(url: string, cookie: string) {
        const answer = yield* step(url, cookie)
        assert.isFalse(answer.headers.getSetCookie().some((each) => each.startsWith("svc_session=")))
        return new URL(answer.headers.get("location")!, hub.url).searchParams.get("error")
      })
      const foreign = yield* atCallback()
      assert.strictEqual(yield* errorAt(foreign.url, `svc_oidc=${"0".repeat(43)}`), "state_invalid")
      assert.strictEqual(yield* errorAt(foreign.url, foreign.cookie), "state_invalid")
      const mixedUp = yield* atCallback()
      const url = new URL(mixedUp.url)
      url.searchParams.set("iss", "https://evil.example")
      assert.strictEqual(yield* errorAt(url.href, mixedUp.cookie), "token_invalid")
      const guessed = yield* atCallback()
      const withCode = new URL(guessed.url)
      withCode.searchParams.set("code", "another")
      assert.strictEqual(yield* errorAt(withCode.href, guessed.cookie), "provider_error")
      assert.strictEqual(yield* errorAt(`${hub.url}/api/v1/auth/oidc/callback`, ""), "state_invalid")
      const good = yield* atCallback()
      const answer = yield* step(good.url, good.cookie)
      assert.isTrue(answer.headers.getSetCookie().some((each) => each.startsWith("svc_session=")))
      assert.strictEqual(yield* errorAt(good.url, good.cookie), "state_invalid")
      idp.account = undefined
      const { url: canceled } = yield* browse(hub, "/auth/oidc/start")
      assert.strictEqual(new URL(canceled).searchParams.get("error"), "provider_denied")
    }))

  it.effect("steps up by a fresh sign-in of the same person", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { hub, idp } = world
      const { cookie, jar } = yield* signIn(world, "sub-8", person("leo", ["ops"]))
      const isUp = Effect.map(hub.api("GET", "/auth/me", { cookie: cookie! }), ({ body }) => body.via.stepped_up)
      assert.isFalse(yield* isUp)
      const list = expectStatus(yield* hub.api("GET", "/auth/factors", { cookie: cookie! }), 200).body
      assert.deepStrictEqual(list.step_up_methods, ["oidc"])
      idp.account = "sub-1"
      const other = yield* browse(
        hub,
        "/auth/oidc/start?purpose=step_up&to=/stepped-up",
        new Map([[new URL(hub.url).host, new Map(jar.get(new URL(hub.url).host))]])
      )
      assert.strictEqual(new URL(other.url).searchParams.get("error"), "wrong_identity")
      idp.account = "sub-8"
      const { url } = yield* browse(hub, "/auth/oidc/start?purpose=step_up&to=/stepped-up", jar)
      assert.strictEqual(new URL(url).pathname + new URL(url).search, "/stepped-up")
      assert.isTrue(yield* isUp)
      const nobody = yield* browse(hub, "/auth/oidc/start?purpose=step_up")
      assert.strictEqual(new URL(nobody.url).searchParams.get("error"), "session_required")
    }))

  it.effect("links and unlinks an identity from the settings, in the session that started it", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { hub, idp } = world
      const made = yield* makePerson(hub, world.owner.org, "operator")
      const jarOf = (cookie: string): Jar =>
        new Map([[new URL(hub.url).host, new Map([cookie.split("=") as [string, string]])]])
      const link = (cookie: string, headers = {}) =>
        hub.api("POST", "/auth/identities", { cookie, headers, body: { to: "/w/x/settings/security" } })
      assert.deepStrictEqual(codes(yield* link(made.cookie)), [403, "step_up_required"])
      yield* stepUp(hub, made)
      assert.deepStrictEqual(codes(yield* link(made.cookie, { origin: "https://evil.example" })), [403, "forbidden"])
      const elsewhere = { host: `localhost:${new URL(hub.url).port}` }
      assert.deepStrictEqual(codes(yield* link(made.cookie, elsewhere)), [409, "conflict"])
      /** From the provider back to the console: the path where the browser ends. */
      const finish = Effect.fnUntraced(function*(account: string, from: string, to = from) {
        idp.account = account
        idp.claims.set(account, { email: `${account}@elsewhere.test`, email_verified: true })
        const started = expectStatus(yield* link(from), 200)
        const jar = jarOf(to)
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/u.exec(started.headers.getSetCookie()[0] ?? "") ?? []
        jar.get(new URL(hub.url).host)?.set(name, value)
        const { url } = yield* browse(hub, started.body.location, jar)
        return url.slice(hub.url.length)
      })
      const page = "/w/x/settings/security"
      // Another person's session, and another person's identity.
      const other = yield* makePerson(hub, world.owner.org, "viewer")
      assert.strictEqual(yield* finish("link-1", made.cookie, other.cookie), `${page}?error=session_required`)
      assert.strictEqual(yield* finish("sub-1", made.cookie), `${page}?error=identity_taken`)
      assert.strictEqual(yield* finish("link-1", made.cookie), page)
      assert.deepStrictEqual(codes(yield* link(made.cookie)), [409, "conflict"])
      const [identity] = expectStatus(yield* hub.api("GET", "/auth/identities", made), 200).body.data
      assert.deepStrictEqual([identity.issuer, identity.subject], [idp.issuer, "link-1"])
      const { cookie } = yield* signIn(world, "link-1", {})
      assert.strictEqual((yield* hub.api("GET", "/auth/me", { cookie: cookie! })).body.user.id, made.id)
      const unlink = (of: string, id: string) => hub.api("DELETE", `/auth/identities/${id}`, { cookie: of })
      assert.strictEqual((yield* unlink(other.cookie, identity.id)).status, 404)
      assert.deepStrictEqual(codes(yield* unlink(cookie!, identity.id)), [403, "step_up_required"])
      expectStatus(yield* unlink(made.cookie, identity.id), 204)
      assert.strictEqual((yield* signIn(world, "link-1", {})).error, "email_missing")
      // The only way in stays.
      const grace = yield* signIn(world, "sub-1", person("grace"))
      yield* browse(hub, "/auth/oidc/start?purpose=step_up", grace.jar)
      const own = expectStatus(yield* hub.api("GET", "/auth/identities", { cookie: grace.cookie! }), 200).body
      assert.deepStrictEqual([own.has_password, own.can_link], [false, false])
      assert.deepStrictEqual(codes(yield* unlink(grace.cookie!, own.data[0].id)), [409, "conflict"])
    }))

  it.effect("puts people into the teams of their groups, and takes them out of those alone", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { hub: { api }, owner } = world
      const team = Effect.fnUntraced(function*(name: string) {
        return expectStatus(yield* api("POST", "/teams", { cookie: owner.cookie, body: { name } }), 201).body
          .id as string
      })
      const [onCall, night, manual] = [yield* team("On call"), yield* team("Night shift"), yield* team("Manual")]
      const { cookie } = yield* signIn(world, "sub-12", person("pat", ["ops"]))
      const { user } = expectStatus(yield* api("GET", "/auth/me", { cookie: cookie! }), 200).body
      const add = api("POST", `/teams/${manual}/members`, {
        cookie: owner.cookie,
        body: { user_id: user.id, role: "worker" }
      })
      expectStatus(yield* add, 201)
      const inTeams = Effect.gen(function*() {
        const found: Array<string> = []
        for (const id of [onCall, night, manual]) {
          const { data } = expectStatus(yield* api("GET", `/teams/${id}/members`, { cookie: owner.cookie }), 200).body
          if (data.some((each: { user_id: string }) => each.user_id === user.id)) found.push(id)
        }
        return found
      })
      assert.deepStrictEqual(yield* inTeams, [onCall, manual])
      yield* signIn(world, "sub-12", person("pat"))
      assert.deepStrictEqual(yield* inTeams, [onCall, manual])
      yield* signIn(world, "sub-12", person("pat", ["night"]))
      assert.deepStrictEqual(yield* inTeams, [night, manual])
      yield* signIn(world, "sub-12", person("pat", ["staff"]))
      assert.deepStrictEqual(yield* inTeams, [manual])
    }))

  it.effect("ends sessions by the provider's logout token, which works once", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { hub, idp } = world
      const { cookie } = yield* signIn(world, "sub-9", person("mia", ["ops"]))
      const send = (token: string) =>
        hub.api("POST", "/auth/oidc/backchannel-logout", {
          headers: { "content-type": "application/x-www-form-urlencoded" },
          body: `logout_token=${token}`
        })
      const forOther = yield* Effect.promise(() => idp.logoutToken({ sub: "sub-9" }, "another client"))
      const withNonce = yield* Effect.promise(() => idp.logoutToken({ sub: "sub-9", nonce: "n" }))
      for (const wrong of [forOther, withNonce, "a.b.c"]) assert.strictEqual((yield* send(wrong)).status, 401)
      expectStatus(yield* hub.api("GET", "/auth/me", { cookie: cookie! }), 200)
      const token = yield* Effect.promise(() => idp.logoutToken({ sub: "sub-9" }))
      expectStatus(yield* send(token), 204)
      assert.strictEqual((yield* hub.api("GET", "/auth/me", { cookie: cookie! })).status, 401)
      const again = yield* signIn(world, "sub-9", person("mia", ["ops"]))
      assert.strictEqual((yield* send(token)).status, 401)
      expectStatus(yield* hub.api("GET", "/auth/me", { cookie: again.cookie! }), 200)
      // A sign-in whose second factor is missing ends too.
      const { user } = (yield* hub.api("GET", "/auth/me", { cookie: again.cookie! })).body
      const code = "0000-0000-0000-0000"
      yield* hub.run(Effect.flatMap(FactorsRepository, (factors) =>
        Effect.andThen(
          factors.insert(user.id, { id: newFactorId(), kind: "totp", name: "App", secret: new Uint8Array(1), step: 0 }),
          factors.replaceRecoveryCodes(user.id, [recoveryCodeHash(code)])
        )))
      const { url } = yield* signIn(world, "sub-9", person("mia", ["ops"]))
      const challenge_id = new URLSearchParams(new URL(url).hash.slice(1)).get("challenge")
      expectStatus(yield* send(yield* Effect.promise(() => idp.logoutToken({ sub: "sub-9" }))), 204)
      const late = yield* hub.api("POST", "/auth/login/factor", { body: { challenge_id, recovery_code: code } })
      assert.deepStrictEqual(codes(late), [401, "unauthorized"])
    }))

  it.effect("ends the tokens of people who have not signed in for 30 days, until they do", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { api, run } = world.hub
      const { cookie } = yield* signIn(world, "sub-10", person("nina", ["ops"]))
      const pat = expectStatus(
        yield* api("POST", "/tokens", {
          cookie: cookie!,
          body: { name: "t", scopes: ["agents:read", "requests:write"] }
        }),
        201
      ).body.token as string
      const agent = (yield* makeAgent(world.hub, world.owner)).id
      const granted = yield* mcpGrant(world.hub, cookie!, agent)
      assert.deepStrictEqual(yield* mcp(world.hub, granted), [200, undefined])
      yield* Effect.orDie(
        run(
          Effect.flatMap(
            SqlClient.SqlClient,
            (sql) =>
              sql`update identities set last_sign_in_at = last_sign_in_at - interval '31 days' where subject = 'sub-10'`
          )
        )
      )
      assert.deepStrictEqual(codes(yield* api("GET", "/agents", { pat })), [401, "sso_expired"])
      assert.deepStrictEqual(yield* mcp(world.hub, pat, agent), [401, "sso_expired"])
      assert.deepStrictEqual(yield* mcp(world.hub, granted), [401, "sso_expired"])
      yield* signIn(world, "sub-10", person("nina"))
      expectStatus(yield* api("GET", "/agents", { pat }), 200)
      assert.deepStrictEqual(yield* mcp(world.hub, pat, agent), [200, undefined])
      assert.deepStrictEqual(yield* mcp(world.hub, granted), [200, undefined])
      // A person who lost the role has none of them, however new the sign-in is.
      yield* signIn(world, "sub-10", person("nina", []))
      for (const answer of [codes(yield* api("GET", "/agents", { pat })), yield* mcp(world.hub, granted)]) {
        assert.deepStrictEqual(answer, [401, "unauthorized"])
      }
    }))

  it.effect("forgets sign-ins that were begun and never finished", () =>
    Effect.gen(function*() {
      const { hub } = yield* World
      const sweep = Effect.flatMap(Retention, ({ signInRound }) => signInRound)
      yield* hub.run(sweep)
      yield* Effect.promise(() => fetch(`${hub.url}/api/v1/auth/oidc/start`, { redirect: "manual" }))
      const body = { client_name: "cli", scopes: ["agents:read"] }
      expectStatus(yield* hub.api("POST", "/auth/device", { body }), 200)
      assert.strictEqual(yield* hub.run(sweep), 0)
      yield* Effect.orDie(hub.run(Effect.gen(function*() {
        const sql = yield* SqlClient.SqlClient
        yield* sql`update oidc_flows set expires_at = now() - interval '2 hours'`
        yield* sql`update device_sign_ins set expires_at = now() - interval '2 hours'`
      })))
      assert.isAtLeast(yield* hub.run(sweep), 2)
      assert.strictEqual(yield* hub.run(sweep), 0)
      yield* expectHealthy(hub.target)
    }))

  it.effect("never takes the role of the last owner", () =>
    Effect.gen(function*() {
      const world = yield* World
      const { hub, owner } = world
      const boss = yield* signIn(world, "sub-11", person("olga", ["boss"]))
      yield* Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`update memberships set role = 'admin' where org_id = ${owner.org} and user_id = ${owner.user}`)))
      yield* signIn(world, "sub-11", person("olga", ["staff"]))
      yield* signIn(world, "sub-11", person("olga", []))
      const me = expectStatus(yield* hub.api("GET", "/auth/me", { cookie: boss.cookie! }), 200).body
      assert.strictEqual(me.workspaces[0].role, "owner")
      yield* Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`update memberships set role = 'owner' where org_id = ${owner.org} and user_id = ${owner.user}`)))
      yield* signIn(world, "sub-11", person("olga", ["staff"]))
      assert.strictEqual(
        (yield* hub.api("GET", "/auth/me", { cookie: boss.cookie! })).body.workspaces[0].role,
        "viewer"
      )
    }))

  it.effect("is absent without a provider, and the only way in where it is required", () =>
    Effect.gen(function*() {
      const { hub } = yield* World
      const bare = yield* startHub()
      assert.strictEqual((yield* bare.api("GET", "/auth/oidc/start")).status, 404)
      assert.deepStrictEqual((yield* bare.api("GET", "/auth/methods")).body, { password: true, oidc: false })
      assert.deepStrictEqual((yield* hub.api("GET", "/auth/methods")).body, { password: true, oidc: true })
      const only = yield* signOn({ HUB_OIDC_ONLY: "1" })
      const { email } = only.owner
      const refused = yield* only.hub.api("POST", "/auth/login", { body: { email, password: only.owner.password } })
      assert.deepStrictEqual(codes(refused), [403, "sso_required"])
      assert.deepStrictEqual((yield* only.hub.api("GET", "/auth/methods")).body, { password: false, oidc: true })
      assert.strictEqual((yield* signIn(only, "sub-1", person("grace", ["ops"]))).error, null)
    }).pipe(Effect.scoped))

  it.effect("lets an owner with a password and a second factor break the glass, recorded and mailed to all owners", () =>
    Effect.gen(function*() {
      const mails = yield* mailServer()
      const only = yield* signOn({
        HUB_OIDC_ONLY: "1",
        HUB_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
        HUB_MAIL_FROM: "hub@box.test"
      })
      const { api, run } = only.hub
      const start = Effect.map(
        Effect.result(run(ensureBreakGlass)),
        (result) => result._tag === "Failure" && "setting" in result.failure ? result.failure.setting : result._tag
      )
      assert.strictEqual(yield* start, "HUB_OIDC_ONLY")
      const app = (cookie: string, secret: string) =>
        Effect.gen(function*() {
          expectStatus(yield* api("POST", "/auth/step-up", { cookie, body: { password: secret } }), 200)
          const options = expectStatus(yield* api("POST", "/auth/factors/totp/options", { cookie }), 200).body
          const body = { kind: "totp", id: options.id, code: codeOf(options.secret, -1) }
          const added = expectStatus(yield* api("POST", "/auth/factors", { cookie, body }), 201).body
          return added.recovery_codes[0] as string
        })
      const login = (email: string, secret: string) => api("POST", "/auth/login", { body: { email, password: secret } })
      /** Without a sign-in, which the hub refuses. */
      const withPassword = Effect.fnUntraced(function*(role: "admin" | "owner") {
        const made = yield* makeSignedIn(only.hub, only.owner.org, role)
        yield* Effect.orDie(run(Effect.gen(function*() {
          const hash = yield* Effect.flatMap(Passwords, (passwords) => passwords.hash(password))
          yield* Effect.flatMap(UsersRepository, (users) => users.setPassword(made.id, hash))
        })))
        return made
      })
      // An administrator is no owner, whatever the factors.
      const admin = yield* withPassword("admin")
      yield* app(admin.cookie, password)
      assert.deepStrictEqual(codes(yield* login(admin.email, password)), [403, "sso_required"])
      assert.strictEqual(yield* start, "HUB_OIDC_ONLY")
      const other = yield* withPassword("owner")
      const recovery_code = yield* app(only.owner.cookie, only.owner.password)
      assert.strictEqual(yield* start, "Success")
      const challenged = expectStatus(yield* login(only.owner.email, only.owner.password), 202).body.challenge
      const proof = { challenge_id: challenged.id, recovery_code }
      const signedIn = expectStatus(yield* api("POST", "/auth/login/factor", { body: proof }), 200)
      const log = yield* api("GET", "/audit-logs?action=user.broke_glass", { cookie: cookieOf(signedIn) })
      assert.strictEqual(expectStatus(log, 200).body.data[0].data.session_id, signedIn.body.via.session_id)
      yield* Effect.promise(async () => {
        while (mails.received.length < 2) await new Promise((resolve) => setTimeout(resolve, 20))
      })
      const to = mails.received.flatMap((mail) => mail.to).sort()
      assert.deepStrictEqual(to, [only.owner.email, other.email].sort())
    }).pipe(Effect.scoped))

  it.effect("keeps the last owner who can break the glass, whatever would end it, also in a race on two hubs", () =>
    Effect.gen(function*() {
      const only = yield* signOn({ HUB_OIDC_ONLY: "1" })
      const { hub, idp, owner } = only
      const { run } = hub
      const other = yield* startHub({ database: hub.target, env: only.env })
      const query = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
        Effect.orDie(run(Effect.flatMap(SqlClient.SqlClient, statement)))
      const hasOne = Effect.map(Effect.result(run(ensureBreakGlass)), ({ _tag }) => _tag === "Success")
      const sessionOf = Effect.fnUntraced(function*(cookie: string) {
        const { via } = expectStatus(yield* hub.api("GET", "/auth/me", { cookie }), 200).body
        yield* run(Effect.flatMap(SessionsRepository, (sessions) => sessions.stepUp(via.session_id)))
      })
      const addFactor = Effect.fnUntraced(function*(user: string) {
        const id = newFactorId()
        const factor = { id, kind: "totp", name: "Phone", secret: new Uint8Array(1), step: 0 } as const
        yield* run(Effect.flatMap(FactorsRepository, (factors) => factors.insert(user, factor)))
        return id
      })
      /** An owner whose session is stepped up, with a password that nobody uses here, and a factor. */
      const glass = Effect.gen(function*() {
        const made = yield* makeSignedIn(hub, owner.org, "owner")
        yield* run(Effect.flatMap(UsersRepository, (users) => users.setPassword(made.id, "unused")))
        yield* sessionOf(made.cookie)
        return { ...made, factor: yield* addFactor(made.id) }
      })
      const removal = ({ factor }: { readonly factor: string }) => ["DELETE", `/auth/factors/${factor}`] as const
      const role = (id: string) => ["PATCH", `/members/${id}`, { role: "admin" }] as const
      const leave = (id: string) => ["DELETE", `/members/${id}`] as const
      const send = (
        by: HubInTest,
        { cookie }: { readonly cookie: string },
        [method, path, body]: readonly [string, string, object?]
      ) => by.api(method, path, { cookie, ...body === undefined ? {} : { body } })

      const last = yield* glass
      for (const act of [removal(last), role(last.id), leave(last.id)]) {
        const refused = yield* send(hub, last, act)
        assert.deepStrictEqual([...codes(refused), refused.body.error.data], [409, "last_owner", {
          required_by: "HUB_OIDC_ONLY"
        }], act.join(" "))
      }
      assert.deepStrictEqual(codes(yield* send(hub, owner, leave(last.id))), [409, "last_owner"])
      const removeAll = Effect.flatMap(FactorRemoval, (factors) => factors.removeAll(last.email))
      const { error } = yield* Effect.flip(run(Effect.provide(removeAll, FactorRemoval.layer)))
      assert.strictEqual(error.code, "last_owner")
      // Single sign-on gave the role, and takes it away: the person stays an owner.
      yield* query((sql) => sql`update memberships set managed_by = 'oidc' where user_id = ${last.id}`)
      yield* query((sql) =>
        sql`insert into identities (issuer, subject, user_id) values (${idp.issuer}, 'sub-last', ${last.id})`
      )
      for (const groups of [["staff"], []]) {
        yield* signIn(only, "sub-last", { ...person("last", groups), email: last.email })
      }
      const kept = expectStatus(yield* hub.api("GET", "/audit-logs?action=member.role_kept", last), 200).body.data
      assert.strictEqual(kept.length, 2)
      yield* query((sql) => sql`update memberships set managed_by = 'manual' where user_id = ${last.id}`)
      assert.isTrue(yield* hasOne)

      // Of two such owners one may go, whichever way and on whichever hub; of two at once, one.
      const pairs = [
        [removal, removal],
        [removal, ({ id }: { readonly id: string }) => leave(id)],
        [({ id }: { readonly id: string }) => role(id), removal],
        [({ id }: { readonly id: string }) => role(id), ({ id }: { readonly id: string }) => leave(id)]
      ] as const
      yield* query((sql) => sql`update memberships set role = 'viewer' where user_id = ${last.id}`)
      for (const [one, two] of [...pairs, ...pairs]) {
        const [left, right] = [yield* glass, yield* glass]
        const answers = yield* Effect.all([send(hub, left, one(left)), send(other, right, two(right))], {
          concurrency: "unbounded"
        })
        const refused = answers.filter(({ status }) => status >= 300)
        assert.deepStrictEqual(refused.map(codes), [[409, "last_owner"]])
        assert.isTrue(yield* hasOne)
        yield* query((sql) => sql`delete from factors where user_id in (${left.id}, ${right.id})`)
      }
      yield* expectHealthy(hub.target)
    }).pipe(Effect.scoped))
})
