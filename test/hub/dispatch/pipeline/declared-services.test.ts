/**
 * A workspace's declared services, against providers on loopback: prices, outcomes, asynchronous work.
 * Spec: reference/services.md "Services".
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { createHmac } from "node:crypto"
import type { ServerResponse } from "node:http"
import { type Answer, expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../../support/hub.ts"
import { httpUpstream, type Received } from "../../../support/upstream.ts"

const outcomeOf = (
  { body, status }: Answer
) => [status, body.error?.code ?? body.status, body.reason_code ?? body.result?.code]
const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) =>
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body))

const operation = (name: string, more: object = {}) => ({
  name,
  method: "POST",
  path: `/${name}`,
  payload_schema: { type: "object" },
  price: { type: "fixed", cents: 10 },
  ...more
})
const async = {
  ref: "/id",
  status: "/state",
  executed: ["done"],
  failed: ["bad"],
  result: "/out",
  cost_cents: "/cents",
  detail: "/why"
}

const operations = [
  operation("ok", { result: "/data" }),
  operation("quoted", {
    path: "/ok",
    price: { type: "quoted", ceiling: "payload.n * 3", estimate: "payload.n * 2", actual: "/cost" }
  }),
  operation("fraction", { path: "/ok", price: { type: "quoted", ceiling: "payload.n * 1.5", actual: "/nothing" } }),
  operation("refuses"),
  operation("breaks"),
  operation("text"),
  operation("list"),
  operation("large"),
  operation("moves"),
  operation("slow", { path: "/slow" }),
  operation("hangs", { timeout_ms: 1_000 }),
  operation("cut"),
  operation("held", { path: "/hangs", timeout_ms: 1_000, unknown: "hold" }),
  operation("again", { idempotent: true }),
  operation("shaped", {
    method: "GET",
    path: "/shaped/${payload.x}",
    query: { q: "${payload.q}", n: "${payload.n}" },
    headers: { "x-name": "${payload.name}" }
  }),
  operation("body", {
    path: "/ok",
    body: {
      id: "${request.id}",
      whole: "${payload}",
      text: "n is ${payload.n}",
      n: "${payload.n}",
      gone: "${payload.missing}",
      call: "${callback_url}"
    }
  }),
  operation("polled", {
    path: "/job",
    async: { mode: "poll", interval_ms: 1_000, path: "/jobs/${ref}", method: "GET", ...async }
  }),
  operation("called", { path: "/job", async: { mode: "callback", secret: "hook", ...async } })
]

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1", HUB_RECONCILE_SECRET_ECHO: "shipped" } }), {
  excludeTestServices: true
})(
  "declared services",
  (it) => {
    let made = 0
    const world = Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const as = { cookie: owner.cookie }
      let jobs = 0
      const seen = (url: string) => upstream.received.filter((request) => request.url === url).length
      const upstream = yield* httpUpstream(({ headers, url }: Received, response) => {
        const path = url.split("?")[0] ?? ""
        switch (path) {
          case "/ok":
            return json(response, 200, { data: { n: 1 }, cost: 7, echoed: headers.authorization })
          case "/refuses":
            return json(response, 422, { message: `not with ${headers.authorization}` })
          case "/breaks":
            return json(response, 503, { message: "x".repeat(10_000) })
          case "/text":
            return response.writeHead(200, { "content-type": "text/plain" }).end("plain")
          case "/list":
            return json(response, 200, [1, 2])
          case "/large":
            return json(response, 200, { text: "x".repeat(2 << 20) })
          case "/moves":
            return json(response, 307, {}, { location: "/ok" })
          case "/slow":
            return setTimeout(() => json(response, 200, { slow: true }), 600)
          case "/hangs":
            return response
          case "/cut":
            return response.writeHead(200, { "content-length": "100" }).write("{", () => response.destroy())
          case "/again":
            return seen("/again") === 1
              ? response.destroy()
              : json(response, 200, { again: headers["idempotency-key"] })
          case "/job":
            return json(response, 202, { id: `job${++jobs}` })
          case "/jobs/job1":
            return json(
              response,
              200,
              seen(path) === 1 ? { state: "working" } : { state: "done", out: { v: 1 }, cents: 3.5 }
            )
          default:
            return path.startsWith("/jobs/")
              ? json(response, 200, { state: "bad", why: "no luck" })
              : json(response, 200, { url })
        }
      })
      const name = `provider${++made}`
      yield* topUp(hub, owner, 1_000)
      yield* makeService(hub, owner, {
        name,
        kind: "http",
        base_url: upstream.origin,
        auth: { type: "bearer", secret: "key" },
        operations
      })
      for (const [secret, value] of [["key", "sk_provider_secret"], ["hook", "hook_secret"]] as const) {
        yield* api("PUT", `/secrets/${secret}`, { ...as, body: { value } })
      }
      const agent = yield* makeAgent(hub, owner, { bindings: [{ service: name, operations: ["*"] }] })
      const ask = (operation: string, payload: unknown = {}, headers: Record<string, string> = {}) =>
        api("POST", "/service-requests", { key: agent.key, headers, body: { service: name, operation, payload } })
      const read = (id: string, wait = 0) => api("GET", `/service-requests/${id}?wait=${wait}`, { key: agent.key })
      const wallet = Effect.map(
        api("GET", "/balance", as),
        ({ body }): readonly [balance: number, held: number] => [body.balance_cents, body.held_cents]
      )
      const signed = (body: unknown, secret = "hook_secret", path = `/webhooks/${name}/reconcile?org=${owner.org}`) => {
        const text = JSON.stringify(body)
        return api("POST", path, {
          body: text,
          headers: { "x-svc-signature": `sha256=${createHmac("sha256", secret).update(text).digest("hex")}` }
        })
      }
      const settle = (id: string, body: unknown) => api("POST", `/service-requests/${id}/settle`, { ...as, body })
      return { ...hub, as, upstream, name, agent, ask, read, wallet, signed, settle, jobs: () => jobs }
    })

    it.effect("are charged their reported price, at most the ceiling, and the ceiling without a report", () =>
      Effect.gen(function*() {
        const { ask, wallet } = yield* world
        const cost = Effect.fnUntraced(function*(operation: string, payload: unknown) {
          const [before] = yield* wallet
          const { body } = yield* ask(operation, payload)
          assert.deepStrictEqual([body.status, (yield* wallet)[0]], ["executed", before - body.cost_cents])
          return [body.ceiling_cents, body.cost_cents]
        })
        assert.deepStrictEqual(yield* cost("quoted", { n: 5 }), [15, 7])
        assert.deepStrictEqual(yield* cost("quoted", { n: 1 }), [3, 3])
        assert.deepStrictEqual(yield* cost("fraction", { n: 1 }), [2, 2])
        assert.deepStrictEqual(yield* cost("ok", {}), [10, 10])
        for (const n of [-1, "x", null, 1e12]) {
          const refused = yield* ask("quoted", { n })
          assert.deepStrictEqual([refused.status, refused.body.error.details[0].path], [400, "price"], String(n))
        }
      }))

    it.effect("may answer objects, lists, text, or too much; their errors are shown without their secrets", () =>
      Effect.gen(function*() {
        const { ask, wallet } = yield* world
        const result = (operation: string) => Effect.map(ask(operation), ({ body }) => body.result)
        assert.deepStrictEqual([
          yield* result("ok"),
          yield* result("list"),
          yield* result("text"),
          yield* result("large")
        ], [
          { n: 1 },
          { value: [1, 2] },
          { text: "plain" },
          { truncated: true }
        ])
        const before = yield* wallet
        for (const [operation, says] of [["refuses", "422"], ["breaks", "503"], ["moves", "redirect"]] as const) {
          const failed = yield* ask(operation)
          assert.deepStrictEqual([outcomeOf(failed), failed.body.cost_cents], [[200, "failed", "adapter_error"], 0])
          assert.include(failed.body.result.detail, says)
          assert.isBelow(failed.body.result.detail.length, 2_200)
          assert.notInclude(failed.text, "sk_provider_secret")
        }
        assert.deepStrictEqual(yield* wallet, before)
        assert.notInclude((yield* ask("quoted", { n: 5 })).text, "sk_provider_secret")
      }))

    it.effect("receive their templates' values, with the request's id as key; an unfillable template is 400", () =>
      Effect.gen(function*() {
        const { ask, name, owner, upstream } = yield* world
        const shaped = yield* ask("shaped", { x: "a/b ü", q: "1&2", name: "n" })
        const [sent] = upstream.received.filter((request) => request.url.startsWith("/shaped"))
        assert.deepStrictEqual([
          sent?.method,
          sent?.url,
          sent?.headers["x-name"],
          sent?.headers.authorization,
          sent?.headers["idempotency-key"]
        ], [
          "GET",
          "/shaped/a%2Fb%20%C3%BC?q=1%262",
          "n",
          "Bearer sk_provider_secret",
          shaped.body.id
        ])
        for (
          const [payload, path] of [
            [{ x: "..", name: "n" }, "payload.x"],
            [{ x: "", name: "n" }, "payload.x"],
            [{ name: "n" }, "payload.x"],
            [{ x: "a" }, "payload.name"],
            [{ x: "a", name: "a\r\nb: c" }, "payload.name"]
          ] as const
        ) {
          const refused = yield* ask("shaped", payload)
          assert.deepStrictEqual([refused.status, refused.body.error.details[0].path], [400, path])
        }
        const posted = yield* ask("body", { n: 5 })
        const body = JSON.parse(upstream.received.at(-1)?.body ?? "")
        assert.deepStrictEqual(body, {
          id: posted.body.id,
          whole: { n: 5 },
          text: "n is 5",
          n: 5,
          call: body.call
        })
        assert.strictEqual(
          new URL(body.call).pathname + new URL(body.call).search,
          `/api/v1/webhooks/${name}/reconcile?org=${owner.org}`
        )
        yield* ask("ok", { plain: true })
        assert.deepStrictEqual(upstream.received.at(-1)?.body, "{\"plain\":true}")
      }))

    it.effect("with an unknown outcome fail, are sent again once where that is safe, or are held until a person settles", () =>
      Effect.gen(function*() {
        const { ask, read, settle, upstream, wallet } = yield* world
        for (const operation of ["hangs", "cut"]) {
          const failed = yield* ask(operation)
          assert.deepStrictEqual(outcomeOf(failed), [200, "failed", "fate_unknown"])
          assert.include(failed.body.result.detail, "outcome is unknown")
        }
        const again = yield* ask("again")
        assert.deepStrictEqual([again.body.status, again.body.result.again], ["executed", again.body.id])
        assert.deepStrictEqual(
          upstream.received.filter(({ url }) => url === "/again").map(({ headers }) => headers["idempotency-key"]),
          [again.body.id, again.body.id]
        )
        const [balance] = yield* wallet
        const held = yield* ask("held")
        assert.deepStrictEqual([outcomeOf(held), yield* wallet], [[202, "running", undefined], [balance, 10]])
        assert.strictEqual(
          (yield* settle(held.body.id, { status: "executed", cost_cents: 4 })).body.error.details[0].path,
          "comment"
        )
        assert.strictEqual(
          (yield* settle(held.body.id, { status: "executed", cost_cents: 11, comment: "x" })).status,
          400
        )
        const settled = yield* settle(held.body.id, {
          status: "executed",
          cost_cents: 4,
          result: { seen: true },
          comment: "it was done"
        })
        assert.deepStrictEqual([settled.body.status, settled.body.cost_cents, settled.body.result, yield* wallet], [
          "executed",
          4,
          { seen: true },
          [balance - 4, 0]
        ])
        assert.deepStrictEqual(
          (yield* settle(held.body.id, { status: "failed", comment: "x" })).body.error.code,
          "not_running"
        )
        assert.deepStrictEqual((yield* read(held.body.id)).text, settled.text)
        const undone = yield* ask("held")
        const failed = yield* settle(undone.body.id, { status: "failed", detail: "it was not", comment: "asked them" })
        assert.deepStrictEqual([failed.body.status, failed.body.cost_cents, failed.body.result.detail, yield* wallet], [
          "failed",
          0,
          "it was not",
          [balance - 4, 0]
        ])
      }))

    it.effect("continue when the caller disconnects, and a second call with the key waits for the first", () =>
      Effect.gen(function*() {
        const { ask, upstream } = yield* world
        const key = { "idempotency-key": "slow" }
        const gone = yield* Effect.forkChild(ask("slow", { n: 1 }, key))
        yield* Effect.eventually(
          Effect.filterOrFail(Effect.sync(() => upstream.received.length), (count) => count === 1)
        )
        yield* Fiber.interrupt(gone)
        const [second, third] = yield* Effect.all([ask("slow", { n: 1 }, key), ask("slow", { n: 1 }, key)], {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual([second.body.status, second.headers.get("idempotent-replayed"), second.text], [
          "executed",
          "true",
          third.text
        ])
        assert.strictEqual(upstream.received.length, 1)
      }))

    it.effect("cannot be settled by a person while a hub waits for their answer, and the error explains that", () =>
      Effect.gen(function*() {
        const { agent, api, as, ask, settle, upstream } = yield* world
        const asked = yield* Effect.forkChild(ask("slow"))
        yield* Effect.eventually(
          Effect.filterOrFail(Effect.sync(() => upstream.received.length), (count) => count === 1)
        )
        const { body } = yield* api("GET", `/service-requests?status=running&agent_id=${agent.id}`, as)
        const refused = yield* settle(body.data[0].id, { status: "failed", comment: "too slow" })
        assert.deepStrictEqual(outcomeOf(refused).slice(0, 2), [409, "not_running"])
        assert.match(refused.body.error.message, /waiting for this request's provider/)
        assert.strictEqual((yield* Fiber.join(asked)).body.status, "executed")
      }))

    it.effect("with polls run until the provider reports the end, at the reported price", () =>
      Effect.gen(function*() {
        const { ask, read, wallet } = yield* world
        const [balance] = yield* wallet
        const first = yield* ask("polled")
        assert.deepStrictEqual([outcomeOf(first), first.body.cost_cents, yield* wallet], [
          [202, "running", undefined],
          0,
          [
            balance,
            10
          ]
        ])
        const done = yield* read(first.body.id, 30)
        assert.deepStrictEqual([done.body.status, done.body.result, done.body.cost_cents, yield* wallet], [
          "executed",
          { v: 1 },
          3,
          [balance - 3, 0]
        ])
        const second = yield* ask("polled")
        const failed = yield* read(second.body.id, 30)
        assert.deepStrictEqual([outcomeOf(failed), failed.body.result.detail, yield* wallet], [
          [200, "failed", "adapter_error"],
          "no luck",
          [balance - 3, 0]
        ])
      }))

    it.effect("with callbacks settle once, signed; the same outcome again is 200, another one 409", () =>
      Effect.gen(function*() {
        const { api, as, ask, jobs, name, owner, read, settle, signed, wallet } = yield* world
        const running = yield* ask("called")
        assert.strictEqual(running.status, 202)
        const done = { id: `job${jobs()}`, state: "done", out: { a: 1 }, cents: 2 }
        const unsigned = yield* api("POST", `/webhooks/${name}/reconcile?org=${owner.org}`, { body: done })
        assert.deepStrictEqual([outcomeOf(unsigned), outcomeOf(yield* signed(done, "wrong"))], [
          [401, "unauthorized", undefined],
          [
            401,
            "unauthorized",
            undefined
          ]
        ])
        assert.deepStrictEqual((yield* signed({ ...done, state: "busy" })).body, {
          service_request_id: running.body.id,
          status: "running"
        })
        for (const _ of [1, 2]) {
          assert.deepStrictEqual((yield* signed(done)).body, {
            service_request_id: running.body.id,
            status: "executed"
          })
        }
        for (const other of [{ state: "bad" }, { out: { a: 2 } }, { cents: 1 }]) {
          assert.deepStrictEqual(outcomeOf(yield* signed({ ...done, ...other })).slice(0, 2), [409, "already_settled"])
        }
        const { body } = yield* read(running.body.id)
        assert.deepStrictEqual([body.status, body.result, body.cost_cents], ["executed", { a: 1 }, 2])
        // Over the ceiling, and with a fraction that adds up to a cent: charged so, and answered the same when
        // repeated.
        for (const [cents, cost] of [[1e6, running.body.ceiling_cents], [0.6, 0], [0.6, 1]] as const) {
          const { body: asked } = yield* ask("called")
          const again = { ...done, id: `job${jobs()}`, cents }
          for (const _ of [1, 2]) assert.strictEqual((yield* signed(again)).status, 200)
          assert.strictEqual((yield* read(asked.id)).body.cost_cents, cost)
        }
        // In the hook's own form, and as Standard Webhooks.
        const second = yield* ask("called")
        const text = JSON.stringify({ service_request_id: second.body.id, status: "failed", detail: "sorry" })
        const [id, at] = ["msg_1", String(Math.floor(Date.now() / 1000))]
        const webhook = (timestamp: string) =>
          api("POST", `/webhooks/${name}/reconcile?org=${owner.org}`, {
            body: text,
            headers: {
              "webhook-id": id,
              "webhook-timestamp": timestamp,
              "webhook-signature": `v1,${
                createHmac("sha256", "hook_secret").update(`${id}.${timestamp}.${text}`).digest("base64")
              }`
            }
          })
        assert.strictEqual((yield* webhook("1000000000")).status, 401)
        assert.strictEqual((yield* webhook(at)).status, 200)
        assert.deepStrictEqual((yield* read(second.body.id)).body.result, { code: "adapter_error", detail: "sorry" })
        // A callback that arrives before the answer with its reference.
        assert.deepStrictEqual((yield* signed({ ...done, id: `job${jobs() + 1}` })).status, 202)
        const third = yield* ask("called")
        assert.strictEqual((yield* read(third.body.id, 30)).body.status, "executed")
        // True, but after a person's settlement: kept, reported, and without effect.
        const [before] = yield* wallet
        const fourth = yield* ask("called")
        yield* settle(fourth.body.id, { status: "failed", comment: "gave up" })
        const late = yield* signed({ ...done, id: `job${jobs()}` })
        assert.deepStrictEqual([late.status, late.body.error.code], [409, "already_settled"])
        const stored = yield* read(fourth.body.id)
        assert.deepStrictEqual([
          stored.body.status,
          stored.body.cost_cents,
          stored.body.late_result.status,
          (yield* wallet)[0]
        ], [
          "failed",
          0,
          "executed",
          before
        ])
        const [entry] =
          (yield* api("GET", `/audit-logs?subject_id=${fourth.body.id}&action=service_request.late_result`, as)).body
            .data
        assert.strictEqual(entry.data.stands, "failed")
        // Another workspace's hook, a service without a secret, none at all.
        assert.strictEqual(
          (yield* signed(done, "hook_secret", `/webhooks/${name}/reconcile?org=org_${"0".repeat(26)}`)).status,
          401
        )
        assert.deepStrictEqual([
          (yield* signed(done, "hook_secret", `/webhooks/${name}/reconcile`)).status,
          (yield* signed(done, "x", "/webhooks/email/reconcile")).status
        ], [404, 404])
      }))

    it.effect("may call back before they answer, by the request's id or by their own reference", () =>
      Effect.gen(function*() {
        const hub = yield* world
        const { api, owner, signed, wallet } = hub
        const name = `quick${++made}`
        const upstream = yield* httpUpstream(({ headers, url }, response) => {
          const id = `job of ${headers["idempotency-key"]}`
          const work = url === "/named" ? { provider_ref: id } : { service_request_id: headers["idempotency-key"] }
          const done = { ...work, status: "executed", result: { early: url }, cost_cents: 4 }
          void Effect.runPromise(signed(done, "hook_secret", `/webhooks/${name}/reconcile?org=${owner.org}`)).then((
            answer
          ) => url === "/cut" ? response.destroy() : json(response, answer.status, { id }))
        })
        yield* makeService(hub, owner, {
          name,
          kind: "http",
          base_url: upstream.origin,
          operations: ["named", "asked", "cut"].map((each) =>
            operation(each, { async: { mode: "callback", secret: "hook", ...async } })
          )
        })
        const { key } = yield* makeAgent(hub, owner, { bindings: [{ service: name, operations: ["*"] }] })
        for (const each of ["named", "asked", "cut"]) {
          const [balance] = yield* wallet
          const { body: { id } } = yield* api("POST", "/service-requests", {
            key,
            body: { service: name, operation: each, payload: {} }
          })
          const { body } = yield* api("GET", `/service-requests/${id}?wait=30`, { key })
          assert.deepStrictEqual([body.status, body.cost_cents, body.result], ["executed", 4, { early: `/${each}` }])
          assert.deepStrictEqual(yield* wallet, [balance - 4, 0])
        }
      }))

    it.effect("shipped with the hub call back with the hub's secret", () =>
      Effect.gen(function*() {
        const { signed } = yield* world
        const hub = yield* TestHub
        const { key } = yield* makeAgent(hub, hub.owner, { mode: "test" })
        const running = yield* hub.api("POST", "/service-requests", {
          key,
          headers: { "x-test-outcome": "running" },
          body: { service: "echo", operation: "say", payload: {} }
        })
        const answer = { service_request_id: running.body.id, status: "executed", result: { ok: true } }
        const path = "/webhooks/echo/reconcile"
        assert.strictEqual((yield* signed(answer, "wrong", path)).status, 401)
        assert.deepStrictEqual((yield* signed(answer, "shipped", path)).body, {
          service_request_id: running.body.id,
          status: "executed"
        })
        for (
          const [body, status] of [[{ status: "executed" }, 400], [[], 400], [{
            service_request_id: running.body.id,
            status: "odd"
          }, 400], [{ service_request_id: `req_${"0".repeat(26)}`, status: "executed" }, 404]] as const
        ) {
          assert.strictEqual((yield* signed(body, "shipped", path)).status, status, JSON.stringify(body))
        }
      }))

    it.effect("with inner addresses are not called", () =>
      Effect.gen(function*() {
        const { api, as } = yield* world
        const hub = yield* TestHub
        for (
          const [name, base_url] of [["metadata", "http://169.254.169.254"], ["private", "http://10.0.0.1"]] as const
        ) {
          yield* makeService(hub, hub.owner, {
            name,
            kind: "http",
            base_url,
            operations: [operation("ok", { timeout_ms: 1_000 })]
          })
          const { key } = yield* makeAgent(hub, hub.owner, { bindings: [{ service: name, operations: ["*"] }] })
          const answer = yield* api("POST", "/service-requests", {
            key,
            body: { service: name, operation: "ok", payload: {} }
          })
          assert.deepStrictEqual(
            [outcomeOf(answer), answer.body.cost_cents],
            [[200, "failed", "adapter_error"], 0],
            name
          )
        }
        assert.isTrue(expectStatus(yield* api("GET", "/audit-logs/verify", as), 200).body.ok)
      }))
  }
)
