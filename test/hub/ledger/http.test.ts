import { Doctor, doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HubTest, makeAgent, makeToken, startHub, TestHub } from "../../support/hub.ts"

layer(HubTest(), { excludeTestServices: true })("money over HTTP", (it) => {
  it.effect("a top-up repeated with its key, here or on another hub, is credited once with the identical answer", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      const other = yield* startHub({ database: hub.target })
      const call = {
        cookie,
        body: { amount_cents: 100_000_000_000, note: "first" },
        headers: { "idempotency-key": "k-1" }
      }
      const first = yield* hub.api("POST", "/balance/top-up", call)
      assert.deepStrictEqual([first.status, first.headers.get("idempotent-replayed"), first.headers.get("location")], [
        201,
        null,
        "/api/v1/ledger"
      ])
      const answers = yield* Effect.all(
        [hub, other, hub, other].map(({ api }) => api("POST", "/balance/top-up", call)),
        {
          concurrency: "unbounded"
        }
      )
      for (const again of answers) {
        assert.deepStrictEqual([again.status, again.headers.get("idempotent-replayed")], [201, "true"])
        assert.strictEqual(again.text, first.text)
      }
      const conflict = yield* hub.api("POST", "/balance/top-up", { ...call, body: { amount_cents: 2 } })
      assert.deepStrictEqual([conflict.status, conflict.body.error.code], [409, "idempotency_conflict"])
      assert.deepStrictEqual((yield* hub.api("GET", "/balance", { cookie })).body, first.body.balance)
      assert.strictEqual(first.body.balance.available_cents, 100_000_000_000)
    }))

  it.effect("entries of all transfers sum to zero and the account's balance continues", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      const agent = yield* makeAgent(hub, hub.owner)
      for (let count = 0; count < 3; count++) {
        yield* hub.api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "echo", operation: "say", payload: {} }
        })
      }
      const whole = yield* hub.api("GET", "/ledger", { cookie })
      const amounts = (answer: typeof whole): ReadonlyArray<number> =>
        answer.body.data.map((entry: { amount_cents: number }) => entry.amount_cents)
      assert.lengthOf(amounts(whole), 8)
      assert.strictEqual(amounts(whole).reduce((a, b) => a + b, 0), 0)
      assert.deepStrictEqual(amounts(yield* hub.api("GET", "/ledger?account=revenue", { cookie })), [1, 1, 1])
      assert.deepStrictEqual(amounts(yield* hub.api("GET", `/ledger?account=${hub.owner.org}`, { cookie })), [
        -1,
        -1,
        -1,
        100_000_000_000
      ])
      const diagnoses = yield* hub.run(
        doctor.pipe(Effect.provide(Doctor.layer), Effect.provide(DoctorRepository.layer))
      )
      assert.deepStrictEqual(diagnoses.filter(({ bad }) => bad > 0), [])
    }))

  it.effect("rejects invalid amounts, notes, and keys, unknown teams, and callers without the permission", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { cookie } = hub.owner
      for (
        const body of [
          {},
          { amount_cents: 0 },
          { amount_cents: -1 },
          { amount_cents: 1.5 },
          { amount_cents: 100_000_000_001 },
          { amount_cents: "5" },
          { amount_cents: 5, more: 1 },
          { amount_cents: 5, note: "a\u0007b" },
          { amount_cents: 5, note: "x".repeat(501) }
        ]
      ) {
        assert.strictEqual(
          (yield* hub.api("POST", "/balance/top-up", { cookie, body })).status,
          400,
          JSON.stringify(body).slice(0, 60)
        )
      }
      for (const key of ["", "x".repeat(256)]) {
        assert.strictEqual(
          (yield* hub.api("POST", "/balance/top-up", {
            cookie,
            body: { amount_cents: 5 },
            headers: { "idempotency-key": key }
          }))
            .status,
          400
        )
      }
      assert.strictEqual(
        (yield* hub.api("GET", "/balance?teamId=team_00000000000000000000000000", { cookie })).status,
        404
      )
      assert.strictEqual((yield* hub.api("GET", "/balance?teamId=x", { cookie })).status, 400)
      assert.strictEqual((yield* hub.api("GET", "/ledger?account=Org", { cookie })).status, 400)
      const pat = yield* makeToken(hub, hub.owner, ["budgets:read"])
      assert.strictEqual((yield* hub.api("GET", "/balance", { pat })).status, 200)
      const forbidden = yield* hub.api("POST", "/balance/top-up", { pat, body: { amount_cents: 5 } })
      assert.deepStrictEqual([forbidden.status, forbidden.body.error.data.permission], [403, "billing:write"])
      const agent = yield* makeAgent(hub, hub.owner)
      assert.strictEqual((yield* hub.api("GET", "/balance", { key: agent.key })).status, 401)
    }))
})
