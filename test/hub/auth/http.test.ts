import { SchemaErrors } from "@countersign/domain/api"
import { AuthGroup } from "@countersign/domain/identity"
import { MembersGroup } from "@countersign/domain/members"
import { TokensGroup } from "@countersign/domain/tokens"
import { WorkspacesGroup } from "@countersign/domain/workspaces"
import { FirstOwner } from "@countersign/hub/auth/first-owner"
import { credentialHash, opaqueToken } from "@countersign/hub/auth/hash"
import { AuthHttp } from "@countersign/hub/auth/http"
import { knownDeviceOf, ownDeviceOf } from "@countersign/hub/auth/known-device"
import { LoginLimits, SignInDelay } from "@countersign/hub/auth/login-limits"
import { ProviderLinks } from "@countersign/hub/auth/provider-links"
import { SignInReports } from "@countersign/hub/auth/sign-in-reports"
import { SignInRepository } from "@countersign/hub/auth/sign-in-repository"
import { parseConfig, Settings } from "@countersign/hub/config"
import { accessLayer } from "@countersign/hub/edge/access"
import { answersLayer } from "@countersign/hub/edge/answers"
import { OpenCalls } from "@countersign/hub/edge/open-calls"
import { RateLimits } from "@countersign/hub/edge/rate-limit"
import { schemaErrorsLayer } from "@countersign/hub/edge/schema-errors"
import { MembersHttp } from "@countersign/hub/members/http"
import { Readiness } from "@countersign/hub/platform/readiness"
import { Mailer, type MailMessage, type MailReceipt } from "@countersign/hub/providers/mail"
import { TokensHttp } from "@countersign/hub/tokens/http"
import { WorkspacesHttp } from "@countersign/hub/workspaces/http"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { createServer } from "node:http"
import { until } from "../../support/health.ts"
import { IdentityServices, personIn, rightPassword, workspace } from "../../support/identity.ts"
import { PgTest } from "../../support/pg.ts"

/** The groups of this part of the contract, under the contract's own name, so that the hub's handlers serve them. */
class IdentityApi
  extends HttpApi.make("countersign").add(AuthGroup).add(MembersGroup).add(TokensGroup).add(WorkspacesGroup)
    .middleware(SchemaErrors).prefix("/api/v1").annotate(HttpApi.ParseOptions, {
      errors: "all",
      onExcessProperty: "error"
    })
{}

/** Seconds by which the hub delayed attempts, instead of delaying them. */
const delays: Array<number> = []
const mails: Array<MailMessage> = []
/** Tokens of pending identities that sign-ins completed. */
const links: Array<string> = []
const mailed = (message: MailMessage): MailReceipt => {
  mails.push(message)
  return { messageId: "<1>", accepted: message.to, rejected: [], response: "250" }
}

const hub = (env: Readonly<Record<string, string>> = {}) => {
  const settings = Settings.layerOf(
    parseConfig({ HUB_RATE_LIMIT_LOGIN: "off", ...env }, { projectDir: "/tmp", terminal: false })
  )
  const api = HttpApiBuilder.layer(IdentityApi).pipe(
    Layer.provide([AuthHttp, MembersHttp, TokensHttp, WorkspacesHttp]),
    Layer.provide([
      accessLayer.pipe(Layer.provide([RateLimits.layer, OpenCalls.layer])),
      schemaErrorsLayer,
      LoginLimits.layer.pipe(
        Layer.provide(Layer.succeed(SignInDelay, (seconds) => Effect.sync(() => void delays.push(seconds))))
      ),
      Layer.succeed(ProviderLinks, { complete: (_, token) => Effect.sync(() => void links.push(token)) }),
      SignInReports.layer.pipe(
        Layer.provide(Layer.succeed(Mailer, { send: (message) => Effect.sync(() => mailed(message)) }))
      )
    ])
  )
  return HttpRouter.serve(Layer.mergeAll(api, answersLayer), { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(() => createServer(), { port: 0, host: "127.0.0.1" })),
    Layer.provide(Readiness.layerOf("serving")),
    Layer.provideMerge(IdentityServices),
    Layer.provideMerge(settings),
    Layer.provideMerge(PgTest)
  )
}

