import { Approval } from "@countersign/domain/approvals"
import { Doctor, doctor } from "@countersign/hub/ledger/doctor"
import { DoctorRepository } from "@countersign/hub/ledger/doctor-repository"
import { Retention, standingUsesDays } from "@countersign/hub/retention/service"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { fitting } from "../../support/contract.ts"
import { expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"

const dayMillis = 86_400_000
const removed = { $removed: true }

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "retention in days",
  (it) => {
    it.effect("removes bodies of ended requests in time, and no proofs or counts", () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        const { api, owner, run } = hub
        const as = { cookie: owner.cookie }
        const sql = (statement: string) =>
          run(Effect.flatMap(SqlClient.SqlClient, (sql) => Effect.orDie(sql.unsafe<{ count: number }>(statement))))
        const round = (days: number) =>
          run(Effect.flatMap(Retention, (retention) => retention.round(Date.now() + days * dayMillis)))
        yield* topUp(hub, owner, 1_000)
        yield* makeService(hub, owner, {
          name: "nowhere",
          kind: "http",
          base_url: "http://127.0.0.1:1",
          operations: [{
            name: "call",
            method: "POST",
            path: "/",
            price: { type: "fixed", cents: 1 },
            payload_schema: { type: "object" }
          }]
        })
        const agent = yield* makeAgent(hub, owner, {
          bindings: [
            { service: "nowhere", operations: ["*"] },
            { service: "echo", operations: ["*"] }
          ]
        })
        const asker = yield* makeAgent(hub, owner, {
          bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
        })
        const send = (key: string, service: string, operation: string, text: string, headers = {}) =>
          Effect.map(
            api("POST", "/service-requests", { key, body: { service, operation, payload: { text } }, headers }),
            (answer) => expectStatus(answer, 200).body
          )
        const keyed = { "idempotency-key": "once" }
        const executed = yield* send(agent.key, "echo", "say", "whisper one", keyed)
        const failed = yield* send(agent.key, "nowhere", "call", "whisper two")
        const approved = yield* send(asker.key, "echo", "say", "whisper three")
        const waiting = yield* send(asker.key, "echo", "say", "whisper four")
        expectStatus(yield* api("POST", `/approvals/${approved.approval_id}/approve`, as), 200)
        assert.deepStrictEqual([executed.status, failed.status, waiting.status], [
          "executed",
          "failed",
          "approval_required"
        ])

        // Nothing is removed without a setting or too early.
        assert.strictEqual(yield* round(4_000), 0)
        expectStatus(yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { retention_days: 30 } }), 200)
        assert.strictEqual(yield* round(29), 0)
        const before = yield* api("GET", `/service-requests/${executed.id}`, as)
        assert.deepStrictEqual(before.body.result, { echo: { text: "whisper one" } })
        const balance = (yield* api("GET", "/balance", as)).text
        const ledger = (yield* api("GET", "/ledger", as)).body.data
        const digest = (yield* api("GET", `/approvals/${approved.approval_id}`, as)).body.payload_digest

        // Concurrent rounds: each body is removed once.
        const rounds = yield* Effect.all([round(31), round(31), round(31)], { concurrency: "unbounded" })
        assert.strictEqual(rounds.reduce((sum, each) => sum + each, 0), 3)
        const after = yield* api("GET", `/service-requests/${executed.id}`, as)
        assert.deepStrictEqual(after.body, { ...before.body, result: removed })
        const failure = (yield* api("GET", `/service-requests/${failed.id}`, as)).body
        assert.deepStrictEqual(failure.result, {
          code: failed.result.code,
          detail: "Removed: this workspace kept it for 30 days."
        })
        const approval = fitting(Approval, (yield* api("GET", `/approvals/${approved.approval_id}`, as)).body)
        assert.deepStrictEqual([approval.payload, approval.payload_digest, approval.status], [
          removed,
          digest,
          "approved"
        ])
        assert.deepStrictEqual((yield* api("GET", `/service-requests/${approved.id}/trace`, as)).body.payload, removed)
        const [left] = yield* sql(`select (select count(*) from requests where payload like '%whisper%')
      + (select count(*) from settlements where result like '%whisper%') as count`)
        assert.strictEqual(left?.count, 1, "a pending request has not ended")
        assert.deepStrictEqual((yield* api("GET", `/approvals/${waiting.approval_id}`, as)).body.payload, {
          text: "whisper four"
        })
        assert.isUndefined((yield* api("GET", `/approvals/${waiting.approval_id}`, as)).body.previous)

        // A key still identifies its request: it never executes a second time.
        const replayed = yield* api("POST", "/service-requests", {
          key: agent.key,
          headers: keyed,
          body: { service: "echo", operation: "say", payload: { text: "whisper one" } }
        })
        assert.deepStrictEqual([replayed.headers.get("idempotent-replayed"), replayed.body.id, replayed.body.result], [
          "true",
          executed.id,
          removed
        ])
        expectStatus(
          yield* api("POST", "/service-requests", {
            key: agent.key,
            headers: keyed,
            body: { service: "echo", operation: "say", payload: { text: "other" } }
          }),
          409
        )

        // A postponed request is removed after it has ended and its retention is over.
        expectStatus(yield* api("POST", `/approvals/${waiting.approval_id}/reject`, as), 200)
        assert.strictEqual(yield* round(29), 0)
        assert.strictEqual(yield* round(31), 1)
        assert.strictEqual(yield* round(62), 0)

        assert.deepStrictEqual((yield* api("GET", "/balance", as)).text, balance)
        assert.deepStrictEqual((yield* api("GET", "/ledger", as)).body.data, ledger)
        assert.isTrue((yield* api("GET", "/audit-logs/verify", as)).body.ok)
        const removals = (yield* api("GET", "/audit-logs?action=workspace.bodies_removed", as)).body.data
        assert.deepStrictEqual(
          removals.map((
            { data }: { data: { requests: number; retention_days: number } }
          ) => [data.requests, data.retention_days]),
          [[1, 30], [3, 30]]
        )
        const diagnoses = yield* run(Effect.provide(doctor, Doctor.layer.pipe(Layer.provide(DoctorRepository.layer))))
        assert.isAbove(diagnoses.length, 5)
        assert.deepStrictEqual(diagnoses.filter(({ bad }) => bad > 0), [])
      }))

    it.effect("excludes requests without a payload from replays of a rule", () =>
      Effect.gen(function*() {
        const hub = yield* TestHub
        const { api, owner, run } = hub
        const as = { cookie: owner.cookie }
        const agent = yield* makeAgent(hub, owner)
        yield* topUp(hub, owner, 10)
        expectStatus(
          yield* api("POST", "/service-requests", {
            key: agent.key,
            body: { service: "echo", operation: "say", payload: { text: "x" } }
          }),
          200
        )
        expectStatus(yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { retention_days: 1 } }), 200)
        const rule = { name: "x", when: "payload.text == \"x\"", then: "block", reason: "no" }
        const tried = () =>
          Effect.map(
            api("POST", "/policies/test", { ...as, body: { rule, limit: 50 } }),
            (answer) => expectStatus(answer, 200).body
          )
        const before = yield* tried()
        yield* run(Effect.flatMap(Retention, (retention) => retention.round(Date.now() + 2 * dayMillis)))
        const after = yield* tried()
        assert.isAbove(before.checked, after.checked)
        assert.strictEqual(after.checked, 0)
      }))
  }
)

