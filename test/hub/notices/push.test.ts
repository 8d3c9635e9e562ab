/** Notices in browsers, by a push service that decrypts what it gets. Spec: reference/notices.md "Browsers". */
import { NoticeGatherer } from "@countersign/hub/notices/gatherer"
import { PushSender } from "@countersign/hub/notices/push-sender"
import { NoticeReader } from "@countersign/hub/notices/reader"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { until } from "../../support/health.ts"
import { expectStatus, firstOwner, type HubInTest, makeAgent, makeToken, startHub, topUp } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace, type PersonInTest } from "../../support/people.ts"
import { type PushService, pushService } from "../../support/push-service.ts"

class Pushing extends Context.Service<Pushing, { readonly hub: HubInTest; readonly service: PushService }>()(
  "test/Pushing"
) {
  static readonly layer = Layer.effect(
    Pushing,
    Effect.gen(function*() {
      const service = yield* pushService
      const hub = yield* startHub({ env: { HUB_EGRESS_ALLOW: `127.0.0.1:${service.port}` } })
      yield* firstOwner(hub)
      return { hub, service }
    })
  )
}

const world = Effect.gen(function*() {
  const { hub, service } = yield* Pushing
  const { api } = hub
  service.answerWith(201)
  const org = yield* makeWorkspace(hub, "Acme")
  const owner = yield* makeSignedIn(hub, org, "owner", "Ada")
  const viewer = yield* makeSignedIn(hub, org, "viewer", "Vera")
  yield* topUp(hub, owner, 1_000)
  const agent = yield* makeAgent(hub, owner, {
    name: "Scout",
    bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
  })
  const browserOf = Effect.fnUntraced(function*(who: PersonInTest, name = `${who.id}-${crypto.randomUUID()}`) {
    const browser = yield* Effect.promise(() => service.browser(name))
    const made = yield* api("POST", "/push/subscriptions", { ...who, body: browser.subscription })
    return { browser, made }
  })
  const ask = Effect.map(
    api("POST", "/service-requests", {
      key: agent.key,
      body: { service: "echo", operation: "say", payload: { text: "the secret of the payload" } }
    }),
    (answer) => expectStatus(answer, 200).body.approval_id as string
  )
  const run = <A>(sql: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
    Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, sql)))
  const left = run((sql) =>
    Effect.map(
      sql<{ n: number }>`select (select count(*) from pushes x join notices n on n.id = x.notice_id
          where n.org_id = ${org} and x.due_at <= hub_time_or_last())
        + (select count(*) from notices where org_id = ${org} and medium = 'browser' and state = 'pending'
          and due_at <= hub_time_or_last()) as n`,
      ([row]) => row!.n
    )
  )
  const settled = Effect.gen(function*() {
    yield* hub.run(Effect.flatMap(NoticeReader, ({ round }) => round))
    // The hub's own round may be at it.
    yield* until(
      "the notices are written",
      Effect.map(
        run((sql) =>
          sql`select 1 from org_heads h join notice_cursors c using (org_id) where h.org_id = ${org} and c.seq = h.seq`
        ),
        (rows) => rows.length === 1
      )
    )
    yield* hub.run(Effect.flatMap(NoticeGatherer, ({ round }) => round))
    yield* hub.run(Effect.flatMap(PushSender, ({ round }) => round))
    yield* until("everything due is pushed", Effect.map(left, (n) => n === 0))
  })
  const to = (name: string) => service.received.filter(({ browser }) => browser === name)
  const subscriptions = (who: PersonInTest) =>
    Effect.map(api("GET", "/push/subscriptions", who), (answer) => expectStatus(answer, 200).body.data)
  return { hub, api, service, org, owner, viewer, agent, browserOf, ask, settled, to, run, subscriptions }
})