interface Answer {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- the raw body: the test's assertions check what they read
  readonly body: any
}

const call = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  Effect.gen(function*() {
    const { address } = yield* HttpServer.HttpServer
    const port = address._tag === "UnixPathAddress" ? 0 : address.port
    return yield* Effect.promise(async (): Promise<Answer> => {
      const response = await fetch(`http://127.0.0.1:${port}/api/v1${path}`, {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
    })
  })

const cookieOf = (answer: Answer): string => answer.headers.getSetCookie()[0]!.split(";")[0]!
const signIn = Effect.fnUntraced(function*(email: string) {
  const answer = yield* call("POST", "/auth/login", { email, password: rightPassword })
  assert.strictEqual(answer.status, 200)
  return { cookie: cookieOf(answer) }
})
const code = (answer: Answer) => [answer.status, answer.body?.error?.code]

describe("signing in over HTTP", () => {
  it.live("setup answers 201 with the cookie, and nothing cacheable", () =>
    Effect.provide(
      Effect.gen(function*() {
        const token = Option.getOrThrow(yield* Effect.flatMap(FirstOwner, (owner) => owner.newSetupToken))
        const input = { token, email: "ada@box.test", password: rightPassword }
        for (
          const [over, path] of [[{ password: "short" }, "password"], [{ email: "ada" }, "email"], [
            { role: "owner" },
            "role"
          ], [{
            name: "a\u0007"
          }, "name"]] as const
        ) {
          const refused = yield* call("POST", "/auth/setup", { ...input, ...over })
          assert.deepStrictEqual([...code(refused), refused.body.error.details[0].path], [400, "invalid_request", path])
          assert.notInclude(JSON.stringify(refused.body), "short")
        }
        assert.deepStrictEqual(code(yield* call("POST", "/auth/setup", input, { origin: "http://evil.test" })), [
          403,
          "forbidden"
        ])
        assert.deepStrictEqual(code(yield* call("POST", "/auth/setup", { ...input, token: "x" })), [
          401,
          "unauthorized"
        ])
        const made = yield* call("POST", "/auth/setup", input)
        assert.strictEqual(made.status, 201)
        assert.strictEqual(made.headers.get("cache-control"), "no-store")
        assert.strictEqual(made.headers.get("location"), "/api/v1/auth/me")
        const me = yield* call("GET", "/auth/me", undefined, { cookie: cookieOf(made) })
        assert.deepStrictEqual([me.status, me.body], [200, made.body])
        assert.deepStrictEqual([me.body.team, me.body.workspaces[0].name, me.body.via.kind], [
          null,
          "Default",
          "session"
        ])
        assert.deepStrictEqual(code(yield* call("POST", "/auth/setup", input)), [409, "conflict"])
      }),
      hub()
    ))

  it.live("the cookie is HttpOnly, SameSite=Lax, on path /, and Secure if the hub uses https", () =>
    Effect.gen(function*() {
      for (const [url, secure] of [["http://127.0.0.1:4780", false], ["https://hub.test", true]] as const) {
        const attributes = yield* Effect.provide(
          Effect.gen(function*() {
            const { email } = yield* personIn(yield* workspace(), "owner")
            const answer = yield* call("POST", "/auth/login", { email, password: rightPassword })
            const out = yield* call("POST", "/auth/logout", undefined, { cookie: cookieOf(answer) })
            assert.strictEqual(out.status, 204)
            assert.match(out.headers.getSetCookie()[0]!, /^svc_session=; .*Max-Age=0/i)
            assert.deepStrictEqual(code(yield* call("GET", "/auth/me", undefined, { cookie: cookieOf(answer) })), [
              401,
              "unauthorized"
            ])
            return answer.headers.getSetCookie()
          }),
          hub({ HUB_PUBLIC_URL: url })
        )
        assert.lengthOf(attributes, 2)
        const [value, ...rest] = attributes[0]!.split("; ")
        assert.match(value!, /^svc_session=[A-Za-z0-9_-]{43}$/)
        assert.deepStrictEqual(rest.map((one) => one.toLowerCase()).sort(), [
          "httponly",
          "max-age=7776000",
          "path=/",
          "samesite=lax",
          ...(secure ? ["secure"] : [])
        ])
      }
    }))

  it.live("takes no value that another host of the site planted, and reads what an earlier version set", () =>
    Effect.provide(
      Effect.gen(function*() {
        const [org, token] = [yield* workspace(), opaqueToken()]
        const [ada, bob] = [yield* personIn(org, "owner"), yield* personIn(org, "owner")]
        const attempt = ({ email }: { readonly email: string }, cookie: string) =>
          call("POST", "/auth/login", { email, password: rightPassword }, { cookie })
        const isKnown = (device: string) =>
          Effect.flatMap(SignInRepository, (repository) =>
            Effect.map(
              repository.isKnown(ada.user_id, { device: credentialHash(device), address: "" }),
              (known) => known.device
            ))
        const planted = `svc_known_device=${token}; svc_oidc_link=${token}`
        const answer = yield* attempt(ada, planted)
        const [, device = ""] = answer.headers.getSetCookie()
        const [, own = ""] = /^__Host-svc_known_device=([A-Za-z0-9_-]{43}); /u.exec(device) ?? []
        for (const attribute of ["Path=/;", "Secure", "HttpOnly", "SameSite=Lax"]) {
          assert.include(`${device};`, attribute)
        }
        assert.notInclude(device, "Domain")
        assert.notStrictEqual(own, token)
        assert.deepStrictEqual([yield* isKnown(token), yield* isKnown(own)], [false, true])
        assert.deepStrictEqual(links, [])
        // The hub's own cookies: the device keeps its value, also for a second person, and the identity is linked.
        const again = yield* attempt(bob, `__Host-svc_known_device=${own}; __Host-svc_oidc_link=${token}`)
        assert.include(again.headers.getSetCookie()[1], `__Host-svc_known_device=${own};`)
        assert.deepStrictEqual(links, [token])
        // A device that an earlier version marked is not delayed, and gets a new value.
        const earlier = { cookies: { svc_known_device: token } }
        const url = new URL("https://hub.test")
        assert.deepStrictEqual([knownDeviceOf(earlier, url), ownDeviceOf(earlier, url)], [token, undefined])
      }),
      hub({ HUB_PUBLIC_URL: "https://hub.test" })
    ))

  it.live("is refused to pages of other origins, and open to the console and to programs", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { email } = yield* personIn(yield* workspace(), "owner")
        const attempt = (origin: string) => call("POST", "/auth/login", { email, password: rightPassword }, { origin })
        for (const origin of ["http://evil.test", "null", "http://hub.test:81", "https://hub.test"]) {
          const refused = yield* attempt(origin)
          assert.deepStrictEqual(
            [...code(refused), refused.headers.getSetCookie().length],
            [403, "forbidden", 0],
            origin
          )
        }
        assert.strictEqual((yield* attempt("http://hub.test")).status, 200)
        const { cookie } = yield* signIn(email)
        assert.deepStrictEqual(
          code(yield* call("POST", "/auth/logout", undefined, { cookie, origin: "http://evil.test" })),
          [
            403,
            "forbidden"
          ]
        )
        assert.strictEqual((yield* call("GET", "/auth/me", undefined, { cookie })).status, 200)
      }),
      hub({ HUB_PUBLIC_URL: "http://hub.test" })
    ))

  it.live("refuses an address after five attempts a minute, and delays an account instead, except for known devices", () =>
    Effect.provide(
      Effect.gen(function*() {
        const org = yield* workspace()
        const [ada, bob] = [yield* personIn(org, "owner"), yield* personIn(org, "owner")]
        const attempt = (email: string, from: string, password = "wrong password", cookie?: string) =>
          call("POST", "/auth/login", { email, password }, {
            "x-forwarded-for": from,
            ...(cookie === undefined ? {} : { cookie })
          })
        const deviceOf = (answer: Answer) =>
          answer.headers.getSetCookie().find((each) => each.startsWith("svc_known_device="))?.split(";")[0] ?? ""
        const device = deviceOf(yield* attempt(ada.email, "10.0.0.1", rightPassword))
        delays.length = 0
        // From many addresses: each further attempt waits twice as long, for a right password too.
        for (let count = 0; count < 12; count++) {
          const answer = yield* attempt(count % 2 === 0 ? ada.email : ada.email.toUpperCase(), `10.2.0.${count}`)
          assert.deepStrictEqual(code(answer), [401, "unauthorized"])
          assert.match(answer.headers.get("ratelimit") ?? "", /^"login";r=4;/)
        }
        assert.deepStrictEqual(delays, [1, 2, 4, 8, 16, 30, 30])
        assert.strictEqual((yield* attempt(ada.email, "10.2.1.1", "wrong password", device)).status, 401)
        const known = yield* attempt(ada.email, "10.2.1.2", rightPassword, device)
        assert.deepStrictEqual([known.status, deviceOf(known), delays.length], [200, device, 7])
        assert.strictEqual((yield* attempt(ada.email, "10.0.0.1")).status, 401)
        assert.lengthOf(delays, 7)
        // A device is no way around the limit, and none for another account.
        for (let count = 0; count < 3; count++) yield* attempt(ada.email, "10.2.1.3", "wrong password", device)
        assert.deepStrictEqual(code(yield* attempt(ada.email, "10.2.1.3", "wrong password", device)), [
          429,
          "rate_limited"
        ])
        // An address over its limit does not count for the account.
        for (let count = 0; count < 5; count++) yield* attempt(`nobody${count}@box.test`, "10.1.0.1")
        for (let count = 0; count < 10; count++) {
          const over = yield* attempt(bob.email, "10.1.0.1", rightPassword, device)
          assert.deepStrictEqual(code(over), [429, "rate_limited"])
          assert.match(over.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
        }
        assert.strictEqual((yield* attempt(bob.email, "10.1.0.2", rightPassword)).status, 200)
        assert.lengthOf(delays, 7)

        const sql = yield* SqlClient.SqlClient
        const failures = sql<{ data: string; actor_type: string }>`select data, actor_type from audit
          where org_id = ${org} and action = 'user.sign_in_failed' order by seq`
        yield* until("every failure of a short run is recorded", Effect.map(failures, (rows) => rows.length >= 14))
        const recorded = (yield* failures).map(({ actor_type, data }) => [actor_type, JSON.parse(data)])
        assert.deepInclude(recorded, ["hub", { failures: 1, ip: "10.2.0.0" }])
        assert.notDeepInclude(recorded, ["hub", { failures: 12, ip: "10.2.0.11" }])
        assert.deepStrictEqual(mails.map(({ to }) => to), [[ada.email]])
        assert.match(mails[0]?.text ?? "", /^1\d attempts to sign in/)
      }),
      hub({
        HUB_RATE_LIMIT_LOGIN: "5/min",
        HUB_TRUSTED_PROXIES: "127.0.0.1",
        HUB_SMTP_URL: "smtp://127.0.0.1:9",
        HUB_MAIL_FROM: "hub@box.test"
      })
    ))

  it.live("counts the attempts on one account over all hubs", () =>
    Effect.gen(function*() {
      const take = Effect.gen(function*() {
        const repository = yield* SignInRepository
        return yield* Effect.all(
          Array.from({ length: 20 }, () => repository.take("address 10.0.0.1", { burst: 5, perSecond: 1 / 3_600 })),
          { concurrency: 10 }
        )
      })
      const taken = yield* take
      assert.deepStrictEqual(taken.map(({ allowed }) => allowed).filter(Boolean), [true, true, true, true, true])
    }).pipe(Effect.provide(SignInRepository.layer.pipe(Layer.provideMerge(PgTest)))))
})

