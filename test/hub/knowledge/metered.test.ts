/** Documents at a metered endpoint: who pays for their passages. Spec: reference/knowledge.md "Costs of embedding". */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { hashedVector } from "../../support/embedder.ts"
import { expectHealthy, until } from "../../support/health.ts"
import { spawnHub } from "../../support/hub-program.ts"
import { type Answer, expectStatus, firstOwner, makeAgent, startHub, topUp } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { scratchFolder } from "../../support/scratch.ts"
import { httpUpstream } from "../../support/upstream.ts"

const dimensions = 32
/** Of each text. */
const tokens = 40
/** A token costs a twentieth of a cent, so a text costs 2 cents. */
const price = "50000"
const textCents = 2
const refusedWord = "unspeakable"

const settings = (origin: string) => ({
  HUB_EMBEDDINGS_URL: origin,
  HUB_EMBEDDINGS_MODEL: "bench",
  HUB_EMBEDDINGS_DIMENSIONS: String(dimensions),
  HUB_EMBEDDINGS_CENTS_PER_MILLION_TOKENS: price
})

/** A call for which `isHeld` is true gets no answer. */
const endpointOf = (isHeld: (input: ReadonlyArray<string>) => boolean) =>
  httpUpstream(({ body }, response) => {
    const { input } = JSON.parse(body) as { readonly input: ReadonlyArray<string> }
    if (isHeld(input)) return
    response.setHeader("content-type", "application/json")
    if (input.some((text) => text.includes(refusedWord))) {
      response.writeHead(400).end(JSON.stringify({ error: { message: "The text is not accepted." } }))
      return
    }
    const data = input.map((text, index) => ({ index, embedding: Array.from(hashedVector(text, dimensions)) }))
    response.end(JSON.stringify({ data, usage: { total_tokens: tokens * input.length } }))
  })

const make = Effect.gen(function*() {
  const endpoint = yield* endpointOf(() => false)
  const hub = yield* startHub({
    env: {
      HUB_DATA_DIR: scratchFolder("countersign-metered-"),
      ...settings(endpoint.origin)
    }
  })
  yield* firstOwner(hub)
  return { hub, endpoint }
})

class MeteredHub extends Context.Service<MeteredHub, Effect.Success<typeof make>>()("test/MeteredHub") {}

