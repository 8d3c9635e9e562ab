/** The model catalog and favorites over HTTP. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, firstOwner, HubTest, makeAgent, makeToken, startHub, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace } from "../../support/people.ts"
import { httpUpstream } from "../../support/upstream.ts"

interface Listed {
  readonly id: string
  readonly name: string
  readonly context_length: number
  readonly pricing: { readonly prompt: string }
  readonly architecture: { readonly input_modalities: ReadonlyArray<string> }
}

layer(HubTest(), { excludeTestServices: true })("the model catalog", (it) => {
  it.effect("lists over 300 models in OpenRouter's shape with their source, for every credential, with an ETag", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const agent = yield* makeAgent(hub, owner)
      const pat = yield* makeToken(hub, owner, ["tokens:write"])
      const answer = expectStatus(yield* api("GET", "/models", { key: agent.key }), 200)
      const models: ReadonlyArray<Listed> = answer.body.data
      assert.isAbove(models.length, 300)
      assert.deepStrictEqual(
        [...models].sort((a, b) => a.id < b.id ? -1 : 1).map(({ id }) => id),
        models.map(({ id }) => id)
      )
      assert.deepInclude(answer.body.source, { kind: "snapshot", generated_at: "2026-11-10T12:05:37.628Z" })
      assert.isNull(answer.body.next_cursor)
      assert.deepInclude(models.find(({ id }) => id === "openai/gpt-4o-mini"), {
        name: "OpenAI: GPT-4o-mini",
        context_length: 128_000
      })
      const etag = answer.headers.get("etag")!
      for (const call of [{ cookie: owner.cookie }, { pat }]) {
        const again = yield* api("GET", "/models/openrouter", { ...call, headers: { "if-none-match": etag } })
        assert.deepStrictEqual([again.status, again.text], [304, ""])
      }
    }))

  it.effect("filters by words, provider, modality, and price", () =>
    Effect.gen(function*() {
      const { api, owner } = yield* TestHub
      const list = (query: string) =>
        Effect.map(
          api("GET", `/models?${query}`, { cookie: owner.cookie }),
          (answer) => expectStatus(answer, 200).body.data as ReadonlyArray<Listed>
        )
      const claude = yield* list("q=CLAUDE+haiku&provider=anthropic")
      assert.isAbove(claude.length, 1)
      assert.isTrue(claude.every(({ id }) => id.startsWith("anthropic/claude-haiku")))
      const seeing = yield* list("modality=image&max_price=0.5")
      assert.isAbove(seeing.length, 3)
      assert.isTrue(seeing.every(({ architecture, pricing }) =>
        architecture.input_modalities.includes("image") && Number(pricing.prompt) * 1e6 <= 0.5
      ))
      assert.deepStrictEqual(
        (yield* list("provider=offline")).map(({ id }) =>
          id
        ),
        ["offline/echo", "offline/echo-priced"]
      )
      for (const query of ["max_price=-1", "max_price=1e3", "provider=A%20B", "q=", "price=1"]) {
        expectStatus(yield* api("GET", `/models?${query}`, { cookie: owner.cookie }), 400)
      }
    }))

  it.effect("keeps the favorites of each person in each workspace", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api } = hub
      const org = yield* makeWorkspace(hub)
      const ada = yield* makeSignedIn(hub, org, "viewer", "Ada")
      const bob = yield* makeSignedIn(hub, org, "member", "Bob")
      const add = (model_id: string) => api("POST", "/models/favorites", { ...ada, body: { model_id } })
      const first = expectStatus(yield* add("openai/gpt-4o"), 201)
      assert.strictEqual(first.headers.get("location"), "/api/v1/models/favorites/openai%2Fgpt-4o")
      assert.deepStrictEqual(expectStatus(yield* add("openai/gpt-4o"), 201).body, first.body)
      expectStatus(yield* add("offline/echo"), 201)
      assert.strictEqual(expectStatus(yield* add("openai/gpt-none"), 400).body.error.details[0].path, "model_id")
      const ids = (who: object) =>
        Effect.map(
          api("GET", "/models/favorites", who),
          (answer) => expectStatus(answer, 200).body.data.map(({ model_id }: { model_id: string }) => model_id)
        )
      assert.deepStrictEqual(yield* ids(ada), ["offline/echo", "openai/gpt-4o"])
      assert.deepStrictEqual(yield* ids(bob), [])
      expectStatus(yield* api("GET", "/models/favorites/openai%2Fgpt-4o", bob), 404)
      expectStatus(yield* api("DELETE", "/models/favorites/openai%2Fgpt-4o", bob), 404)
      assert.deepStrictEqual(
        expectStatus(yield* api("GET", "/models/favorites/openai%2Fgpt-4o", ada), 200).body,
        first.body
      )
      expectStatus(yield* api("DELETE", "/models/favorites/openai%2Fgpt-4o", ada), 204)
      assert.deepStrictEqual(yield* ids(ada), ["offline/echo"])
    }))
})

describe("the list of a provider", () => {
  const listOf = (base: string, env: Readonly<Record<string, string>> = {}) =>
    Effect.gen(function*() {
      const hub = yield* startHub({ env: { HUB_LLM_BASE_URL: base, ...env } })
      const owner = yield* firstOwner(hub)
      const agent = yield* makeAgent(hub, owner)
      return { ...hub, list: hub.api("GET", "/models", { key: agent.key }) }
    })

  it.live("with prices replaces the snapshot; one fetch serves every reader of an hour", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) =>
        response.end(JSON.stringify({
          data: [
            { id: "x/new", name: "New", context_length: 9, pricing: { prompt: "0.000001", completion: 2e-6 } },
            { id: "x/new", name: "Twice" },
            { id: "bad id", name: "Bad" },
            null,
            { id: "openai/gpt-4o" }
          ]
        }))
      )
      const { list } = yield* listOf(`${server.origin}/v1`, { HUB_LLM_API_KEY: "sk-secret" })
      const [first] = yield* Effect.all([list, list, list], { concurrency: 3 })
      const { data, source } = expectStatus(first, 200).body
      assert.deepStrictEqual(data.map(({ id }: Listed) => id), [
        "offline/echo",
        "offline/echo-priced",
        "openai/gpt-4o",
        "x/new"
      ])
      assert.deepInclude(data[3], {
        name: "New",
        context_length: 9,
        pricing: { prompt: "0.000001", completion: "0.000002" }
      })
      assert.strictEqual(data[2].pricing.prompt, "0.0000025")
      assert.strictEqual(source.kind, "provider")
      assert.deepStrictEqual(server.received.map(({ headers, url }) => [url, headers.authorization]), [
        ["/v1/models", "Bearer sk-secret"]
      ])
    }))

  it.live("without prices is added to the snapshot, and the snapshot replaces one that cannot be read", () =>
    Effect.gen(function*() {
      const plain = yield* httpUpstream((_, response) =>
        response.end(
          JSON.stringify({ object: "list", data: [{ id: "gpt-4o-mini", object: "model" }, { id: "own-7b" }] })
        )
      )
      const added = expectStatus(yield* (yield* listOf(plain.origin)).list, 200).body.data as ReadonlyArray<Listed>
      assert.isAbove(added.length, 300)
      assert.strictEqual(added.find(({ id }) => id === "gpt-4o-mini")?.pricing.prompt, "0.00000015")
      assert.strictEqual(added.find(({ id }) => id === "own-7b")?.pricing.prompt, "-1")
      const broken = yield* httpUpstream((_, response) => response.writeHead(500).end("<html>"))
      const { body } = expectStatus(yield* (yield* listOf(broken.origin)).list, 200)
      assert.strictEqual(body.source.kind, "snapshot")
      assert.isAbove(body.data.length, 300)
    }))
})
