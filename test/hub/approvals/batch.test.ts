/** Batches of approvals: forecast, execution, and the fields shown in rows. Spec: reference/approvals.md "Batches". */
import { forecastBatch } from "@countersign/domain/approval-batch"
import type { Approval } from "@countersign/domain/approvals"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"
import { httpUpstream } from "../../support/upstream.ts"

interface Result {
  readonly id: string
  readonly status: string
  readonly service_request?: {
    readonly status: string
    readonly cost_cents: number
    readonly reason_code?: string
    readonly block?: { readonly limit: string }
    readonly failure?: { readonly code: string }
  }
}

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "a batch of approvals",
  (it) => {
    let made = 0
    /**
     * An agent with a shop service whose prices are in the payload, under the given caps; all of its requests require
     * approval.
     */
    const shopOf = Effect.fnUntraced(
      function*(
        caps: { readonly monthly_cap_cents?: number; readonly daily_request_limit?: number },
        agentMonth?: number
      ) {
        const hub = yield* TestHub
        const { api, owner } = hub
        const as = { cookie: owner.cookie }
        const upstream = yield* httpUpstream(({ body }, response) => {
          const item = JSON.parse(String(body)).item
          const status = item === "broken" ? 500 : 200
          response.writeHead(status, { "content-type": "application/json" }).end("{}")
        })
        const service = `shop-${++made}`
        yield* makeService(hub, owner, {
          name: service,
          kind: "http",
          base_url: upstream.origin,
          operations: [{
            name: "buy",
            method: "POST",
            path: "/buy",
            price: { type: "quoted", ceiling: "payload.price_cents" },
            summary: ["/item", "/price_cents", "/card"],
            payload_schema: {
              type: "object",
              properties: {
                item: { type: "string", title: "Item" },
                price_cents: { type: "integer" },
                card: { type: "string", writeOnly: true }
              }
            }
          }]
        })
        const agent = yield* makeAgent(hub, owner, {
          bindings: [{ service, operations: ["*"], approval_threshold_cents: 0, ...caps }],
          ...agentMonth === undefined ? {} : { monthly_budget_cents: agentMonth }
        })
        const ask = (price_cents: number, item = "pen") =>
          Effect.map(
            api("POST", "/service-requests", {
              key: agent.key,
              body: { service, operation: "buy", payload: { item, price_cents, card: "not-for-members" } }
            }),
            (answer) => {
              assert.strictEqual(answer.body.status, "approval_required")
              return answer.body.approval_id as string
            }
          )
        const read = (ids: ReadonlyArray<string>) =>
          Effect.forEach(
            ids,
            (id) =>
              Effect.map(api("GET", `/approvals/${id}`, as), (answer) => expectStatus(answer, 200).body as Approval)
          )
        const approve = (ids: ReadonlyArray<string>) =>
          Effect.map(
            api("POST", "/approvals/decide", { ...as, body: { ids, decision: "approve" } }),
            (answer) => expectStatus(answer, 200).body.results as ReadonlyArray<Result>
          )
        return { agent, api, approve, as, ask, hub, owner, read, service }
      }
    )

    it.effect("returns the outcome of each request, with the limit that blocked it", () =>
      Effect.gen(function*() {
        const { approve, ask, hub, owner, read } = yield* shopOf({ monthly_cap_cents: 200 })
        yield* topUp(hub, owner, 10_000)
        const ids = [yield* ask(150), yield* ask(60), yield* ask(10, "broken"), yield* ask(40)]
        assert.deepStrictEqual((yield* read(ids)).map(({ outcome }) => outcome), [
          undefined,
          undefined,
          undefined,
          undefined
        ])
        const results = yield* approve(ids)
        assert.deepStrictEqual(
          results.map((
            { service_request: made, status }
          ) => [status, made?.status, made?.cost_cents, made?.reason_code ?? made?.failure?.code, made?.block?.limit]),
          [
            ["approved", "executed", 150, undefined, undefined],
            ["approved", "blocked", 0, "monthly_budget_exceeded", "operation_month"],
            ["approved", "failed", 0, "adapter_error", undefined],
            ["approved", "executed", 40, undefined, undefined]
          ]
        )
        assert.deepStrictEqual((yield* read(ids)).map(({ outcome }) => [outcome?.status, outcome?.reason_code]), [
          ["executed", undefined],
          ["blocked", "monthly_budget_exceeded"],
          ["failed", undefined],
          ["executed", undefined]
        ])
      }))

    for (
      const [limit, caps, agentMonth] of [
        ["the monthly cap of an operation", { monthly_cap_cents: 200 }, undefined],
        ["the daily count of an operation", { daily_request_limit: 3 }, undefined],
        ["the month of an agent", {}, 200]
      ] as const
    ) {
      it.effect(`executes in its order, as forecast, against ${limit}`, () =>
        Effect.gen(function*() {
          const { approve, ask, hub, owner, read } = yield* shopOf(caps, agentMonth)
          yield* topUp(hub, owner, 10_000)
          const ids: Array<string> = []
          for (const cents of [90, 120, 60, 55, 40, 30, 20, 10, 9, 1]) ids.push(yield* ask(cents))
          // The order differs from both the creation order and the order of the amounts.
          const order = [4, 0, 7, 1, 3, 9, 2, 8, 5, 6].map((at) => ids[at]!)
          const forecast = forecastBatch(yield* read(order))
          const results = yield* approve(order)
          assert.deepStrictEqual(
            results.map(({ id, service_request: made }) => [id, made?.status, made?.block?.limit]),
            order.map((id) => {
              const expected = forecast.get(id)
              return expected?.kind === "blocked" ? [id, "blocked", expected.block.limit] : [id, "executed", undefined]
            })
          )
          assert.isTrue(results.some(({ service_request: made }) => made?.status === "blocked"))
        }))
    }

    it.effect("forecasts the wallet for all agents together", () =>
      Effect.gen(function*() {
        const { api, as, ask, approve, read } = yield* shopOf({})
        const other = yield* shopOf({})
        const { available_cents } = (yield* api("GET", "/balance", as)).body
        const ids = [yield* ask(available_cents - 30), yield* other.ask(40), yield* ask(20), yield* other.ask(11)]
        const forecast = forecastBatch(yield* read(ids))
        assert.deepStrictEqual(ids.map((id) => forecast.get(id)), [
          { kind: "fits" },
          { kind: "blocked", block: { limit: "wallet", left: 30 } },
          { kind: "fits" },
          { kind: "blocked", block: { limit: "wallet", left: 10 } }
        ])
        assert.deepStrictEqual((yield* approve(ids)).map(({ service_request: made }) => made?.status), [
          "executed",
          "blocked",
          "executed",
          "blocked"
        ])
      }))

    it.effect("shows the declared fields of each row, and never a masked one", () =>
      Effect.gen(function*() {
        const { agent, api, as, ask, hub, owner, read } = yield* shopOf({})
        yield* topUp(hub, owner, 10_000)
        const [row] = yield* read([yield* ask(4_200, "A blue pen")])
        const summary = [{ path: "/item", label: "Item", value: "A blue pen" }, {
          path: "/price_cents",
          label: "price_cents",
          value: 4_200,
          format: "cents"
        }]
        assert.deepStrictEqual(row?.summary, summary as never)
        const listed = yield* api("GET", `/service-requests?agent_id=${agent.id}`, as)
        assert.deepStrictEqual(listed.body.data[0].summary, summary)
        assert.notInclude(listed.text, "not-for-members")
        // An agent wrote the payload; its own responses do not change by a byte.
        assert.notProperty((yield* api("GET", "/service-requests", { key: agent.key })).body.data[0], "summary")
      }))
  }
)
