import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../../support/hub.ts"

/** Requests with ids made by a hub with another clock: the stored time is `hours` away from the time in the id. */
const world = (hours: number) =>
  Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner, run } = hub
    yield* topUp(hub, owner, 100)
    const agent = yield* makeAgent(hub, owner)
    const sent = expectStatus(
      yield* api("POST", "/service-requests", {
        key: agent.key,
        body: { service: "echo", operation: "say", payload: {} }
      }),
      200
    ).body
    yield* run(Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const move = sql.literal(`+ interval '${hours} hours'`)
      yield* sql`update requests set created_at = created_at ${move} where org_id = ${owner.org} and id = ${sent.id}`
      yield* sql`update settlements set completed_at = completed_at ${move} where org_id = ${owner.org} and request_id = ${sent.id}`
      yield* sql`update movements set created_at = created_at ${move} where org_id = ${owner.org} and cause_id = ${sent.id}`
    }))
    const at = Date.parse(sent.created_at) + hours * 3_600_000
    const time = (millis: number) => encodeURIComponent(new Date(millis).toISOString())
    return { agent, api, as: { cookie: owner.cookie }, at, id: sent.id as string, time }
  })

const ids = (body: { readonly data: ReadonlyArray<{ readonly id: string }> }) => body.data.map(({ id }) => id)

layer(HubTest(), { excludeTestServices: true })("dates, with a hub whose clock differs from the database's", (it) => {
  for (const hours of [-20, -2, 2, 20]) {
    it.effect(`filter requests by the stored time when it is ${hours} hours from the time in the id`, () =>
      Effect.gen(function*() {
        const { agent, api, as, at, id, time } = yield* world(hours)
        const list = (from: number, to: number, more = "") =>
          Effect.map(
            api("GET", `/service-requests?agent_id=${agent.id}&from=${time(from)}&to=${time(to)}${more}`, as),
            ({ body }) => ids(body)
          )
        assert.deepStrictEqual(yield* list(at, at + 1), [id])
        assert.deepStrictEqual(yield* list(at, at + 1, "&status=executed"), [id])
        assert.deepStrictEqual(yield* list(at + 1, at + 60_000), [])
        assert.deepStrictEqual(yield* list(at - 60_000, at), [])
      }))

    it.effect(`replay a rule on requests stored in the period when that is ${hours} hours from the time in the id`, () =>
      Effect.gen(function*() {
        const { api, as, at, id } = yield* world(hours)
        const rule = { name: "all", when: "ceiling_cents >= 0", then: "block", reason: "test" }
        const replay = (from: number, to: number) =>
          Effect.map(
            api("POST", "/policies/test", {
              ...as,
              body: { rule, from: new Date(from).toISOString(), to: new Date(to).toISOString() }
            }),
            (answer) => expectStatus(answer, 200).body.changed.map((each: { request_id: string }) => each.request_id)
          )
        assert.deepStrictEqual(yield* replay(at, at + 1), [id])
        assert.notInclude(yield* replay(at + 1, at + 60_000), id)
      }))
  }

  it.effect("show a request's ledger entries for any distance of the stored time from the time in the id", () =>
    Effect.gen(function*() {
      for (const hours of [-20_000, -2, 2, 20_000]) {
        const { api, as, id } = yield* world(hours)
        const { body } = expectStatus(yield* api("GET", `/service-requests/${id}/trace`, as), 200)
        assert.deepStrictEqual(
          body.postings.map(({ amount_cents }: { amount_cents: number }) => amount_cents),
          [-1, 1],
          `${hours} hours`
        )
      }
    }))
})
