/** Conversations of agents over HTTP. */
import { messagesMax } from "@countersign/domain/conversations"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type Answer, expectStatus, HubTest, makeAgent, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

const statusOf = ({ body, status }: Answer) => status < 400 ? status : `${status} ${body.error.code}`

layer(HubTest(), { excludeTestServices: true })("conversations", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api } = hub
    const org = yield* makeWorkspace(hub)
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const viewer = yield* makeSignedIn(hub, org, "viewer", "Vera")
    const member = yield* makeSignedIn(hub, org, "member", "Mara")
    const scout = yield* makeAgent(hub, admin, { bindings: [] })
    const path = `/agents/${scout.id}/conversations`
    const start = (who: object, body: object = {}) => api("POST", path, { ...who, body })
    const started = (who: object, body: object = {}) =>
      Effect.map(start(who, body), (answer) => expectStatus(answer, 201).body)
    const add = (who: object, id: string, body: object) => api("POST", `${path}/${id}/messages`, { ...who, body })
    const read = (who: object, id: string, query = "") => api("GET", `${path}/${id}${query}`, who)
    return { hub, api, admin, viewer, member, scout, path, start, started, add, read }
  })

  it.effect("keep the messages of agents and people, newest first, page by page", () =>
    Effect.gen(function*() {
      const { add, admin, path, read, scout, start } = yield* world
      const made = expectStatus(yield* start({ key: scout.key }, { title: "Trip", metadata: { topic: ["sea"] } }), 201)
      const { body: trip } = made
      assert.strictEqual(made.headers.get("location"), `/api/v1${path}/${trip.id}`)
      assert.deepStrictEqual(
        [trip.agent_id, trip.title, trip.metadata, trip.message_count],
        [scout.id, "Trip", { topic: ["sea"] }, 0]
      )
      const first = expectStatus(yield* add(admin, trip.id, { role: "user", content: "Where to?" }), 201).body
      const second = expectStatus(
        yield* add({ key: scout.key }, trip.id, { role: "assistant", content: "Naples", metadata: { sure: 0.9 } }),
        201
      ).body
      assert.deepStrictEqual(
        [second.role, second.content, second.metadata],
        ["assistant", "Naples", { sure: 0.9 }]
      )
      const whole = expectStatus(yield* read(admin, trip.id), 200).body
      assert.deepStrictEqual(whole, {
        ...trip,
        message_count: 2,
        updated_at: second.created_at,
        messages: { data: [second, first], next_cursor: null }
      })
      const page = (yield* read({ key: scout.key }, trip.id, "?limit=1")).body.messages
      assert.deepStrictEqual(page.data, [second])
      const rest = (yield* read({ key: scout.key }, trip.id, `?limit=1&cursor=${page.next_cursor}`)).body.messages
      assert.deepStrictEqual(rest, { data: [first], next_cursor: null })
    }))

  it.effect("count every message that several callers add at once", () =>
    Effect.gen(function*() {
      const { add, admin, read, scout, started } = yield* world
      const { id } = yield* started(admin)
      const added = yield* Effect.all(
        Array.from({ length: 12 }, (_, n) =>
          add(n % 2 === 0 ? admin : { key: scout.key }, id, { role: "user", content: `message ${n}` })),
        { concurrency: "unbounded" }
      )
      const { message_count, messages } = (yield* read(admin, id)).body
      assert.strictEqual(message_count, 12)
      assert.sameMembers(
        messages.data.map((message: { readonly id: string }) =>
          message.id
        ),
        added.map((answer) => expectStatus(answer, 201).body.id)
      )
    }))

  it.effect("are the agent's own: another agent, another member, and another workspace get 404, a viewer cannot write", () =>
    Effect.gen(function*() {
      const { add, admin, api, hub, member, path, read, start, started, viewer } = yield* world
      const { id } = yield* started(admin, { title: "Private" })
      const other = yield* makeAgent(hub, member, { bindings: [] })
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
      for (const who of [{ key: other.key }, member, stranger]) {
        assert.deepStrictEqual([
          statusOf(yield* api("GET", path, who)),
          statusOf(yield* read(who, id)),
          statusOf(yield* start(who)),
          statusOf(yield* add(who, id, { role: "user", content: "x" }))
        ], Array.from({ length: 4 }, () => "404 not_found"))
      }
      assert.strictEqual(
        statusOf(yield* api("GET", `/agents/${other.id}/conversations/${id}`, admin)),
        "404 not_found",
        "a conversation of another agent"
      )
      assert.strictEqual((yield* read(viewer, id)).status, 200)
      assert.strictEqual((yield* start(viewer)).status, 403)
      const list = yield* api("GET", path, admin)
      assert.deepStrictEqual(list.body.data.map(({ title }: { readonly title: string }) => title), ["Private"])
    }))

  it.effect("audit each change without its text", () =>
    Effect.gen(function*() {
      const { add, admin, api, started } = yield* world
      const { id } = yield* started(admin, { title: "Unspoken" })
      const { body } = expectStatus(yield* add(admin, id, { role: "user", content: "Unspoken words" }), 201)
      const trail = yield* api("GET", `/audit-logs?subject_id=${id}`, admin)
      assert.deepStrictEqual(
        trail.body.data.map(({ action, data }: { action: string; data: unknown }) => [action, data]),
        [["conversation.message_added", { message_id: body.id, role: "user" }], ["conversation.created", {}]]
      )
      assert.notInclude(trail.text, "Unspoken")
    }))

  it.effect("refuse a message beyond the maximum, and metadata that is too large", () =>
    Effect.gen(function*() {
      const { add, admin, hub, start, started } = yield* world
      const large = yield* start(admin, { metadata: { text: "x".repeat(17_000) } })
      assert.deepStrictEqual([large.status, large.body.error.details[0].path], [400, "metadata"])
      const { id } = yield* started(admin)
      yield* Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`update conversations set message_count = ${messagesMax} where id = ${id}`)))
      assert.strictEqual(statusOf(yield* add(admin, id, { role: "user", content: "x" })), "409 limit_reached")
    }))
})