layer(Layer.effect(MeteredHub, make), { excludeTestServices: true })("documents at a metered endpoint", (it) => {
  const world = Effect.gen(function*() {
    const { endpoint, hub } = yield* MeteredHub
    const { api } = hub
    const org = yield* makeWorkspace(hub)
    const owner = yield* makeSignedIn(hub, org, "owner", "Ada")
    const collection = expectStatus(
      yield* api("POST", "/knowledge/collections", { ...owner, body: { name: "Handbook" } }),
      201
    ).body.id as string
    const at = `/knowledge/collections/${collection}/documents`
    const settled = Effect.fnUntraced(function*(id: string) {
      let last: Answer | undefined
      yield* until(
        `document ${id} settled`,
        Effect.map(api("GET", `${at}/${id}`, owner), (answer) => {
          last = expectStatus(answer, 200)
          return ["ready", "failed"].includes(last.body.status)
        })
      )
      return last!.body
    })
    const add = (text: string) =>
      Effect.flatMap(
        api("POST", at, { ...owner, body: { text } }),
        (answer) => settled(expectStatus(answer, 202).body.id)
      )
    const retry = (id: string) =>
      Effect.flatMap(api("POST", `${at}/${id}/retry`, owner), (answer) => {
        expectStatus(answer, 202)
        return settled(id)
      })
    const balance = Effect.map(api("GET", "/balance", owner), ({ body }) => body.balance_cents as number)
    const requests = Effect.map(
      api("GET", "/service-requests?service=knowledge&operation=embed", owner),
      (answer) => expectStatus(answer, 200).body.data
    )
    const assistant = Effect.map(api("GET", "/agents?kind=yupi", owner), ({ body }) => body.data[0])
    return { api, owner, hub, endpoint, collection, at, add, retry, balance, requests, assistant }
  })

  it.effect("are paid by the workspace as requests of its assistant, to the token", () =>
    Effect.gen(function*() {
      const { add, assistant, balance, hub, owner, requests } = yield* world
      yield* topUp(hub, owner, 1_000)
      const document = yield* add("The boiler is descaled once a year.")
      assert.deepStrictEqual([document.status, document.chunks], ["ready", 1])
      const [request, ...others] = yield* requests
      assert.deepStrictEqual(others, [])
      assert.deepStrictEqual([request.status, request.cost_cents], ["executed", textCents])
      const agent = yield* assistant
      assert.deepStrictEqual([agent.name, agent.id], ["Assistant", request.agent_id])
      assert.strictEqual(yield* balance, 1_000 - textCents)
      yield* expectHealthy(hub.target)
    }))

  it.effect("wait for funds: the document says why, and a retry continues without parsing it again", () =>
    Effect.gen(function*() {
      const { add, balance, endpoint, hub, owner, requests, retry } = yield* world
      const before = endpoint.received.length
      const { error, id, status } = yield* add("The boiler is descaled once a year.")
      assert.deepStrictEqual([status, error.code], ["failed", "embedding_blocked"])
      assert.include(error.message, "Retry the document")
      assert.strictEqual(endpoint.received.length, before)
      yield* topUp(hub, owner, 1_000)
      assert.strictEqual((yield* retry(id)).status, "ready")
      assert.strictEqual(yield* balance, 1_000 - textCents)
      assert.deepStrictEqual((yield* requests).map((each: { status: string }) => each.status).toSorted(), [
        "blocked",
        "executed"
      ])
    }))

  it.effect("need a person above the assistant's threshold, and cost nothing twice after the approval", () =>
    Effect.gen(function*() {
      const { add, api, assistant, balance, hub, owner, retry } = yield* world
      yield* topUp(hub, owner, 1_000)
      yield* add("The first document makes the assistant.")
      const { id: agent } = yield* assistant
      const limited = { ...owner, body: { monthly_budget_cents: null, approval_threshold_cents: 0 } }
      expectStatus(yield* api("PATCH", `/agents/${agent}/budget`, limited), 200)
      const { error, id, status } = yield* add("The boiler is descaled once a year.")
      assert.deepStrictEqual([status, error.code], ["failed", "approval_required"])
      const [approval] = (yield* api("GET", "/approvals", owner)).body.data
      expectStatus(yield* api("POST", `/approvals/${approval.id}/approve`, owner), 200)
      assert.strictEqual((yield* retry(id)).status, "ready")
      assert.strictEqual(yield* balance, 1_000 - 2 * textCents)
    }))

  it.effect("stay unread when a person disables the assistant's binding", () =>
    Effect.gen(function*() {
      const { add, api, assistant, balance, hub, owner } = yield* world
      yield* topUp(hub, owner, 1_000)
      yield* add("The first document makes the assistant.")
      const { id: agent } = yield* assistant
      expectStatus(yield* api("DELETE", `/agents/${agent}/services/knowledge`, owner), 204)
      const { error, status } = yield* add("The boiler is descaled once a year.")
      assert.deepStrictEqual([status, error.code], ["failed", "embedding_blocked"])
      assert.strictEqual(yield* balance, 1_000 - textCents)
    }))

  it.effect("cost nothing when the endpoint refuses their text, or another agent sends the request", () =>
    Effect.gen(function*() {
      const { add, api, balance, collection, hub, owner, requests } = yield* world
      yield* topUp(hub, owner, 1_000)
      const { error, status } = yield* add(`An ${refusedWord} text.`)
      assert.deepStrictEqual([status, error.code], ["failed", "embedding_failed"])
      assert.include(error.message, "The text is not accepted.")
      const [{ payload }] = yield* requests
      const { key } = yield* makeAgent(hub, owner, { bindings: [{ service: "knowledge", operations: ["*"] }] })
      const body = {
        service: "knowledge",
        operation: "embed",
        payload: payload ?? {
          collection_id: collection,
          generation: 1,
          from: 1,
          to: 2,
          passages: 1,
          bytes: 100,
          cents_per_million_tokens: 0
        }
      }
      const { body: answer } = expectStatus(yield* api("POST", "/service-requests", { key, body }), 200)
      assert.deepStrictEqual([answer.status, answer.cost_cents], ["failed", 0])
      assert.include(answer.result.detail, "Only the workspace's assistant")
      assert.strictEqual(yield* balance, 1_000)
      yield* expectHealthy(hub.target)
    }))
})

