/** The built-in engine in its process, and the OpenAI-compatible endpoint. Spec: reference/knowledge.md "Embedding". */
import { parseConfig } from "@countersign/hub/config"
import { makeBuiltIn } from "@countersign/hub/knowledge/embedder/built-in"
import { makeEndpoint } from "@countersign/hub/knowledge/embedder/endpoint"
import { restMillisOf } from "@countersign/hub/knowledge/embedder/yielding"
import { cosine } from "@countersign/hub/knowledge/vectors"
import { makeEgress } from "@countersign/hub/providers/egress"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { getPriority } from "node:os"
import { closedPort, httpUpstream, type Received } from "../../support/upstream.ts"

const sentence = "A wallet holds the money of a workspace."
/** The first numbers of the sentence's vector, as the pinned engine and weights computed them. */
const stored = [-0.002055, 0.07988, -0.068445, 0.013938, -0.058974, -0.035503, 0.138769, -0.0027]

describe("the rest of the built-in engine", () => {
  it("is none beside a hub with little work, and grows with the hub's work", () => {
    assert.deepStrictEqual([0, 0.1, 0.15].map((busy) => restMillisOf(busy, 400)), [0, 0, 0])
    const rests = [0.16, 0.2, 0.3, 0.35, 0.4].map((busy) => restMillisOf(busy, 400))
    assert.deepStrictEqual(rests, rests.toSorted((left, right) => left - right))
    assert.isAbove(rests[0]!, 0)
  })

  it("leaves the engine a tenth of a processor beside a busy hub, and ends after 10 s", () => {
    for (const busy of [0.4, 0.5, 1]) {
      assert.closeTo(restMillisOf(busy, 400), 3_600, 0.001)
      assert.strictEqual(restMillisOf(busy, 60_000), 10_000)
    }
  })
})

describe("the built-in engine", () => {
  it.live("computes the stored vector in a separate process, and again after that died", () =>
    Effect.scoped(Effect.gen(function*() {
      const engine = yield* makeBuiltIn()
      assert.strictEqual(engine.pid(), undefined)
      const embedded = yield* engine.embed([sentence, "", "\ud800 half"], "document")
      assert.deepStrictEqual(embedded.vectors.map(({ length }) => length), [384, 384, 384])
      for (const [index, value] of stored.entries()) assert.closeTo(embedded.vectors[0]![index]!, value, 0.000_01)
      for (const vector of embedded.vectors) assert.closeTo(Math.hypot(...vector), 1, 0.000_1)

      const first = engine.pid()!
      if (process.platform !== "win32") assert.isAbove(getPriority(first), getPriority())
      process.kill(first, "SIGKILL")
      const again = yield* engine.embed([sentence], "query")
      assert.deepStrictEqual(again.vectors[0], embedded.vectors[0])
      assert.notStrictEqual(engine.pid(), first)

      const others = yield* engine.embed(["Where are the funds kept?", "The weather is nice today."], "query")
      const [wallet, funds, weather] = [...again.vectors, ...others.vectors]
      assert.isAbove(cosine(wallet!, funds!), cosine(wallet!, weather!))
    })))

  it.live("embeds a query before the documents that wait, and refuses texts over the queue's size", () =>
    Effect.scoped(Effect.gen(function*() {
      const engine = yield* makeBuiltIn({ waitingMax: { query: 2, document: 3 } })
      const order: Array<string> = []
      const embed = (text: string, lane: "query" | "document") =>
        Effect.forkChild(Effect.tap(engine.embed([text], lane), () => Effect.sync(() => order.push(text))), {
          startImmediately: true
        })
      // The first is taken from the queue at once.
      const fibers = [yield* embed("one", "document")]
      yield* Effect.yieldNow
      for (const text of ["two", "three"]) fibers.push(yield* embed(text, "document"))
      fibers.push(yield* embed("query", "query"))
      const refused = yield* Effect.flip(engine.embed(["four", "five"], "document"))
      assert.deepStrictEqual([refused.reason, refused.isPassing], ["busy", true])
      const given = yield* embed("interrupted", "query")
      yield* Fiber.interrupt(given)
      for (const fiber of fibers) yield* Fiber.join(fiber)
      assert.deepStrictEqual(order, ["one", "query", "two", "three"])
    })))

  it.live("embeds a query at once while documents wait for a busy hub", () =>
    Effect.scoped(Effect.gen(function*() {
      const engine = yield* makeBuiltIn({ restMillisOf: () => 3_600_000 })
      yield* engine.embed(["one"], "document")
      const two = yield* Effect.forkChild(engine.embed(["two"], "document"), { startImmediately: true })
      for (const query of ["first", "second"]) {
        assert.lengthOf((yield* engine.embed([query], "query")).vectors, 1)
        assert.isUndefined(two.pollUnsafe())
      }
    })))

  it.live("ends the process after idle time", () =>
    Effect.scoped(Effect.gen(function*() {
      const engine = yield* makeBuiltIn({ idleMillis: 0 })
      yield* engine.embed([sentence], "query")
      while (engine.pid() !== undefined) yield* Effect.sleep(1)
    })))
})

