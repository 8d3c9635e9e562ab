import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { listenTo } from "../../support/event-stream.ts"
import { expectStatus, HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"

/** A stream of the test's hub. */
const listen = (path: string, headers: Record<string, string>) =>
  Effect.flatMap(TestHub, ({ url }) => listenTo(url, path, headers))

layer(HubTest(), { excludeTestServices: true })("events over HTTP", (it) => {
  it.effect("open at once, send changes, and resume by header or by a list's as_of", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      const stream = yield* listen("/events", { cookie })
      assert.match(stream.response.headers.get("content-type") ?? "", /^text\/event-stream/)
      assert.strictEqual(yield* stream.block, ": open")
      yield* topUp(hub, hub.owner, 100)
      const first = yield* stream.frame
      assert.deepStrictEqual([first.event, first.data.type, first.data.subject.id], [
        "balance.changed",
        "balance.changed",
        hub.owner.org
      ])
      const { body: { as_of } } = yield* hub.api("GET", "/audit-logs", { cookie })
      const agent = yield* makeAgent(hub, hub.owner, { bindings: [] })
      assert.strictEqual((yield* stream.frame).data.subject.id, agent.id)
      for (
        const resumed of [
          yield* listen(`/events?cursor=${as_of}`, { cookie }),
          yield* listen("/events?last_event_id=ignored", { cookie, "last-event-id": first.id })
        ]
      ) {
        const next = yield* resumed.frame
        assert.deepStrictEqual([next.event, next.data.subject.id], ["agent.updated", agent.id])
      }
    }))

  it.effect("a token receives what its scopes allow; a foreign workspace is 404, a foreign cursor 400", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const pat = yield* makeToken(hub, hub.owner, ["budgets:read"])
      const authorization = `Bearer ${pat}`
      const stream = yield* listen("/events?workspace=all", { authorization })
      assert.strictEqual(yield* stream.block, ": open")
      yield* makeAgent(hub, hub.owner, { bindings: [] })
      yield* topUp(hub, hub.owner, 1)
      const frame = yield* stream.frame
      assert.deepInclude(frame.data, { type: "balance.changed", workspace: hub.owner.org })
      assert.strictEqual(
        (yield* hub.api("GET", "/events?workspace=org_00000000000000000000000000", { pat })).status,
        404
      )
      assert.strictEqual((yield* hub.api("GET", "/events?cursor=x", { pat })).status, 400)
      assert.strictEqual((yield* hub.api("GET", "/events")).status, 401)
    }))

  it.effect("names the parameter or header of a malformed cursor", () =>
    Effect.gen(function*() {
      const { api, owner: { cookie } } = yield* TestHub
      const refused = (query: string, headers = {}) =>
        Effect.map(api("GET", `/events${query}`, { cookie, headers }), (answer) =>
          expectStatus(answer, 400).body.error.details[0].path)
      assert.strictEqual(yield* refused("?cursor=zz"), "cursor")
      assert.strictEqual(yield* refused("?last_event_id=zz"), "last_event_id")
      assert.strictEqual(yield* refused("?cursor=zz", { "last-event-id": "zz" }), "last-event-id")
    }))

  it.effect("end with the session, and are not counted after the reader disconnects", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const login = yield* hub.api("POST", "/auth/login", {
        body: { email: hub.owner.email, password: hub.owner.password }
      })
      const cookie = login.headers.getSetCookie()[0]!.split(";")[0]!
      const open = Effect.map(
        hub.api("GET", "/metrics"),
        ({ text }) => Number(/countersign_event_streams (\d+)/.exec(text)?.[1] ?? 0)
      )
      const stream = yield* listen("/events", { cookie })
      yield* stream.block
      assert.isAtLeast(yield* open, 1)
      yield* hub.api("POST", "/auth/logout", { cookie, body: {} })
      yield* stream.ended
      const left = yield* listen("/events", { cookie: hub.owner.cookie })
      yield* left.block
      const before = yield* open
      left.abort.abort()
      while ((yield* open) >= before) yield* Effect.yieldNow
    }))
})
