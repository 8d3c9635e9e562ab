/** Approvals over HTTP. Spec: reference/approvals.md "Approvals". */
import { canonicalize } from "@countersign/domain/json"
import { WorkspacesRepository } from "@countersign/hub/workspaces/repository"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import {
  type Answer,
  expectStatus,
  HubTest,
  makeAgent,
  makeService,
  makeToken,
  TestHub,
  topUp
} from "../../support/hub.ts"
import { makePerson, makeWorkspace, password, stepUp } from "../../support/people.ts"

const summaryOf = (
  { body, status }: Answer
) => [status, body.error?.code ?? body.status, body.reason_code ?? body.result?.code]
const soon = () => new Date(Date.now() + 3_600_000).toISOString()

layer(HubTest(), { excludeTestServices: true })("approvals over HTTP", (it) => {
  /** An agent whose paid requests all require approval, and the decisions of people on them. */
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const { api, owner } = hub
    yield* topUp(hub, owner, 1_000)
    const agent = yield* makeAgent(hub, owner, {
      bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
    })
    const as = { cookie: owner.cookie }
    const say = (payload: unknown = {}, headers: Record<string, string> = {}) =>
      api("POST", "/service-requests", {
        key: agent.key,
        headers,
        body: { service: "echo", operation: "say", payload }
      })
    /** Sends a request that requires approval; returns its approval's id. */
    const ask = Effect.fnUntraced(function*(payload: unknown = {}) {
      const answer = yield* say(payload)
      assert.deepStrictEqual(summaryOf(answer), [200, "approval_required", "approval_threshold"])
      return { request: answer.body.id as string, approval: answer.body.approval_id as string }
    })
    const decide = (decision: "approve" | "reject", approval: string, body: unknown = {}, who: object = as) =>
      api("POST", `/approvals/${approval}/${decision}`, { ...who, body })
    const read = (request: string) => api("GET", `/service-requests/${request}`, { key: agent.key })
    const patch = (path: string, body: unknown) =>
      Effect.map(api("PATCH", path, { ...as, body }), (answer) => expectStatus(answer, 200))
    return { ...hub, hub, agent, as, say, ask, decide, read, patch }
  })

  it.effect("a pending approval shows the whole request with a digest that anyone can compute, and holds no money", () =>
    Effect.gen(function*() {
      const { agent, api, as, ask, owner } = yield* world
      const before = yield* api("GET", "/balance", as)
      const { approval, request } = yield* ask({ text: "hi", n: 1 })
      assert.deepStrictEqual((yield* api("GET", "/balance", as)).body, before.body)
      const { body } = yield* api("GET", `/approvals/${approval}`, as)
      assert.deepStrictEqual(
        [
          body.status,
          body.kind,
          body.subject,
          body.agent,
          body.service,
          body.operation,
          body.payload,
          body.cost_cents,
          body.threshold_cents,
          body.mode,
          body.required_approvals,
          body.decisions
        ],
        [
          "pending",
          "service_request",
          { type: "service_request", id: request },
          { id: agent.id, name: "Agent" },
          "echo",
          "say",
          { text: "hi", n: 1 },
          1,
          0,
          "live",
          1,
          []
        ]
      )
      const digest = createHash("sha256").update(
        canonicalize({
          agent_id: agent.id,
          ceiling_cents: 1,
          mode: "live",
          operation: "say",
          payload: { text: "hi", n: 1 },
          service: "echo"
        })
      ).digest("hex")
      assert.strictEqual(body.payload_digest, digest)
      assert.strictEqual(body.remaining.wallet_cents, before.body.available_cents)
      assert.deepStrictEqual(body.allowed_decisions, [{ decision: "approve", allowed: true }, {
        decision: "reject",
        allowed: true
      }])
      assert.deepStrictEqual(
        body.deciders.map(({ can, user }: { can: boolean; user: { id: string } }) => [user.id, can]),
        [[owner.user, true]]
      )
      assert.strictEqual(Date.parse(body.expires_at) - Date.parse(body.requested_at), 86_400_000)
      assert.deepStrictEqual(
        (yield* api("GET", `/approvals/${approval}`, { key: agent.key })).body.allowed_decisions.map((
          { allowed }: { allowed: boolean }
        ) => allowed),
        [false, false]
      )
      const pending = yield* api("GET", "/approvals", as)
      assert.isTrue(pending.body.data.some(({ id }: { id: string }) => id === approval))
      assert.isString(pending.body.as_of)
      const times = pending.body.data.map(({ requested_at }: { requested_at: string }) => requested_at)
      assert.deepStrictEqual(times, times.toSorted())
    }))

  it.effect("an approval executes once; every later decision is answered with the recorded one", () =>
    Effect.gen(function*() {
      const { api, as, ask, agent, decide, owner, read } = yield* world
      const { approval, request } = yield* ask({ n: 1 })
      const waiter = yield* Effect.forkChild(api("GET", `/service-requests/${request}?wait=30`, { key: agent.key }))
      assert.deepStrictEqual(summaryOf(yield* decide("approve", approval, { payload_digest: "0".repeat(64) })), [
        409,
        "digest_mismatch",
        undefined
      ])
      const { body: { payload_digest } } = yield* api("GET", `/approvals/${approval}`, as)
      const approved = yield* decide("approve", approval, { comment: "fine", payload_digest })
      assert.deepStrictEqual([
        approved.status,
        approved.body.approval.status,
        approved.body.service_request.status,
        approved.body.service_request.cost_cents
      ], [200, "approved", "executed", 1])
      assert.deepStrictEqual([approved.body.approval.decided_by.id, approved.body.approval.comment], [
        owner.user,
        "fine"
      ])
      const waited = (yield* Fiber.join(waiter)).body
      assert.deepStrictEqual(waited, approved.body.service_request)
      assert.deepStrictEqual((yield* read(request)).body, approved.body.service_request)
      for (const decision of ["approve", "reject"] as const) {
        const late = yield* decide(decision, approval)
        assert.deepStrictEqual([late.status, late.body.error.code, late.body.error.data], [
          409,
          "approval_not_pending",
          {
            status: "approved",
            decided_by: approved.body.approval.decided_by,
            decided_at: approved.body.approval.decided_at
          }
        ])
      }
    }))

  it.effect("one of several concurrent decisions answers 200, with or without a body", () =>
    Effect.gen(function*() {
      const { api, as, ask, read } = yield* world
      const { approval, request } = yield* ask()
      const answers = yield* Effect.all(
        Array.from(
          { length: 8 },
          (_, n) => api("POST", `/approvals/${approval}/${n % 2 === 0 ? "approve" : "reject"}`, as)
        ),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, ...Array.from({ length: 7 }, () => 409)])
      const won = answers.findIndex(({ status }) => status === 200)
      assert.strictEqual((yield* read(request)).body.status, won % 2 === 0 ? "executed" : "blocked")
    }))

  it.effect("rejected, canceled, and expired requests are blocked with their reason", () =>
    Effect.gen(function*() {
      const { agent, api, as, ask, decide, hub, read } = yield* world
      const rejected = yield* ask()
      assert.deepStrictEqual((yield* decide("reject", rejected.approval, { comment: "no" })).body.comment, "no")
      assert.deepStrictEqual(summaryOf(yield* read(rejected.request)), [200, "blocked", "approval_rejected"])
      const cancelled = yield* ask()
      assert.deepStrictEqual(
        summaryOf(yield* api("POST", `/service-requests/${cancelled.request}/cancel`, { key: agent.key })),
        [200, "blocked", "approval_cancelled"]
      )
      assert.deepStrictEqual((yield* api("GET", `/approvals/${cancelled.approval}`, as)).body.status, "cancelled")
      assert.deepStrictEqual((yield* decide("approve", cancelled.approval)).body.error.data.status, "cancelled")
      const expired = yield* ask()
      yield* Effect.orDie(hub.run(Effect.flatMap(SqlClient.SqlClient, (sql) =>
        sql`update approvals set expires_at = now() - interval '1 second' where id = ${expired.approval}`)))
      const late = yield* decide("approve", expired.approval)
      assert.deepStrictEqual([late.status, late.body.error.code, late.body.error.data.status], [
        409,
        "approval_not_pending",
        "expired"
      ])
      assert.deepStrictEqual(
        summaryOf(yield* api("GET", `/service-requests/${expired.request}?wait=30`, { key: agent.key })),
        [200, "blocked", "approval_expired"]
      )
    }))

  it.effect("the checks run again on approval; the approval stays approved", () =>
    Effect.gen(function*() {
      const { agent, api, as, ask, decide, hub, owner, patch, read } = yield* world
      // Deleting a rule that requires approval weakens a protection.
      yield* stepUp(hub, owner)
      const outcome = Effect.fnUntraced(function*(approval: string) {
        const { body, status } = yield* decide("approve", approval)
        return [
          status,
          body.approval.status,
          body.service_request.status,
          body.service_request.reason_code ?? body.service_request.result?.code,
          body.service_request.cost_cents
        ]
      })
      const pricier = yield* ask()
      yield* patch("/services/echo", { price: { type: "fixed", cents: 2 } })
      assert.deepStrictEqual(yield* outcome(pricier.approval), [200, "approved", "blocked", "approval_stale", 0])
      yield* patch("/services/echo", { price: null })
      const paused = yield* ask()
      yield* patch(`/agents/${agent.id}`, { status: "paused" })
      assert.deepStrictEqual(yield* outcome(paused.approval), [200, "approved", "failed", "agent_disabled", 0])
      assert.strictEqual((yield* read(paused.request)).body.ceiling_cents, 1)
      yield* patch(`/agents/${agent.id}`, { status: "active" })
      const ruled = yield* ask({ n: 7 })
      const rule = yield* api("POST", "/policies", {
        ...as,
        body: { name: "no sevens", when: "payload.n == 7", then: "block" }
      })
      assert.deepStrictEqual(yield* outcome(ruled.approval), [200, "approved", "blocked", "policy_violation", 0])
      yield* api("DELETE", `/policies/${rule.body.id}`, as)
      const poor = yield* ask()
      yield* patch(`/agents/${agent.id}/budget`, { monthly_budget_cents: 0 })
      assert.deepStrictEqual(yield* outcome(poor.approval), [200, "approved", "blocked", "agent_budget_exceeded", 0])
      yield* patch(`/agents/${agent.id}/budget`, { monthly_budget_cents: null })
      const frozen = yield* ask()
      yield* patch(`/agents/${agent.id}`, { frozen: true })
      assert.deepStrictEqual(yield* outcome(frozen.approval), [200, "approved", "blocked", "spending_frozen", 0])
      yield* patch(`/agents/${agent.id}`, { frozen: false })
      // Cheaper, with a lower threshold, or under a rule that requires approval again: the approval remains valid.
      const again = yield* ask()
      const asking = yield* api("POST", "/policies", {
        ...as,
        body: { name: "ask", when: "true", then: "require_approval" }
      })
      assert.deepStrictEqual(yield* outcome(again.approval), [200, "approved", "executed", undefined, 1])
      yield* api("DELETE", `/policies/${asking.body.id}`, as)
    }))

  it.effect("a rule may require several approvers, each of whom counts once, and may name them", () =>
    Effect.gen(function*() {
      const { api, as, ask, decide, hub, owner } = yield* world
      const operator = yield* makePerson(hub, owner.org, "operator", "Olga")
      const viewer = yield* makePerson(hub, owner.org, "viewer")
      const rule = expectStatus(
        yield* api("POST", "/policies", {
          ...as,
          body: {
            name: "two",
            when: "payload.n == 2",
            then: "require_approval",
            required_approvals: 2,
            expires_in_seconds: 60
          }
        }),
        201
      )
      const { approval, request } = yield* ask({ n: 2 })
      const shown = yield* api("GET", `/approvals/${approval}`, as)
      assert.deepStrictEqual([
        shown.body.required_approvals,
        shown.body.policy_id,
        Date.parse(shown.body.expires_at) - Date.parse(shown.body.requested_at)
      ], [2, rule.body.id, 60_000])
      const first = yield* decide("approve", approval)
      assert.deepStrictEqual([
        first.status,
        first.body.approval.status,
        first.body.service_request,
        first.body.approval.decisions.map(({ user }: { user: { id: string } }) => user.id)
      ], [200, "pending", undefined, [owner.user]])
      assert.strictEqual((yield* decide("approve", approval)).status, 409)
      const refused = yield* decide("approve", approval, {}, { cookie: viewer.cookie })
      assert.deepStrictEqual([refused.status, refused.body.error.data.permission], [403, "approvals:decide"])
      const remembered = yield* decide("approve", approval, {
        remember: { max_cost_cents: 5, max_uses: 1, expires_at: soon() }
      }, { cookie: operator.cookie })
      assert.strictEqual(remembered.status, 409)
      const second = yield* decide("approve", approval, { comment: "me too" }, { cookie: operator.cookie })
      assert.deepStrictEqual([
        second.body.approval.status,
        second.body.service_request.status,
        second.body.approval.decisions.length
      ], ["approved", "executed", 2])
      assert.strictEqual((yield* api("GET", `/service-requests/${request}`, as)).body.status, "executed")
      yield* api("PATCH", `/policies/${rule.body.id}`, {
        ...as,
        body: { required_approvals: null, deciders: { user_ids: [operator.id] } }
      })
      const named = yield* ask({ n: 2 })
      assert.deepStrictEqual([
        (yield* decide("approve", named.approval)).status,
        (yield* decide("reject", named.approval)).status
      ], [403, 403])
      assert.strictEqual(
        (yield* decide("approve", named.approval, {}, { cookie: operator.cookie })).body.service_request.status,
        "executed"
      )
      yield* api("DELETE", `/policies/${rule.body.id}`, as)
    }))

  it.effect("two concurrent last votes execute once", () =>
    Effect.gen(function*() {
      const { api, as, ask, decide, hub, owner } = yield* world
      const others = [yield* makePerson(hub, owner.org, "operator"), yield* makePerson(hub, owner.org, "admin")]
      const rule = expectStatus(
        yield* api("POST", "/policies", {
          ...as,
          body: { name: "two", when: "payload.n == 3", then: "require_approval", required_approvals: 2 }
        }),
        201
      )
      const { approval, request } = yield* ask({ n: 3 })
      yield* decide("approve", approval)
      const answers = yield* Effect.all(others.map(({ cookie }) => decide("approve", approval, {}, { cookie })), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [200, 409])
      assert.strictEqual((yield* api("GET", `/service-requests/${request}`, as)).body.cost_cents, 1)
      yield* api("DELETE", `/policies/${rule.body.id}`, as)
    }))

  it.effect("one call decides many approvals; one failure does not stop the others", () =>
    Effect.gen(function*() {
      const { api, as, ask, read } = yield* world
      const [first, second, third] = [yield* ask({ n: 1 }), yield* ask({ n: 2 }), yield* ask({ n: 3 })]
      const digest = (yield* api("GET", `/approvals/${second.approval}`, as)).body.payload_digest
      const decided = yield* api("POST", "/approvals/decide", {
        ...as,
        body: {
          items: [{ id: first.approval, payload_digest: "0".repeat(64) }, {
            id: second.approval,
            payload_digest: digest
          }],
          decision: "approve"
        }
      })
      assert.deepStrictEqual(
        decided.body.results.map((
          { error, id, status }: { error?: { code: string }; id: string; status: string }
        ) => [id, status, error?.code]),
        [
          [first.approval, "pending", "digest_mismatch"],
          [second.approval, "approved", undefined]
        ]
      )
      const missing = `apr_${"0".repeat(26)}`
      const rejected = yield* api("POST", "/approvals/decide", {
        ...as,
        body: { ids: [missing, second.approval, first.approval, third.approval], decision: "reject" }
      })
      assert.deepStrictEqual(
        rejected.body.results.map((
          { error, status }: { error?: { code: string }; status?: string }
        ) => [status, error?.code]),
        [
          [undefined, "not_found"],
          ["approved", "approval_not_pending"],
          ["rejected", undefined],
          ["rejected", undefined]
        ]
      )
      assert.deepStrictEqual(
        [(yield* read(second.request)).body.status, (yield* read(third.request)).body.reason_code],
        ["executed", "approval_rejected"]
      )
      for (
        const body of [{ decision: "approve" }, { ids: [], decision: "approve" }, {
          ids: Array.from({ length: 101 }, () => missing),
          decision: "approve"
        }, { ids: [missing], items: [], decision: "approve" }]
      ) {
        assert.strictEqual((yield* api("POST", "/approvals/decide", { ...as, body })).status, 400)
      }
    }))

  it.effect("an edit rejects the old request and files the new one through the whole pipeline; masked values are restored", () =>
    Effect.gen(function*() {
      const { agent, api, as, decide, hub, owner, read } = yield* world
      yield* makeService(hub, owner, {
        name: "cards",
        kind: "http",
        base_url: "https://cards.example",
        operations: [{
          name: "pay",
          method: "POST",
          path: "/pay",
          price: { type: "fixed", cents: 9 },
          payload_schema: {
            type: "object",
            properties: { card: { type: "string", writeOnly: true }, amount: { type: "integer" } },
            required: ["card", "amount"],
            additionalProperties: false
          }
        }]
      })
      expectStatus(
        yield* api("POST", `/agents/${agent.id}/services`, {
          ...as,
          body: { service: "cards", operations: ["*"], approval_threshold_cents: 0 }
        }),
        201
      )
      const asked = yield* api("POST", "/service-requests", {
        key: agent.key,
        body: { service: "cards", operation: "pay", payload: { card: "card-of-ada", amount: 5 } }
      })
      const path = `/approvals/${asked.body.approval_id}`
      const shown = yield* api("GET", path, as)
      assert.deepStrictEqual(shown.body.payload, { card: { $masked: true }, amount: 5 })
      assert.notInclude((yield* api("GET", "/approvals", as)).text, "card-of-ada")
      const edit = (body: object) => api("POST", `${path}/edit`, { ...as, body })
      assert.deepStrictEqual(
        (yield* edit({ payload: { card: { $masked: true }, amount: 4 }, payload_digest: "0".repeat(64) })).body.error
          .code,
        "digest_mismatch"
      )
      assert.deepStrictEqual(
        (yield* edit({ payload: { card: { $masked: true }, amount: "4" }, payload_digest: shown.body.payload_digest }))
          .body.error.details[0].path,
        "payload.amount"
      )
      assert.strictEqual((yield* api("GET", path, as)).body.status, "pending")
      const edited = yield* edit({
        payload: { card: { $masked: true }, amount: 4 },
        payload_digest: shown.body.payload_digest,
        comment: "less"
      })
      const { approval, service_request } = edited.body
      assert.deepStrictEqual([edited.status, approval.status, approval.replaced_by, approval.comment], [
        200,
        "rejected",
        service_request.id,
        "less"
      ])
      assert.deepStrictEqual([service_request.status, service_request.agent_id, service_request.origin], [
        "approval_required",
        agent.id,
        { user_id: owner.user, replaces: asked.body.id }
      ])
      assert.deepStrictEqual(summaryOf(yield* read(asked.body.id)), [200, "blocked", "approval_rejected"])
      const digest = createHash("sha256").update(
        canonicalize({
          agent_id: agent.id,
          ceiling_cents: 9,
          mode: "live",
          operation: "pay",
          payload: { card: "card-of-ada", amount: 4 },
          service: "cards"
        })
      ).digest("hex")
      assert.strictEqual(
        (yield* api("GET", `/approvals/${service_request.approval_id}`, as)).body.payload_digest,
        digest
      )
      // With separation of duties the editor may not approve the request.
      yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { separation_of_duties: true } })
      const own = yield* decide("approve", service_request.approval_id)
      assert.deepStrictEqual([own.status, own.body.error.code], [403, "separation_of_duties"])
      yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { separation_of_duties: false } })
      yield* decide("reject", service_request.approval_id)
    }))

  it.effect("a standing approval covers similar requests until it is used up, revoked, or a rule requires approval", () =>
    Effect.gen(function*() {
      const { agent, api, as, ask, decide, say } = yield* world
      const remember = Effect.fnUntraced(function*(bounds: object) {
        const { approval } = yield* ask()
        return expectStatus(yield* decide("approve", approval, { remember: { expires_at: soon(), ...bounds } }), 200)
          .body.standing_approval
      })
      const standing = yield* remember({ max_cost_cents: 1, max_uses: 2 })
      const list = Effect.map(api("GET", `/standing-approvals?agent_id=${agent.id}`, as), ({ body }) => body.data)
      assert.deepStrictEqual([
        standing.agent_id,
        standing.service,
        standing.operation,
        standing.mode,
        standing.used_cents,
        standing.uses
      ], [agent.id, "echo", "say", "live", 0, 0])
      assert.deepStrictEqual([(yield* say()).body.status, (yield* say()).body.status, (yield* say()).body.status], [
        "executed",
        "executed",
        "approval_required"
      ])
      assert.deepStrictEqual([(yield* list)[0].uses, (yield* list)[0].used_cents], [2, 2])
      assert.isAtLeast(Date.parse((yield* list)[0].last_used_at), Date.parse(standing.created_at))
      const total = yield* remember({ max_cost_cents: 1, max_total_cents: 1 })
      const rule = yield* api("POST", "/policies", {
        ...as,
        body: { name: "ask", when: "payload.n == 4", then: "require_approval" }
      })
      assert.strictEqual((yield* say({ n: 4 })).body.status, "approval_required")
      yield* api("DELETE", `/policies/${rule.body.id}`, as)
      assert.deepStrictEqual([(yield* say()).body.status, (yield* say()).body.status], [
        "executed",
        "approval_required"
      ])
      const revoked = yield* remember({ max_cost_cents: 1, max_uses: 5 })
      assert.strictEqual((yield* api("DELETE", `/standing-approvals/${revoked.id}`, as)).status, 204)
      assert.strictEqual((yield* say()).body.status, "approval_required")
      assert.strictEqual((yield* api("GET", `/standing-approvals/${total.id}`, as)).body.uses, 1)
      const preview = yield* api("POST", "/standing-approvals/preview", {
        ...as,
        body: { agent_id: agent.id, service: "echo", operation: "say", max_cost_cents: 1, max_uses: 3 }
      })
      assert.deepStrictEqual([preview.body.covered, preview.body.covered_cents, preview.body.requests[0].status], [
        3,
        3,
        "approval_required"
      ])
      const { approval } = yield* ask()
      for (
        const bounds of [
          {},
          { max_uses: 1, max_total_cents: 1 },
          { max_uses: 0 },
          { max_uses: 1, expires_at: "2020-01-01T00:00:00Z" },
          { max_uses: 1, expires_at: "soon" },
          { max_uses: 1, expires_at: soon().replace("Z", "") }
        ]
      ) {
        assert.strictEqual(
          (yield* decide("approve", approval, { remember: { max_cost_cents: 1, expires_at: soon(), ...bounds } }))
            .status,
          400,
          JSON.stringify(bounds)
        )
      }
    }))

  it.effect("an expensive request needs a stepped-up session; a token cannot approve it", () =>
    Effect.gen(function*() {
      const { api, ask, decide, hub, owner } = yield* world
      const admin = yield* makePerson(hub, owner.org, "admin")
      const as = { cookie: admin.cookie }
      yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { step_up_cents: 0 } })
      const { approval } = yield* ask()
      const pat = yield* makeToken(hub, admin, ["approvals:decide", "approvals:read"])
      for (const who of [as, { pat }]) {
        assert.deepStrictEqual(summaryOf(yield* decide("approve", approval, {}, who)), [
          403,
          "step_up_required",
          undefined
        ])
      }
      assert.deepStrictEqual((yield* api("GET", `/approvals/${approval}`, as)).body.allowed_decisions[0], {
        decision: "approve",
        allowed: false,
        denied_because: "step_up_required"
      })
      assert.strictEqual(
        (yield* api("POST", "/auth/step-up", { ...as, body: { password: "wrong wrong wrong" } })).status,
        403
      )
      assert.strictEqual((yield* api("POST", "/auth/step-up", { ...as, body: { password } })).status, 200)
      assert.strictEqual((yield* decide("approve", approval, {}, as)).body.service_request.status, "executed")
      expectStatus(yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { step_up_cents: null } }), 200)
    }))

  it.effect("across all workspaces of a person, each shows what their role there may see", () =>
    Effect.gen(function*() {
      const { api, ask, hub, owner } = yield* world
      const second = yield* makeWorkspace(hub, "Second")
      const person = yield* makePerson(hub, second, "owner")
      yield* hub.run(
        Effect.flatMap(WorkspacesRepository, (workspaces) => workspaces.addMember(owner.org, person.id, "member"))
      )
      const { approval } = yield* ask()
      const there = yield* makeAgent(hub, person, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      yield* topUp(hub, person, 10)
      const waits = expectStatus(
        yield* api("POST", "/service-requests", {
          key: there.key,
          body: { service: "echo", operation: "say", payload: {} }
        }),
        200
      )
      const list = (query: string, who: object = { cookie: person.cookie }) =>
        Effect.map(
          api("GET", `/approvals${query}`, who),
          ({ body, status }) => status === 200 ? body.data.map(({ id }: { id: string }) => id) : status
        )
      assert.deepStrictEqual([yield* list(""), yield* list("?workspace=all"), yield* list(`?workspace=${owner.org}`)], [
        [waits.body.approval_id],
        [waits.body.approval_id],
        []
      ])
      assert.strictEqual(yield* list(`?workspace=${second}`, { cookie: owner.cookie }), 404)
      assert.include(yield* list("?limit=200", { cookie: owner.cookie }), approval)
      const all = yield* api("GET", "/approvals?workspace=all", { cookie: person.cookie })
      assert.deepStrictEqual(all.body.data[0].org_id, second)
      const pat = yield* makeToken(hub, person, ["approvals:read"])
      assert.deepStrictEqual(
        [yield* list("?workspace=all", { pat }), yield* list(`?workspace=${owner.org}`, { pat })],
        [[waits.body.approval_id], 404]
      )
    }))

  it.effect("a member sees and cancels approvals of their agents; those of others are 404", () =>
    Effect.gen(function*() {
      const { api, ask, hub, owner } = yield* world
      const member = yield* makePerson(hub, owner.org, "member")
      const { approval, request } = yield* ask()
      const who = { cookie: member.cookie }
      assert.deepStrictEqual([
        (yield* api("GET", `/approvals/${approval}`, who)).status,
        (yield* api("GET", `/service-requests/${request}`, who)).status,
        (yield* api("POST", `/service-requests/${request}/cancel`, who)).status
      ], [404, 404, 404])
      assert.deepStrictEqual([
        (yield* api("GET", "/approvals", who)).body.data,
        (yield* api("GET", "/service-requests", who)).body.data,
        (yield* api("GET", "/agents", who)).body.data
      ], [[], [], []])
      const own = expectStatus(yield* api("POST", "/agents", { ...who, body: { name: "Mine" } }), 201)
      expectStatus(
        yield* api("POST", `/agents/${own.body.id}/services`, { ...who, body: { service: "echo", operations: ["*"] } }),
        201
      )
      yield* api("PATCH", `/workspaces/${owner.org}`, { cookie: owner.cookie, body: { approval_threshold_cents: 0 } })
      const waits = yield* api("POST", "/service-requests", {
        key: own.body.api_key,
        body: { service: "echo", operation: "say", payload: {} }
      })
      assert.strictEqual((yield* api("GET", `/approvals/${waits.body.approval_id}`, who)).status, 200)
      assert.deepStrictEqual(
        (yield* api("POST", `/approvals/${waits.body.approval_id}/approve`, who)).body.error.data,
        { permission: "approvals:decide" }
      )
      assert.deepStrictEqual(summaryOf(yield* api("POST", `/service-requests/${waits.body.id}/cancel`, who)), [
        200,
        "blocked",
        "approval_cancelled"
      ])
      yield* api("PATCH", `/workspaces/${owner.org}`, {
        cookie: owner.cookie,
        body: { approval_threshold_cents: 1_000 }
      })
    }))
})
