import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"
import { makePerson } from "../../support/people.ts"

layer(HubTest(), { excludeTestServices: true })("an agent's activity", (it) => {
  it.effect("lists the agent's actions and changes to it, newest first, by type and page, without entries of other agents", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const as = { cookie: owner.cookie }
      yield* topUp(hub, owner, 100)
      const [agent, other] = [yield* makeAgent(hub, owner), yield* makeAgent(hub, owner)]
      const say = { service: "echo", operation: "say", payload: {} }
      const done = expectStatus(yield* api("POST", "/service-requests", { key: agent.key, body: say }), 200).body
      expectStatus(yield* api("POST", "/service-requests", { key: other.key, body: say }), 200)
      expectStatus(
        yield* api("PATCH", `/agents/${agent.id}/budget`, { ...as, body: { monthly_budget_cents: 50 } }),
        200
      )
      const list = (query = "", who: object = as) =>
        Effect.map(api("GET", `/agents/${agent.id}/activity${query}`, who), (answer) => expectStatus(answer, 200).body)
      const actions = ({ data }: { readonly data: ReadonlyArray<{ readonly action: string }> }) =>
        data.map(({ action }) => action)
      const all = yield* list()
      assert.deepStrictEqual(actions(all), [
        "agent.budget_set",
        "service_request.executed",
        "binding.put",
        "agent.created"
      ])
      const { actor, cost_cents, outcome, subject, type } = all.data[1]
      assert.deepStrictEqual({ actor: actor.id, cost_cents, outcome, subject, type }, {
        actor: agent.id,
        cost_cents: 1,
        outcome: "executed",
        subject: { type: "service_request", id: done.id },
        type: "service_request"
      })
      assert.deepStrictEqual(actions(yield* list("?type=agent")), ["agent.budget_set", "agent.created"])
      const first = yield* list("?limit=3")
      assert.deepStrictEqual(actions(yield* list(`?limit=3&cursor=${first.next_cursor}`)), ["agent.created"])
      assert.deepStrictEqual(actions(yield* list("", { key: agent.key })), actions(all))
      const member = yield* makePerson(hub, owner.org, "member")
      const refused = [
        yield* api("GET", `/agents/${agent.id}/activity`, { key: other.key }),
        yield* api("GET", `/agents/${agent.id}/activity`, { cookie: member.cookie }),
        yield* api("GET", `/agents/${agent.id}/activity?type=colour`, as)
      ]
      assert.deepStrictEqual(refused.map(({ status }) => status), [404, 404, 400])
    }))
})
