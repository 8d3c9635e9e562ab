/**
 * Requests that run at a provider: read by their own operation's pointers, and blocked by the provider's own rules.
 * Spec: reference/requests.md "Asynchronous operations".
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy } from "../../../support/health.ts"
import { hookSecret, sendCallback, signatureOf } from "../../../support/hooks.ts"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../../support/hub.ts"
import { httpUpstream } from "../../../support/upstream.ts"

const operation = (name: string, cents: number, async: object) => ({
  name,
  method: "POST",
  path: `/${name}`,
  payload_schema: { type: "object" },
  price: { type: "fixed", cents },
  async: { mode: "callback", secret: "hook", ...async }
})

/** The same pointer for the reference, different pointers otherwise; the same status means different outcomes. */
const print = operation("print", 20, {
  ref: "/id",
  status: "/state",
  executed: ["done"],
  failed: ["bad"],
  blocked: ["refused"],
  result: "/pages",
  cost_cents: "/cents",
  detail: "/why"
})
const ship = operation("ship", 90, {
  ref: "/id",
  status: "/parcel/phase",
  executed: ["delivered"],
  failed: ["done"],
  blocked: ["embargo"],
  result: "/parcel/proof",
  cost_cents: "/parcel/price",
  detail: "/parcel/note"
})
const scan = operation("scan", 50, {
  ref: "/scan/number",
  status: "/scan/phase",
  executed: ["done"],
  failed: [],
  cost_cents: "/scan/price",
  result: "/scan"
})
const polled = operation("polled", 30, {
  mode: "poll",
  interval_ms: 1_000,
  path: "/jobs/${ref}",
  method: "GET",
  ref: "/id",
  status: "/state",
  executed: ["done"],
  failed: ["bad"],
  blocked: ["refused", 451],
  detail: "/why"
})

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "requests at a provider",
  (it) => {
    let made = 0
    const world = Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const as = { cookie: owner.cookie }
      const refs: Array<string> = []
      const answers = new Map<string, object>()
      const upstream = yield* httpUpstream(({ method, url }, response) => {
        const json = (status: number, body: object) =>
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
        if (method === "GET") return json(200, answers.get(url) ?? { state: "working" })
        const ref = refs.shift() ?? "none"
        return json(202, url === "/scan" ? { scan: { number: ref } } : { id: ref })
      })
      const name = `works${++made}`
      yield* topUp(hub, owner, 1_000)
      yield* makeService(hub, owner, {
        name,
        kind: "http",
        base_url: upstream.origin,
        operations: [print, ship, scan, polled]
      })
      yield* api("PUT", "/secrets/hook", { ...as, body: { value: hookSecret } })
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: name, operations: ["*"], daily_request_limit: 1 }]
      })
      const start = Effect.fnUntraced(function*(operation: string, ref: string) {
        refs.push(ref)
        const answer = yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: name, operation, payload: {} }
        })
        return String(expectStatus(answer, 202).body.id)
      })
      const callback = (body: unknown, more = "") => {
        const text = JSON.stringify(body)
        return sendCallback(api, `/webhooks/${name}/reconcile?org=${owner.org}${more}`, text, signatureOf(text))
      }
      const read = (id: string, wait = 0) =>
        Effect.map(api("GET", `/service-requests/${id}?wait=${wait}`, { key: agent.key }), ({ body }) => body)
      const wallet = Effect.map(
        api("GET", "/balance", as),
        ({ body }): readonly [number, number] => [body.balance_cents, body.held_cents]
      )
      return { ...hub, as, agent, answers, callback, name, read, start, wallet }
    })

    it.effect("settle by a callback with query parameters that the hub does not recognize", () =>
      Effect.gen(function*() {
        const { callback, read, start } = yield* world
        const id = yield* start("print", "q1")
        const { body } = yield* callback({ id: "q1", state: "done", cents: 4 }, "&attempt=2&attempt=3")
        assert.deepStrictEqual(body, { service_request_id: id, status: "executed" })
        assert.strictEqual((yield* read(id)).cost_cents, 4)
      }))

    it.effect("are read by the pointers and charged by the price of the called operation", () =>
      Effect.gen(function*() {
        const { callback, read, start } = yield* world
        const printing = yield* start("print", "p1")
        const shipping = yield* start("ship", "s1")
        const scanning = yield* start("scan", "c1")
        // For print this body would be the end; ship is still running.
        assert.deepStrictEqual(
          (yield* callback({ id: "s1", state: "done", cents: 1, parcel: { phase: "moving" } })).body,
          {
            service_request_id: shipping,
            status: "running"
          }
        )
        // For ship "done" would be a failure.
        assert.deepStrictEqual(
          (yield* callback({ id: "p1", state: "done", cents: 11, pages: { n: 3 }, parcel: { phase: "done" } })).body,
          {
            service_request_id: printing,
            status: "executed"
          }
        )
        const delivered = {
          id: "s1",
          state: "bad",
          cents: 1,
          parcel: { phase: "delivered", price: 70, proof: { by: "Ada" } }
        }
        for (const _ of ["first", "again"]) {
          assert.deepStrictEqual((yield* callback(delivered)).body, {
            service_request_id: shipping,
            status: "executed"
          })
        }
        // It contains another request's reference at another operation's pointer.
        assert.deepStrictEqual(
          (yield* callback({ id: "p1", state: "done", scan: { number: "c1", phase: "done", price: 40 } })).body,
          {
            service_request_id: scanning,
            status: "executed"
          }
        )
        const ends = yield* Effect.forEach([printing, shipping, scanning], (id) => read(id))
        assert.deepStrictEqual(ends.map(({ cost_cents, result }) => [cost_cents, result]), [
          [11, { n: 3 }],
          [70, { by: "Ada" }],
          [40, { number: "c1", phase: "done", price: 40 }]
        ])
      }))

    it.effect("are identified by their operation where two have the same reference", () =>
      Effect.gen(function*() {
        const { callback, read, start } = yield* world
        const printing = yield* start("print", "same")
        const scanning = yield* start("scan", "same")
        assert.deepStrictEqual(
          (yield* callback({ scan: { number: "same", phase: "done", price: 5 } })).body.service_request_id,
          scanning
        )
        assert.deepStrictEqual(
          (yield* callback({ id: "same", state: "bad", why: "no paper" })).body.service_request_id,
          printing
        )
        assert.deepStrictEqual([(yield* read(scanning)).cost_cents, (yield* read(printing)).status], [5, "failed"])
      }))

    it.effect("in the hook's own form are refused where a reference matches two of them", () =>
      Effect.gen(function*() {
        const { callback, read, start } = yield* world
        const ids = [yield* start("print", "twice"), yield* start("scan", "twice")]
        const refused = yield* callback({ provider_ref: "twice", status: "executed", cost_cents: 1 })
        assert.deepStrictEqual([refused.status, refused.body.error.code], [409, "ambiguous_ref"])
        assert.deepStrictEqual((yield* Effect.forEach(ids, (id) => read(id))).map(({ status }) => status), [
          "running",
          "running"
        ])
      }))

    it.effect("that called back early are read by the pointers of the called operation", () =>
      Effect.gen(function*() {
        const { callback, read, start } = yield* world
        assert.strictEqual(
          (yield* callback({ id: "early", state: "bad", parcel: { phase: "delivered", price: 60, proof: {} } })).status,
          202
        )
        const shipping = yield* start("ship", "early")
        const { cost_cents, status } = yield* read(shipping, 30)
        assert.deepStrictEqual([status, cost_cents], ["executed", 60])
      }))

    it.effect("end as blocked without charge where the provider refuses by its own rules, in each form of the refusal", () =>
      Effect.gen(function*() {
        const ways: ReadonlyArray<readonly [operation: string, detail: string]> = [
          ["print", "not this picture"],
          ["ship", "no parcels to the moon"],
          ["polled", "sanctions list"],
          ["scan", "reported by a person"]
        ]
        for (const [called, detail] of ways) {
          const { agent, answers, api, as, callback, name, read, start, target, wallet } = yield* world
          const before = yield* wallet
          const id = yield* start(called, "r1")
          switch (called) {
            case "print":
              for (const _ of ["first", "again"]) {
                assert.deepStrictEqual((yield* callback({ id: "r1", state: "refused", why: detail })).body, {
                  service_request_id: id,
                  status: "blocked"
                })
              }
              assert.strictEqual((yield* callback({ id: "r1", state: "refused", why: "another reason" })).status, 409)
              assert.strictEqual((yield* callback({ id: "r1", state: "bad", why: detail })).status, 409)
              break
            case "ship":
              assert.strictEqual(
                (yield* callback({ service_request_id: id, status: "blocked", detail })).body.status,
                "blocked"
              )
              break
            case "polled":
              answers.set("/jobs/r1", { state: 451, why: detail })
              break
            case "scan": {
              const body = { status: "blocked", detail, comment: "their support said so" }
              const path = `/service-requests/${id}/settle`
              assert.strictEqual((yield* api("POST", path, { ...as, body: { ...body, cost_cents: 1 } })).status, 400)
              const settled = expectStatus(yield* api("POST", path, { ...as, body }), 200)
              assert.deepStrictEqual([settled.body.status, settled.body.block.detail], ["blocked", detail])
              assert.strictEqual((yield* api("POST", path, { ...as, body })).body.error.code, "not_running")
            }
          }
          const ended = yield* read(id, 30)
          assert.deepStrictEqual(
            [called, ended.status, ended.reason_code, ended.cost_cents, ended.result, ended.block],
            [called, "blocked", "policy_violation", 0, undefined, {
              limit: "provider",
              scope: { type: "operation", id: `${name}.${called}` },
              detail,
              message: "The provider refused the request by its own rules. Nothing was charged.",
              next_action: { kind: "change_request", href: "/api/v1/service-requests" }
            }]
          )
          assert.deepStrictEqual(yield* wallet, before)
          // The only request of the day is free again.
          yield* start(called, "r2")
          const { body: trace } = yield* api("GET", `/service-requests/${id}/trace`, as)
          assert.deepStrictEqual(
            [
              trace.steps.find(({ state }: { readonly state: string }) => state === "decided")?.step,
              trace.request.block.detail
            ],
            ["execution", detail]
          )
          const { body: { data: [entry] } } = yield* api(
            "GET",
            `/audit-logs?subject_id=${id}&action=service_request.blocked`,
            as
          )
          assert.deepStrictEqual([entry.outcome, entry.reason_code, entry.agent_id, entry.data.limit], [
            "blocked",
            "policy_violation",
            agent.id,
            "provider"
          ])
          if (called === "scan") assert.strictEqual(entry.data.comment, "their support said so")
          yield* expectHealthy(target)
        }
      }))

    it.effect("blocked by their provider show no detail after their bodies are removed", () =>
      Effect.gen(function*() {
        const { callback, name, read, run, start } = yield* world
        const id = yield* start("print", "r1")
        yield* callback({ id: "r1", state: "refused", why: "a secret reason" })
        yield* run(
          Effect.orDie(
            Effect.flatMap(
              SqlClient.SqlClient,
              (sql) => sql`update settlements set result = '{"$removed":true}' where request_id = ${id}`
            )
          )
        )
        assert.deepStrictEqual((yield* read(id)).block, {
          limit: "provider",
          scope: { type: "operation", id: `${name}.print` },
          message: "The provider refused the request by its own rules. Nothing was charged.",
          next_action: { kind: "change_request", href: "/api/v1/service-requests" }
        })
      }))
  }
)
