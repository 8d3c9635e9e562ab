import type { OrgId } from "@countersign/domain/ids"
import { recoveryCodeHash } from "@countersign/hub/factors/recovery-code"
import { stepOf, stepSeconds } from "@countersign/hub/factors/totp"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Secret, TOTP } from "otpauth"
import {
  type Answer,
  cookieOf,
  expectStatus,
  type HubInTest,
  HubTest,
  makeAgent,
  startHub,
  TestHub
} from "../../support/hub.ts"
import { makePerson, password, type PersonInTest, stepUp } from "../../support/people.ts"

/** The code of an app whose clock is `ahead` seconds ahead. */
const codeOf = (secret: string, ahead = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: stepSeconds, algorithm: "SHA1" }).generate({
    timestamp: Date.now() + ahead * 1_000
  })

const codes = ({ body, status }: Answer) => [status, body?.error?.code]

/** A new person with an authenticator app, confirmed by the code of the previous step, so that the present one is unused. */
const withApp = Effect.fnUntraced(
  function*(hub: HubInTest, org: OrgId, role: "owner" | "operator" | "viewer" = "owner") {
    const person = yield* makePerson(hub, org, role)
    yield* stepUp(hub, person)
    const options = expectStatus(yield* hub.api("POST", "/auth/factors/totp/options", person), 200).body
    const added = expectStatus(
      yield* hub.api("POST", "/auth/factors", {
        cookie: person.cookie,
        body: { kind: "totp", id: options.id, code: codeOf(options.secret, -stepSeconds), name: "Phone" }
      }),
      201
    )
    return {
      ...person,
      factor: added.body.id as string,
      secret: options.secret as string,
      recovery: added.body.recovery_codes as ReadonlyArray<string>
    }
  }
)

const challenge = Effect.fnUntraced(function*({ api }: Pick<HubInTest, "api">, { email }: Pick<PersonInTest, "email">) {
  const answer = expectStatus(yield* api("POST", "/auth/login", { body: { email, password } }), 202)
  assert.deepStrictEqual(answer.headers.getSetCookie(), [])
  return answer.body.challenge as {
    readonly id: string
    readonly methods: ReadonlyArray<string>
    readonly expires_at: string
  }
})

const prove = (
  { api }: Pick<HubInTest, "api">,
  challenge_id: string,
  proof: Readonly<Record<string, unknown>>
) => api("POST", "/auth/login/factor", { body: { challenge_id, ...proof } })

describe("codes of authenticator apps", () => {
  it("are those of RFC 6238, and are accepted one step early or late", () => {
    // Appendix B, SHA-1, of the last six digits.
    const secret = new Secret({ buffer: new TextEncoder().encode("12345678901234567890").buffer }).base32
    const vectors = [[59, "287082"], [1_111_111_109, "081804"], [2_000_000_000, "279037"]] as const
    for (const [time, code] of vectors) {
      const step = Math.floor(time / stepSeconds)
      assert.strictEqual(stepOf(secret, code, time), step)
      assert.strictEqual(stepOf(secret, ` ${code.slice(0, 3)} ${code.slice(3)}`, time + stepSeconds), step)
      assert.strictEqual(stepOf(secret, code, time - stepSeconds), step)
      assert.isUndefined(stepOf(secret, code, time + 2 * stepSeconds))
    }
    for (const wrong of ["", "12345", "1234567", "abcdef", "۱۲۳۴۵۶"]) assert.isUndefined(stepOf(secret, wrong, 59))
  })
})

describe("recovery codes", () => {
  it("are equal however they are typed", () => {
    const typed = ["0a1b-2c3d-4e5f-6g7h", "OAIB 2C3D 4E5F 6G7H", "0a1b2c3d4e5f6g7h"]
    assert.strictEqual(new Set(typed.map((text) => Buffer.from(recoveryCodeHash(text)).toString("hex"))).size, 1)
  })
})

