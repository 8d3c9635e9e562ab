/** Invites over HTTP. Spec: reference/accounts.md "Invites". */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { until } from "../../support/health.ts"
import { type Call, cookieOf, expectStatus, firstOwner, HubTest, startHub, TestHub } from "../../support/hub.ts"
import { mailServer } from "../../support/mail-server.ts"
import { makePerson, makeSignedIn, makeWorkspace, password } from "../../support/people.ts"

layer(Layer.empty, { excludeTestServices: true })("an invite of a hub with a mail server", (it) => {
  it.effect("is mailed to its recipient with the link that accepts it", () =>
    Effect.gen(function*() {
      const mail = yield* mailServer()
      const hub = yield* startHub({
        env: { HUB_SMTP_URL: `smtp://127.0.0.1:${mail.port}`, HUB_MAIL_FROM: "Hub <hub@countersign.test>" }
      })
      const owner = yield* firstOwner(hub)
      const made = yield* hub.api("POST", `/orgs/${owner.org}/invites`, {
        cookie: owner.cookie,
        body: { email: "bea@countersign.test", role: "viewer" }
      })
      assert.isTrue(expectStatus(made, 201).body.mailed)
      yield* until("the mail arrives", Effect.sync(() => mail.received.length > 0))
      const [message] = mail.received
      assert.deepStrictEqual(message!.to, ["bea@countersign.test"])
      assert.include(message!.raw.replace(/=\r\n/g, "").replace(/=3D/g, "="), made.body.url)
    }))
})

