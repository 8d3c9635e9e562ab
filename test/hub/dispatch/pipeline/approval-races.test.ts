/**
 * Concurrent decisions on one approval, at one hub and at two: one decides, the request is executed once, and a
 * standing approval is used exactly up to its limits.
 */
import { newId, type OrgId } from "@countersign/domain/ids"
import { credentialHash, opaqueToken } from "@countersign/hub/auth/hash"
import { SessionsRepository, UsersRepository } from "@countersign/hub/auth/repository"
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy, until } from "../../../support/health.ts"
import {
  type Answer,
  type Api,
  expectStatus,
  firstOwner,
  makeAgent,
  makeService,
  startHub,
  topUp
} from "../../../support/hub.ts"
import { httpUpstream } from "../../../support/upstream.ts"

const env = { HUB_EGRESS_ALLOW: "127.0.0.1" }

/** Two hubs on one database, and a provider that records its requests. */
const world = Effect.gen(function*() {
  const first = yield* startHub({ env })
  const second = yield* startHub({ database: first.target, env })
  const owner = yield* firstOwner(first)
  const hubs = [first.api, second.api] as const
  const upstream = yield* httpUpstream((_, response) =>
    response.writeHead(200, { "content-type": "application/json" }).end("{\"ok\":true}")
  )
  const operation = {
    name: "pay",
    method: "POST",
    path: "/pay",
    payload_schema: { type: "object" },
    price: { type: "fixed", cents: 5 }
  }
  yield* makeService(first, owner, { name: "bank", kind: "http", base_url: upstream.origin, operations: [operation] })
  yield* topUp(first, owner, 100_000)
  const agent = yield* makeAgent(first, owner, {
    bindings: [{ service: "bank", operations: ["*"], approval_threshold_cents: 0 }]
  })
  const as = { cookie: owner.cookie }
  const pay = (payload: unknown = {}, api: Api = first.api) =>
    api("POST", "/service-requests", { key: agent.key, body: { service: "bank", operation: "pay", payload } })
  const ask = Effect.fnUntraced(function*(payload: unknown = {}) {
    const answer = yield* pay(payload)
    assert.strictEqual(answer.body.status, "approval_required", answer.text)
    return { request: answer.body.id as string, approval: answer.body.approval_id as string }
  })
  const sent = (request: string) =>
    upstream.received.filter(({ headers }) => headers["idempotency-key"] === request).length
  const read = (request: string) => Effect.map(first.api("GET", `/service-requests/${request}`, as), ({ body }) => body)
  const approvalOf = (approval: string) =>
    Effect.map(first.api("GET", `/approvals/${approval}`, as), ({ body }) => body)
  /** Approvers, each with their own session. Hashing a password is slow, and none of them uses it. */
  const people = (count: number) =>
    Effect.orDie(
      first.run(
        Effect.forEach(Array.from({ length: count }), () =>
          Effect.gen(function*() {
            const id = yield* Effect.flatMap(
              UsersRepository,
              (users) =>
                users.create({ email: `${newId("usr")}@countersign.test`, name: "Operator", passwordHash: "-" })
            )
            yield* Effect.flatMap(
              WorkspacesRepository,
              (workspaces) => workspaces.addMember(owner.org as OrgId, id, "operator")
            )
            const token = opaqueToken()
            yield* Effect.flatMap(SessionsRepository, (sessions) =>
              sessions.open({
                tokenHash: credentialHash(token),
                user: id,
                org: owner.org,
                ip: "127.0.0.1",
                userAgent: "test"
              }))
            return { cookie: `svc_session=${token}` }
          }))
      )
    )
  return {
    first,
    second,
    hubs,
    owner,
    as,
    agent,
    pay,
    ask,
    sent,
    read,
    approvalOf,
    people,
    operation,
    target: first.target
  }
})

