/** Promo codes, on two hubs that share a database. */
import { PromoCode, Redemption } from "@countersign/domain/promo"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { fitting } from "../../support/contract.ts"
import { expectHealthy } from "../../support/health.ts"
import { expectStatus, HubTest, makeToken, startHub, TestHub } from "../../support/hub.ts"
import { makeSignedIn, makeWorkspace, type PersonInTest } from "../../support/people.ts"

const code = { amount_cents: 500, max_redemptions: 100, expires_at: "2099-01-01T00:00:00Z" }

const makeOwner = Effect.gen(function*() {
  const hub = yield* TestHub
  return yield* makeSignedIn(hub, yield* makeWorkspace(hub), "owner")
})

layer(HubTest(), { excludeTestServices: true })("promo codes", (it) => {
  it.effect("a code credits each workspace once, in any case, through the ledger", () =>
    Effect.gen(function*() {
      const { api, owner, target } = yield* TestHub
      const made = yield* api("POST", "/promo/codes", { cookie: owner.cookie, body: { ...code, code: "Spring-50" } })
      const promo = fitting(PromoCode, expectStatus(made, 201).body)
      assert.strictEqual(made.headers.get("location"), "/api/v1/promo/codes/Spring-50")
      assert.deepStrictEqual([promo.redemptions, promo.expires_at], [0, "2099-01-01T00:00:00.000Z"])
      const again = yield* api("POST", "/promo/codes", { cookie: owner.cookie, body: { ...code, code: "SPRING-50" } })
      assert.deepStrictEqual([again.status, again.body.error.code], [409, "conflict"])
      const other = yield* makeOwner
      const call = { cookie: other.cookie, body: { code: "sPRING-50" }, headers: { "idempotency-key": "k" } }
      const redeemed = yield* api("POST", "/promo/redeem", call)
      const redemption = fitting(Redemption, expectStatus(redeemed, 201).body)
      assert.deepStrictEqual([redemption.code, redemption.amount_cents, redemption.balance.balance_cents], [
        "Spring-50",
        500,
        500
      ])
      const replay = yield* api("POST", "/promo/redeem", call)
      assert.deepStrictEqual([replay.status, replay.text], [201, redeemed.text])
      const second = yield* api("POST", "/promo/redeem", { cookie: other.cookie, body: { code: "spring-50" } })
      assert.deepStrictEqual([second.status, second.body.error.code], [409, "promo_redeemed"])
      const ledger = yield* api("GET", "/ledger", { cookie: other.cookie })
      assert.deepStrictEqual(
        ledger.body.data.map((entry: { readonly account: { readonly type: string }; readonly cause: unknown }) => [
          entry.account.type,
          entry.cause
        ]),
        [["external", { type: "promo", id: promo.id }], ["org", { type: "promo", id: promo.id }]]
      )
      const shown = yield* api("GET", "/promo/codes/spring-50", { cookie: owner.cookie })
      assert.strictEqual(shown.body.redemptions, 1)
      yield* expectHealthy(target)
    }))

  it.effect("unknown and deleted codes are 404, expired and exhausted ones 410", () =>
    Effect.gen(function*() {
      const { api, owner } = yield* TestHub
      const make = (body: object) => api("POST", "/promo/codes", { cookie: owner.cookie, body: { ...code, ...body } })
      const redeem = (by: PersonInTest, code: string) =>
        Effect.map(api("POST", "/promo/redeem", { cookie: by.cookie, body: { code } }), ({ status }) => status)
      const [first, second] = [yield* makeOwner, yield* makeOwner]
      expectStatus(yield* make({ code: "past", expires_at: "2020-01-01" }), 201)
      expectStatus(yield* make({ code: "one", max_redemptions: 1 }), 201)
      expectStatus(yield* make({ code: "gone" }), 201)
      assert.deepStrictEqual(
        [yield* redeem(first, "nothing"), yield* redeem(first, "PAST"), yield* redeem(first, "ONE")],
        [404, 410, 201]
      )
      // To the workspace that has it, it is redeemed; to others, exhausted.
      assert.deepStrictEqual([yield* redeem(second, "one"), yield* redeem(first, "one")], [410, 409])
      assert.strictEqual(yield* redeem(first, "gone"), 201)
      const remove = api("DELETE", "/promo/codes/GONE", { cookie: owner.cookie })
      assert.deepStrictEqual([(yield* remove).status, (yield* remove).status], [204, 404])
      assert.deepStrictEqual([yield* redeem(second, "gone"), yield* redeem(first, "gone")], [404, 404])
      // Made again, it is new to others only.
      expectStatus(yield* make({ code: "GONE" }), 201)
      assert.deepStrictEqual([yield* redeem(first, "gone"), yield* redeem(second, "gone")], [409, 201])
      const wrong = [{ code: "" }, { code: "a b" }, { code: "x", amount_cents: 0 }, { code: "x", max_redemptions: 0 }]
      const refused = yield* Effect.forEach(wrong, make)
      assert.deepStrictEqual(refused.map(({ status }) => status), [400, 400, 400, 400])
      const list = yield* api("GET", "/promo/codes?limit=2", { cookie: owner.cookie })
      assert.deepStrictEqual(list.body.data.map((each: { readonly code: string }) => each.code), ["GONE", "one"])
    }))

  it.effect("only owners of the hub's first workspace manage codes, and billing:write redeems", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner } = hub
      const admin = yield* makeSignedIn(hub, owner.org, "admin")
      const operator = yield* makeSignedIn(hub, owner.org, "operator")
      const elsewhere = yield* makeOwner
      const scoped = yield* makeToken(hub, owner, ["billing:write"])
      const make = (call: object) => api("POST", "/promo/codes", { ...call, body: { ...code, code: "roles" } })
      const answers = [
        yield* make({ cookie: admin.cookie }),
        yield* make({ cookie: elsewhere.cookie }),
        yield* make({ pat: scoped }),
        yield* api("GET", "/promo/codes", { cookie: elsewhere.cookie }),
        yield* api("DELETE", "/promo/codes/spring-50", { cookie: admin.cookie })
      ]
      assert.deepStrictEqual(
        answers.map(({ body, status }) => [status, body.error.data.permission]),
        answers.map(() => [403, "promo:write"])
      )
      expectStatus(yield* make({ cookie: owner.cookie }), 201)
      const redeem = { body: { code: "roles" } }
      const refused = yield* api("POST", "/promo/redeem", { cookie: operator.cookie, ...redeem })
      assert.deepStrictEqual([refused.status, refused.body.error.data], [403, { permission: "billing:write" }])
      expectStatus(yield* api("POST", "/promo/redeem", { pat: scoped, ...redeem }), 201)
    }))

  it.effect("racing redemptions on two hubs stop exactly at the maximum, and each workspace gets one", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const second = yield* startHub({ database: hub.target })
      const people = yield* Effect.forEach(Array.from({ length: 6 }), () => makeOwner)
      for (let round = 0; round < 3; round++) {
        const name = `race${round}`
        expectStatus(
          yield* hub.api("POST", "/promo/codes", {
            cookie: hub.owner.cookie,
            body: { ...code, code: name, max_redemptions: 4 }
          }),
          201
        )
        const answers = yield* Effect.forEach(
          people.flatMap((person) => [hub, second].map((each) => [person, each] as const)),
          ([{ cookie }, { api }]) => api("POST", "/promo/redeem", { cookie, body: { code: name } }),
          { concurrency: "unbounded" }
        )
        const counts = Object.entries(Object.groupBy(answers, ({ status }) => status))
          .map(([status, those]) => [status, those?.length])
        assert.deepStrictEqual(counts, [["201", 4], ["409", 4], ["410", 4]])
        const shown = yield* hub.api("GET", `/promo/codes/${name}`, { cookie: hub.owner.cookie })
        assert.strictEqual(shown.body.redemptions, 4)
      }
      const balances = yield* Effect.forEach(people, ({ cookie }) => hub.api("GET", "/balance", { cookie }))
      assert.strictEqual(balances.reduce((sum, { body }) => sum + body.balance_cents, 0), 3 * 4 * code.amount_cents)
      yield* expectHealthy(hub.target)
    }))
})
