/** Collections, documents, and queries over HTTP, with an embedder that needs no model. */
import { newId } from "@countersign/domain/ids"
import { KnowledgeSweeper } from "@countersign/hub/knowledge/sweeper"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { diagnosesOf, until } from "../../support/health.ts"
import { type Answer, type Call, expectStatus, HubTest, makeAgent, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { scratchFolder } from "../../support/scratch.ts"

const returns = `# Returns

Customers can return a product within thirty days of the delivery. The refund is paid to the original card.

# Shipping

Parcels to Poland are delivered by courier within four working days. Express delivery is not offered on Sundays.
`
const boiler = `The boiler makes a knocking noise when limescale has built up on its heat exchanger.

Descale it once a year with citric acid.`

const form = (fields: Readonly<Record<string, string>>, file?: { name: string; type: string; text: string }) => {
  const boundary = "knowledge-boundary"
  const parts = [
    ...Object.entries(fields).map(([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    ),
    ...file === undefined ? [] : [
      `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${file.name}"\r\n` +
      `content-type: ${file.type}\r\n\r\n${file.text}\r\n`
    ]
  ]
  return {
    headers: { "content-type": `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join("")}--${boundary}--\r\n`
  }
}

const KnowledgeHub = HubTest({ env: { HUB_DATA_DIR: scratchFolder("countersign-knowledge-") } })

layer(KnowledgeHub, { excludeTestServices: true })("knowledge", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const org = yield* makeWorkspace(hub)
    const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
    const member = yield* makeSignedIn(hub, org, "member", "Mara")
    const { api } = hub
    const collect = (name = "Handbook", who: Call = admin) =>
      Effect.map(
        api("POST", "/knowledge/collections", { ...who, body: { name } }),
        (answer): string => expectStatus(answer, 201).body.id
      )
    const at = (collection: string, rest = "") => `/knowledge/collections/${collection}/documents${rest}`
    const add = (collection: string, body: object, who: Call = admin) => api("POST", at(collection), { ...who, body })
    const settled = (collection: string, id: string) =>
      Effect.gen(function*() {
        let last: Answer | undefined
        yield* until(
          `document ${id} settled`,
          Effect.map(api("GET", at(collection, `/${id}`), admin), (answer) => {
            last = expectStatus(answer, 200)
            return ["ready", "failed"].includes(last.body.status)
          })
        )
        return last!.body
      })
    const ready = Effect.fnUntraced(function*(collection: string, body: object) {
      const made = expectStatus(yield* add(collection, body), 202).body
      const document = yield* settled(collection, made.id)
      assert.deepStrictEqual([document.status, document.progress, document.error], ["ready", 100, undefined])
      return document
    })
    const query = (collection: string, body: object, who: Call = admin) =>
      api("POST", `/knowledge/collections/${collection}/query`, { ...who, body })
    const rows = Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql<Record<string, number>>`select
        (select count(*)::int from knowledge_documents where org_id = ${org}) as documents,
        (select count(*)::int from knowledge_sources where org_id = ${org}) as sources,
        (select count(*)::int from knowledge_chunks where org_id = ${org}) as chunks,
        (select count(*)::int from knowledge_vectors where org_id = ${org}) as vectors,
        (select count(*)::int from knowledge_collections where org_id = ${org}) as collections`).pipe(
        Effect.map(([row]) => row!),
        Effect.orDie,
        hub.run
      )
    return { hub, api, org, admin, member, collect, at, add, settled, ready, query, rows }
  })

  it.effect("a document's passages answer a question, with score and position, and its bytes are not kept", () =>
    Effect.gen(function*() {
      const { admin, api, at, collect, query, ready, rows } = yield* world
      const collection = yield* collect()
      const document = yield* ready(collection, { title: "Terms", content_type: "text/markdown", text: returns })
      assert.strictEqual((yield* rows)["sources"], 0)
      yield* ready(collection, { title: "Boiler", text: boiler })
      const { data } = expectStatus(
        yield* query(collection, { query: "How long can customers return a product?", top_k: 1 }),
        200
      ).body
      assert.lengthOf(data, 1)
      const [best] = data
      assert.include(best.text, "within thirty days")
      assert.deepStrictEqual(best.document, { id: document.id, title: "Terms" })
      assert.isAbove(best.score, 0)
      const passages = expectStatus(yield* api("GET", at(collection, `/${document.id}/chunks`), admin), 200).body
      assert.lengthOf(passages.data, document.chunks)
      assert.include(
        passages.data.map((passage: { text: string }) => passage.text),
        best.text
      )
      const vectorOnly = expectStatus(yield* query(collection, { query: "limescale noise", hybrid: false }), 200).body
      assert.include(vectorOnly.data[0].text, "limescale")
      const shown = expectStatus(yield* api("GET", `/knowledge/collections/${collection}`, admin), 200).body
      assert.deepStrictEqual(
        [shown.documents, shown.status, shown.needs_reindex, shown.dimensions],
        [2, "ready", false, 384]
      )
      assert.strictEqual(shown.chunks, (yield* rows)["chunks"])
      const actions = expectStatus(yield* api("GET", `/audit-logs?subject_id=${document.id}`, admin), 200).body.data
      assert.deepStrictEqual(
        actions.map((entry: { action: string }) => entry.action),
        ["knowledge_document.ready", "knowledge_document.created"]
      )
    }))

  it.effect("filters restrict the passages to documents, types, and titles", () =>
    Effect.gen(function*() {
      const { collect, query, ready } = yield* world
      const collection = yield* collect()
      const terms = yield* ready(collection, { title: "Terms 2026", content_type: "text/markdown", text: returns })
      const manual = yield* ready(collection, { title: "100% boiler_manual", text: boiler })
      const documents = (filter: object, hybrid = true) =>
        Effect.map(
          query(collection, { query: "how to return a product with a boiler", filter, hybrid, top_k: 50 }),
          (answer) =>
            [
              ...new Set<string>(
                expectStatus(answer, 200).body.data.map((each: { document: { id: string } }) => each.document.id)
              )
            ].sort()
        )
      const both = [terms.id, manual.id].sort()
      assert.deepStrictEqual(yield* documents({}), both)
      assert.deepStrictEqual(yield* documents({ document_id: manual.id }), [manual.id])
      assert.deepStrictEqual(yield* documents({ document_id: [terms.id, manual.id] }, false), both)
      assert.deepStrictEqual(yield* documents({ content_type: "text/markdown" }), [terms.id])
      assert.deepStrictEqual(yield* documents({ title: "TERMS" }), [terms.id])
      assert.deepStrictEqual(yield* documents({ title: "0%" }), [manual.id])
      assert.deepStrictEqual(yield* documents({ title: "_manual" }), [manual.id])
      assert.deepStrictEqual(yield* documents({ document_id: newId("doc") }), [])
      assert.strictEqual((yield* query(collection, { query: "x", filter: { author: "me" } })).status, 400)
    }))

  it.effect("finds exact words, also with accents, and in texts of two languages", () =>
    Effect.gen(function*() {
      const { collect, query, ready } = yield* world
      const collection = yield* collect()
      yield* ready(collection, {
        title: "Order",
        text: "The order number of this delivery is ZX-48213 and it was paid."
      })
      yield* ready(collection, { title: "Polski", text: "Zażółć gęślą jaźń. Paczka czeka w Łodzi na odbiór osobisty." })
      yield* ready(collection, { title: "Boiler", text: boiler })
      const first = (text: string) =>
        Effect.map(
          query(collection, { query: text, top_k: 1 }),
          (answer) => expectStatus(answer, 200).body.data[0].document.title
        )
      assert.strictEqual(yield* first("ZX-48213"), "Order")
      assert.strictEqual(yield* first("paczka odbior"), "Polski")
      assert.strictEqual(yield* first("deliveries"), "Order")
      assert.strictEqual(yield* first("O'Brien's order number is \\\\host\\ZX-48213"), "Order")
      const onlyStopWords = expectStatus(yield* query(collection, { query: "the and of" }), 200)
      assert.isArray(onlyStopWords.body.data)
    }))

  it.effect("takes uploads and storage objects, and refuses other types, forms, and sizes", () =>
    Effect.gen(function*() {
      const { add, admin, api, at, collect, member, settled } = yield* world
      const collection = yield* collect()
      const upload = (call: { headers: Record<string, string>; body: string }) =>
        api("POST", at(collection), { ...admin, ...call })
      const made = expectStatus(
        yield* upload(form({}, { name: "Boiler manual.txt", type: "text/plain", text: boiler })),
        202
      ).body
      assert.deepStrictEqual([made.title, made.source, made.status, made.progress], [
        "Boiler manual",
        "upload",
        "queued",
        0
      ])
      assert.strictEqual((yield* settled(collection, made.id)).status, "ready")
      const titled = expectStatus(
        yield* upload(form({ title: "Mine" }, { name: "a.md", type: "text/markdown", text: returns })),
        202
      ).body
      assert.strictEqual(titled.title, "Mine")
      const object = expectStatus(
        yield* api("POST", "/storage/objects?key=docs/guide.txt&content_type=text/plain", {
          ...admin,
          headers: { "content-type": "application/octet-stream" },
          body: boiler
        }),
        201
      ).body
      const copied = expectStatus(yield* add(collection, { object_id: object.id }), 202).body
      assert.deepStrictEqual([copied.title, copied.source, copied.object_id], ["guide", "object", object.id])
      expectStatus(yield* api("DELETE", `/storage/objects/${object.id}`, admin), 204)
      assert.strictEqual((yield* settled(collection, copied.id)).status, "ready")
      assert.strictEqual((yield* add(collection, { object_id: object.id })).status, 409)
      const paths = (answer: Answer) =>
        expectStatus(answer, 400).body.error.details.map(({ path }: { path: string }) => path)
      assert.deepStrictEqual(paths(yield* add(collection, { object_id: newId("obj") })), ["object_id"])
      assert.deepStrictEqual(paths(yield* add(collection, {})), ["text"])
      assert.deepStrictEqual(paths(yield* add(collection, { text: " \n\t" })), ["text"])
      assert.deepStrictEqual(paths(yield* add(collection, { text: "a", object_id: object.id })), ["text"])
      assert.deepStrictEqual(paths(yield* add(collection, { text: "a", content_type: "application/pdf" })), [
        "content_type"
      ])
      assert.deepStrictEqual(paths(yield* add(collection, { text: "a", metadata: {} })), ["metadata"])
      assert.deepStrictEqual(paths(yield* upload(form({ title: "x" }))), ["file"])
      assert.deepStrictEqual(
        paths(yield* upload(form({ other: "x" }, { name: "a.txt", type: "text/plain", text: "x" }))),
        ["other"]
      )
      const image = form({}, { name: "a.png", type: "image/png", text: "PNG" })
      assert.strictEqual((yield* upload(image)).status, 415)
      assert.strictEqual((yield* upload({ headers: { "content-type": "text/plain" }, body: "x" })).status, 415)
      const big = "a".repeat(11 * 1024 * 1024)
      expectStatus(yield* add(collection, { text: big }), 413)
      assert.strictEqual(
        (yield* upload(form({}, { name: "a.txt", type: "text/plain", text: big }))).status,
        413
      )
      const theirs = expectStatus(
        yield* api("POST", "/storage/objects?key=own.txt&content_type=text/plain", {
          ...admin,
          headers: { "content-type": "application/octet-stream" },
          body: boiler
        }),
        201
      ).body
      const own = yield* collect("Own", member)
      assert.deepStrictEqual(paths(yield* add(own, { object_id: theirs.id }, member)), ["object_id"])
    }))

  it.effect("a deleted document or collection leaves no row, and answers nothing from then on", () =>
    Effect.gen(function*() {
      const { admin, api, at, collect, query, ready, rows } = yield* world
      const collection = yield* collect()
      const first = yield* ready(collection, { text: returns, content_type: "text/markdown" })
      const second = yield* ready(collection, { text: boiler })
      expectStatus(yield* api("DELETE", at(collection, `/${first.id}`), admin), 204)
      expectStatus(yield* api("GET", at(collection, `/${first.id}`), admin), 404)
      expectStatus(yield* api("DELETE", at(collection, `/${first.id}`), admin), 404)
      const { data } = expectStatus(yield* query(collection, { query: "return a product" }), 200).body
      assert.deepStrictEqual([...new Set(data.map((each: { document: { id: string } }) => each.document.id))], [
        second.id
      ])
      assert.deepStrictEqual(yield* rows, {
        documents: 1,
        sources: 0,
        chunks: second.chunks,
        vectors: second.chunks,
        collections: 1
      })
      expectStatus(yield* api("DELETE", `/knowledge/collections/${collection}`, admin), 204)
      expectStatus(yield* query(collection, { query: "return" }), 404)
      expectStatus(yield* api("GET", at(collection), admin), 404)
      yield* until(
        "all rows are removed",
        Effect.map(rows, (counts) => Object.values(counts).every((count) => count === 0))
      )
    }))

  it.effect("members reach their own collections, other workspaces none, and readers change nothing", () =>
    Effect.gen(function*() {
      const { add, admin, api, at, collect, hub, member, org, query, ready } = yield* world
      const collection = yield* collect()
      const document = yield* ready(collection, { text: boiler })
      const stranger = yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner", "Sid")
      const viewer = yield* makeSignedIn(hub, org, "viewer", "Vic")
      for (const who of [member, stranger]) {
        expectStatus(yield* api("GET", `/knowledge/collections/${collection}`, who), 404)
        expectStatus(yield* api("GET", at(collection), who), 404)
        expectStatus(yield* add(collection, { text: "x" }, who), 404)
        expectStatus(yield* api("GET", at(collection, `/${document.id}/chunks`), who), 404)
        expectStatus(yield* query(collection, { query: "boiler" }, who), 404)
        expectStatus(yield* api("DELETE", at(collection, `/${document.id}`), who), 404)
        expectStatus(yield* api("DELETE", `/knowledge/collections/${collection}`, who), 404)
        assert.deepStrictEqual(expectStatus(yield* api("GET", "/knowledge/collections", who), 200).body.data, [])
      }
      expectStatus(yield* add(collection, { text: "x" }, viewer), 403)
      expectStatus(yield* query(collection, { query: "boiler" }, viewer), 200)
      const own = yield* collect("Own", member)
      assert.lengthOf(expectStatus(yield* api("GET", "/knowledge/collections", member), 200).body.data, 1)
      expectStatus(yield* api("GET", `/knowledge/collections/${own}`, admin), 200)
      // A document is found in its own collection only.
      expectStatus(yield* api("GET", at(own, `/${document.id}`), admin), 404)
    }))

  it.effect("an agent's query is a service request: it needs the binding, and costs the price", () =>
    Effect.gen(function*() {
      const { admin, api, collect, hub, member, query, ready } = yield* world
      const collection = yield* collect()
      yield* ready(collection, { title: "Terms", text: returns, content_type: "text/markdown" })
      const body = { query: "return a product", top_k: 2 }
      const bindings = [{ service: "knowledge", operations: ["query"] }]
      const { id, key } = yield* makeAgent(hub, admin, { bindings })
      const answer = expectStatus(yield* query(collection, body, { key }), 200)
      assert.strictEqual(answer.body.data[0].document.title, "Terms")
      const requests = expectStatus(yield* api("GET", `/service-requests?agent_id=${id}`, admin), 200).body.data
      assert.deepStrictEqual(
        requests.map((each: { service: string; operation: string; status: string }) => [
          each.service,
          each.operation,
          each.status
        ]),
        [["knowledge", "query", "executed"]]
      )
      const payload = { collection_id: collection, ...body }
      const direct = expectStatus(
        yield* api("POST", "/service-requests", {
          key,
          body: { service: "knowledge", operation: "query", payload }
        }),
        200
      ).body
      assert.deepStrictEqual(direct.result.data, answer.body.data)
      expectStatus(yield* query(newId("col"), body, { key }), 404)
      expectStatus(yield* query(collection, { query: " " }, { key }), 400)
      const nul = {
        key,
        body: { service: "knowledge", operation: "query", payload: { ...payload, query: "a\u0000b" } }
      }
      const invalid = expectStatus(yield* api("POST", "/service-requests", nul), 200).body
      assert.deepStrictEqual([invalid.status, invalid.result?.detail], ["failed", "The payload is not valid."])
      const price = { type: "fixed", cents: 3 }
      expectStatus(yield* api("PATCH", "/services/knowledge", { ...admin, body: { price } }), 200)
      const poor = expectStatus(yield* query(collection, body, { key }), 403).body.error
      assert.strictEqual(poor.data.reason_code, "insufficient_balance")
      const unbound = yield* makeAgent(hub, admin)
      const refused = expectStatus(yield* query(collection, body, { key: unbound.key }), 403).body.error
      assert.strictEqual(refused.data.reason_code, "policy_violation")
      const unknown = expectStatus(yield* query(newId("col"), body, { key: unbound.key }), 403).body.error
      assert.strictEqual(unknown.data.reason_code, "policy_violation")
      const theirs = yield* makeAgent(hub, member, { bindings })
      expectStatus(yield* query(collection, body, { key: theirs.key }), 404)
      expectStatus(yield* api("PATCH", "/services/knowledge", { ...admin, body: { price: null } }), 200)
      const test = yield* makeAgent(hub, admin, { bindings, mode: "test" })
      assert.isArray(expectStatus(yield* query(collection, body, { key: test.key }), 200).body.data)
    }))

  it.effect("a failed document says why, is retried within a week, and is gone afterwards", () =>
    Effect.gen(function*() {
      const { add, admin, api, at, collect, hub, rows, settled } = yield* world
      const collection = yield* collect()
      const made =
        expectStatus(yield* add(collection, { text: "<p></p>", content_type: "text/html", title: "Blank" }), 202).body
      const failed = yield* settled(collection, made.id)
      assert.deepStrictEqual([failed.status, failed.error.code, failed.chunks], ["failed", "empty", 0])
      const retry = api("POST", at(collection, `/${made.id}/retry`), admin)
      assert.strictEqual(expectStatus(yield* retry, 202).body.status, "queued")
      assert.strictEqual((yield* settled(collection, made.id)).status, "failed")
      yield* hub.run(
        Effect.gen(function*() {
          const sql = yield* SqlClient.SqlClient
          yield* sql`update knowledge_documents set updated_at = updated_at - interval '8 days' where id = ${made.id}`
          yield* (yield* KnowledgeSweeper).sweep
        }).pipe(Effect.orDie)
      )
      assert.strictEqual((yield* rows)["sources"], 0)
      expectStatus(yield* retry, 410)
      expectStatus(yield* api("DELETE", at(collection, `/${made.id}`), admin), 204)
    }))

  it.effect("lists are searched, sorted, and paged", () =>
    Effect.gen(function*() {
      const { add, admin, api, at, collect, settled } = yield* world
      const collection = yield* collect("b")
      yield* collect("a")
      yield* collect("c 50%")
      const names = (query: string) =>
        Effect.map(api("GET", `/knowledge/collections${query}`, admin), (answer) =>
          expectStatus(answer, 200).body.data.map(({ name }: { name: string }) => name))
      assert.deepStrictEqual(yield* names("?sort=name"), ["a", "b", "c 50%"])
      assert.deepStrictEqual(yield* names("?q=0%25"), ["c 50%"])
      const ids: Array<string> = []
      for (const title of ["Gamma", "Alpha", "Beta"]) {
        const made = expectStatus(yield* add(collection, { text: title, title }), 202).body
        yield* settled(collection, made.id)
        ids.push(made.id)
      }
      const page = (query: string) =>
        Effect.map(api("GET", `${at(collection)}${query}`, admin), (answer) =>
          expectStatus(answer, 200).body)
      const first = yield* page("?sort=title&limit=2")
      assert.deepStrictEqual(first.data.map(({ title }: { title: string }) => title), ["Alpha", "Beta"])
      const second = yield* page(`?sort=title&limit=2&cursor=${first.next_cursor}`)
      assert.deepStrictEqual([second.data.map(({ title }: { title: string }) => title), second.next_cursor], [
        ["Gamma"],
        null
      ])
      assert.deepStrictEqual((yield* page("")).data.map(({ id }: { id: string }) => id), ids.toReversed())
      assert.lengthOf((yield* page("?status=failed")).data, 0)
      assert.lengthOf((yield* page("?q=ALPH")).data, 1)
      expectStatus(yield* api("GET", `${at(collection)}?cursor=nothing`, admin), 400)
    }))

  it.effect("the doctor finds a ready document with a passage too few", () =>
    Effect.gen(function*() {
      const { collect, hub, ready } = yield* world
      const finds = Effect.map(
        diagnosesOf(hub.target),
        (found) => found.filter(({ bad }) => bad > 0).map(({ check }) => check)
      )
      const collection = yield* collect()
      const document = yield* ready(collection, { text: boiler })
      assert.deepStrictEqual(yield* finds, [])
      const run = (effect: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
        hub.run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, effect)))
      yield* run((sql) =>
        sql`delete from knowledge_vectors where chunk_id = (select min(chunk_id) from knowledge_chunks
          where document_id = ${document.id})`
      )
      assert.deepStrictEqual(yield* finds, ["knowledge_passages"])
      yield* run((sql) => sql`update knowledge_documents set deleted_at = now() where id = ${document.id}`)
      yield* run((sql) =>
        sql`update knowledge_collections set chunks = chunks - ${document.chunks}::int, documents = 0
        where id = ${collection}`
      )
      yield* hub.run(Effect.flatMap(KnowledgeSweeper, ({ sweep }) => sweep))
      assert.deepStrictEqual(yield* finds, [])
    }))
})
