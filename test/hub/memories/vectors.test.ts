/** Vectors of memories: without the embedder, after a change of its model, and with the real engine. */
import { EmbedderFailure } from "@countersign/hub/knowledge/embedder/embedder"
import { BuiltIn } from "@countersign/hub/knowledge/embedder/layer"
import { MemoryEmbedding } from "@countersign/hub/memories/embedding"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { hashedEmbedder } from "../../support/embedder.ts"
import { type Answer, expectStatus, firstOwner, type HubInTest, makeAgent, startHub } from "../../support/hub.ts"

interface Found {
  readonly content: string
  readonly score: number
  readonly matched_by: string
}

const foundBy = (answer: Answer): ReadonlyArray<readonly [string, string]> =>
  expectStatus(answer, 200).body.data.map(({ content, matched_by }: Found) => [content, matched_by])

const embedderOf = (model: string, isDown: () => boolean) =>
  Layer.succeed(
    BuiltIn,
    Effect.succeed({
      ...hashedEmbedder,
      model,
      embed: (texts: ReadonlyArray<string>, lane: "query" | "document") =>
        isDown()
          ? Effect.fail(new EmbedderFailure({ reason: "unavailable", detail: "The embedder is down." }))
          : hashedEmbedder.embed(texts, lane)
    })
  )

/** A round of the background in which every memory without a vector is due. */
const embedDue = (hub: HubInTest) =>
  hub.run(Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    yield* sql`update memories set embed_at = created_at`
    yield* (yield* MemoryEmbedding).round
  }))

it.live("without the embedder a memory is stored and found by words, and later by meaning, also after a new model", () =>
  Effect.gen(function*() {
    let isDown = true
    const hub = yield* startHub({ embedder: embedderOf("first", () => isDown) })
    const owner = yield* firstOwner(hub)
    const agent = yield* makeAgent(hub, owner)
    const path = `/agents/${agent.id}/memories`
    const as = { key: agent.key }
    const add = (content: string) =>
      Effect.map(
        hub.api("POST", path, { ...as, body: { content, kind: "fact" } }),
        (answer) => expectStatus(answer, 201)
      )
    yield* add("The customer likes aisle seats")
    isDown = false
    yield* add("The customer pays by card")
    isDown = true
    const question = `${path}?q=${encodeURIComponent("aisle seats of the customer")}`
    const words = yield* hub.api("GET", question, as)
    assert.deepStrictEqual(foundBy(words), [
      ["The customer likes aisle seats", "words"],
      ["The customer pays by card", "words"]
    ])
    assert.strictEqual(words.body.data[0].score, 0.5)
    isDown = false
    const mixed = foundBy(yield* hub.api("GET", question, as))
    assert.sameDeepMembers([...mixed], [
      ["The customer likes aisle seats", "words"],
      ["The customer pays by card", "meaning"]
    ])
    yield* embedDue(hub)
    const byMeaning = [["The customer likes aisle seats", "meaning"], ["The customer pays by card", "meaning"]] as const
    assert.deepStrictEqual(foundBy(yield* hub.api("GET", question, as)), byMeaning)
    yield* hub.stop

    const next = yield* startHub({ database: hub.target, embedder: embedderOf("second", () => false) })
    yield* embedDue(next)
    assert.deepStrictEqual(foundBy(yield* next.api("GET", question, as)), byMeaning)
  }).pipe(Effect.scoped))

it.live("the built-in engine finds a memory that shares no word with the question", () =>
  Effect.gen(function*() {
    const hub = yield* startHub({ embedder: Layer.empty })
    const owner = yield* firstOwner(hub)
    const agent = yield* makeAgent(hub, owner)
    const path = `/agents/${agent.id}/memories`
    for (
      const content of ["She is allergic to peanuts.", "Invoices leave every Friday.", "The office has two printers."]
    ) {
      expectStatus(
        yield* hub.api("POST", path, { key: agent.key, body: { content, kind: "preference" } }),
        201
      )
    }
    // On a busy machine the first texts may be stored without a vector.
    for (let tries = 0; tries < 20; tries++) {
      yield* embedDue(hub)
      const found = foundBy(
        yield* hub.api("GET", `${path}?q=${encodeURIComponent("Which food must I avoid?")}`, { key: agent.key })
      )
      if (found.some(([, by]) => by !== "meaning") || found.length < 3) continue
      assert.strictEqual(found[0]?.[0], "She is allergic to peanuts.")
      return
    }
    assert.fail("the built-in engine did not answer")
  }).pipe(Effect.scoped), 240_000)
