import type { BuiltinService } from "@countersign/domain/services"
import type { AdapterCall, AdapterOutcome } from "@countersign/hub/providers/adapter"
import { makeEgress } from "@countersign/hub/providers/egress"
import { parseAllowList } from "@countersign/hub/providers/egress-rules"
import { httpFetchAdapter } from "@countersign/hub/providers/http-fetch"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { closedPort, httpUpstream, tcpUpstream } from "../../support/upstream.ts"

const definition = { name: "http", kind: "builtin", adapter: "http-fetch", operations: [] } satisfies BuiltinService

const fetch = (payload: unknown, over: Partial<AdapterCall> = {}, allow = "127.0.0.1") =>
  Effect.gen(function*() {
    const egress = yield* makeEgress({ allow: parseAllowList(allow).entries })
    return yield* httpFetchAdapter(egress).execute(definition, {
      requestId: "req_1",
      orgId: "org_1",
      agent: { id: "agt_1", name: "Scout" },
      service: "http",
      operation: "fetch",
      payload,
      timeoutMs: 20_000,
      ceilingCents: 0,
      secretOf: () => Effect.succeed(undefined),
      appOf: () => Effect.succeed({ kind: "missing", detail: "No app." }),
      ...over
    })
  })
const resultOf = (outcome: AdapterOutcome) => (outcome as { readonly result: Record<string, unknown> }).result

describe("http.fetch", () => {
  it.live("returns the answer, whatever its status", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((request, response) => {
        if (request.url === "/json") response.writeHead(200, { "content-type": "application/json" }).end("{\"a\":1}")
        else if (request.url === "/204") response.writeHead(204).end()
        else response.writeHead(404, { "content-type": "text/html" }).end("<p>no")
      })
      const json = yield* fetch({ url: `${server.origin}/json` })
      assert.strictEqual(json.kind, "executed")
      assert.deepInclude(resultOf(json), { status: 200, url: `${server.origin}/json`, body: { a: 1 } })
      assert.strictEqual((resultOf(json)["headers"] as Record<string, string>)["content-type"], "application/json")
      const text = resultOf(yield* fetch({ url: `${server.origin}/x` }))
      assert.deepInclude(text, { status: 404, text: "<p>no" })
      const empty = resultOf(yield* fetch({ url: `${server.origin}/204` }))
      assert.notProperty(empty, "body")
      assert.strictEqual(empty["status"], 204)
      const head = resultOf(yield* fetch({ url: `${server.origin}/json`, method: "HEAD" }))
      assert.strictEqual(head["status"], 200)
    }))

  it.live("sends the given body and headers, and the hub's idempotency key", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) => response.end())
      yield* fetch({
        url: server.origin,
        method: "POST",
        body: { ż: [1, null] },
        headers: { "X-A": "1", "Idempotency-Key": "mine" }
      })
      yield* fetch({ url: server.origin, method: "PUT", body: "plain", headers: { "Content-Type": "text/csv" } })
      yield* fetch({ url: server.origin, method: "PATCH", body: "plain" })
      const [json, csv, text] = server.received
      assert.deepInclude(json?.headers, { "content-type": "application/json", "x-a": "1", "idempotency-key": "req_1" })
      assert.strictEqual(json?.body, "{\"ż\":[1,null]}")
      assert.deepStrictEqual([csv?.method, csv?.headers["content-type"], csv?.body], ["PUT", "text/csv", "plain"])
      assert.strictEqual(text?.headers["content-type"], "text/plain; charset=utf-8")
    }))

  it.live("marks an answer that is too long", () =>
    Effect.gen(function*() {
      const server = yield* httpUpstream((_, response) => response.end(Buffer.alloc(20_000_000, 32)))
      const result = resultOf(yield* fetch({ url: server.origin }))
      assert.strictEqual(result["truncated"], true)
      assert.notProperty(result, "text")
    }))

  it.live("fails where nothing was done, and has an unknown outcome after an incomplete answer", () =>
    Effect.gen(function*() {
      const refused = yield* fetch({ url: "http://127.0.0.1/", method: "POST" }, {}, "")
      assert.strictEqual(refused.kind, "failed")
      assert.include((refused as { detail: string }).detail, "loopback")
      assert.strictEqual(
        (yield* fetch({ url: `http://127.0.0.1:${yield* closedPort}/`, method: "POST" })).kind,
        "failed"
      )
      assert.strictEqual((yield* fetch({ url: "http://x", headers: { host: "y" } })).kind, "failed")
      assert.strictEqual((yield* fetch({ url: 7 })).kind, "failed")
      const cut = yield* tcpUpstream((socket) =>
        socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf"))
      )
      assert.strictEqual((yield* fetch({ url: `http://127.0.0.1:${cut.port}/`, method: "POST" })).kind, "unknown")
      const error = yield* tcpUpstream((socket) =>
        socket.once("data", () => socket.end("HTTP/1.1 500 No\r\ncontent-length: 9\r\n\r\nhalf"))
      )
      const unfinished = yield* fetch({ url: `http://127.0.0.1:${error.port}/`, method: "POST" })
      assert.strictEqual(unfinished.kind, "unknown")
      assert.include((unfinished as { detail: string }).detail, "status 500")
    }))
})