layer(HubTest(), { excludeTestServices: true })("second factors", (it) => {
  it.effect("an authenticator app is added by a stepped-up session, with ten recovery codes at the first", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const person = yield* makePerson(hub, owner.org, "admin")
      const none = expectStatus(yield* api("GET", "/auth/factors", person), 200)
      assert.deepStrictEqual([none.body.data, none.body.recovery_codes_left, none.body.step_up_methods], [[], 0, [
        "password"
      ]])
      const options = expectStatus(yield* api("POST", "/auth/factors/totp/options", person), 200).body
      assert.match(options.otpauth_url, /^otpauth:\/\/totp\/Countersign:/u)
      const body = { kind: "totp", id: options.id, code: codeOf(options.secret) }
      assert.deepStrictEqual(codes(yield* api("POST", "/auth/factors", { ...person, body })), [403, "step_up_required"])
      yield* stepUp(hub, person)
      const wrong = yield* api("POST", "/auth/factors", { ...person, body: { ...body, code: "000000" } })
      assert.deepStrictEqual([wrong.status, wrong.body.error.details[0].path], [400, "code"])
      const stranger = yield* makePerson(hub, owner.org, "admin")
      yield* stepUp(hub, stranger)
      assert.strictEqual((yield* api("POST", "/auth/factors", { ...stranger, body })).status, 404)
      const added = expectStatus(yield* api("POST", "/auth/factors", { ...person, body }), 201)
      assert.strictEqual(added.headers.get("location"), `/api/v1/auth/factors/${added.body.id}`)
      assert.strictEqual(new Set(added.body.recovery_codes).size, 10)
      assert.strictEqual((yield* api("POST", "/auth/factors", { ...person, body })).status, 404)
      const list = expectStatus(yield* api("GET", "/auth/factors", person), 200).body
      assert.deepStrictEqual(list.data.map(({ name }: { name: string }) => name), ["Authenticator app"])
      assert.deepStrictEqual([list.recovery_codes_left, list.step_up_methods], [10, ["totp", "recovery_code"]])
      assert.notInclude(JSON.stringify(list), options.secret)
      const renamed = yield* api("PATCH", `/auth/factors/${added.body.id}`, { ...person, body: { name: "Phone" } })
      assert.strictEqual(expectStatus(renamed, 200).body.name, "Phone")
      const log = expectStatus(yield* api("GET", "/audit-logs?action=user.factor_added", owner), 200)
      assert.notInclude(log.text, options.secret)
      assert.include(log.text, added.body.id)
    }))

  it.effect("sign-in answers a challenge, and no cookie before the factor is proven", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const person = yield* withApp(hub, owner.org)
      const { expires_at, id, methods } = yield* challenge(hub, person)
      assert.deepStrictEqual(methods, ["totp", "recovery_code"])
      assert.approximately(Date.parse(expires_at) - Date.now(), 300_000, 60_000)
      const wrong = yield* prove(hub, id, { totp: "000000" })
      assert.deepStrictEqual([...codes(wrong), wrong.body.error.data.tries_left], [401, "unauthorized", 9])
      const signedIn = expectStatus(yield* prove(hub, id, { totp: codeOf(person.secret) }), 200)
      assert.strictEqual(signedIn.body.user.id, person.id)
      const cookie = cookieOf(signedIn)
      const sessions = expectStatus(yield* api("GET", "/auth/sessions", { cookie }), 200)
      assert.deepStrictEqual([sessions.body.data[0].method, sessions.body.data[0].factor], ["password", "totp"])
      assert.strictEqual((yield* prove(hub, id, { totp: codeOf(person.secret, stepSeconds) })).status, 401)
      for (const body of [{ challenge_id: id }, { challenge_id: id, totp: "1", recovery_code: "2" }, { totp: "1" }]) {
        assert.strictEqual((yield* api("POST", "/auth/login/factor", { body })).status, 400)
      }
    }))

  it.effect("a challenge ends after ten wrong codes, and with a change of the password", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const person = yield* withApp(hub, owner.org)
      const { id } = yield* challenge(hub, person)
      for (let tries = 0; tries < 10; tries++) yield* prove(hub, id, { totp: "000000" })
      const late = yield* prove(hub, id, { totp: codeOf(person.secret) })
      assert.deepStrictEqual([...codes(late), late.body.error.data], [401, "unauthorized", undefined])
      const open = yield* challenge(hub, person)
      const body = { current_password: password, new_password: "another correct horse" }
      expectStatus(yield* api("POST", "/auth/password", { ...person, body }), 204)
      assert.strictEqual((yield* prove(hub, open.id, { totp: codeOf(person.secret) })).status, 401)
    }))

  it.effect("a time step counts once in a race on two hubs, and so do a recovery code and a challenge", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const other = yield* startHub({ database: hub.target })
      const person = yield* withApp(hub, hub.owner.org)
      const totp = codeOf(person.secret)
      const open = yield* Effect.forEach(
        [hub, other, hub, other],
        (each) => Effect.map(challenge(each, person), ({ id }) => ({ each, id }))
      )
      const answers = yield* Effect.forEach(open, ({ each, id }) => prove(each, id, { totp }), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401])
      const again = yield* Effect.forEach(
        [hub, other, hub, other],
        (each) => Effect.map(challenge(each, person), ({ id }) => ({ each, id }))
      )
      const recovered = yield* Effect.forEach(
        again,
        ({ each, id }) => prove(each, id, { recovery_code: person.recovery[9] }),
        {
          concurrency: "unbounded"
        }
      )
      assert.deepStrictEqual(recovered.map(({ status }) => status).sort(), [200, 401, 401, 401])
      const { id } = yield* challenge(hub, person)
      const proofs = [
        { totp: codeOf(person.secret, stepSeconds) },
        ...person.recovery.slice(0, 3).map((recovery_code) => ({
          recovery_code
        }))
      ]
      const same = yield* Effect.forEach(
        proofs.map((proof, at) => prove(at % 2 === 0 ? hub : other, id, proof)),
        (answer) => answer,
        { concurrency: "unbounded" }
      )
      assert.strictEqual(same.filter(({ status }) => status === 200).length, 1)
    }).pipe(Effect.scoped))

  it.effect("a recovery code signs in once; replaced codes do not", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const person = yield* withApp(hub, owner.org)
      const [first = "", second = ""] = person.recovery
      const spoken = first.toUpperCase().replaceAll("-", " ")
      const signedIn = expectStatus(
        yield* prove(hub, (yield* challenge(hub, person)).id, { recovery_code: spoken }),
        200
      )
      assert.strictEqual(
        (yield* prove(hub, (yield* challenge(hub, person)).id, { recovery_code: first })).status,
        401
      )
      const cookie = cookieOf(signedIn)
      assert.deepStrictEqual(codes(yield* api("POST", "/auth/factors/recovery-codes", { cookie })), [
        403,
        "step_up_required"
      ])
      expectStatus(yield* api("POST", "/auth/step-up", { cookie, body: { totp: codeOf(person.secret) } }), 200)
      const fresh =
        expectStatus(yield* api("POST", "/auth/factors/recovery-codes", { cookie }), 200).body.recovery_codes
      const { id } = yield* challenge(hub, person)
      assert.strictEqual((yield* prove(hub, id, { recovery_code: second })).status, 401)
      assert.strictEqual((yield* prove(hub, id, { recovery_code: fresh[0] })).status, 200)
    }))

  it.effect("a person with a factor steps up by it alone, and by each code once", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const person = yield* withApp(hub, owner.org)
      const up = (body: unknown) => api("POST", "/auth/step-up", { cookie: person.cookie, body })
      const byPassword = yield* up({ password })
      assert.deepStrictEqual([...codes(byPassword), byPassword.body.error.data.methods], [
        403,
        "second_factor_required",
        ["totp", "recovery_code"]
      ])
      assert.deepStrictEqual(codes(yield* up({ totp: "000000" })), [403, "forbidden"])
      const totp = codeOf(person.secret)
      expectStatus(yield* up({ totp }), 200)
      assert.deepStrictEqual(codes(yield* up({ totp })), [403, "forbidden"])
      assert.strictEqual((yield* up({})).status, 400)
      assert.strictEqual((yield* up({ password, totp })).status, 400)
      const bare = yield* makePerson(hub, owner.org, "owner")
      assert.deepStrictEqual(
        codes(yield* api("POST", "/auth/step-up", { cookie: bare.cookie, body: { totp } })),
        [403, "forbidden"]
      )
    }))

  it.effect("all sessions of a person share twenty guesses at a step-up, which are recorded", () =>
    Effect.gen(function*() {
      const { api, owner, target } = yield* TestHub
      const hub = yield* TestHub
      const person = yield* withApp(hub, owner.org)
      const { id } = yield* challenge(hub, person)
      const second = cookieOf(expectStatus(yield* prove(hub, id, { recovery_code: person.recovery[0] }), 200))
      const limited = yield* startHub({ database: target, env: { HUB_RATE_LIMIT_LOGIN: "1000/min" } })
      const guess = (cookie: string) =>
        limited.api("POST", "/auth/step-up", { cookie, body: { recovery_code: "0000-0000-0000-0000" } })
      for (let at = 0; at < 10; at++) {
        for (const cookie of [person.cookie, second]) assert.strictEqual((yield* guess(cookie)).status, 403)
      }
      assert.deepStrictEqual(codes(yield* guess(second)), [429, "rate_limited"])
      const log = yield* api("GET", "/audit-logs?action=user.step_up_failed&limit=200", { cookie: owner.cookie })
      const own = expectStatus(log, 200).body.data.filter((entry: { subject: { id: string } }) =>
        entry.subject.id === person.id
      )
      assert.lengthOf(own, 20)
    }).pipe(Effect.scoped))

  it.effect("the last factor takes the recovery codes with it, and the password signs in again", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const person = yield* withApp(hub, owner.org)
      const path = `/auth/factors/${person.factor}`
      expectStatus(
        yield* api("POST", "/auth/step-up", { cookie: person.cookie, body: { recovery_code: person.recovery[0] } }),
        200
      )
      expectStatus(yield* api("DELETE", path, person), 204)
      assert.strictEqual((yield* api("DELETE", path, person)).status, 404)
      const { body } = yield* api("GET", "/auth/factors", person)
      assert.deepStrictEqual([body.data, body.recovery_codes_left, body.step_up_methods], [[], 0, ["password"]])
      expectStatus(yield* api("POST", "/auth/login", { body: { email: person.email, password } }), 200)
    }))

  it.effect("a passkey needs an address with a host name, and an answer to the hub's own challenge", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const person = yield* makePerson(hub, owner.org, "admin")
      const ask = (purpose: string, headers = {}) =>
        api("POST", "/auth/factors/passkey/options", { cookie: person.cookie, body: { purpose }, headers })
      assert.deepStrictEqual(codes(yield* ask("register")), [409, "passkeys_unavailable"])
      const host = { host: `localhost:${new URL(hub.url).port}` }
      assert.deepStrictEqual(codes(yield* ask("register", host)), [403, "step_up_required"])
      yield* stepUp(hub, person)
      const options = expectStatus(yield* ask("register", host), 200).body
      assert.deepStrictEqual([options.rp.id, options.authenticatorSelection.userVerification], [
        "localhost",
        "required"
      ])
      const clientDataJSON = Buffer.from(JSON.stringify({
        type: "webauthn.create",
        challenge: options.challenge,
        origin: "https://evil.example"
      })).toString("base64url")
      const credential = {
        id: "AA",
        rawId: "AA",
        type: "public-key",
        response: { clientDataJSON, attestationObject: "oA" }
      }
      for (const sent of [credential, {}, { response: { clientDataJSON: "!" } }, { response: [] }]) {
        const refused = yield* api("POST", "/auth/factors", {
          cookie: person.cookie,
          body: { kind: "passkey", name: "Laptop", credential: sent },
          headers: host
        })
        assert.deepStrictEqual([refused.status, refused.body.error.details[0].path], [400, "credential"])
      }
      assert.deepStrictEqual(codes(yield* ask("step_up", host)), [409, "conflict"])
      assert.strictEqual((yield* ask("login", host)).status, 400)
    }))
})

