/** `GET /search`: one search over agents, services, requests, approvals, and people. */
import { foldText, jsonValues, queryWords, requestText } from "@countersign/hub/search/rules"
import { SearchIndex } from "@countersign/hub/search/service"
import { assert, describe, it as test, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { until } from "../../support/health.ts"
import { expectStatus, HubTest, makeAgent, makeService, makeToken, TestHub, topUp } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"

interface Result {
  readonly type: string
  readonly id: string
  readonly title: string
  readonly subtitle?: string
  readonly href: string
  readonly score: number
}

describe("the text of a search", () => {
  test("compares without case and accents, in every script, as ASCII", () => {
    assert.strictEqual(foldText("MÜNCHEN Straße"), foldText("munchen STRASSE"))
    assert.strictEqual(foldText("ΟΔΟΣ"), foldText("οδός"))
    assert.strictEqual(foldText("ПРИВЕТ"), foldText("привет"))
    assert.match(foldText("東京 \u0000 ПРИВЕТ"), /^[\x20-\x7e]+$/)
    assert.notStrictEqual(foldText("東京"), foldText("京都"))
    assert.deepStrictEqual(queryWords("  To  TO there "), ["to", "there"])
  })
  test("has the values of a payload without the names of its fields, for JSON cut off at any place", () => {
    const json = JSON.stringify({ to: "Ada", note: "a \"quoted\": word", list: [1, -2.5, true, null, { deep: "\\é" }] })
    assert.strictEqual(jsonValues(json), "Ada a \"quoted\": word 1 -2.5 \\é")
    for (let end = 0; end <= json.length; end++) assert.notInclude(jsonValues(json.slice(0, end)), "deep\":")
    assert.include(
      requestText({ id: "req_1", service: "flights", operation: "book", payload: "{\"to\":\"Ada Lovel" }),
      "ada lovel"
    )
  })
})

layer(HubTest(), { excludeTestServices: true })("a search over everything", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    yield* topUp(hub, owner, 1_000)
    const search = (
      q: string,
      who: object = { cookie: owner.cookie },
      more = ""
    ): Effect.Effect<ReadonlyArray<Result>> =>
      Effect.map(
        api("GET", `/search?q=${encodeURIComponent(q)}${more}`, who),
        (answer) => expectStatus(answer, 200).body.data
      )
    const ask = (key: string, payload: unknown, service = "echo", operation = "say") =>
      Effect.map(
        api("POST", "/service-requests", { key, body: { service, operation, payload } }),
        (answer) => expectStatus(answer, 200).body
      )
    const index = until(
      "all is indexed",
      hub.run(Effect.gen(function*() {
        yield* Effect.flatMap(SearchIndex, ({ round }) => round)
        const sql = yield* SqlClient.SqlClient
        const rows =
          yield* sql`select 1 from org_heads h left join search_positions p on p.org_id = h.org_id where h.seq > coalesce(p.seq, 0)`
        return rows.length === 0
      }))
    )
    return { hub, api, owner, search, ask, index }
  })
  const kinds = (results: ReadonlyArray<Result>) => results.map(({ id, type }) => `${type} ${id}`)

  it.effect(
    "finds agents, services, people, requests, and approvals by name, id, digest, and value, best match first",
    () =>
      Effect.gen(function*() {
        const { api, ask, hub, index, owner, search } = yield* world
        const agent = yield* makeAgent(hub, owner, {
          name: "Überflieger",
          bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
        })
        const person = yield* makeSignedIn(hub, owner.org, "viewer", "Grace Hopper")
        const { approval_id, id } = yield* ask(agent.key, { to: "Zürich Flughafen", note: "uberflieger" })
        const { body: approval } = yield* api("GET", `/approvals/${approval_id}`, { cookie: owner.cookie })
        const at = `/w/${owner.org}`
        const expected = [
          { type: "agent", id: agent.id, title: "Überflieger", href: `${at}/agents/${agent.id}`, score: 0.95 },
          {
            type: "approval",
            id: approval_id,
            title: "echo.say",
            subtitle: "Überflieger, pending, $0.01",
            href: `${at}/approvals/${approval_id}`,
            score: 0.6
          },
          {
            type: "service_request",
            id,
            title: "echo.say",
            subtitle: "Überflieger, approval required, $0.01",
            href: `${at}/requests/${id}`,
            score: 0.4
          }
        ]
        for (const step of [Effect.void, index]) {
          yield* step
          assert.deepStrictEqual<unknown>(yield* search("ÜBERFLIEGER"), expected)
          assert.deepStrictEqual(kinds(yield* search("flughafen zurich")), [
            `approval ${approval_id}`,
            `service_request ${id}`
          ])
        }
        assert.deepStrictEqual(kinds(yield* search("zürich nowhere")), [])
        assert.deepStrictEqual(kinds(yield* search(approval.payload_digest.slice(0, 8).toUpperCase())), [
          `approval ${approval_id}`,
          `service_request ${id}`
        ])
        assert.deepStrictEqual((yield* search(id)).map(({ score, type }) => [type, score]), [["service_request", 1], [
          "approval",
          0.6
        ]])
        assert.deepStrictEqual(kinds(yield* search(approval_id)), [`approval ${approval_id}`])
        assert.include(kinds(yield* search("grace")), `person ${person.id}`)
        assert.strictEqual((yield* search("echo"))[0]?.type, "service")
        assert.lengthOf(yield* search("e", undefined, "&limit=1"), 1)
        assert.deepStrictEqual(yield* search("%"), [])
        for (const empty of ["", "?q=", "?q=%20"]) {
          assert.deepStrictEqual(
            expectStatus(yield* api("GET", `/search${empty}`, { cookie: owner.cookie }), 200).body,
            { data: [] }
          )
        }
        expectStatus(yield* api("GET", `/search?q=${"a".repeat(201)}`, { cookie: owner.cookie }), 400)
        expectStatus(yield* api("GET", "/search?q=a&limit=51", { cookie: owner.cookie }), 400)
      })
  )

  it.effect(
    "finds the unmasked values of a payload, and no field names or masked values",
    () =>
      Effect.gen(function*() {
        const { ask, hub, index, owner, search } = yield* world
        yield* makeService(hub, owner, {
          name: "vault",
          kind: "http",
          base_url: "https://vault.example",
          operations: [{
            name: "open",
            method: "POST",
            path: "/",
            price: { type: "fixed", cents: 1 },
            payload_schema: {
              type: "object",
              properties: { passphrase: { type: "string", writeOnly: true }, branch: { type: "string" } }
            }
          }]
        })
        const agent = yield* makeAgent(hub, owner, {
          mode: "test",
          bindings: [{ service: "vault", operations: ["*"] }]
        })
        const { id } = yield* ask(agent.key, { passphrase: "xylophone", branch: "Aldgate" }, "vault", "open")
        for (const step of [Effect.void, index]) {
          yield* step
          assert.deepStrictEqual(kinds(yield* search("aldgate")), [`service_request ${id}`])
          for (const hidden of ["xylophone", "passphrase", "aldgate xylophone"]) {
            assert.deepStrictEqual(kinds(yield* search(hidden)), [])
          }
        }
      })
  )

  it.effect("returns to each person only what they may read", () =>
    Effect.gen(function*() {
      const { ask, hub, index, owner, search } = yield* world
      const member = yield* makeSignedIn(hub, owner.org, "member", "Mara")
      const bindings = [{ service: "echo", operations: ["*"] }]
      const theirs = yield* makeAgent(hub, member, { name: "Kestrel one", mode: "test", bindings: [] })
      expectStatus(
        yield* hub.api("POST", `/agents/${theirs.id}/services`, { cookie: owner.cookie, body: bindings[0] }),
        201
      )
      const other = yield* makeAgent(hub, owner, { name: "Kestrel two", mode: "test", bindings })
      const own = yield* ask(theirs.key, { text: "kestrel nest" })
      const foreign = yield* ask(other.key, { text: "kestrel nest" })
      for (const step of [Effect.void, index]) {
        yield* step
        assert.sameMembers(kinds(yield* search("kestrel")), [
          `agent ${theirs.id}`,
          `agent ${other.id}`,
          `service_request ${own.id}`,
          `service_request ${foreign.id}`
        ])
        assert.sameMembers(kinds(yield* search("kestrel", member)), [`agent ${theirs.id}`, `service_request ${own.id}`])
        assert.deepStrictEqual(kinds(yield* search(foreign.id, member)), [])
      }
      const pat = yield* makeToken(hub, owner, ["agents:read"])
      assert.sameMembers(kinds(yield* search("kestrel", { pat })), [`agent ${theirs.id}`, `agent ${other.id}`])
      const elsewhere = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner", "Olaf")
      assert.deepStrictEqual(yield* search("kestrel", elsewhere), [])
      assert.deepStrictEqual(yield* search(own.id, elsewhere), [])
    }))
})