layer(HubTest(), { excludeTestServices: true })("an invite", (it) => {
  let people = 0
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api } = hub
    const org = yield* makeWorkspace(hub, "Acme")
    const owner = yield* makeSignedIn(hub, org, "owner", "Ada")
    const email = `invited-${people++}@countersign.test`
    const invite = (body: object = {}, who: Call = owner) =>
      api("POST", `/orgs/${org}/invites`, { ...who, body: { email, role: "member", ...body } })
    const accept = (token: string, body: object = {}, who: Call = {}) =>
      api("POST", `/invites/${token}/accept`, { ...who, body })
    const list = Effect.map(api("GET", `/orgs/${org}/invites`, owner), (answer) => expectStatus(answer, 200).body.data)
    return { ...hub, hub, org, owner, email, invite, accept, list }
  })

  it.effect("makes a new person a member of the workspace and of the team, once, and signs them in", () =>
    Effect.gen(function*() {
      const { accept, api, email, invite, list, org, owner } = yield* world
      const team = expectStatus(yield* api("POST", "/teams", { ...owner, body: { name: "Red" } }), 201).body.id
      const made = expectStatus(yield* invite({ team_id: team, team_role: "lead" }), 201)
      const { token, url, ...shown } = made.body
      assert.strictEqual(made.headers.get("location"), `/api/v1/orgs/${org}/invites/${shown.id}`)
      assert.isTrue(url.endsWith(`/invite#token=${token}`))
      assert.deepInclude(shown, {
        email,
        role: "member",
        team_id: team,
        team_role: "lead",
        status: "pending",
        mailed: false
      })
      assert.notInclude(JSON.stringify(yield* list), token)
      assert.deepInclude(expectStatus(yield* api("GET", `/invites/${token}`), 200).body, {
        email,
        role: "member",
        workspace: { id: org, name: "Acme" },
        team: { id: team, name: "Red", role: "lead" },
        invited_by: { name: "Ada" },
        has_account: false
      })
      assert.strictEqual((yield* accept(token)).body.error.details[0].path, "password")
      const answers = yield* Effect.all(
        Array.from({ length: 4 }, () => accept(token, { name: "Bea", password })),
        { concurrency: 4 }
      )
      const [first] = answers.filter(({ status }) => status === 200)
      assert.sameMembers(answers.map(({ status }) => status), [200, ...answers.slice(1).map(() => 410)])
      const as = { cookie: cookieOf(first!) }
      const me = expectStatus(yield* api("GET", "/auth/me", as), 200).body
      assert.deepStrictEqual([me.user.email, me.user.name, me.active_workspace], [email, "Bea", org])
      const [member] = expectStatus(yield* api("GET", `/teams/${team}/members`, as), 200).body.data
      assert.deepInclude(member, { user_id: me.user.id, role: "lead" })
      assert.deepInclude((yield* list)[0], { status: "accepted", accepted_by: me.user.id })
      assert.strictEqual((yield* api("GET", `/invites/${token}`)).status, 410)
      assert.strictEqual((yield* api("DELETE", `/orgs/${org}/invites/${shown.id}`, owner)).status, 409)
      const { body } = yield* api("GET", "/audit-logs?limit=20", owner)
      const actions = body.data.map(({ action }: { action: string }) => action)
      for (const action of ["invite.created", "invite.accepted", "member.added", "team.member_added"]) {
        assert.include(actions, action)
      }
      assert.notInclude(JSON.stringify(body), token)
    }))

  it.effect("adds a person who exists by their session only, and makes its workspace the active one", () =>
    Effect.gen(function*() {
      const { accept, api, hub, invite, org } = yield* world
      const known = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner", "Kim")
      const { token } = expectStatus(yield* invite({ email: known.email.toUpperCase(), role: "viewer" }), 201).body
      assert.isTrue((yield* api("GET", `/invites/${token}`)).body.has_account)
      assert.strictEqual((yield* accept(token, { password })).status, 401)
      assert.strictEqual((yield* accept(token, {}, { ...known, headers: { origin: "https://evil.test" } })).status, 403)
      const me = expectStatus(yield* accept(token, {}, known), 200).body
      assert.deepStrictEqual([me.active_workspace, me.workspaces.length], [org, 2])
      assert.strictEqual((yield* api("GET", "/auth/me", known)).body.active_workspace, org)
      const { token: second } = expectStatus(yield* invite(), 201).body
      assert.strictEqual((yield* accept(second, {}, known)).body.error.code, "conflict")
    }))

  it.effect("lets a person who was removed from their last workspace in by their password, and by nothing else", () =>
    Effect.gen(function*() {
      const { accept, api, hub, invite, org, owner } = yield* world
      const person = yield* makePerson(hub, org, "member", "Kim")
      expectStatus(yield* api("DELETE", `/members/${person.id}`, owner), 204)
      const signIn = api("POST", "/auth/login", { body: { email: person.email, password } })
      assert.strictEqual((yield* signIn).status, 403)
      const { token } = expectStatus(yield* invite({ email: person.email }), 201).body
      assert.deepInclude((yield* api("GET", `/invites/${token}`)).body, { has_account: true, can_sign_in: false })
      assert.strictEqual((yield* accept(token)).status, 400)
      assert.strictEqual((yield* accept(token, { password: "another long password" })).status, 401)
      assert.strictEqual((yield* api("GET", `/invites/${token}`)).status, 200)
      const joined = expectStatus(yield* accept(token, { password, name: "Somebody" }), 200)
      assert.deepStrictEqual([joined.body.user.id, joined.body.user.name], [person.id, "Kim"])
      const me = expectStatus(yield* api("GET", "/auth/me", { cookie: cookieOf(joined) }), 200).body
      assert.strictEqual(me.active_workspace, org)
      assert.strictEqual((yield* signIn).status, 200)
      assert.strictEqual((yield* accept(token, { password })).status, 410)
    }))

  it.effect("gives no more than its inviter may, when it is made and when it is accepted", () =>
    Effect.gen(function*() {
      const { accept, api, hub, invite, org, owner } = yield* world
      const admin = yield* makeSignedIn(hub, org, "admin")
      const operator = yield* makeSignedIn(hub, org, "operator")
      assert.strictEqual((yield* invite({ role: "owner" }, admin)).status, 403)
      assert.strictEqual((yield* invite({}, operator)).status, 403)
      assert.strictEqual((yield* invite({ team_id: "team_00000000000000000000000000" })).status, 400)
      assert.strictEqual((yield* invite({ team_role: "lead" })).status, 400)
      const { token } = expectStatus(yield* invite({ role: "admin" }, admin), 201).body
      assert.strictEqual((yield* invite({}, owner)).body.error.code, "conflict")
      assert.strictEqual((yield* invite({ email: operator.email }, owner)).body.error.code, "conflict")
      expectStatus(yield* api("PATCH", `/members/${admin.id}`, { ...owner, body: { role: "viewer" } }), 200)
      assert.strictEqual((yield* accept(token, { password })).status, 410)
      assert.strictEqual((yield* api("GET", `/orgs/${org}/invites`, admin)).status, 403)
    }))

  it.effect("ends by revocation and after 7 days; a new one may replace it", () =>
    Effect.gen(function*() {
      const { accept, api, invite, list, org, owner, run } = yield* world
      const first = expectStatus(yield* invite(), 201).body
      expectStatus(yield* api("DELETE", `/orgs/${org}/invites?invite_id=${first.id}`, owner), 204)
      expectStatus(yield* api("DELETE", `/orgs/${org}/invites/${first.id}`, owner), 204)
      assert.strictEqual((yield* accept(first.token, { password })).status, 410)
      const second = expectStatus(yield* invite(), 201).body
      const days = (Date.parse(second.expires_at) - Date.parse(second.created_at)) / 86_400_000
      assert.strictEqual(days, 7)
      yield* run(Effect.orDie(Effect.flatMap(
        SqlClient.SqlClient,
        (sql) =>
          sql`update invites set created_at = created_at - interval '8 days', expires_at = expires_at - interval '8 days'
          where org_id = ${org} and id = ${second.id}`
      )))
      assert.strictEqual((yield* accept(second.token, { password })).status, 410)
      assert.strictEqual((yield* api("GET", `/invites/${second.token}`)).status, 410)
      const third = expectStatus(yield* invite(), 201).body
      assert.deepStrictEqual(
        (yield* list).map(({ id, status }: { id: string; status: string }) => [id, status]),
        [[third.id, "pending"], [second.id, "expired"], [first.id, "revoked"]]
      )
      const pending = yield* api("GET", `/orgs/${org}/invites?status=pending`, owner)
      assert.deepStrictEqual(pending.body.data.map(({ id }: { id: string }) => id), [third.id])
      assert.strictEqual((yield* accept("0".repeat(43), { password })).status, 404)
    }))
})
