/** `GET /service-requests/export`: the filtered list of requests as a file. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../../support/people.ts"

const idsOf = (csv: string) => csv.trim().split("\r\n").slice(1).map((line) => line.split(",")[0])

layer(HubTest(), { excludeTestServices: true })("the export of requests", (it) => {
  it.effect("contains every request of the filter, newest first, beyond one page", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      yield* topUp(hub, hub.owner, 5_000)
      const agent = yield* makeAgent(hub, hub.owner)
      const other = yield* makeAgent(hub, hub.owner)
      const send = (key: string, n: number) =>
        Effect.map(
          hub.api("POST", "/service-requests", {
            key,
            body: { service: "echo", operation: "say", payload: { text: `n${n}` } }
          }),
          (answer) => expectStatus(answer, 200).body.id as string
        )
      const sent = yield* Effect.forEach(Array.from({ length: 201 }, (_, n) => n), (n) => send(agent.key, n), {
        concurrency: 8
      })
      const foreign = yield* send(other.key, 1)

      const csv = expectStatus(yield* hub.api("GET", `/service-requests/export?agent_id=${agent.id}`, { cookie }), 200)
      assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/)
      assert.match(csv.headers.get("content-disposition") ?? "", /^attachment; filename="requests-org_\w+\.csv"$/)
      assert.match(
        csv.text,
        /^id,created_at,completed_at,status,reason_code,mode,agent_id,service,operation,cost_cents,ceiling_cents,approval_id,summary\r\n/
      )
      assert.deepStrictEqual(idsOf(csv.text), [...sent].sort().reverse())
      const jsonl = expectStatus(
        yield* hub.api("GET", `/service-requests/export?format=jsonl&agent_id=${other.id}`, { cookie }),
        200
      )
      assert.match(jsonl.headers.get("content-type") ?? "", /^application\/x-ndjson/)
      const listed = (yield* hub.api("GET", `/service-requests?agent_id=${other.id}`, { cookie })).body.data
      assert.deepStrictEqual(jsonl.text.trim().split("\n").map((line) => JSON.parse(line)), listed)
      assert.deepStrictEqual(listed.map(({ id }: { id: string }) => id), [foreign])

      const none = expectStatus(
        yield* hub.api("GET", `/service-requests/export?agent_id=${agent.id}&status=failed&status=blocked`, { cookie }),
        200
      )
      assert.deepStrictEqual(idsOf(none.text), [])
      const found = expectStatus(
        yield* hub.api("GET", `/service-requests/export?agent_id=${agent.id}&q=n200`, { cookie }),
        200
      )
      assert.lengthOf(idsOf(found.text), 1)
      for (
        const [query, path] of [["from=yesterday", "from"], ["status=done", "status"], ["format=xml", "format"], [
          "limit=5",
          "limit"
        ]] as const
      ) {
        const refused = expectStatus(yield* hub.api("GET", `/service-requests/export?${query}`, { cookie }), 400)
        assert.strictEqual(refused.body.error.details[0].path, path, query)
      }
    }))

  it.effect("hides masked values and writes no cell that a spreadsheet reads as a formula", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      yield* makeService(hub, hub.owner, {
        name: "mail",
        kind: "http",
        base_url: "https://mail.example",
        operations: [{
          name: "send",
          method: "POST",
          path: "/",
          price: { type: "fixed", cents: 1 },
          summary: ["/to", "/pin"],
          payload_schema: {
            type: "object",
            properties: { to: { type: "string", title: "=cmd" }, pin: { type: "string", writeOnly: true } }
          }
        }]
      })
      const agent = yield* makeAgent(hub, hub.owner, {
        bindings: [{ service: "mail", operations: ["*"] }],
        mode: "test"
      })
      expectStatus(
        yield* hub.api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "mail", operation: "send", payload: { to: "a\",b", pin: "not-for-members" } }
        }),
        200
      )
      const { text } = expectStatus(
        yield* hub.api("GET", `/service-requests/export?agent_id=${agent.id}`, { cookie: hub.owner.cookie }),
        200
      )
      assert.include(text, `"'=cmd: a"",b`)
      assert.notInclude(text, "not-for-members")
      const hostile = { to: "a\u0000b\u202ec\nd", pin: "1" }
      expectStatus(
        yield* hub.api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "mail", operation: "send", payload: hostile }
        }),
        200
      )
      const readable = expectStatus(
        yield* hub.api("GET", `/service-requests/export?agent_id=${agent.id}`, { cookie: hub.owner.cookie }),
        200
      ).text
      assert.include(readable, "a\ufffdb\ufffdc d")
      for (const character of ["\u0000", "\u202e"]) assert.notInclude(readable, character)
    }))

  it.effect("gives members the requests of the agents that they own, and no one another workspace's", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const member = yield* makeSignedIn(hub, hub.owner.org, "member")
      const [own, foreign] = [
        yield* makeAgent(hub, member, { mode: "test" }),
        yield* makeAgent(hub, hub.owner, { mode: "test" })
      ]
      const body = { service: "echo", operation: "say", payload: { text: "hi" } }
      const sent = expectStatus(yield* hub.api("POST", "/service-requests", { key: own.key, body }), 200).body.id
      expectStatus(yield* hub.api("POST", "/service-requests", { key: foreign.key, body }), 200)
      assert.deepStrictEqual(
        idsOf(expectStatus(yield* hub.api("GET", "/service-requests/export", { cookie: member.cookie }), 200).text),
        [sent]
      )
      const elsewhere = yield* makeWorkspace(hub)
      assert.strictEqual(
        (yield* hub.api("GET", `/service-requests/export?workspace=${elsewhere}`, { cookie: member.cookie })).status,
        404
      )
      const stranger = yield* makeSignedIn(hub, elsewhere, "owner")
      const theirs = expectStatus(
        yield* hub.api("GET", `/service-requests/export?workspace=${elsewhere}`, { cookie: stranger.cookie }),
        200
      )
      assert.deepStrictEqual(idsOf(theirs.text), [])
      assert.strictEqual((yield* hub.api("GET", "/service-requests/export", { key: own.key })).status, 401)
    }))
})