layer(HubTest(), { excludeTestServices: true })("a workspace that requires second factors", (it) => {
  it.effect("refuses the decisions of people without one, and nothing else", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const made = expectStatus(
        yield* api("POST", "/workspaces", { cookie: owner.cookie, body: { name: "Deciders" } }),
        201
      )
      const org = made.body.id as OrgId
      const headers = { "svc-workspace": org }
      const [operator, viewer] = [yield* makePerson(hub, org, "operator"), yield* makePerson(hub, org, "viewer")]
      const agent = expectStatus(
        yield* api("POST", "/agents", { cookie: owner.cookie, headers, body: { name: "A" } }),
        201
      )
      expectStatus(
        yield* api("POST", `/agents/${agent.body.id}/services`, {
          cookie: owner.cookie,
          headers,
          body: { service: "echo", operations: ["*"], approval_threshold_cents: 0 }
        }),
        201
      )
      yield* api("POST", "/balance/top-up", { cookie: owner.cookie, headers, body: { amount_cents: 100 } })
      const asked = yield* api("POST", "/service-requests", {
        key: agent.body.api_key,
        body: { service: "echo", operation: "say", payload: {} }
      })
      const approval = expectStatus(asked, 200).body.approval_id as string
      const set = (second_factor: string) =>
        api("PATCH", `/workspaces/${org}`, { cookie: owner.cookie, body: { second_factor } })
      expectStatus(yield* set("deciders"), 200)
      for (const path of [`/approvals/${approval}/approve`, `/approvals/${approval}/reject`]) {
        assert.deepStrictEqual(codes(yield* api("POST", path, operator)), [403, "second_factor_required"])
      }
      expectStatus(yield* api("GET", "/approvals", operator), 200)
      expectStatus(yield* api("GET", "/agents", viewer), 200)
      assert.deepStrictEqual(codes(yield* set("off")), [403, "step_up_required"])
      expectStatus(yield* set("all"), 200)
      assert.deepStrictEqual(codes(yield* api("GET", "/agents", viewer)), [403, "second_factor_required"])
      assert.deepStrictEqual(codes(yield* api("GET", "/workspaces", operator)), [403, "second_factor_required"])
      expectStatus(yield* api("GET", "/auth/me", operator), 200)
      const elsewhere = yield* api("GET", "/approvals?workspace=all", { cookie: owner.cookie })
      assert.notInclude(expectStatus(elsewhere, 200).text, approval)
      yield* stepUp(hub, operator)
      const options = expectStatus(yield* api("POST", "/auth/factors/totp/options", operator), 200).body
      const body = { kind: "totp", id: options.id, code: codeOf(options.secret) }
      expectStatus(yield* api("POST", "/auth/factors", { ...operator, body }), 201)
      const approved = expectStatus(yield* api("POST", `/approvals/${approval}/approve`, operator), 200)
      assert.strictEqual(approved.body.service_request.status, "executed")
      yield* stepUp(hub, { cookie: owner.cookie })
      expectStatus(yield* set("off"), 200)
      expectStatus(yield* api("GET", "/agents", viewer), 200)
    }))

  it.effect("holds for the tokens of a person too, and not for agents", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const { id, key } = yield* makeAgent(hub, owner)
      const scopes = ["agents:read", "requests:write"]
      const token = expectStatus(
        yield* api("POST", "/tokens", { cookie: owner.cookie, body: { name: "t", scopes } }),
        201
      ).body.token as string
      expectStatus(
        yield* api("PATCH", `/workspaces/${owner.org}`, { cookie: owner.cookie, body: { second_factor: "all" } }),
        200
      )
      assert.deepStrictEqual(codes(yield* api("GET", "/agents", { pat: token })), [403, "second_factor_required"])
      const mcp = yield* Effect.promise(() =>
        fetch(`${hub.url}/mcp?agent_id=${id}`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list", params: {} })
        })
      )
      assert.strictEqual(mcp.status, 403)
      const allowed = yield* Effect.promise(() =>
        fetch(`${hub.url}/oauth/authorize`, {
          method: "POST",
          headers: { cookie: owner.cookie, "content-type": "application/json" },
          body: "{}"
        })
      )
      assert.strictEqual(allowed.status, 403)
      const answer = yield* api("POST", "/service-requests", {
        key,
        body: { service: "echo", operation: "say", payload: {} }
      })
      assert.strictEqual(answer.status, 200)
    }))
})
