import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HubTest, TestHub } from "../../support/hub.ts"

const root = (path: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(TestHub, ({ url }) => Effect.promise(async () => {
    const response = await fetch(`${url}${path}`, { headers })
    return { status: response.status, type: response.headers.get("content-type") ?? "", text: await response.text() }
  }))

layer(HubTest(), { excludeTestServices: true })("discovery over HTTP", (it) => {
  it.effect("documents need no credential, carry an ETag and answer 304 to who has them", () => Effect.gen(function*() {
    const { api } = yield* TestHub
    for (const path of ["/agent-docs", "/openapi.json"]) {
      const first = yield* api("GET", path)
      const etag = first.headers.get("etag") ?? ""
      assert.deepStrictEqual([first.status, typeof first.body], [200, "object"])
      assert.match(etag, /^".+"$/)
      const again = yield* api("GET", path, { headers: { "if-none-match": `W/${etag}, "other"` } })
      assert.deepStrictEqual([again.status, again.text, again.headers.get("etag")], [304, "", etag])
      assert.strictEqual((yield* api("GET", path, { headers: { "if-none-match": "\"other\"" } })).status, 200)
      assert.strictEqual((yield* api("GET", `${path}?x=1`)).status, 400)
    }
  }))

  it.effect("probes answer under the API and at the root", () => Effect.gen(function*() {
    const { api } = yield* TestHub
    const health = yield* api("GET", "/health")
    assert.deepStrictEqual(Object.keys(health.body), ["status", "hub_id", "version", "min_app_version"])
    const ready = yield* api("GET", "/ready")
    assert.deepStrictEqual([ready.status, ready.body.status], [200, "ready"])
    const metrics = yield* api("GET", "/metrics")
    assert.match(metrics.text, /countersign_http_requests_total\{method="GET",status="200"\} \d+/)
    for (const path of ["/health", "/ready", "/metrics"]) assert.strictEqual((yield* root(path)).status, 200, path)
  }))

  it.effect("the reference is one page with everything in it", () => Effect.gen(function*() {
    const docs = yield* root("/docs")
    assert.strictEqual(docs.status, 200)
    assert.match(docs.type, /^text\/html/)
    assert.include(docs.text, "/api/v1/service-requests")
    assert.include(docs.text, "idempotency-key")
    assert.notMatch(docs.text, /<script[^>]+src="https?:/)
  }))
})