layer(HubTest(), { excludeTestServices: true })("retention of standing approvals", (it) => {
  it.effect("removes the list of covered requests long after a standing approval ended", () =>
    Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner, run } = hub
      const as = { cookie: owner.cookie }
      const round = (days: number) =>
        run(Effect.flatMap(Retention, (retention) => retention.standingRound(Date.now() + days * dayMillis)))
      yield* topUp(hub, owner, 1_000)
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const say = () =>
        Effect.map(
          api("POST", "/service-requests", {
            key: agent.key,
            body: { service: "echo", operation: "say", payload: {} }
          }),
          (answer) => expectStatus(answer, 200).body
        )
      const made: Array<{ readonly standing: string; readonly passed: string }> = []
      for (const days of [10, 200]) {
        const remember = {
          max_cost_cents: 1,
          max_uses: 1,
          expires_at: new Date(Date.now() + days * dayMillis).toISOString()
        }
        const approved = yield* api("POST", `/approvals/${(yield* say()).approval_id}/approve`, {
          ...as,
          body: { remember }
        })
        made.push({ standing: expectStatus(approved, 200).body.standing_approval.id, passed: (yield* say()).id })
      }
      const passed = Effect.forEach(made, ({ standing }) =>
        Effect.map(
          api("GET", `/service-requests?standing_approval_id=${standing}`, as),
          ({ body }) => (body.data as ReadonlyArray<{ readonly id: string }>).map(({ id }) => id)
        ))
      assert.strictEqual(yield* round(10 + standingUsesDays - 1), 0)
      assert.strictEqual(yield* round(10 + standingUsesDays + 1), 1)
      assert.deepStrictEqual(yield* passed, [[], [made[1]!.passed]])
      // A revoked one ended at its revocation.
      expectStatus(yield* api("DELETE", `/standing-approvals/${made[1]!.standing}`, as), 204)
      assert.strictEqual(yield* round(standingUsesDays + 1), 1)
      assert.deepStrictEqual(yield* passed, [[], []])
    }))
})
