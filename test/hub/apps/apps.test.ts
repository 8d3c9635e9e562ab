/** Connected apps against a fake provider that misbehaves, on two hubs that share a database. */
import { App, AppProvider, StartedApp } from "@countersign/domain/apps"
import { AppsRepository } from "@countersign/hub/apps/repository"
import { AppRevocations } from "@countersign/hub/apps/revocations"
import { AppSweeper } from "@countersign/hub/apps/sweeper"
import { AppTokens } from "@countersign/hub/apps/tokens"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { appProvider, client, type Misbehavior, type ProviderOptions } from "../../support/app-provider.ts"
import { fitting } from "../../support/contract.ts"
import { github, githubClient } from "../../support/github.ts"
import { expectHealthy } from "../../support/health.ts"
import { spawnHub } from "../../support/hub-program.ts"
import { expectStatus, firstOwner, type HubInTest, makeAgent, startHub, topUp } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

const env = {
  HUB_EGRESS_ALLOW: "127.0.0.1",
  HUB_PUBLIC_URL: "https://hub.example",
  HUB_METRICS_TOKEN: "scrape me",
  HUB_APP_GITHUB_CLIENT_ID: "from-settings",
  HUB_APP_GITHUB_CLIENT_SECRET: "secret-of-settings"
}

class World extends Context.Service<World, { readonly hubs: readonly [HubInTest, HubInTest] }>()(
  "test/hub/apps/World"
) {}

const WorldTest = Layer.effect(
  World,
  Effect.gen(function*() {
    const first = yield* startHub({ env })
    yield* firstOwner(first)
    return { hubs: [first, yield* startHub({ env, database: first.target })] as const }
  })
)

/** A new workspace whose owner set up a fake provider named `fake`. */
const scene = (options: ProviderOptions = {}, definition: object = {}) =>
  Effect.gen(function*() {
    const { hubs: [hub, second] } = yield* World
    const provider = yield* appProvider(options)
    const org = yield* makeWorkspace(hub)
    const owner = yield* makeSignedIn(hub, org, "owner")
    const { cookie } = owner
    const setUp = (change: object = {}) =>
      hub.api("PUT", "/apps/providers/fake", {
        cookie,
        body: { ...client, definition: { ...provider.definition, ...definition, ...change } }
      })
    expectStatus(yield* setUp(), 200)
    const start = (body: object = {}, as = cookie) =>
      Effect.map(
        hub.api("POST", "/apps", { cookie: as, body: { provider: "fake", ...body } }),
        (answer) => fitting(StartedApp, expectStatus(answer, 201).body)
      )
    const end = (query: string, as = cookie, on = hub) => on.api("GET", `/apps/callback${query}`, { cookie: as })
    const connect = Effect.fnUntraced(function*(body: object = {}, as = cookie) {
      const started = yield* start(body, as)
      expectStatus(yield* end(provider.signIn(started.authorize_url), as), 200)
      return started.id
    })
    const service = (body: object = {}) =>
      hub.api("POST", "/services", {
        cookie,
        body: {
          name: "things",
          kind: "http",
          base_url: `${provider.origin}/api`,
          auth: { type: "oauth_app", app: "fake" },
          operations: [{
            name: "make",
            method: "POST",
            path: "/things",
            payload_schema: { type: "object" },
            price: { type: "fixed", cents: 5 },
            unknown: "hold"
          }],
          ...body
        }
      })
    return {
      hub,
      second,
      provider,
      org,
      owner,
      cookie,
      setUp,
      start,
      end,
      connect,
      service,
      app: (id: string) =>
        Effect.map(hub.api("GET", `/apps/${id}`, { cookie }), (answer) => fitting(App, expectStatus(answer, 200).body)),
      /** An agent that may use the service, and a call of it. */
      caller: Effect.gen(function*() {
        yield* topUp(hub, owner, 1_000)
        expectStatus(yield* service(), 201)
        const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "things", operations: ["*"] }] })
        return {
          agent,
          call: (on = hub) =>
            Effect.map(
              on.api("POST", "/service-requests", {
                key: agent.key,
                body: { service: "things", operation: "make", payload: {} }
              }),
              ({ body }) => body
            )
        }
      }),
      sql: <A extends object>(run: (sql: SqlClient.SqlClient) => Effect.Effect<ReadonlyArray<A>, unknown>) =>
        hub.run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, run))),
      /** Makes the current access token expire, here and at the provider. */
      expire: (id: string) =>
        Effect.andThen(
          Effect.sync(() => provider.expireAccess()),
          hub.run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) =>
            sql`update apps set expires_at = hub_time_or_last() - interval '1 second',
              refresh_at = hub_time_or_last() - interval '1 second' where id = ${id}`)))
        ),
      actions: Effect.map(
        hub.api("GET", "/audit-logs?limit=200", { cookie }),
        ({ body }) => body.data.map(({ action }: { readonly action: string }) => action) as ReadonlyArray<string>
      )
    }
  })

