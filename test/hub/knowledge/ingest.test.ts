/** The queue of documents on several hubs: claims, turns, failures of the embedder, another model. */
import { newId } from "@countersign/domain/ids"
import { Embedder, EmbedderFailure } from "@countersign/hub/knowledge/embedder/embedder"
import { BuiltIn } from "@countersign/hub/knowledge/embedder/layer"
import { IngestRepository } from "@countersign/hub/knowledge/ingest-repository"
import { KnowledgeSweeper } from "@countersign/hub/knowledge/sweeper"
import { Db } from "@countersign/hub/platform/db"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { hashedEmbedder, hashedVector } from "../../support/embedder.ts"
import { diagnosesOf, until } from "../../support/health.ts"
import { type Call, expectStatus, firstOwner, type HubInTest, startHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { freshDatabase } from "../../support/pg.ts"

type Engine = Embedder["Service"]

const withEmbedder = (changes: Partial<Engine>): Layer.Layer<never> =>
  Layer.succeed(BuiltIn, Effect.succeed({ ...hashedEmbedder, ...changes }))

/** A text of this many chunks at least. */
const longText = (chunks: number) =>
  Array.from(
    { length: chunks },
    (_, chunk) => `# Chapter ${chunk}\n\n${Array.from({ length: 30 }, (_, word) => `word${chunk}x${word}`).join(" ")}.`
  ).join("\n\n")

const collect = ({ api }: HubInTest, who: Call) =>
  Effect.map(
    api("POST", "/knowledge/collections", { ...who, body: { name: "Handbook" } }),
    (answer): string => expectStatus(answer, 201).body.id
  )

const add = ({ api }: HubInTest, who: Call, collection: string, text: string) =>
  Effect.map(
    api("POST", `/knowledge/collections/${collection}/documents`, {
      ...who,
      body: { text, content_type: "text/markdown" }
    }),
    (answer): string => expectStatus(answer, 202).body.id
  )

const documentOf = ({ api }: HubInTest, who: Call, collection: string, id: string) =>
  Effect.map(
    api("GET", `/knowledge/collections/${collection}/documents/${id}`, who),
    (answer) => expectStatus(answer, 200).body
  )

const reaches = (hub: HubInTest, who: Call, collection: string, id: string, status: string) =>
  until(
    `document ${id} is ${status}`,
    Effect.map(documentOf(hub, who, collection, id), (document) => document.status === status)
  )

const inHub = <A>(hub: HubInTest, work: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
  hub.run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, work)))

const isHealthy = (hub: HubInTest) =>
  Effect.map(
    diagnosesOf(hub.target),
    (found) => assert.deepStrictEqual(found.filter(({ bad }) => bad > 0).map(({ check }) => check), [])
  )

