/** Requests whose provider may or may not have acted. Spec: reference/requests.md "Unknown outcomes". */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:net"
import { expectHealthy } from "../../../support/health.ts"
import { type Answer, expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../../support/hub.ts"
import { httpUpstream } from "../../../support/upstream.ts"

const operation = (name: string, more: object = {}) => ({
  name,
  method: "POST",
  path: `/${name}`,
  payload_schema: { type: "object" },
  price: { type: "fixed", cents: 10 },
  timeout_ms: 1_000,
  ...more
})
const async = { ref: "/id", status: "/state", executed: ["done"], failed: ["bad"], secret: "hook" }
const poll = { ...async, mode: "poll", interval_ms: 1_000, path: "/jobs/${ref}", method: "GET" }

const operations = [
  operation("hangs"),
  operation("cut"),
  operation("refuses"),
  operation("always_cut", { path: "/cut", idempotent: true }),
  operation("held", { path: "/cut", unknown: "hold" }),
  operation("nameless", { async: { ...poll, deadline_ms: 1_000 } }),
  operation("nameless_callback", { path: "/nameless", async: { ...async, mode: "callback", deadline_ms: 1_000 } }),
  operation("nameless_held", { path: "/nameless", unknown: "hold", async: { ...poll, deadline_ms: 1_000 } }),
  operation("endless", { path: "/job", async: { ...poll, deadline_ms: 1_500 } }),
  operation("endless_callback", { path: "/job", async: { ...async, mode: "callback", deadline_ms: 1_000 } }),
  operation("endless_held", { path: "/job", unknown: "hold", async: { ...poll, deadline_ms: 1_500 } }),
  operation("polled", { path: "/job", async: poll }),
  operation("called", { path: "/job", async: { ...async, mode: "callback" } })
]

/** A port of loopback without a listener. */
const closedPort = Effect.promise(() =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
)

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "an unknown outcome",
  (it) => {
    let made = 0
    const world = Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const as = { cookie: owner.cookie }
      const upstream = yield* httpUpstream(({ url }, response) => {
        const json = (status: number, body: object) =>
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
        if (url === "/hangs") return response
        if (url === "/cut") {
          return response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy())
        }
        if (url === "/refuses") return response.writeHead(402, { "retry-after": "12" }).end("card declined")
        if (url === "/nameless") return json(202, { accepted: true })
        return url === "/job" ? json(202, { id: "job1" }) : json(200, { state: "working" })
      })
      const name = `outcome${++made}`
      yield* topUp(hub, owner, 1_000)
      yield* makeService(hub, owner, { name, kind: "http", base_url: upstream.origin, operations })
      yield* makeService(hub, owner, {
        name: `${name}_closed`,
        kind: "http",
        base_url: `http://127.0.0.1:${yield* closedPort}`,
        operations: [operation("call")]
      })
      yield* api("PUT", "/secrets/hook", { ...as, body: { value: "hook_secret" } })
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: name, operations: ["*"] }, { service: `${name}_closed`, operations: ["*"] }]
      })
      const ask = (operation: string, key?: string, service = name) =>
        api("POST", "/service-requests", {
          key: agent.key,
          body: { service, operation, payload: {} },
          headers: key === undefined ? {} : { "idempotency-key": key }
        })
      const read = (id: string, wait = 0) => api("GET", `/service-requests/${id}?wait=${wait}`, { key: agent.key })
      const held = Effect.map(api("GET", "/balance", as), ({ body }): number => body.held_cents)
      const audited = (id: string) =>
        Effect.map(
          api("GET", `/audit-logs?subject_id=${id}`, as),
          ({ body }): ReadonlyArray<Record<string, unknown>> =>
            body.data.map((entry: { readonly data: object }) => entry.data)
        )
      return { ...hub, agent, as, ask, audited, held, name, read, upstream }
    })
    const failure = ({ body }: Answer) => [body.status, body.result?.code, body.result?.fate, body.cost_cents]

    it.effect("fails as fate_unknown, and warns that a new idempotency-key may pay twice", () =>
      Effect.gen(function*() {
        const { ask, audited, held, read, target } = yield* world
        for (const name of ["hangs", "cut", "always_cut"]) {
          const first = yield* ask(name, name)
          assert.deepStrictEqual(failure(first), ["failed", "fate_unknown", "unknown", 0], name)
          assert.match(first.body.result.detail, /new idempotency-key/u, name)
          assert.strictEqual((yield* ask(name, name)).text, first.text, name)
          assert.strictEqual((yield* read(first.body.id)).text, first.text, name)
          assert.isTrue(
            (yield* audited(first.body.id)).some(({ fate }) => fate === "unknown"),
            name
          )
        }
        assert.strictEqual(yield* held, 0)
        yield* expectHealthy(target)
      }))

    it.effect("is sent again once with the same key where the operation is idempotent", () =>
      Effect.gen(function*() {
        const { ask, upstream } = yield* world
        const { body } = yield* ask("always_cut")
        assert.deepStrictEqual(upstream.received.map(({ headers }) => headers["idempotency-key"]), [body.id, body.id])
      }))

    it.effect("never follows from an answered error or a refused connection: those are adapter_error", () =>
      Effect.gen(function*() {
        const { ask, name } = yield* world
        const refused = yield* ask("refuses")
        assert.deepStrictEqual(failure(refused), ["failed", "adapter_error", undefined, 0])
        assert.deepInclude(refused.body.result, { provider_status: 402, retry_after_seconds: 12 })
        assert.deepStrictEqual(failure(yield* ask("call", undefined, `${name}_closed`)), [
          "failed",
          "adapter_error",
          undefined,
          0
        ])
      }))

    it.effect("follows from a start without a reference, and from work that is not done by its deadline", () =>
      Effect.gen(function*() {
        const { ask, audited, held, read, target } = yield* world
        for (const name of ["nameless", "nameless_callback", "endless", "endless_callback"]) {
          const started = expectStatus(yield* ask(name), 202)
          const ended = yield* read(started.body.id, 30)
          assert.deepStrictEqual(failure(ended), ["failed", "fate_unknown", "unknown", 0], name)
          assert.notProperty(ended.body, "waiting_for", name)
          assert.isTrue((yield* audited(started.body.id)).some(({ fate }) => fate === "unknown"), name)
        }
        assert.strictEqual(yield* held, 0)
        yield* expectHealthy(target)
      }))

    it.effect("keeps its hold for a person where the operation requires it, also past its deadline", () =>
      Effect.gen(function*() {
        const { api, as, ask, held, read } = yield* world
        for (const name of ["held", "nameless_held", "endless_held"]) {
          const { body: { id } } = expectStatus(yield* ask(name), 202)
          const waiting = yield* Effect.eventually(
            Effect.filterOrFail(read(id), ({ body }) => body.waiting_for?.kind === "settlement")
          )
          assert.deepStrictEqual(
            [waiting.body.status, waiting.body.waiting_for],
            ["running", { kind: "settlement" }],
            name
          )
          assert.strictEqual(yield* held, 10, name)
          expectStatus(
            yield* api("POST", `/service-requests/${id}/settle`, {
              ...as,
              body: { status: "failed", comment: "not done" }
            }),
            200
          )
        }
        assert.strictEqual(yield* held, 0)
      }))

    it.effect("differs from work in progress: a running request names the event that it waits for, and its deadline", () =>
      Effect.gen(function*() {
        const { ask, read } = yield* world
        for (const [name, kind] of [["polled", "poll"], ["called", "callback"], ["nameless", "settlement"]] as const) {
          const first = expectStatus(yield* ask(name, name), 202)
          assert.strictEqual(first.body.waiting_for.kind, kind, name)
          assert.isAbove(Date.parse(first.body.waiting_for.until), Date.parse(first.body.created_at), name)
          if (name === "nameless") continue
          assert.strictEqual((yield* ask(name, name)).text, first.text, name)
          assert.deepStrictEqual((yield* read(first.body.id)).body.waiting_for, first.body.waiting_for, name)
        }
      }))
  }
)