layer(Pushing.layer, { excludeTestServices: true })("notices in browsers", (it) => {
  it.effect("reach each subscribed browser of an approver, encrypted and signed, without the payload", () =>
    Effect.gen(function*() {
      const { api, ask, browserOf, org, owner, settled, subscriptions, to, viewer } = yield* world
      const [one, two, foreign] = [yield* browserOf(owner), yield* browserOf(owner), yield* browserOf(viewer)]
      const { body, headers } = expectStatus(one.made, 201)
      assert.strictEqual(headers.get("location"), `/api/v1/push/subscriptions/${body.id}`)
      assert.deepInclude(body, { service: new URL(one.browser.subscription.endpoint).origin, current: true })
      assert.notInclude(one.made.text, one.browser.subscription.keys.auth)
      const approval = yield* ask
      yield* settled
      for (const { browser } of [one, two]) {
        yield* until("the notice arrives", Effect.sync(() => to(browser.name).length > 0))
        const [{ headers, message }] = to(browser.name) as [ReturnType<typeof to>[0]]
        assert.strictEqual(message.title, "Scout → echo.say")
        assert.match(message.body, /^\$0\.01 · expires .+ · Acme$/)
        assert.deepStrictEqual([message.path, message.tag], [`/w/${org}/approvals/${approval}`, approval])
        assert.notInclude(JSON.stringify(message), "secret")
        assert.deepStrictEqual([headers["urgency"], headers["content-encoding"]], ["high", "aes128gcm"])
        assert.isAbove(Number(headers["ttl"]), 86_000)
      }
      assert.deepStrictEqual(to(foreign.browser.name), [])
      assert.lengthOf(yield* subscriptions(owner), 2)
      assert.isString((yield* subscriptions(owner))[0].last_used_at)
      const key = expectStatus(yield* api("GET", "/push/key", owner), 200).body.public_key
      assert.strictEqual(Buffer.from(key, "base64url").length, 65)
    }))

  it.effect("stop for a browser whose subscription has expired, whose session has ended, or that another person uses", () =>
    Effect.gen(function*() {
      const { api, ask, browserOf, hub, org, owner, run, service, settled, subscriptions, to } = yield* world
      const other = yield* makeSignedIn(hub, org, "admin", "Olga")
      const expiring = yield* browserOf(owner)
      service.answerWith(410)
      yield* ask
      yield* settled
      yield* until("the expired subscription is removed", Effect.map(subscriptions(owner), (all) => all.length === 0))
      service.answerWith(201)
      const shared = yield* browserOf(owner, "shared")
      const taken = yield* api("POST", "/push/subscriptions", { ...other, body: shared.browser.subscription })
      expectStatus(taken, 201)
      assert.deepStrictEqual([(yield* subscriptions(owner)).length, (yield* subscriptions(other)).length], [0, 1])
      const leaving = yield* browserOf(owner)
      expectStatus(yield* api("POST", "/auth/logout", owner), 204)
      const before = to(expiring.browser.name).length
      yield* ask
      yield* settled
      yield* until("the other person's browser is notified", Effect.sync(() => to("shared").length === 1))
      assert.deepStrictEqual([to(leaving.browser.name).length, to(expiring.browser.name).length], [0, before])
      const [rows] = yield* run((sql) =>
        sql<{ n: number }>`select count(*)::int as n from push_subscriptions where user_id = ${owner.id}`
      )
      assert.strictEqual(rows!.n, 0)
    }))

  it.effect("are sent again after an error of the push service, and dropped when the approval was decided meanwhile", () =>
    Effect.gen(function*() {
      const { api, ask, browserOf, owner, run, service, settled, to } = yield* world
      const { browser } = yield* browserOf(owner)
      service.answerWith(503)
      const approval = yield* ask
      yield* settled
      yield* until("the push is tried", Effect.sync(() => to(browser.name).length === 1))
      const hasten = run((sql) =>
        sql`update pushes x set due_at = hub_time_or_last() from notices n
          where n.id = x.notice_id and n.user_id = ${owner.id}`
      )
      yield* hasten
      yield* settled
      yield* until("the push is tried again", Effect.sync(() => to(browser.name).length === 2))
      service.answerWith(201)
      expectStatus(yield* api("POST", `/approvals/${approval}/reject`, { ...owner, body: {} }), 200)
      yield* hasten
      yield* settled
      const [rows] = yield* run((sql) =>
        sql<{ n: number }>`select count(*)::int as n from pushes x join notices n on n.id = x.notice_id
          where n.user_id = ${owner.id}`
      )
      assert.deepStrictEqual([rows!.n, to(browser.name).length], [0, 2])
    }))

  it.effect("go only to https endpoints that the operator's rules allow, with usable keys, of sessions", () =>
    Effect.gen(function*() {
      const { api, browserOf, owner, service, viewer } = yield* world
      const { browser, made } = yield* browserOf(owner)
      const { subscription } = browser
      const refused = (body: object) =>
        Effect.map(api("POST", "/push/subscriptions", { ...owner, body }), ({ body, status }) => [
          status,
          body.error.details?.[0]?.path
        ])
      for (
        const endpoint of [
          "http://push.example/1",
          `http://127.0.0.1:${service.port + 1}/1`,
          "ftp://127.0.0.1/1",
          "https://user:word@push.example/1",
          "no url"
        ]
      ) assert.deepStrictEqual(yield* refused({ ...subscription, endpoint }), [400, "endpoint"], endpoint)
      assert.deepStrictEqual(
        yield* refused({ ...subscription, keys: { ...subscription.keys, p256dh: "AAAA" } }),
        [400, "keys.p256dh"]
      )
      assert.deepStrictEqual(
        yield* refused({ ...subscription, keys: { ...subscription.keys, auth: "AAAA" } }),
        [400, "keys.auth"]
      )
      const pat = yield* makeToken({ api }, owner, ["approvals:read"])
      assert.strictEqual((yield* api("GET", "/push/key", { pat })).body.error.code, "session_required")
      assert.strictEqual((yield* api("DELETE", `/push/subscriptions/${made.body.id}`, viewer)).status, 404)
      expectStatus(yield* api("DELETE", `/push/subscriptions/${made.body.id}`, owner), 204)
    }))
})
