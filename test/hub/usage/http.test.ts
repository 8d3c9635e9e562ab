import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HubTest, makeAgent, makeToken, TestHub, topUp } from "../../support/hub.ts"

layer(HubTest(), { excludeTestServices: true })("usage over HTTP", (it) => {
  it.effect("returns records, sums, and a chart in the contract's spelling, and a CSV", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      yield* topUp(hub, hub.owner, 100)
      const agent = yield* makeAgent(hub, hub.owner)
      const { body } = yield* hub.api("POST", "/service-requests", {
        key: agent.key,
        body: { service: "echo", operation: "say", payload: {} }
      })
      const today = new Date().toISOString().slice(0, 10)
      const usage = yield* hub.api(
        "GET",
        `/usage?agentId=${agent.id}&from=${today}&to=${today}&includeChart=true&limit=10`,
        { cookie }
      )
      assert.strictEqual(usage.status, 200)
      assert.deepInclude(usage.body.data[0], {
        id: `use_${body.id.slice(4)}`,
        service_request_id: body.id,
        agent_id: agent.id,
        service: "echo",
        operation: "say",
        cost_cents: 1
      })
      assert.deepStrictEqual(usage.body.totals, { cost_cents: 1, requests: 1 })
      assert.deepStrictEqual(usage.body.chart, [{ date: today, cost_cents: 1, requests: 1, blocked: 0 }])
      const parted = yield* hub.api(
        "GET",
        `/usage?service=echo&operation=say&chartBy=agent&from=${today}&to=${today}`,
        { cookie }
      )
      assert.deepStrictEqual(parted.body.chart_groups, [{
        key: agent.id,
        name: "Agent",
        cost_cents: 1,
        requests: 1,
        chart: parted.body.chart
      }])
      assert.deepStrictEqual((yield* hub.api("GET", "/usage?service=other", { cookie })).body.totals, {
        cost_cents: 0,
        requests: 0
      })
      const csv = yield* hub.api("GET", "/usage?format=csv", { cookie })
      assert.match(csv.headers.get("content-type") ?? "", /^text\/csv/)
      assert.lengthOf(csv.text.trim().split("\r\n"), 2)
      for (
        const query of [
          "agentId=x",
          "includeChart=maybe",
          "from=x",
          "agent_id=x",
          "chartBy=colour",
          `includeChart=true&from=2020-01-01&to=${today}`
        ]
      ) {
        assert.strictEqual((yield* hub.api("GET", `/usage?${query}`, { cookie })).status, 400, query)
      }
      const pat = yield* makeToken(hub, hub.owner, ["usage:read"])
      assert.strictEqual((yield* hub.api("GET", "/usage", { pat })).status, 200)
    }))
})