layer(WorldTest, { excludeTestServices: true })("connected apps", (it) => {
  it.effect("a sign-in with PKCE connects an app, and no answer, entry or row contains a token", () =>
    Effect.gen(function*() {
      const { actions, app, cookie, end, hub, provider, sql, start } = yield* scene()
      const started = yield* start({ name: "Work", scopes: ["read"], params: { login_hint: "ada" } })
      assert.deepStrictEqual([started.status, started.scopes, started.visibility], ["pending", ["read"], "private"])
      const asked = new URL(started.authorize_url)
      assert.strictEqual(asked.origin + asked.pathname, `${provider.origin}/authorize`)
      const { code_challenge, state, ...rest } = Object.fromEntries(asked.searchParams)
      assert.match(code_challenge ?? "", /^[\w-]{43}$/)
      assert.match(state ?? "", /^[\w-]{43}$/)
      assert.deepStrictEqual(rest, {
        login_hint: "ada",
        response_type: "code",
        client_id: client.client_id,
        redirect_uri: "https://hub.example/api/v1/apps/callback",
        scope: "read",
        code_challenge_method: "S256"
      })
      const page = expectStatus(yield* end(provider.signIn(started.authorize_url)), 200)
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/)
      assert.include(page.text, `/apps?app=${started.id}`)
      const connected = yield* app(started.id)
      assert.deepStrictEqual([connected.status, connected.name, connected.scopes], ["connected", "Work", ["read"]])
      assert.isDefined(connected.expires_at)
      assert.deepStrictEqual((yield* actions).slice(0, 2), ["app.connected", "app.created"])
      const log = (yield* hub.api("GET", "/audit-logs", { cookie })).text
      const rows = yield* sql((sql) => sql<{ row: string }>`select row_to_json(a)::text as row from apps a`)
      const all = log + JSON.stringify(connected) + rows.map(({ row }) => row).join("")
      assert.notMatch(all, /[ar]t-[0-9a-f]{8}-/)
    }))

  it.effect("a state serves once, and only the person who started it", () =>
    Effect.gen(function*() {
      const { app, end, hub, org, provider, second, start } = yield* scene()
      const started = yield* start()
      const other = yield* makeSignedIn(hub, org, "admin")
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      const query = provider.signIn(started.authorize_url)
      for (const { cookie } of [other, stranger]) {
        const refused = yield* end(query, cookie)
        assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "state_mismatch"])
      }
      assert.strictEqual((yield* hub.api("GET", `/apps/callback${query}`)).status, 401)
      for (const state of ["", "x", "x".repeat(43)]) {
        assert.strictEqual((yield* end(`?code=1&state=${state}`)).body.error.code, "state_mismatch")
      }
      assert.strictEqual((yield* app(started.id)).status, "pending")
      const answers = yield* Effect.all([end(query), end(query, undefined, second), end(query)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 403, 403])
      assert.deepStrictEqual(provider.grants, ["authorization_code"])
      assert.strictEqual((yield* app(started.id)).status, "connected")
      assert.strictEqual((yield* hub.api("GET", `/apps/${started.id}`, stranger)).status, 404)
    }))

  it.effect("a state expires, a newer sign-in replaces it, and a canceled one connects nothing", () =>
    Effect.gen(function*() {
      const { app, cookie, end, hub, provider, sql, start } = yield* scene()
      const started = yield* start()
      const first = provider.signIn(started.authorize_url)
      const again = expectStatus(yield* hub.api("POST", `/apps/${started.id}/reconnect`, { cookie }), 200).body
      assert.strictEqual((yield* end(first)).body.error.code, "state_mismatch")
      const { state } = Object.fromEntries(new URL(again.authorize_url).searchParams)
      const page = yield* end(`?error=access_denied&state=${state}`)
      assert.deepStrictEqual([page.status, /was not connected/.test(page.text)], [200, true])
      assert.strictEqual((yield* end(provider.signIn(again.authorize_url))).status, 403)
      const late = expectStatus(yield* hub.api("POST", `/apps/${started.id}/reconnect`, { cookie }), 200).body
      yield* sql((sql) => sql`update app_states set expires_at = hub_time_or_last()`)
      assert.strictEqual((yield* end(provider.signIn(late.authorize_url))).status, 403)
      assert.strictEqual((yield* app(started.id)).status, "pending")
    }))

  it.effect("a definition describes Basic, JSON bodies, nested tokens, no PKCE, and values to keep", () =>
    Effect.gen(function*() {
      const shape = ({ access_token, expires_in, refresh_token }: Record<string, unknown>) => ({
        ok: true,
        user: { access: access_token, expires: String(expires_in) },
        refresh_token,
        given: "chat:write,commands",
        instance_url: "https://x.example"
      })
      const { app, provider, setUp, sql, start, end } = yield* scene({ basic: true, json: true, pkce: false, shape })
      expectStatus(
        yield* setUp({
          scopes: { default: ["chat:write", "commands"], separator: "," },
          pointers: { access_token: "/user/access", expires_in: "/user/expires", scope: "/given" },
          capture: {
            account: { url: `${provider.origin}/me`, pointer: "/0/name" },
            cloud_id: { url: `${provider.origin}/me`, pointer: "/0/id" },
            instance_url: "/instance_url"
          },
          params: { audience: "api" }
        }),
        200
      )
      const started = yield* start()
      const asked = new URL(started.authorize_url).searchParams
      assert.deepStrictEqual(
        [asked.get("scope"), asked.get("audience"), asked.get("code_challenge")],
        ["chat:write,commands", "api", null]
      )
      expectStatus(yield* end(provider.signIn(started.authorize_url)), 200)
      const connected = yield* app(started.id)
      assert.deepStrictEqual([connected.account, connected.scopes], ["ada@example.test", ["chat:write", "commands"]])
      const rows = yield* sql((sql) => sql<{ captured: string }>`select captured from apps where id = ${started.id}`)
      assert.deepStrictEqual(JSON.parse(rows[0]?.captured ?? ""), {
        cloud_id: "cloud-7",
        instance_url: "https://x.example"
      })
    }))

  it.effect("no answer of a hostile token endpoint connects an app or appears in the error", () =>
    Effect.gen(function*() {
      const { app, end, provider, start } = yield* scene()
      const kinds: ReadonlyArray<Misbehavior> = [
        "cut",
        "duplicate",
        "error200",
        "html",
        "huge",
        "list",
        "no_token",
        "not_ok",
        "redirect",
        "unavailable"
      ]
      const started = yield* start()
      let url = started.authorize_url
      for (const kind of kinds) {
        provider.misbehave(kind)
        const failed = yield* end(provider.signIn(url))
        assert.deepStrictEqual([failed.status, failed.body.error.code], [502, "upstream_error"], kind)
        assert.notMatch(failed.text, /xxx|s3cret|The code is wrong|<html>/, kind)
        const again = yield* start()
        url = again.authorize_url
      }
      assert.strictEqual((yield* app(started.id)).status, "pending")
      assert.deepStrictEqual(new Set(provider.received.map(({ url }) => url)), new Set(["/token"]))
    }))

  it.effect("a definition is refused where credentials could leave its hosts or https", () =>
    Effect.gen(function*() {
      const { setUp } = yield* scene()
      const wrong: ReadonlyArray<readonly [object, string]> = [
        [{ token_url: "http://example.com/token" }, "definition.token_url"],
        [{ token_url: "ftp://127.0.0.1/token" }, "definition.token_url"],
        [{ authorize_url: "https://user:pw@example.com/" }, "definition.authorize_url"],
        [{ authorize_url: "https://example.com/#x" }, "definition.authorize_url"],
        [{ token_url: "https://{domain}/token" }, "definition.token_url"],
        [{ token_url: "https://{domain}/token", params: { domain: "evil.example" } }, "definition.token_url"],
        [{ params: { client_id: "other" } }, "definition.params.client_id"],
        [{ params: { state: "known" } }, "definition.params.state"],
        [{ revoke: { method: "POST", url: "http://10.0.0.1/" } }, "definition.revoke.url"],
        [{ capture: { account: { url: "https://evil.example/me", pointer: "/x" } } }, "definition.capture.account.url"],
        [{ pointers: { access_token: "x" } }, "definition.pointers.access_token"],
        [{ hosts: [] }, "definition.hosts"],
        [{ hosts: ["https://example.com"] }, "definition.hosts.0"],
        [{ surprise: 1 }, "definition.surprise"]
      ]
      for (const [change, path] of wrong) {
        const refused = yield* setUp(change)
        const paths = refused.body.error?.details?.map((detail: { readonly path: string }) => detail.path)
        assert.deepStrictEqual([refused.status, paths], [400, [path]], JSON.stringify(change))
      }
    }))

  it.effect("a parameter of a connection cannot lead the client's secret to another host", () =>
    Effect.gen(function*() {
      const { cookie, hub, provider } = yield* scene()
      const put = { ...client, definition: { ...provider.definition } }
      const definition = {
        authorize_url: "https://{domain}/authorize",
        token_url: "https://{domain}/token",
        params: { domain: "login.example.com" },
        hosts: ["*.example.com"]
      }
      expectStatus(
        yield* hub.api("PUT", "/apps/providers/force", { cookie, body: { ...put, definition } }),
        200
      )
      const start = (domain: string) =>
        hub.api("POST", "/apps", { cookie, body: { provider: "force", params: { domain } } })
      for (const domain of ["evil.test", "example.com.evil.test", "a/b", "x@evil.test", "xexample.com", ""]) {
        const refused = yield* start(domain)
        assert.deepStrictEqual([refused.status, refused.body.error.details[0].path], [400, "params.domain"], domain)
      }
      const made = expectStatus(yield* start("acme.example.com"), 201).body
      assert.strictEqual(new URL(made.authorize_url).host, "acme.example.com")
    }))

  it.effect("lists the shipped providers, and which of them have a client from the settings or the workspace", () =>
    Effect.gen(function*() {
      const { cookie, hub, org } = yield* scene()
      const list = expectStatus(yield* hub.api("GET", "/apps/providers", { cookie }), 200).body
      assert.strictEqual(list.next_cursor, null)
      const found = new Map(
        (list.data as ReadonlyArray<AppProvider>).map((each) => [each.name, fitting(AppProvider, each)])
      )
      assert.deepStrictEqual([...found.keys()], [
        "airtable",
        "atlassian",
        "fake",
        "github",
        "google",
        "hubspot",
        "linear",
        "microsoft",
        "notion",
        "salesforce",
        "slack"
      ])
      assert.deepStrictEqual(found.get("github")?.client, { source: "hub", client_id: "from-settings" })
      assert.deepStrictEqual([found.get("fake")?.configured, found.get("slack")?.configured], [true, false])
      assert.deepStrictEqual(found.get("microsoft")?.params, { tenant: "common" })
      assert.notInclude(JSON.stringify(list), "secret-of-settings")
      const slack = yield* hub.api("POST", "/apps", { cookie, body: { provider: "slack" } })
      assert.deepStrictEqual([slack.status, slack.body.error.code], [409, "app_not_configured"])
      const unknown = yield* hub.api("POST", "/apps", { cookie, body: { provider: "nothing" } })
      assert.deepStrictEqual([unknown.status, unknown.body.error.details[0].path], [400, "provider"])
      const put = { cookie: (yield* makeSignedIn(hub, org, "member")).cookie, body: client }
      assert.strictEqual((yield* hub.api("PUT", "/apps/providers/slack", put)).status, 403)
      const without = yield* hub.api("PUT", "/apps/providers/unknown", { cookie, body: client })
      assert.deepStrictEqual([without.status, without.body.error.details[0].path], [400, "definition"])
    }))

  it.effect("a service sends the token of the agent's owner, to the provider's hosts only", () =>
    Effect.gen(function*() {
      const { app, caller, connect, hub, cookie, provider, service } = yield* scene()
      for (const base_url of ["https://evil.example", "http://127.0.0.1:1", `${provider.origin}0`]) {
        const refused = yield* service({ base_url })
        assert.deepStrictEqual([refused.status, refused.body.error.details[0].path], [400, "base_url"], base_url)
      }
      const unknown = yield* service({ auth: { type: "oauth_app", app: "nothing" } })
      assert.deepStrictEqual([unknown.status, unknown.body.error.details[0].path], [400, "auth.app"])
      const { call } = yield* caller
      const before = yield* call()
      assert.deepStrictEqual([before.status, before.result.code, before.cost_cents], ["failed", "app_not_connected", 0])
      const id = yield* connect()
      const done = yield* call()
      assert.deepStrictEqual([done.status, done.cost_cents, done.result.path], ["executed", 5, "/api/things"])
      assert.strictEqual(done.result.token, "***")
      assert.isDefined((yield* app(id)).last_used_at)
      assert.strictEqual(provider.calls().length, 1)
      expectStatus(yield* hub.api("POST", `/apps/${id}/revoke`, { cookie }), 200)
      assert.strictEqual((yield* call()).result.code, "app_not_connected")
      assert.strictEqual(provider.calls().length, 1)
      yield* expectHealthy(hub.target)
    }))

  it.effect("the shipped definition of GitHub connects an account with GitHub's own ways, and a declared service uses it", () =>
    Effect.gen(function*() {
      const { cookie, end, hub, owner, service } = yield* scene()
      const { definition, issues, origin, tokens } = yield* github
      expectStatus(
        yield* hub.api("PUT", "/apps/providers/github", { cookie, body: { ...githubClient, definition } }),
        200
      )
      const started = expectStatus(yield* hub.api("POST", "/apps", { cookie, body: { provider: "github" } }), 201).body
      assert.strictEqual(
        (yield* end(`?code=wrong&state=${new URL(started.authorize_url).searchParams.get("state")}`)).status,
        502
      )
      const again = expectStatus(yield* hub.api("POST", `/apps/${started.id}/reconnect`, { cookie }), 200).body
      const agreed = yield* Effect.promise(() => fetch(again.authorize_url, { redirect: "manual" }))
      expectStatus(yield* end(new URL(agreed.headers.get("location") ?? "").search), 200)
      const connected = expectStatus(yield* hub.api("GET", `/apps/${started.id}`, { cookie }), 200).body
      assert.deepStrictEqual(
        [connected.status, connected.account, connected.scopes, connected.expires_at],
        ["connected", "octocat", ["read:user", "repo"], undefined]
      )

      const operation = {
        name: "open",
        method: "POST",
        path: "/repos/${payload.owner}/${payload.repo}/issues",
        payload_schema: {
          type: "object",
          required: ["owner", "repo", "title"],
          properties: { owner: { type: "string" }, repo: { type: "string" }, title: { type: "string" } }
        },
        price: { type: "fixed", cents: 1 }
      }
      const auth = { type: "oauth_app", app: "github" }
      expectStatus(yield* service({ name: "issues", base_url: origin, auth, operations: [operation] }), 201)
      yield* topUp(hub, owner, 100)
      const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "issues", operations: ["open"] }] })
      const call = Effect.map(
        hub.api("POST", "/service-requests", {
          key: agent.key,
          body: {
            service: "issues",
            operation: "open",
            payload: { owner: "acme", repo: "site", title: "The page is blank" }
          }
        }),
        (answer) => expectStatus(answer, 200).body
      )
      const opened = yield* call
      assert.deepStrictEqual([opened.status, opened.cost_cents, opened.result.number], ["executed", 1, 1])
      assert.deepStrictEqual(issues.length, 1)

      expectStatus(yield* hub.api("POST", `/apps/${started.id}/revoke`, { cookie }), 200)
      assert.strictEqual(tokens.size, 0, "the grant ended at the provider")
      assert.strictEqual((yield* call).result.code, "app_not_connected")
    }))

  it.effect("a provider's name means the binding's app, else the owner's, else the only shared one", () =>
    Effect.gen(function*() {
      const { app, caller, connect, cookie, hub, org } = yield* scene()
      const { agent, call } = yield* caller
      const used = Effect.fnUntraced(function*(id: string) {
        return (yield* app(id)).last_used_at !== undefined
      })
      const other = yield* makeSignedIn(hub, org, "member")
      const theirs = yield* connect({}, other.cookie)
      assert.strictEqual((yield* call()).result.code, "app_not_connected")
      const shared = yield* connect({ visibility: "workspace" }, other.cookie)
      assert.deepStrictEqual([(yield* call()).status, yield* used(shared)], ["executed", true])
      yield* connect({ visibility: "workspace" }, other.cookie)
      assert.strictEqual((yield* call()).result.code, "app_not_connected")
      const bind = (app_id: string) =>
        hub.api("POST", `/agents/${agent.id}/services`, {
          cookie,
          body: { service: "things", operations: ["*"], app_id }
        })
      const foreign = yield* bind(theirs)
      assert.deepStrictEqual([foreign.status, foreign.body.error.details[0].path], [400, "app_id"])
      const bound = expectStatus(yield* bind(shared), 200).body
      assert.deepStrictEqual([bound.app_id, (yield* call()).status], [shared, "executed"])
      const own = yield* connect()
      assert.deepStrictEqual([(yield* call()).status, yield* used(own)], ["executed", false])
      expectStatus(
        yield* hub.api("POST", `/agents/${agent.id}/services`, {
          cookie,
          body: { service: "things", operations: ["*"] }
        }),
        200
      )
      assert.deepStrictEqual([(yield* call()).status, yield* used(own), yield* used(theirs)], ["executed", true, false])
    }))

  it.effect("base_url takes values of the app, and a value that leaves the hosts sends nothing", () =>
    Effect.gen(function*() {
      const place = { url: "" }
      const { connect, hub, owner, provider, service } = yield* scene(
        { shape: (answer) => ({ ...answer, instance_url: place.url, team: "a/b?c" }) },
        { capture: { instance_url: "/instance_url", team: "/team" } }
      )
      place.url = provider.origin
      yield* topUp(hub, owner, 100)
      expectStatus(yield* service({ base_url: "${app.instance_url}/api/${app.team}" }), 201)
      const plain = yield* service({ name: "plain", base_url: "https://${app.team}.example" })
      assert.deepStrictEqual([plain.status, plain.body.error.details[0].path], [400, "base_url"])
      const agent = yield* makeAgent(hub, owner, { bindings: [{ service: "things", operations: ["*"] }] })
      const call = hub.api("POST", "/service-requests", {
        key: agent.key,
        body: { service: "things", operation: "make", payload: {} }
      })
      yield* connect()
      assert.strictEqual((yield* call).body.result.path, "/api/a%2Fb%3Fc/things")
      for (const url of ["https://evil.example", "http://127.0.0.1:9", "javascript:alert(1)"]) {
        place.url = url
        yield* connect()
        const failed = (yield* call).body
        assert.deepStrictEqual([failed.status, failed.result.code], ["failed", "adapter_error"], url)
        assert.strictEqual(failed.cost_cents, 0)
      }
      assert.strictEqual(provider.calls().length, 1)
    }))

  it.effect("a token that the API rejects is renewed, the request is sent again once, and charged once", () =>
    Effect.gen(function*() {
      const { caller, connect, hub, provider } = yield* scene()
      const { call } = yield* caller
      yield* connect()
      provider.expireAccess()
      const done = yield* call()
      assert.deepStrictEqual([done.status, done.cost_cents], ["executed", 5])
      assert.deepStrictEqual(provider.grants, ["authorization_code", "refresh_token"])
      assert.strictEqual(new Set(provider.calls().map(({ headers }) => headers["idempotency-key"])).size, 1)
      provider.answerApi(401)
      const refused = yield* call()
      assert.deepStrictEqual(
        [refused.status, refused.result.code, refused.result.provider_status, refused.cost_cents],
        ["failed", "adapter_error", 401, 0]
      )
      assert.strictEqual(provider.calls().length, 4)
      assert.notMatch(JSON.stringify(refused), /at-[0-9a-f]{8}/)
      yield* expectHealthy(hub.target)
    }))

  it.effect("two hubs renew a single-use refresh token once, however many calls wait for it", () =>
    Effect.gen(function*() {
      const { app, caller, connect, expire, hub, provider, second } = yield* scene()
      const { call } = yield* caller
      const id = yield* connect()
      yield* expire(id)
      const gate = provider.close()
      const calls = yield* Effect.forkScoped(
        Effect.all([hub, second, hub, second, hub, second].map((on) => call(on)), { concurrency: "unbounded" })
      )
      yield* Effect.promise(() => gate.first)
      gate.open()
      const answers = yield* Fiber.join(calls)
      assert.deepStrictEqual(answers.map(({ status }) => status), answers.map(() => "executed"))
      assert.deepStrictEqual(provider.grants, ["authorization_code", "refresh_token"])
      assert.strictEqual((yield* app(id)).status, "connected")
    }))

  it.effect("a current token stays in use while another hub renews it", () =>
    Effect.gen(function*() {
      const { caller, connect, cookie, hub, provider, second } = yield* scene()
      const { call } = yield* caller
      const id = yield* connect()
      const gate = provider.close()
      const renewal = yield* Effect.forkScoped(second.api("POST", `/apps/${id}/refresh`, { cookie }))
      yield* Effect.promise(() => gate.first)
      assert.strictEqual((yield* call(hub)).status, "executed")
      gate.open()
      assert.strictEqual((yield* Fiber.join(renewal)).status, 200)
    }))

  it.effect(
    "a renewal of a hub that was killed is made by another hub once its lease ends",
    () =>
      Effect.gen(function*() {
        const { app, connect, cookie, hub, provider, sql } = yield* scene()
        const id = yield* connect()
        const killed = yield* spawnHub({ database: hub.target, env: { HUB_EGRESS_ALLOW: "127.0.0.1" } })
        const gate = provider.close()
        provider.misbehave("cut")
        yield* Effect.forkScoped(Effect.exit(killed.api("POST", `/apps/${id}/refresh`, { cookie })))
        yield* Effect.promise(() => gate.first)
        yield* killed.kill("SIGKILL")
        yield* killed.ended
        gate.open()
        const due = sql((sql) => sql`update apps set refresh_at = hub_time_or_last() where id = ${id}`)
        const round = hub.run(Effect.flatMap(AppSweeper, (sweeper) => sweeper.round))
        yield* due
        yield* round
        assert.deepStrictEqual(provider.grants, ["authorization_code", "refresh_token"])
        yield* sql((sql) => sql`update apps set lease_until = hub_time_or_last() where id = ${id}`)
        yield* round
        assert.deepStrictEqual(provider.grants, ["authorization_code", "refresh_token", "refresh_token"])
        assert.strictEqual((yield* app(id)).status, "connected")
      })
  )

  it.effect("renews due tokens without a call, and keeps a token that the provider cannot renew now", () =>
    Effect.gen(function*() {
      const { app, caller, connect, hub, provider, sql } = yield* scene()
      const { call } = yield* caller
      const id = yield* connect()
      const round = hub.run(Effect.flatMap(AppSweeper, (sweeper) => sweeper.round))
      const due = sql((sql) => sql`update apps set refresh_at = hub_time_or_last() where id = ${id}`)
      const version = Effect.map(
        sql((sql) => sql<{ version: number }>`select version from apps where id = ${id}`),
        ([row]) => row?.version
      )
      provider.misbehave("unavailable")
      yield* due
      yield* round
      assert.deepStrictEqual([(yield* app(id)).status, yield* version], ["connected", 2])
      assert.strictEqual((yield* call()).status, "executed")
      yield* due
      yield* round
      assert.deepStrictEqual([(yield* app(id)).status, yield* version], ["connected", 3])
      assert.strictEqual((yield* call()).status, "executed")
    }))

  it.effect("a rejected refresh token asks for a new sign-in, which connects the same app again", () =>
    Effect.gen(function*() {
      const { actions, app, caller, connect, cookie, end, expire, hub, provider } = yield* scene()
      const { call } = yield* caller
      const id = yield* connect()
      provider.endGrant()
      yield* expire(id)
      assert.strictEqual((yield* call()).result.code, "app_not_connected")
      const ended = yield* app(id)
      assert.deepStrictEqual([ended.status, ended.note?.includes("invalid_grant")], ["needs_reauth", true])
      assert.include(yield* actions, "app.needs_reauth")
      const refresh = yield* hub.api("POST", `/apps/${id}/refresh`, { cookie })
      assert.deepStrictEqual([refresh.status, refresh.body.error.code], [409, "app_not_connected"])
      const again = expectStatus(yield* hub.api("POST", `/apps/${id}/reconnect`, { cookie }), 200).body
      expectStatus(yield* end(provider.signIn(again.authorize_url)), 200)
      const connected = yield* app(id)
      assert.deepStrictEqual([connected.status, connected.note], ["connected", undefined])
      assert.strictEqual((yield* call()).status, "executed")
    }))

  it.effect("a disconnect deletes the tokens, revokes them at the provider, and holds even if that fails", () =>
    Effect.gen(function*() {
      const { app, caller, connect, cookie, hub, provider, second, sql } = yield* scene()
      const { call } = yield* caller
      const id = yield* connect()
      assert.strictEqual((yield* call(second)).status, "executed")
      provider.misbehave("unavailable")
      const first = fitting(App, expectStatus(yield* hub.api("POST", `/apps/${id}/revoke`, { cookie }), 200).body)
      assert.deepStrictEqual([first.status, /did not confirm/.test(first.note ?? "")], ["revoked", true])
      assert.strictEqual((yield* call(second)).result.code, "app_not_connected")
      const other = yield* connect()
      const confirmed = expectStatus(yield* hub.api("POST", `/apps/${other}/revoke`, { cookie }), 200).body
      assert.deepStrictEqual([confirmed.status, confirmed.note], ["revoked", undefined])
      assert.strictEqual(provider.revoked.length, 1)
      const rows = yield* sql((sql) =>
        sql<{ n: number }>`select count(*) as n from apps
          where id in (${id}, ${other}) and (access_token is not null or refresh_token is not null)`
      )
      assert.strictEqual(rows[0]?.n, 0)
      expectStatus(yield* hub.api("DELETE", `/apps/${other}`, { cookie }), 204)
      assert.strictEqual((yield* hub.api("GET", `/apps/${other}`, { cookie })).status, 404)
      assert.strictEqual((yield* app(id)).status, "revoked")
    }))

  it.effect("a disconnect during a renewal holds, and the renewed tokens are revoked too", () =>
    Effect.gen(function*() {
      const { app, connect, cookie, hub, provider, second } = yield* scene()
      const id = yield* connect()
      const gate = provider.close()
      const renewal = yield* Effect.forkScoped(second.api("POST", `/apps/${id}/refresh`, { cookie }))
      yield* Effect.promise(() => gate.first)
      expectStatus(yield* hub.api("POST", `/apps/${id}/revoke`, { cookie }), 200)
      provider.keepRevoked()
      gate.open()
      const answer = yield* Fiber.join(renewal)
      assert.deepStrictEqual([answer.status, answer.body.error.code], [409, "app_not_connected"])
      assert.strictEqual((yield* app(id)).status, "revoked")
      assert.strictEqual(new Set(provider.revoked).size, 2)
    }))

  it.effect("another client or definition of a provider ends its apps; another secret does not", () =>
    Effect.gen(function*() {
      const { app, connect, cookie, hub, provider, setUp } = yield* scene()
      const id = yield* connect()
      const secret = { ...client, client_secret: "another", definition: provider.definition }
      expectStatus(yield* hub.api("PUT", "/apps/providers/fake", { cookie, body: secret }), 200)
      assert.strictEqual((yield* app(id)).status, "connected")
      expectStatus(yield* setUp({ hosts: ["evil.example"] }), 200)
      assert.strictEqual((yield* app(id)).status, "needs_reauth")
    }))

  it.effect("a member sees and changes their own apps; only the owner of a private one shares it", () =>
    Effect.gen(function*() {
      const { connect, cookie, hub, org } = yield* scene()
      const member = yield* makeSignedIn(hub, org, "member")
      const own = yield* connect({ name: "Own" }, member.cookie)
      const foreign = yield* connect({ name: "Private" })
      const shared = yield* connect({ name: "Shared", visibility: "workspace" })
      const names = (as: string) =>
        Effect.map(
          hub.api("GET", "/apps", { cookie: as }),
          ({ body }) => body.data.map(({ name }: { readonly name: string }) => name)
        )
      assert.deepStrictEqual(yield* names(member.cookie), ["Shared", "Own"])
      assert.deepStrictEqual(yield* names(cookie), ["Shared", "Private", "Own"])
      const change = (id: string, body: object, as: string) => hub.api("PATCH", `/apps/${id}`, { cookie: as, body })
      assert.strictEqual((yield* change(foreign, { name: "x" }, member.cookie)).status, 404)
      assert.strictEqual((yield* change(shared, { name: "x" }, member.cookie)).status, 403)
      assert.strictEqual((yield* change(own, { visibility: "workspace" }, cookie)).status, 403)
      const renamed = expectStatus(yield* change(own, { name: "Mine", visibility: "workspace" }, member.cookie), 200)
      assert.deepStrictEqual([renamed.body.name, renamed.body.visibility], ["Mine", "workspace"])
      assert.strictEqual((yield* hub.api("POST", `/apps/${own}/revoke`, { cookie })).body.status, "revoked")
    }))

  it.effect("the tokens of a person who leaves are revoked at the provider, again after a failure", () =>
    Effect.gen(function*() {
      const { app, connect, cookie, hub, org, provider, sql } = yield* scene()
      const leaver = yield* makeSignedIn(hub, org, "member")
      const id = yield* connect({}, leaver.cookie)
      const round = hub.run(Effect.flatMap(AppRevocations, ({ round }) => round))
      provider.misbehave("unavailable")
      expectStatus(yield* hub.api("DELETE", `/members/${leaver.id}`, { cookie, body: {} }), 204)
      assert.deepStrictEqual([(yield* app(id)).status, provider.revoked], ["revoked", []])
      const left = "The person who connected it left the workspace."
      // Another hub's round may make the attempt.
      const note = Effect.andThen(round, Effect.map(app(id), ({ note }) => note ?? ""))
      const noted = (look: (text: string) => boolean) =>
        Effect.repeat(note, { until: look, schedule: Schedule.spaced(20) })
      yield* noted((text) => text.startsWith(left) && text.includes("did not confirm the disconnect (503)"))
      yield* sql((sql) => sql`update app_revocations set due_at = hub_time_or_last() where app_id = ${id}`)
      yield* noted((text) => text === left)
      assert.strictEqual(provider.revoked.length, 1)
      assert.deepStrictEqual(yield* sql((sql) => sql`select 1 from app_revocations where app_id = ${id}`), [])
    }))

  it.effect("a disconnect that the provider did not confirm is repeated, also for a deleted app, until the app is connected again", () =>
    Effect.gen(function*() {
      const { app, connect, cookie, end, hub, provider, second, sql } = yield* scene()
      const pending = (id: string) => sql((sql) => sql`select 1 from app_revocations where app_id = ${id}`)
      const due = (id: string) =>
        sql((sql) => sql`update app_revocations set due_at = hub_time_or_last() where app_id = ${id}`)
      const round = second.run(Effect.flatMap(AppRevocations, ({ round }) => round))
      const [deleted, again] = [yield* connect(), yield* connect()]
      provider.misbehave("unavailable", "unavailable")
      expectStatus(yield* hub.api("DELETE", `/apps/${deleted}`, { cookie }), 204)
      expectStatus(yield* hub.api("POST", `/apps/${again}/revoke`, { cookie }), 200)
      assert.deepStrictEqual([(yield* pending(deleted)).length, (yield* pending(again)).length], [1, 1])
      const started = yield* hub.api("POST", `/apps/${again}/reconnect`, { cookie })
      const { authorize_url } = fitting(StartedApp, expectStatus(started, 200).body)
      expectStatus(yield* end(provider.signIn(authorize_url)), 200)
      yield* due(deleted)
      yield* Effect.all([round, round], { concurrency: 2 })
      yield* Effect.repeat(pending(deleted), { until: (rows) => rows.length === 0, schedule: Schedule.spaced(20) })
      assert.deepStrictEqual(yield* pending(again), [])
      assert.deepStrictEqual([provider.revoked.length, (yield* app(again)).status], [1, "connected"])
    }))

  it.effect("a token endpoint that does not answer does not delay calls with a current token or renewals at other providers", () =>
    Effect.gen(function*() {
      const { caller, connect, cookie, hub, org, provider, sql } = yield* scene()
      const { call } = yield* caller
      const slow = yield* connect()
      const other = yield* appProvider()
      expectStatus(
        yield* hub.api("PUT", "/apps/providers/other", { cookie, body: { ...client, definition: other.definition } }),
        200
      )
      const quick = fitting(
        StartedApp,
        expectStatus(yield* hub.api("POST", "/apps", { cookie, body: { provider: "other" } }), 201).body
      )
      const query = other.signIn(quick.authorize_url)
      expectStatus(yield* hub.api("GET", `/apps/callback${query}`, { cookie }), 200)
      // More apps of the slow provider than a round takes, all due before the other one.
      yield* sql((sql) =>
        sql`insert into apps (id, org_id, user_id, provider, name, status, visibility, scopes, params, access_token,
            refresh_token, refresh_at, created_at, updated_at)
          select 'app_' || lpad(n::text, 26, '0'), org_id, user_id, provider, name, status, visibility, scopes, params,
            access_token, refresh_token, hub_time_or_last() - interval '1 hour', created_at, updated_at
          from apps, generate_series(1, 12) n where id = ${slow}`
      )
      const due = yield* hub.run(Effect.flatMap(AppsRepository, (apps) =>
        Effect.andThen(
          sql((sql) =>
            sql`update apps set refresh_at = hub_time_or_last() - interval '1 minute' where id in (${slow}, ${quick.id})`
          ),
          apps.due(100, 10)
        )))
      const own = due.filter(({ org_id }) => org_id === org).map(({ id }) => id)
      assert.deepStrictEqual([own.length, own.indexOf(quick.id) < 2], [11, true])
      yield* sql((sql) => sql`delete from apps where org_id = ${org} and id not in (${slow}, ${quick.id})`)

      const gate = provider.close()
      const round = yield* Effect.forkScoped(hub.run(Effect.flatMap(AppSweeper, (sweeper) => sweeper.round)))
      yield* Effect.promise(() => gate.first)
      assert.strictEqual((yield* call()).status, "executed", "while this hub renews its token")
      const tokens = (id: string) => hub.run(Effect.flatMap(AppTokens, (tokens) => tokens.renew(org, id, 2)))
      assert.deepStrictEqual([(yield* tokens(quick.id)).kind, provider.grants.length], ["current", 1])
      gate.open()
      yield* Fiber.join(round)
      const metrics = yield* hub.api("GET", "/metrics", { key: "scrape me" })
      assert.match(metrics.text, /^countersign_app_renewals_total\{result="current"\} \d+$/m)
      assert.match(metrics.text, /^countersign_connected_apps\{status="connected"\} \d+$/m)
    }))

  it.effect("the apps of a person who leaves go to another person, or are disconnected", () =>
    Effect.gen(function*() {
      const { app, connect, cookie, hub, org, owner } = yield* scene()
      const [leaver, other] = [yield* makeSignedIn(hub, org, "member"), yield* makeSignedIn(hub, org, "member")]
      const [given, ended] = [yield* connect({}, leaver.cookie), yield* connect({}, other.cookie)]
      const holdings = expectStatus(yield* hub.api("GET", `/members/${leaver.id}/holdings`, { cookie }), 200).body
      assert.deepStrictEqual(holdings.apps.data.map(({ id }: { readonly id: string }) => id), [given])
      const remove = (id: string, body: object) => hub.api("DELETE", `/members/${id}`, { cookie, body })
      expectStatus(yield* remove(leaver.id, { transfer_to: owner.id }), 204)
      expectStatus(yield* remove(other.id, {}), 204)
      const [kept, gone] = [yield* app(given), yield* app(ended)]
      assert.deepStrictEqual([kept.status, kept.owner_user_id, gone.status], ["connected", owner.id, "revoked"])
    }))
})
