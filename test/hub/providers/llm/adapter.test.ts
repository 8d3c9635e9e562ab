import { ratesOf } from "@countersign/domain/models"
import type { BuiltinService } from "@countersign/domain/services"
import type { AdapterCall } from "@countersign/hub/providers/adapter"
import { makeEgress } from "@countersign/hub/providers/egress"
import { llmAdapter } from "@countersign/hub/providers/llm/adapter"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { httpUpstream, tcpUpstream } from "../../../support/upstream.ts"

const definition = {
  name: "llm",
  kind: "builtin",
  adapter: "llm",
  operations: [{
    name: "chat",
    payload_schema: { type: "object" },
    price: { type: "tokens", default: { prompt: "0.00001", completion: "0.00005" } }
  }]
} satisfies BuiltinService

const small = ratesOf({ pricing: { prompt: "0.00000015", completion: "0.0000006" } })

const payload = { model: "small", messages: [{ role: "user", content: "hi" }] }
const key = "sk-very-secret"

const chat = (baseUrl: string | undefined, given: unknown = payload, over: Partial<AdapterCall> = {}) =>
  Effect.gen(function*() {
    const egress = yield* makeEgress({ allow: [] })
    const llm = Option.map(
      Option.fromUndefinedOr(baseUrl),
      (url) => ({ baseUrl: url, apiKey: Option.some(Redacted.make(key)), wire: "openai" as const })
    )
    return yield* llmAdapter({
      egress,
      settings: { llm, anthropicKey: Option.none() },
      ratesOf: (model) => model === "small" ? small : undefined,
      promptOf: () => Effect.succeed(undefined),
      counted: () => {}
    }).execute(definition, {
      requestId: "req_1",
      orgId: "org_1",
      agent: { id: "agt_1", name: "Scout" },
      service: "llm",
      operation: "chat",
      payload: given,
      timeoutMs: 20_000,
      ceilingCents: 1,
      secretOf: () => Effect.succeed(undefined),
      appOf: () => Effect.succeed({ kind: "missing", detail: "No app." }),
      ...over
    })
  })

const completion = (usage?: object) =>
  JSON.stringify({
    id: "chatcmpl-1",
    choices: [{ index: 0, message: { role: "assistant", content: "hello" }, finish_reason: "stop" }],
    ...usage === undefined ? {} : { usage }
  })

describe("llm.chat", () => {
  it.live("reaches the operator's provider on this machine, and no other call can reach it", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) =>
        response.end(completion({ prompt_tokens: 1, completion_tokens: 1 }))
      )
      const egress = yield* makeEgress({ allow: [] })
      const request = { url: server.origin, method: "GET", timeoutMs: 20_000 }
      assert.strictEqual((yield* egress.request({ ...request, trusted: true })).status, 200)
      assert.strictEqual((yield* Effect.flip(egress.request(request)))._tag, "EgressRefused")
      const away = yield* httpUpstream((_, response) => response.writeHead(302, { location: server.origin }).end())
      assert.strictEqual(
        (yield* Effect.flip(egress.request({ ...request, url: away.origin, trusted: true })))._tag,
        "EgressRefused"
      )
      assert.strictEqual(server.received.length, 1)
    }))

  it.live("requests once, not streamed, and charges the tokens to the micro-cent", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) =>
        response.end(completion({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 }))
      )
      const outcome = yield* chat(`${server.origin}/v1/`)
      assert.deepInclude(outcome, { kind: "executed", actual: 0.000285, actualFound: true })
      assert.deepInclude((outcome as { result: object }).result, { id: "chatcmpl-1", cost_cents: 0.000285 })
      const [request] = server.received
      assert.strictEqual(request?.url, "/v1/chat/completions")
      assert.deepInclude(request?.headers, {
        authorization: `Bearer ${key}`,
        "idempotency-key": "req_1",
        "content-type": "application/json"
      })
      assert.deepStrictEqual(JSON.parse(request?.body ?? ""), { ...payload, max_tokens: 1024, stream: false })
    }))

  it.live("never streams, keeps the caller's limit, and uses the default price for a model without one", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) =>
        response.end(completion({ prompt_tokens: 1_000_000, completion_tokens: 1 }))
      )
      const outcome = yield* chat(server.origin, { ...payload, model: "constructor", max_tokens: 5, stream: true })
      assert.deepInclude(outcome, { actual: 1000.005 })
      assert.deepInclude(JSON.parse(server.received[0]?.body ?? ""), { max_tokens: 5, stream: false })
    }))

  it.live("reports an answer without its cost", () =>
    Effect.gen(function*() {
      for (
        const body of [
          completion(),
          completion({ prompt_tokens: -1, completion_tokens: 1 }),
          completion({ prompt_tokens: "7", completion_tokens: 1 })
        ]
      ) {
        const server = yield* httpUpstream((_, response) => response.end(body))
        const outcome = yield* chat(server.origin)
        assert.deepInclude(outcome, { kind: "executed", actualFound: false }, body)
        assert.notProperty(outcome, "actual")
      }
    }))

  it.live("fails without charge when a 200 contains no completion", () =>
    Effect.gen(function*() {
      for (
        const body of [
          "<html>Bad gateway</html>",
          "not json",
          completion().slice(0, -1),
          "{}",
          "[]",
          "{\"error\":{\"message\":\"busy\"}}",
          "{\"choices\":[]}",
          ""
        ]
      ) {
        const server = yield* httpUpstream((_, response) => response.end(body))
        const outcome = yield* chat(server.origin)
        assert.deepInclude(outcome, { kind: "failed", status: 200 }, body)
        assert.include((outcome as { detail: string }).detail, body.slice(0, 10))
      }
    }))

  it.live("keeps the provider's status and Retry-After, as seconds or as a date", () =>
    Effect.gen(function*() {
      for (
        const [header, least, most] of [["7", 7, 7], [new Date(Date.now() + 90_000).toUTCString(), 1, 90]] as const
      ) {
        const server = yield* httpUpstream((_, response) =>
          response.writeHead(429, { "retry-after": header }).end("slow down")
        )
        const outcome = yield* chat(server.origin)
        assert.deepInclude(outcome, { kind: "failed", status: 429 })
        const { retryAfterSeconds = -1 } = outcome as { retryAfterSeconds?: number }
        assert.isTrue(least <= retryAfterSeconds && retryAfterSeconds <= most, header)
      }
      const server = yield* httpUpstream((_, response) => response.writeHead(503, { "retry-after": "soon" }).end())
      assert.notProperty(yield* chat(server.origin), "retryAfterSeconds")
    }))

  it.live("fails without a provider, and when the provider refuses; its key is not shown", () =>
    Effect.gen(function*() {
      const none = yield* chat(undefined)
      assert.include((none as { detail: string }).detail, "HUB_LLM_BASE_URL")
      const server = yield* httpUpstream((request, response) =>
        response.writeHead(401).end(JSON.stringify({ error: { message: `bad key ${request.headers.authorization}` } }))
      )
      const refused = yield* chat(server.origin)
      assert.deepInclude(refused, { kind: "failed", status: 401 })
      assert.include((refused as { detail: string }).detail, "bad key Bearer ***")
      assert.notInclude(JSON.stringify(refused), key)
    }))

  it.live("has an unknown outcome when the provider received the request and did not answer", () =>
    Effect.gen(function*() {
      const server = yield* tcpUpstream(() => {})
      assert.strictEqual((yield* chat(`http://127.0.0.1:${server.port}`, payload, { timeoutMs: 200 })).kind, "unknown")
    }))
})