describe("credentials over HTTP", () => {
  it.live("each endpoint names the credential it requires, and the one it received", () =>
    Effect.provide(
      Effect.gen(function*() {
        const org = yield* workspace()
        const { email } = yield* personIn(org, "owner")
        const { cookie } = yield* signIn(email)
        const minted = yield* call("POST", "/tokens", { name: "ci", scopes: ["members:read"] }, { cookie })
        assert.deepStrictEqual([minted.status, minted.headers.get("cache-control"), minted.headers.get("location")], [
          201,
          "no-store",
          `/api/v1/tokens/${minted.body.id}`
        ])
        const bearer = { authorization: `Bearer ${minted.body.token}` }
        assert.strictEqual((yield* call("GET", "/members", undefined, bearer)).body.data[0].email, email)
        assert.deepStrictEqual(code(yield* call("GET", "/auth/sessions", undefined, bearer)), [403, "session_required"])
        assert.deepStrictEqual(code(yield* call("GET", "/tokens", undefined, bearer)), [403, "session_required"])
        // A bearer token, if present, is the only credential read.
        assert.deepStrictEqual(code(yield* call("GET", "/auth/sessions", undefined, { ...bearer, cookie })), [
          403,
          "session_required"
        ])

        const refusals = [
          [yield* call("GET", "/members"), /No credential.*personal access token/],
          [
            yield* call("GET", "/members", undefined, { authorization: `Bearer ${minted.body.token.slice(0, -1)}0` }),
            /mistyped|unknown/
          ],
          [
            yield* call("GET", "/members", undefined, { authorization: `Bearer ${minted.body.token.slice(0, -3)}` }),
            /mistyped.*requires a personal access token/
          ],
          [
            yield* call("GET", "/members", undefined, { authorization: "Bearer agent_key_live_x" }),
            /agent key is not accepted here/
          ],
          [yield* call("GET", "/members", undefined, { authorization: "Bearer x" }), /not valid for this hub/],
          [
            yield* call("GET", "/auth/me", undefined, { cookie: `svc_session=${"a".repeat(43)}` }),
            /Sign in again.*signed-in session/
          ]
        ] as const
        for (const [answer, message] of refusals) {
          assert.deepStrictEqual(code(answer), [401, "unauthorized"])
          assert.match(answer.body.error.message, message)
          assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/)
        }
        const refused = yield* call("POST", "/workspaces", { name: "x" }, bearer)
        assert.deepStrictEqual([refused.status, refused.body.error.data.permission], [403, "workspace:write"])
        const narrow = yield* call("PATCH", `/workspaces/${org}`, { name: "x" }, bearer)
        assert.deepStrictEqual([...code(narrow), narrow.body.error.data], [403, "forbidden", {
          permission: "workspace:write"
        }])
      }),
      hub()
    ))

  it.live("svc-workspace selects a workspace per call, and switching selects it for the session", () =>
    Effect.provide(
      Effect.gen(function*() {
        const [first, second, foreign] = [
          yield* workspace("First"),
          yield* workspace("Second"),
          yield* workspace("Foreign")
        ]
        const { email } = yield* personIn(first, "owner", { [second]: "viewer" })
        const { cookie } = yield* signIn(email)
        const activeOf = (headers: Readonly<Record<string, string>>) =>
          Effect.map(call("GET", "/auth/me", undefined, { cookie, ...headers }), ({ body }) => body.active_workspace)
        assert.strictEqual((yield* call("POST", "/workspaces/switch", { workspace_id: first }, { cookie })).status, 200)
        assert.strictEqual(yield* activeOf({}), first)
        assert.strictEqual(yield* activeOf({ "svc-workspace": second }), second)
        assert.strictEqual(yield* activeOf({}), first)
        assert.deepStrictEqual(code(yield* call("GET", "/auth/me", undefined, { cookie, "svc-workspace": foreign })), [
          404,
          "not_found"
        ])
        assert.deepStrictEqual(code(yield* call("POST", "/workspaces/switch", { workspace_id: foreign }, { cookie })), [
          404,
          "not_found"
        ])
        // A person with any role may create one; a token needs workspace:write.
        const made = yield* call("POST", "/workspaces", { name: "Mine" }, { cookie, "svc-workspace": second })
        assert.deepStrictEqual([made.status, made.body.role, made.headers.get("location")], [
          201,
          "owner",
          `/api/v1/workspaces/${made.body.id}`
        ])
        assert.deepStrictEqual(
          (yield* call("GET", "/workspaces", undefined, { cookie })).body.data.map((one: { readonly name: string }) =>
            one.name
          ),
          ["Mine", "Second", "First"]
        )
        for (const path of [`/workspaces/${foreign}`, `/workspaces/${foreign.slice(0, -4)}0000`]) {
          const answer = yield* call("GET", path, undefined, { cookie })
          assert.deepStrictEqual([...code(answer), answer.body.error.message], [
            404,
            "not_found",
            "No such workspace, or it is not yours."
          ])
        }
      }),
      hub()
    ))

  it.live("sessions can be listed, ended, and stepped up, and a password changed", () =>
    Effect.provide(
      Effect.gen(function*() {
        const { email } = yield* personIn(yield* workspace(), "owner")
        const [one, two] = [yield* signIn(email), yield* signIn(email)]
        const listed = yield* call("GET", "/auth/sessions", undefined, one)
        assert.deepStrictEqual(listed.body.data.map((session: { readonly current: boolean }) => session.current), [
          false,
          true
        ])
        assert.isString(listed.body.as_of)
        assert.deepStrictEqual(code(yield* call("POST", "/auth/step-up", { password: "wrong password" }, one)), [
          403,
          "forbidden"
        ])
        const lifted = yield* call("POST", "/auth/step-up", { password: rightPassword }, one)
        assert.strictEqual(lifted.status, 200)
        assert.isTrue((yield* call("GET", "/auth/me", undefined, one)).body.via.stepped_up)
        assert.strictEqual(
          (yield* call(
            "POST",
            "/auth/password",
            { current_password: rightPassword, new_password: "a new password" },
            one
          ))
            .status,
          204
        )
        assert.deepStrictEqual(code(yield* call("GET", "/auth/me", undefined, two)), [401, "unauthorized"])
        const ended = yield* call("DELETE", `/auth/sessions/${listed.body.data[1].id}`, undefined, one)
        assert.strictEqual(ended.status, 204)
        assert.match(ended.headers.getSetCookie()[0]!, /Max-Age=0/i)
        assert.deepStrictEqual(code(yield* call("GET", "/auth/me", undefined, one)), [401, "unauthorized"])
      }),
      hub()
    ))

  it.live("PATCH /auth/me changes name, time zone, and locale, and records a name in each of the person's workspaces", () =>
    Effect.provide(
      Effect.gen(function*() {
        const [home, other] = [yield* workspace(), yield* workspace("Other")]
        const { email } = yield* personIn(home, "viewer", { [other]: "viewer" })
        const session = yield* signIn(email)
        const before = yield* call("GET", "/auth/me", undefined, session)
        assert.deepStrictEqual([before.body.user.time_zone, before.body.user.locale], [null, null])
        const org = before.body.active_workspace
        const updates = Effect.fnUntraced(function*(of: string) {
          const sql = yield* SqlClient.SqlClient
          return (yield* sql<
            { data: unknown }
          >`select data from audit where org_id = ${of} and action = 'user.updated' order by seq`)
            .map(({ data }) => typeof data === "string" ? JSON.parse(data) : data)
        })

        const changed = yield* call("PATCH", "/auth/me", { time_zone: "Europe/Berlin", locale: "en-GB" }, session)
        assert.deepStrictEqual([changed.status, changed.headers.get("cache-control")], [200, "no-store"])
        assert.deepStrictEqual(changed.body.user, { ...before.body.user, time_zone: "Europe/Berlin", locale: "en-GB" })
        assert.deepStrictEqual((yield* call("GET", "/auth/me", undefined, session)).body, changed.body)
        const inBerlin = { time_zone: { from: null, to: "Europe/Berlin" }, locale: { from: null, to: "en-GB" } }
        assert.deepStrictEqual(yield* updates(org), [inBerlin])

        const named = yield* call("PATCH", "/auth/me", { name: "Grace", time_zone: null }, session)
        assert.deepStrictEqual([named.body.user.name, named.body.user.time_zone, named.body.user.locale], [
          "Grace",
          null,
          "en-GB"
        ])
        yield* call("PATCH", "/auth/me", { name: "Grace" }, session)
        yield* call("PATCH", "/auth/me", {}, session)
        assert.lengthOf(yield* updates(org), 2, "an update without changes is not recorded")
        assert.lengthOf(yield* updates(org === home ? other : home), 1)
        assert.strictEqual(
          (yield* call("POST", "/auth/login", { email, password: rightPassword })).body.user.locale,
          "en-GB"
        )

        for (
          const wrong of [
            { time_zone: "Mars/Olympus" },
            { time_zone: "+02:00" },
            { time_zone: "" },
            { locale: "en-gb" },
            { locale: "en_GB" },
            { name: "a\u0007" },
            { email: "other@box.test" }
          ]
        ) {
          assert.deepStrictEqual(
            code(yield* call("PATCH", "/auth/me", wrong, session)),
            [400, "invalid_request"],
            JSON.stringify(wrong)
          )
        }
        assert.deepStrictEqual(code(yield* call("PATCH", "/auth/me", { name: "Eve" })), [401, "unauthorized"])
      }),
      hub()
    ))

  it.live("members can be given roles and removed; the last owner stays", () =>
    Effect.provide(
      Effect.gen(function*() {
        const org = yield* workspace()
        const [owner, member] = [yield* personIn(org, "owner"), yield* personIn(org, "viewer")]
        const { cookie } = yield* signIn(owner.email)
        const theirs = yield* signIn(member.email)
        assert.deepStrictEqual(code(yield* call("PATCH", `/members/${member.user_id}`, { role: "owner" }, theirs)), [
          403,
          "forbidden"
        ])
        assert.deepStrictEqual(code(yield* call("PATCH", `/members/${member.user_id}`, { role: "king" }, { cookie })), [
          400,
          "invalid_request"
        ])
        assert.strictEqual(
          (yield* call("PATCH", `/members/${member.user_id}`, { role: "admin" }, { cookie })).body.role,
          "admin"
        )
        assert.include((yield* call("GET", "/auth/me", undefined, theirs)).body.permissions, "members:write")
        assert.deepStrictEqual(code(yield* call("DELETE", `/members/${owner.user_id}`, undefined, { cookie })), [
          409,
          "last_owner"
        ])
        assert.strictEqual((yield* call("DELETE", `/members/${member.user_id}`, undefined, { cookie })).status, 204)
        assert.deepStrictEqual(code(yield* call("GET", "/auth/me", undefined, theirs)), [401, "unauthorized"])
        assert.lengthOf(
          yield* Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select 1 from memberships where org_id = ${org}`),
          1
        )
      }),
      hub()
    ))
})
