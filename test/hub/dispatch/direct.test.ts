import { Door } from "@countersign/hub/edge/door"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { request as httpRequest } from "node:http"
import {
  type Answer,
  type Call,
  expectStatus,
  firstOwner,
  HubTest,
  makeAgent,
  startHub,
  TestHub,
  topUp
} from "../../support/hub.ts"
import { httpUpstream, type Upstream } from "../../support/upstream.ts"

/** Leaves out the values that differ between calls: ids, times, and remaining tokens. */
const settled = ({ headers, status, text }: Answer) => ({
  status,
  headers: [...headers.entries()].filter(([name]) =>
    !["date", "x-request-id", "ratelimit", "content-length"].includes(name)
  )
    .sort(),
  present: ["x-request-id", "ratelimit"].map((name) => headers.has(name)),
  text: text.replace(/(req|evt|apr)_[0-9a-z]{26}/g, "$1").replace(/"request_id":"[^"]+"/, "").replace(
    /\d{4}-\d\d-\d\dT[\d:.]+Z/g,
    "time"
  )
})

const say = { service: "echo", operation: "say", payload: { text: "hello" } }

const calls: Readonly<Record<string, Call>> = {
  "an executed request": { body: say },
  "an unknown operation": { body: { ...say, operation: "shout" } },
  "an invalid payload": { body: { ...say, payload: { text: 1 } } },
  "an extra member": { body: { ...say, extra: 1 } },
  "no payload": { body: { service: "echo", operation: "say" } },
  "a list": { body: [] },
  "an incomplete JSON text": { body: "{\"service\":" },
  "a member sent twice": { body: "{\"service\":\"echo\",\"service\":\"echo\",\"operation\":\"say\",\"payload\":{}}" },
  "no body": {},
  "a body of another type": { body: "text=hello", headers: { "content-type": "application/x-www-form-urlencoded" } },
  "a body in an encoding": { body: say, headers: { "content-encoding": "gzip" } },
  "a body that is too large": { body: { ...say, payload: { text: "x".repeat(1 << 20) } } },
  "a script with a live key": { body: say, headers: { "x-test-outcome": "blocked" } },
  "an invalid idempotency-key": { body: say, headers: { "idempotency-key": "x".repeat(256) } },
  "a mistyped key": { body: say, key: `agent_key_live_${"0".repeat(49)}` },
  "a request-id of the caller's": { body: say, headers: { "x-request-id": "mine-1" } }
}

/** The short path leaves a request that names a workspace to the framework. */
const bothWays = Effect.fnUntraced(function*(call: Call, key: string) {
  const { api, owner } = yield* TestHub
  const direct = yield* api("POST", "/service-requests", { key, ...call })
  const common = yield* api("POST", "/service-requests", {
    key,
    ...call,
    headers: { ...call.headers, "svc-workspace": owner.org }
  })
  return [direct, common] as const
})

const page = "https://app.example"

/** Takes the spans of a traced hub. */
class Collector extends Context.Service<Collector, Upstream>()("test/hub/dispatch/Collector") {
  static readonly layer = Layer.effect(
    Collector,
    httpUpstream((_, response) => void response.writeHead(200, { "content-type": "application/json" }).end("{}"))
  )
}

const traced = Layer.effect(
  TestHub,
  Effect.gen(function*() {
    const { origin } = yield* Collector
    const env = {
      HUB_RATE_LIMIT_AGENT: "1000:1000",
      HUB_CORS_ORIGINS: page,
      OTEL_EXPORTER_OTLP_ENDPOINT: origin
    }
    const hub = yield* startHub({ env })
    return { ...hub, owner: yield* firstOwner(hub) }
  })
).pipe(Layer.provideMerge(Collector.layer))

interface Span {
  readonly name: string
  readonly kind: number
  readonly parentSpanId?: string
  readonly attributes: ReadonlyArray<{ readonly key: string }>
}
interface Export {
  readonly resourceSpans: ReadonlyArray<{ readonly scopeSpans: ReadonlyArray<{ readonly spans: ReadonlyArray<Span> }> }>
}

layer(traced, { excludeTestServices: true })(
  "a dispatch on the short path and on the framework's, with tracing and CORS",
  (it) => {
    it.effect("is taken in front of the framework", () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        assert.strictEqual((yield* hub.run(Door)).listenerCount("request"), 1)
      }))

    const pages = { "a listed page": page, "another page": "https://other.example" }
    it.effect.each(
      Object.entries(pages).flatMap(([from, origin]) =>
        Object.entries(calls).map(([name, call]) =>
          [`${name}, from ${from}`, { ...call, headers: { ...call.headers, origin } }] as const
        )
      )
    )("gives the same answer: %s", ([, call]) =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        yield* topUp(hub, hub.owner, 100)
        const { key } = yield* makeAgent(hub, hub.owner)
        const [direct, common] = yield* bothWays(call, key)
        assert.deepStrictEqual(settled(direct), settled(common))
        assert.strictEqual(
          direct.headers.get("access-control-allow-origin"),
          call.headers.origin === page ? page : null
        )
      }))

    // The last test: the hub sends its spans when it stops.
    it.effect("records the same span of the server, below the caller's span", () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        const { received } = yield* Collector
        yield* topUp(hub, hub.owner, 100)
        const { key } = yield* makeAgent(hub, hub.owner)
        const parent = "00f067aa0ba902b7"
        const headers = { traceparent: `00-4bf92f3577b34da6a3ce929d0e0e4736-${parent}-01` }
        for (const answer of yield* bothWays({ body: say, headers }, key)) expectStatus(answer, 200)
        yield* hub.stop
        const spans = received.filter(({ url }) => url.endsWith("/v1/traces")).flatMap(({ body }) =>
          (JSON.parse(body) as Export).resourceSpans.flatMap(({ scopeSpans }) =>
            scopeSpans.flatMap(({ spans }) => spans)
          )
        ).filter(({ parentSpanId }) => parentSpanId === parent).map(({ attributes, kind, name }) => ({
          name,
          kind,
          attributes: attributes.map((attribute) => attribute.key).filter((key) => !key.includes("svc-workspace"))
            .sort()
        }))
        assert.lengthOf(spans, 2)
        assert.deepStrictEqual(spans[0], spans[1])
        assert.includeMembers([...spans[0]!.attributes], ["http.response.status_code", "request_id"])
      }))
  }
)