describe("the queue of documents", () => {
  it.live(
    "a hub that lost its claim writes nothing, and the next one embeds only what is left",
    () =>
      Effect.gen(function*() {
        const gate = yield* Deferred.make<void>()
        const reached = yield* Deferred.make<void>()
        const bothReached = yield* Deferred.make<void>()
        let [first, second, blocked] = [0, 0, 0]
        const slow = yield* startHub({
          embedder: withEmbedder({
            embed: (texts, lane) =>
              Effect.gen(function*() {
                if (first > 0) {
                  blocked += 1
                  yield* Deferred.succeed(blocked === 1 ? reached : bothReached, undefined)
                  yield* Deferred.await(gate)
                }
                first += texts.length
                return yield* hashedEmbedder.embed(texts, lane)
              })
          })
        })
        const owner = yield* firstOwner(slow)
        const collection = yield* collect(slow, owner)
        const id = yield* add(slow, owner, collection, longText(40))
        yield* Deferred.await(reached)
        const stored = first
        const before = yield* documentOf(slow, owner, collection, id)
        assert.deepStrictEqual([before.status, before.chunks], ["processing", 40])
        assert.isAbove(before.progress, 0)
        assert.isBelow(before.progress, 100)
        // Takes the other slot of the first hub, which would claim the document again.
        yield* add(slow, owner, yield* collect(slow, owner), longText(2))
        yield* Deferred.await(bothReached)
        const other = yield* startHub({
          database: slow.target,
          embedder: withEmbedder({
            embed: (texts, lane) => {
              second += texts.length
              return hashedEmbedder.embed(texts, lane)
            }
          })
        })
        yield* inHub(
          slow,
          // The next attempt, so that the first hub does not renew its claim before the other one takes it.
          (sql) =>
            sql`update knowledge_documents set lease_until = now() - interval '1 second', attempt = attempt + 1
            where id = ${id}`
        )
        yield* reaches(other, owner, collection, id, "ready")
        assert.strictEqual(second, 40 - stored)
        yield* Deferred.succeed(gate, undefined)
        yield* until("the first hub has embedded its batch", Effect.sync(() => first > stored))
        yield* slow.stop
        const [counts] = yield* inHub(other, (sql) =>
          sql<{ vectors: number; ready: number }>`select
          (select count(*)::int from knowledge_vectors where collection_id = ${collection}) as vectors,
          (select count(*)::int from audit where subject_id = ${id} and action = 'knowledge_document.ready') as ready`)
        assert.deepStrictEqual(counts, { vectors: 40, ready: 1 })
        yield* isHealthy(other)
      }).pipe(Effect.scoped)
  )

  it.live(
    "a hub that stops gives its claim back, and a deleted document is not finished",
    () =>
      Effect.gen(function*() {
        const reached = yield* Deferred.make<void>()
        const stuck = yield* startHub({
          embedder: withEmbedder({ embed: () => Effect.andThen(Deferred.succeed(reached, undefined), Effect.never) })
        })
        const owner = yield* firstOwner(stuck)
        const collection = yield* collect(stuck, owner)
        const kept = yield* add(stuck, owner, collection, longText(2))
        const deleted = yield* add(stuck, owner, collection, longText(3))
        yield* Deferred.await(reached)
        expectStatus(
          yield* stuck.api("DELETE", `/knowledge/collections/${collection}/documents/${deleted}`, owner),
          204
        )
        yield* stuck.stop
        const other = yield* startHub({ database: stuck.target })
        yield* reaches(other, owner, collection, kept, "ready")
        yield* until(
          "the deleted document is removed",
          Effect.gen(function*() {
            yield* other.run(Effect.flatMap(KnowledgeSweeper, ({ sweep }) => sweep))
            const rows = yield* inHub(other, (sql) =>
              sql`select 1 from knowledge_documents where id = ${deleted}
              union all select 1 from knowledge_chunks where document_id = ${deleted}
              union all select 1 from knowledge_sources where document_id = ${deleted}`)
            return rows.length === 0
          })
        )
        yield* isHealthy(other)
      }).pipe(Effect.scoped)
  )

  it.live(
    "a refused text fails its document, which a retry continues without parsing it again",
    () =>
      Effect.gen(function*() {
        let isRefusing = true
        const hub = yield* startHub({
          embedder: withEmbedder({
            embed: (texts, lane) =>
              isRefusing
                ? Effect.fail(new EmbedderFailure({ reason: "refused", detail: "The endpoint refused the text." }))
                : hashedEmbedder.embed(texts, lane)
          })
        })
        const owner = yield* firstOwner(hub)
        const collection = yield* collect(hub, owner)
        const id = yield* add(hub, owner, collection, longText(3))
        yield* reaches(hub, owner, collection, id, "failed")
        const failed = yield* documentOf(hub, owner, collection, id)
        assert.deepStrictEqual(failed.error, {
          code: "embedding_failed",
          message: "The endpoint refused the text."
        })
        isRefusing = false
        expectStatus(
          yield* hub.api("POST", `/knowledge/collections/${collection}/documents/${id}/retry`, owner),
          202
        )
        yield* reaches(hub, owner, collection, id, "ready")
        isRefusing = true
        const query = yield* hub.api("POST", `/knowledge/collections/${collection}/query`, {
          ...owner,
          body: { query: "word0x1" }
        })
        assert.deepStrictEqual([query.status, query.body.error.code], [503, "unavailable"])
      }).pipe(Effect.scoped)
  )

  it.live("another model answers after a reindex, and the earlier vectors are removed", () =>
    Effect.gen(function*() {
      const database = yield* freshDatabase
      const before = yield* startHub({ database })
      const owner = yield* firstOwner(before)
      const collection = yield* collect(before, owner)
      const id = yield* add(before, owner, collection, longText(40))
      yield* reaches(before, owner, collection, id, "ready")
      const after = yield* startHub({
        database,
        embedder: withEmbedder({
          model: "another",
          dimensions: 64,
          embed: (texts) => Effect.sync(() => ({ vectors: texts.map((text) => hashedVector(text, 64)), tokens: 0 }))
        })
      })
      const shown = Effect.map(
        after.api("GET", `/knowledge/collections/${collection}`, owner),
        (answer) => expectStatus(answer, 200).body
      )
      const query = (hub: HubInTest) =>
        hub.api("POST", `/knowledge/collections/${collection}/query`, {
          ...owner,
          body: { query: "word7x3 word7x4", top_k: 1 }
        })
      assert.deepStrictEqual([(yield* shown).needs_reindex, (yield* shown).dimensions], [true, 384])
      assert.strictEqual(expectStatus(yield* query(after), 409).body.error.code, "embedding_model_changed")
      const refused = yield* after.api("POST", `/knowledge/collections/${collection}/documents`, {
        ...owner,
        body: { text: "more" }
      })
      assert.strictEqual(expectStatus(refused, 409).body.error.code, "embedding_model_changed")
      const started = expectStatus(
        yield* after.api("POST", `/knowledge/collections/${collection}/reindex`, owner),
        202
      ).body
      assert.deepStrictEqual([started.status, started.needs_reindex], ["reindexing", false])
      yield* until("the collection is reindexed", Effect.map(shown, ({ status }) => status === "ready"))
      const done = yield* shown
      assert.deepStrictEqual([done.embedding_model, done.dimensions, done.needs_reindex], ["another", 64, false])
      assert.include(expectStatus(yield* query(after), 200).body.data[0].text, "word7x3")
      assert.strictEqual(expectStatus(yield* query(before), 409).body.error.code, "embedding_model_changed")
      yield* after.run(Effect.flatMap(KnowledgeSweeper, ({ sweep }) => sweep))
      const [row] = yield* inHub(after, (sql) =>
        sql<{ vectors: number; lengths: number }>`select count(*)::int as vectors, max(length(code)) as lengths
          from knowledge_vectors where collection_id = ${collection}`)
      assert.deepStrictEqual(row, { vectors: 40, lengths: 64 })
      yield* isHealthy(after)
    }).pipe(Effect.scoped), 120_000)

  it.live("workspaces take turns, whatever the length of their queues", () =>
    Effect.gen(function*() {
      const model = `none-${newId("col")}`
      const hub = yield* startHub()
      yield* firstOwner(hub)
      const queue = Effect.fnUntraced(function*(documents: number) {
        const org = yield* makeWorkspace(hub)
        const admin = yield* makeSignedIn(hub, org, "admin", "Ada")
        const collection = yield* collect(hub, admin)
        // No hub has this model: only the claims below take its documents.
        yield* inHub(hub, (sql) =>
          Effect.gen(function*() {
            yield* sql`update knowledge_collections set embedding_model = ${model} where id = ${collection}`
            yield* sql`insert into knowledge_turns (org_id, turn_at) values (${org}, now())`
            yield* sql`insert into knowledge_documents (id, org_id, collection_id, title, titled, content_type, size_bytes,
                source, status, turn_at, created_at, updated_at)
              select ${`${newId("doc")}_`} || n, ${org}, ${collection}, 't', true, 'text/plain', 0, 'text', 'queued',
                now(), now(), now() from generate_series(1, ${documents}::int) n`
          }))
        return org
      })
      const long = yield* queue(5)
      const short = yield* queue(1)
      const claim = hub.run(
        Effect.gen(function*() {
          const repository = yield* IngestRepository
          return yield* (yield* Db).transaction(repository.claim(model, 30))
        })
      )
      const claims = yield* Effect.forEach([1, 2, 3, 4], () => claim)
      assert.deepStrictEqual(claims.map((each) => Option.getOrUndefined(each)?.org_id), [long, short, long, long])
      assert.lengthOf(new Set(claims.map((each) => Option.getOrThrow(each).id)), 4)
      const racing = yield* Effect.all([claim, claim, claim], { concurrency: 3 })
      const claimed = [...claims, ...racing].flatMap((each) => Option.toArray(each).map(({ id }) => id))
      assert.strictEqual(new Set(claimed).size, claimed.length)
    }).pipe(Effect.scoped), 120_000)
})