const concurrently = <A>(asked: ReadonlyArray<Effect.Effect<A>>) => Effect.all(asked, { concurrency: "unbounded" })
const codes = (answers: ReadonlyArray<Answer>) =>
  answers.map(({ body, status }) => (status === 200 ? 200 : body.error.code)).sort()
const shuffled = <A>(values: ReadonlyArray<A>) =>
  values
    .map((value) => [Math.random(), value] as const)
    .sort(([a], [b]) => a - b)
    .map(([, value]) => value)
const soon = () => new Date(Date.now() + 3_600_000).toISOString()

layer(Layer.empty, { excludeTestServices: true })("an approval", (it) => {
  it.effect(
    "executes once when twenty people approve the same request, and names the first approver to the others",
    () =>
      Effect.gen(function*() {
        const { approvalOf, ask, hubs, people, read, sent, target } = yield* world
        const crowd = yield* people(20)
        for (let round = 0; round < 5; round++) {
          const { approval, request } = yield* ask({ round })
          const answers = yield* concurrently(
            crowd.map((person, at) => hubs[at % 2]!("POST", `/approvals/${approval}/approve`, { ...person, body: {} }))
          )
          assert.deepStrictEqual(codes(answers), [200, ...Array.from({ length: 19 }, () => "approval_not_pending")])
          assert.strictEqual(sent(request), 1)
          assert.deepInclude(yield* read(request), { status: "executed", cost_cents: 5 })
          // All other answers name the decision that applies.
          const { decided_by, status } = yield* approvalOf(approval)
          assert.strictEqual(status, "approved")
          for (const { body } of answers.filter(({ status }) => status === 409)) {
            assert.deepInclude(body.error.data, { status: "approved", decided_by })
          }
        }
        yield* expectHealthy(target)
      })
  )

  it.effect(
    "records one decision when approve, reject, cancel, edit, and expiry race, and shows it on the request",
    () =>
      Effect.gen(function*() {
        const { agent, approvalOf, as, ask, first, hubs, people, read, sent, target } = yield* world
        const [ada, bob] = yield* people(2)
        const seen = new Set<string>()
        for (let round = 0; round < 24; round++) {
          const { approval, request } = yield* ask({ round })
          const { payload_digest } = yield* approvalOf(approval)
          // It expires about now.
          if (round % 2 === 0) {
            yield* Effect.orDie(
              first.run(
                Effect.flatMap(
                  SqlClient.SqlClient,
                  (sql) =>
                    sql`update approvals set expires_at = clock_timestamp() + ${Math.floor(Math.random() * 40)} *
                      interval '1 millisecond' where id = ${approval}`
                )
              )
            )
          }
          const [one, other] = shuffled(hubs)
          const approve = one!("POST", `/approvals/${approval}/approve`, { ...ada!, body: {} })
          const others = [
            other!("POST", `/approvals/${approval}/reject`, { ...bob!, body: {} }),
            one!("POST", `/approvals/${approval}/edit`, {
              ...as,
              body: { payload: { round, edited: true }, payload_digest }
            }),
            other!("POST", `/service-requests/${request}/cancel`, { key: agent.key })
          ]
          // All of them, or an approval and one other.
          const answers = yield* concurrently(
            shuffled(round % 4 === 3 ? [approve, ...others] : [approve, others[round % 4]!])
          )
          yield* until(
            "it is decided",
            Effect.map(approvalOf(approval), ({ decided_at }) => decided_at !== undefined)
          )
          const { replaced_by, status } = yield* approvalOf(approval)
          const now = yield* read(request)
          const name = status === "rejected" && replaced_by !== undefined ? "edited" : status
          seen.add(name)
          assert.isAtMost(
            answers.filter((answer) => answer.status === 200).length,
            1,
            `round ${round}: ${answers.map(({ text }) => text).join("\n")}`
          )
          if (status !== "expired") assert.strictEqual(answers.filter((answer) => answer.status === 200).length, 1)
          assert.deepStrictEqual(
            [now.status, now.reason_code, sent(request)],
            (
              {
                approved: ["executed", undefined, 1],
                rejected: ["blocked", "approval_rejected", 0],
                edited: ["blocked", "approval_rejected", 0],
                cancelled: ["blocked", "approval_cancelled", 0],
                expired: ["blocked", "approval_expired", 0]
              } as Record<string, Array<unknown>>
            )[name]!
          )
          // A losing edit filed no request.
          assert.strictEqual((yield* first.api("GET", `/service-requests?q=${request}`, as)).body.data.length, 1)
          if (replaced_by !== undefined) assert.deepInclude(yield* read(replaced_by), { status: "approval_required" })
        }
        assert.isAtLeast(seen.size, 2, [...seen].join())
        yield* expectHealthy(target)
      })
  )

  it.effect(
    "counts two votes of three racing approvers when the quorum is two, and refuses the late one",
    () =>
      Effect.gen(function*() {
        const { approvalOf, as, ask, first, hubs, people, read, sent, target } = yield* world
        expectStatus(
          yield* first.api("POST", "/policies", {
            ...as,
            body: { name: "two", when: "true", then: "require_approval", required_approvals: 2 }
          }),
          201
        )
        const three = yield* people(3)
        for (let round = 0; round < 10; round++) {
          const { approval, request } = yield* ask({ round })
          // One of them sends the vote twice.
          const votes = [...three, three[0]!]
          const answers = yield* concurrently(
            votes.map((person, at) => hubs[at % 2]!("POST", `/approvals/${approval}/approve`, { ...person, body: {} }))
          )
          assert.strictEqual(
            answers.filter(({ body, status }) => status === 200 && body.service_request === undefined).length,
            1,
            answers.map(({ text }) => text).join("\n")
          )
          assert.strictEqual(
            answers.filter(({ body, status }) => status === 200 && body.service_request?.status === "executed").length,
            1
          )
          const { decisions, status } = yield* approvalOf(approval)
          assert.deepStrictEqual(
            [
              status,
              decisions.length,
              new Set(decisions.map(({ user }: { user: { id: string } }) => user.id)).size,
              sent(request)
            ],
            ["approved", 2, 2, 1]
          )
          assert.strictEqual((yield* read(request)).cost_cents, 5)
        }
        yield* expectHealthy(target)
      })
  )

  it.effect(
    "uses up a standing approval exactly, by uses and by total, over two hubs",
    () =>
      Effect.gen(function*() {
        const { as, ask, first, hubs, pay, target } = yield* world
        const bounds = [
          { max_uses: 7, fits: 7 },
          { max_total_cents: 34, fits: 6 },
          { max_total_cents: 50, fits: 10 }
        ]
        for (const { fits, ...bound } of bounds) {
          const { approval } = yield* ask()
          const {
            body: { standing_approval }
          } = expectStatus(
            yield* first.api("POST", `/approvals/${approval}/approve`, {
              ...as,
              body: { remember: { max_cost_cents: 5, expires_at: soon(), ...bound } }
            }),
            200
          )
          const answers = yield* concurrently(Array.from({ length: 60 }, (_, at) => pay({}, hubs[at % 2])))
          const statuses = Object.fromEntries(
            Object.entries(Object.groupBy(answers, ({ body }) => body.status as string)).map(([name, list]) => [
              name,
              list!.length
            ])
          )
          assert.deepStrictEqual(statuses, { executed: fits, approval_required: 60 - fits }, JSON.stringify(bound))
          assert.deepInclude((yield* first.api("GET", `/standing-approvals/${standing_approval.id}`, as)).body, {
            uses: fits,
            used_cents: fits * 5
          })
          expectStatus(yield* first.api("DELETE", `/standing-approvals/${standing_approval.id}`, as), 204)
        }
        yield* expectHealthy(target)
      })
  )

  it.effect(
    "exceeds no cap when a hundred pending requests are approved, and decides each with current figures",
    () =>
      Effect.gen(function*() {
        const { agent, as, ask, first, hubs, owner, sent, target } = yield* world
        const asked = yield* Effect.forEach(Array.from({ length: 100 }), (_, n) => ask({ n }), { concurrency: 20 })
        // Lowered while they are pending: 20 of 5 cents fit.
        expectStatus(
          yield* first.api("POST", `/agents/${agent.id}/services`, {
            ...as,
            body: { service: "bank", operations: ["*"], approval_threshold_cents: 0, monthly_cap_cents: 102 }
          }),
          200
        )
        const answers = yield* concurrently(
          asked.map(({ approval }, at) =>
            hubs[at % 2]!("POST", `/approvals/${approval}/approve`, { cookie: owner.cookie, body: {} })
          )
        )
        const outcomes = Object.groupBy(
          answers,
          ({ body }) => (body.service_request.reason_code ?? body.service_request.status) as string
        )
        assert.deepStrictEqual(
          Object.fromEntries(Object.entries(outcomes).map(([name, list]) => [name, list!.length])),
          {
            executed: 20,
            monthly_budget_exceeded: 80
          }
        )
        assert.strictEqual(asked.filter(({ request }) => sent(request) > 0).length, 20)
        yield* expectHealthy(target)
      })
  )

  it.effect("sends nothing when an approved payload no longer fits its schema", () =>
    Effect.gen(function*() {
      const { approvalOf, as, ask, first, operation, read, sent, target } = yield* world
      const { approval, request } = yield* ask({ n: "seven" })
      expectStatus(
        yield* first.api("PATCH", "/services/bank", {
          ...as,
          body: {
            operations: [{ ...operation, payload_schema: { type: "object", properties: { n: { type: "integer" } } } }]
          }
        }),
        200
      )
      const { body } = expectStatus(
        yield* first.api("POST", `/approvals/${approval}/approve`, { ...as, body: {} }),
        200
      )
      assert.deepInclude(body.service_request, { status: "failed", cost_cents: 0 })
      assert.strictEqual(body.service_request.result.code, "invalid_request")
      assert.deepStrictEqual(
        [(yield* approvalOf(approval)).status, (yield* read(request)).status, sent(request)],
        ["approved", "failed", 0]
      )
      yield* expectHealthy(target)
    }))

  it.effect(
    "loses no request and exceeds no cap while a binding is replaced repeatedly under load",
    () =>
      Effect.gen(function*() {
        const { agent, as, first, hubs, pay, target } = yield* world
        const put = (cap: number, operations = ["*"]) =>
          first.api("POST", `/agents/${agent.id}/services`, {
            ...as,
            body: { service: "bank", operations, approval_threshold_cents: 1000, monthly_cap_cents: cap }
          })
        yield* put(1_000)
        let asking = true
        const replacing = yield* Effect.forkChild(
          Effect.gen(function*() {
            for (let n = 0; asking; n++) {
              expectStatus(yield* put(n % 2 === 0 ? 1_000 : 200, n % 3 === 0 ? ["pay"] : ["*"]), 200)
              if (n % 5 === 4) expectStatus(yield* first.api("DELETE", `/agents/${agent.id}/services/bank`, as), 204)
            }
          })
        )
        const answers = yield* Effect.forEach(Array.from({ length: 240 }), (_, at) => pay({ at }, hubs[at % 2]), {
          concurrency: 24
        })
        asking = false
        yield* Fiber.join(replacing)
        const reasons = new Set(
          answers.map(({ body, status }) =>
            status === 200 ? (body.reason_code ?? body.status) : `${status} ${body.error?.code}`
          )
        )
        assert.deepStrictEqual(
          [...reasons].filter((reason) =>
            !["executed", "policy_violation", "monthly_budget_exceeded"].includes(reason)
          ),
          []
        )
        const executed = answers.filter(({ body }) => body.status === "executed")
        assert.isAtLeast(executed.length, 40)
        assert.isAtMost(executed.length, 200)
        yield* expectHealthy(target)
      })
  )
})