const vectorsOf = (...vectors: ReadonlyArray<ReadonlyArray<number>>) => ({
  data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).toReversed(),
  usage: { prompt_tokens: 7, total_tokens: 7 }
})

const endpoint = Effect.fnUntraced(function*(
  answer: (
    request: Received,
    count: number
  ) => { readonly status?: number; readonly body: unknown; readonly after?: number }
) {
  let count = 0
  const upstream = yield* httpUpstream((request, response) => {
    const { after, body, status = 200 } = answer(request, ++count)
    response.writeHead(status, {
      "content-type": "application/json",
      ...after === undefined ? {} : { "retry-after": String(after) }
    })
    response.end(JSON.stringify(body))
  })
  const embedder = yield* endpointAt(`${upstream.origin}/v1/`)
  return { embedder, received: upstream.received }
})

const endpointAt = Effect.fnUntraced(function*(url: string) {
  const settings = parseConfig({
    HUB_EMBEDDINGS_URL: url,
    HUB_EMBEDDINGS_KEY: "sk-secret-0123456789",
    HUB_EMBEDDINGS_MODEL: "small",
    HUB_EMBEDDINGS_DIMENSIONS: "3"
  }, { projectDir: "/nonexistent", terminal: true }).embeddings
  return yield* makeEndpoint(Option.getOrThrow(settings), yield* makeEgress({ allow: [] }))
})

describe("an embeddings endpoint", () => {
  it.live("gets the texts in one call; its vectors are put in order and normalized, its tokens reported", () =>
    Effect.scoped(Effect.gen(function*() {
      const { embedder, received } = yield* endpoint(() => ({ body: vectorsOf([3, 0, 4], [0, 2, 0]) }))
      const { tokens, vectors } = yield* embedder.embed(["first", "second"], "document")
      assert.deepStrictEqual(vectors.map((vector) => [...vector]), [
        [...Float32Array.of(0.6, 0, 0.8)],
        [0, 1, 0]
      ])
      assert.deepStrictEqual([tokens, embedder.centsPerMillionTokens, embedder.model], [7, 0, "small"])
      const [request] = received
      assert.strictEqual(request?.url, "/v1/embeddings")
      assert.strictEqual(request?.headers.authorization, "Bearer sk-secret-0123456789")
      assert.deepStrictEqual(JSON.parse(request?.body ?? ""), {
        model: "small",
        input: ["first", "second"],
        encoding_format: "float"
      })
    })))

  it.live("is called again after 429 and 5xx", () =>
    Effect.scoped(Effect.gen(function*() {
      const { embedder, received } = yield* endpoint((_request, count) =>
        count < 3 ? { status: count === 1 ? 429 : 503, body: {}, after: 0 } : { body: vectorsOf([1, 0, 0]) }
      )
      assert.lengthOf((yield* embedder.embed(["text"], "document")).vectors, 1)
      assert.lengthOf(received, 3)
    })))

  it.live("that refuses is not called again, and its message is without the key", () =>
    Effect.scoped(Effect.gen(function*() {
      const { embedder, received } = yield* endpoint(() => ({
        status: 401,
        body: { error: { message: "Incorrect key sk-secret-0123456789." } }
      }))
      const error = yield* Effect.flip(embedder.embed(["text"], "query"))
      assert.deepStrictEqual([error.reason, error.isPassing, received.length], ["refused", false, 1])
      assert.include(error.detail, "The embeddings endpoint answered 401: Incorrect key")
      assert.notInclude(error.detail, "sk-secret")
    })))

  for (
    const [what, body] of [
      ["no JSON", "<html>"],
      ["a missing vector", vectorsOf([1, 0, 0])],
      ["a vector of another length", vectorsOf([1, 0], [0, 1])],
      ["a vector without a direction", vectorsOf([0, 0, 0], [0, 1, 0])]
    ] as const
  ) {
    it.live(`with ${what} in its answer fails as invalid_answer`, () =>
      Effect.scoped(Effect.gen(function*() {
        const { embedder } = yield* endpoint(() => ({ body }))
        const error = yield* Effect.flip(embedder.embed(["first", "second"], "document"))
        assert.deepStrictEqual([error.reason, error.isPassing], ["invalid_answer", false])
      })))
  }

  it.live("that does not answer is unavailable, which passes", () =>
    Effect.scoped(Effect.gen(function*() {
      const embedder = yield* endpointAt(`http://127.0.0.1:${yield* closedPort}`)
      const error = yield* Effect.flip(embedder.embed(["text"], "query"))
      assert.deepStrictEqual([error.reason, error.isPassing], ["unavailable", true])
    })))
})