describe("a hub that is killed while it embeds a batch", () => {
  const passages = 80
  const lines = (chapter: number) => Array.from({ length: 30 }, (_, word) => `word${chapter}x${word}`).join(" ")
  const text = Array.from({ length: passages }, (_, chapter) => `# Chapter ${chapter}\n\n${lines(chapter)}.`).join(
    "\n\n"
  )

  it.live("leaves a document that the next hub finishes, and each passage is paid once", () =>
    Effect.gen(function*() {
      const reached = yield* Deferred.make<void>()
      let isHeld = true
      const endpoint = yield* endpointOf((input) => {
        const isSecond = isHeld && input.some((each) => each.includes(`word${passages - 1}x`))
        if (isSecond) Effect.runSync(Deferred.succeed(reached, undefined))
        return isSecond
      })
      // It has another model, so it takes no document of the others.
      const checker = yield* startHub()
      const owner = yield* firstOwner(checker)
      yield* topUp(checker, owner, 1_000)
      const env = settings(endpoint.origin)
      const killed = yield* spawnHub({ database: checker.target, env })
      const collection = expectStatus(
        yield* killed.api("POST", "/knowledge/collections", { ...owner, body: { name: "Handbook" } }),
        201
      ).body.id as string
      const at = `/knowledge/collections/${collection}/documents`
      const body = { text, content_type: "text/markdown" }
      const { id } = expectStatus(yield* killed.api("POST", at, { ...owner, body }), 202).body
      yield* Deferred.await(reached)
      yield* killed.kill("SIGKILL")
      yield* killed.ended
      isHeld = false
      const next = yield* spawnHub({ database: checker.target, env })
      const requests = Effect.map(
        checker.api("GET", "/service-requests?service=knowledge", owner),
        ({ body }) => body.data as ReadonlyArray<{ readonly status: string; readonly cost_cents: number }>
      )
      yield* until(
        "the request of the killed hub is settled",
        Effect.map(requests, (found) => found.length === 2 && found.every(({ status }) => status !== "running"))
      )
      yield* checker.run(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) => sql`update knowledge_documents set lease_until = hub_time_or_last() where id = ${id}`
        ).pipe(Effect.orDie)
      )
      yield* until(
        "the document is ready",
        Effect.map(next.api("GET", `${at}/${id}`, owner), ({ body }) => body.status === "ready")
      )
      // The request of the killed hub was repeated, or found its passages done: then it cost nothing.
      const costs = (yield* requests).flatMap(({ cost_cents }) => cost_cents === 0 ? [] : [cost_cents])
        .toSorted((one, other) => one - other)
      assert.deepStrictEqual(costs, [(passages - 64) * textCents, 64 * textCents])
      const [counts] = yield* checker.run(
        Effect.flatMap(SqlClient.SqlClient, (sql) =>
          sql<{ vectors: number }>`select count(*)::int as vectors from knowledge_vectors`).pipe(Effect.orDie)
      )
      assert.strictEqual(counts?.vectors, passages)
      assert.strictEqual(
        (yield* checker.api("GET", "/balance", owner)).body.balance_cents,
        1_000 - passages * textCents
      )
      yield* expectHealthy(checker.target)
    }).pipe(Effect.scoped), 120_000)
})