layer(HubTest({ env: { HUB_RATE_LIMIT_AGENT: "1000:1000" } }), { excludeTestServices: true })(
  "a dispatch on the short path and on the framework's",
  (it) => {
    it.effect.each(Object.entries(calls))("gives the same answer: %s", ([, call]) =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        yield* topUp(hub, hub.owner, 100)
        const { key } = yield* makeAgent(hub, hub.owner)
        const [direct, common] = yield* bothWays(call, key)
        assert.deepStrictEqual(settled(direct), settled(common))
      }))

    it.effect("shares idempotency keys: each path replays the other's requests with the same bytes", () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        yield* topUp(hub, hub.owner, 100)
        const { key } = yield* makeAgent(hub, hub.owner)
        const [first, again] = yield* bothWays({ body: say, headers: { "idempotency-key": "k1" } }, key)
        expectStatus(first, 200)
        assert.strictEqual(again.text, first.text)
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        const [conflict, other] = yield* bothWays({
          body: { ...say, payload: { text: "other" } },
          headers: { "idempotency-key": "k1" }
        }, key)
        assert.strictEqual(conflict.body.error.code, "idempotency_conflict")
        assert.deepStrictEqual(settled(conflict), settled(other))
      }))

    /** A body of unknown length, or one sent after `100 Continue`. */
    const raw = (url: string, key: string, headers: Record<string, string>, parts: ReadonlyArray<string>) =>
      Effect.promise(() =>
        new Promise<number>((resolve, reject) => {
          const sent = httpRequest(`${url}/api/v1/service-requests`, {
            method: "POST",
            headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers }
          }, (response) => {
            response.resume()
            response.on("end", () => resolve(response.statusCode ?? 0))
          }).on("error", reject)
          const write = () => {
            for (const part of parts) sent.write(part)
            sent.end()
          }
          if (headers["expect"] === undefined) write()
          else sent.on("continue", write).flushHeaders()
        })
      )

    it.effect("reads a body in chunks, and one sent after 100 Continue", () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        yield* topUp(hub, hub.owner, 100)
        const { key } = yield* makeAgent(hub, hub.owner)
        const text = JSON.stringify(say)
        assert.strictEqual(yield* raw(hub.url, key, {}, [text.slice(0, 10), text.slice(10)]), 200)
        assert.strictEqual(
          yield* raw(hub.url, key, { "content-length": String(text.length), expect: "100-continue" }, [text]),
          200
        )
        assert.strictEqual(
          yield* raw(hub.url, key, { "content-length": String(text.length) }, [text.slice(0, 10), text.slice(10)]),
          200
        )
        assert.strictEqual(yield* raw(hub.url, key, {}, [text, " ".repeat(1 << 20)]), 413)
      }))

    it.effect("survives a caller that disconnects in the middle of its body", () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        yield* topUp(hub, hub.owner, 100)
        const { key } = yield* makeAgent(hub, hub.owner)
        yield* Effect.promise(() =>
          new Promise<void>((resolve) => {
            const sent = httpRequest(`${hub.url}/api/v1/service-requests`, {
              method: "POST",
              headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": "1000" }
            })
            sent.on("error", () => {}).on("close", resolve)
            sent.write("{", () => sent.destroy())
          })
        )
        expectStatus(yield* hub.api("POST", "/service-requests", { key, body: say }), 200)
        const { body } = yield* hub.api("GET", "/service-requests", { key })
        assert.strictEqual(body.data.length, 1)
      }))
  }
)

layer(HubTest({ env: { HUB_RATE_LIMIT_AGENT: "0.001:2" } }), { excludeTestServices: true })(
  "the rate limits of a hub",
  (it) => {
    it.effect("are shared by both paths", () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        yield* topUp(hub, hub.owner, 100)
        const { key } = yield* makeAgent(hub, hub.owner)
        const statuses: Array<number> = []
        for (const headers of [{}, { "svc-workspace": hub.owner.org }, {}, { "svc-workspace": hub.owner.org }]) {
          const answer = yield* hub.api("POST", "/service-requests", { key, body: say, headers })
          statuses.push(answer.status)
          if (answer.status === 429) assert.match(answer.headers.get("retry-after") ?? "", /^\d+$/)
          assert.match(answer.headers.get("ratelimit") ?? "", /^"agent";r=\d;t=\d+$/)
        }
        assert.deepStrictEqual(statuses, [200, 200, 429, 429])
      }))
  }
)
