/**
 * Standing approvals with a condition, and their use on pending approvals. Spec: reference/approvals.md "Standing
 * approvals", "Standing conditions".
 */
import { standingMax } from "@countersign/domain/approvals"
import { newId } from "@countersign/domain/ids"
import { triesMax } from "@countersign/hub/approvals/applying"
import { judgePending } from "@countersign/hub/standing-approvals/evaluation"
import { StandingApprovalsRepository } from "@countersign/hub/standing-approvals/repository"
import { withinStanding } from "@countersign/hub/standing-approvals/rules"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { expectHealthy, inDatabase, until } from "../../support/health.ts"
import { type Answer, expectStatus, HubTest, makeAgent, makeService, TestHub, topUp } from "../../support/hub.ts"
import { makePerson, makeWorkspace, stepUp } from "../../support/people.ts"
import { httpUpstream } from "../../support/upstream.ts"

const soon = () => new Date(Date.now() + 3_600_000).toISOString()

interface Applied {
  readonly id: string
  readonly status: string
  readonly error?: { readonly code: string }
}

layer(HubTest({ env: { HUB_EGRESS_ALLOW: "127.0.0.1" } }), { excludeTestServices: true })(
  "standing approvals",
  (it) => {
    const world = Effect.gen(function*() {
      const hub = yield* TestHub
      const { api, owner, target } = hub
      const as = { cookie: owner.cookie }
      yield* topUp(hub, owner, 10_000)
      const agent = yield* makeAgent(hub, owner, {
        bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
      })
      const say = (payload: unknown = {}, key = agent.key, headers: Record<string, string> = {}) =>
        Effect.map(
          api("POST", "/service-requests", { key, headers, body: { service: "echo", operation: "say", payload } }),
          (answer) => expectStatus(answer, 200).body
        )
      const ask = Effect.fnUntraced(function*(payload: unknown = {}, key?: string) {
        const body = yield* say(payload, key)
        assert.strictEqual(body.status, "approval_required")
        return { request: body.id as string, approval: body.approval_id as string }
      })
      const approve = (approval: string, remember?: object, who: object = as): Effect.Effect<Answer> =>
        api("POST", `/approvals/${approval}/approve`, {
          ...who,
          body: remember === undefined
            ? {}
            : { remember: { max_cost_cents: 1, max_uses: 50, expires_at: soon(), ...remember } }
        })
      const statuses = (payloads: ReadonlyArray<unknown>) =>
        Effect.forEach(payloads, (payload) => Effect.map(say(payload), ({ status }) => status as string))
      const read = (request: string) => Effect.map(api("GET", `/service-requests/${request}`, as), ({ body }) => body)
      const approvalOf = (id: string) => Effect.map(api("GET", `/approvals/${id}`, as), ({ body }) => body)
      const preview = (body: object) =>
        api("POST", "/standing-approvals/preview", {
          ...as,
          body: { agent_id: agent.id, service: "echo", operation: "say", max_cost_cents: 1, ...body }
        })
      const sql = <A>(run: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown>) =>
        inDatabase(target, Effect.orDie(Effect.flatMap(SqlClient.SqlClient, run)))
      return { agent, api, approvalOf, approve, as, ask, hub, owner, preview, read, say, sql, statuses, target }
    })

    it.effect("with a condition cover the payloads for which it is true, and not those for which it is false or fails", () =>
      Effect.gen(function*() {
        const { agent, api, approve, as, ask, statuses } = yield* world
        const { approval } = yield* ask({ to: "ada@example.com" })
        const when = "payload.to.endsWith(\"@example.com\")"
        const { standing_approval } = expectStatus(yield* approve(approval, { when }), 200).body
        assert.strictEqual(standing_approval.when, when)
        const listed = yield* api("GET", `/standing-approvals?agent_id=${agent.id}`, as)
        assert.deepStrictEqual(listed.body.data.map((row: { when?: string }) => row.when), [when])
        assert.deepStrictEqual(
          yield* statuses([{ to: "bob@example.com" }, { to: "bob@example.org" }, {}, { to: 7 }, {
            to: ["x@example.com"]
          }]),
          ["executed", "approval_required", "approval_required", "approval_required", "approval_required"]
        )
        const entries = yield* api("GET", `/audit-logs?subject_id=${standing_approval.id}`, as)
        assert.strictEqual(entries.body.data[0].data.when, when)
      }))

    it.effect("with different conditions: the one whose condition covers the payload is used", () =>
      Effect.gen(function*() {
        const { api, approve, as, ask, say } = yield* world
        const made: Array<string> = []
        for (const n of [1, 2]) {
          const { approval } = yield* ask({ n: 9 })
          made.push(
            expectStatus(yield* approve(approval, { when: `payload.n == ${n}` }), 200).body.standing_approval.id
          )
        }
        yield* say({ n: 2 })
        const uses = yield* Effect.forEach(
          made,
          (id) => Effect.map(api("GET", `/standing-approvals/${id}`, as), ({ body }) => body.uses as number)
        )
        assert.deepStrictEqual(uses, [0, 1])
      }))

    it.effect("reject an invalid condition with its place, and one that does not fit the payload's schema", () =>
      Effect.gen(function*() {
        const { agent, api, approve, as, ask, hub, owner, preview } = yield* world
        const { approval } = yield* ask()
        const problem = ({ body, status }: Answer) => [status, body.error?.details?.[0]]
        assert.deepStrictEqual(problem(yield* approve(approval, { when: "payload.n ==" })), [400, {
          path: "remember.when",
          message: "The expression ends too early (line 1, column 13) in: payload.n =="
        }])
        assert.deepStrictEqual((yield* approve(approval, { when: "ceiling_cents > 5" })).status, 400)
        assert.deepStrictEqual((yield* approve(approval, { when: "" })).status, 400)
        assert.deepStrictEqual(problem(yield* preview({ when: "true ||\n nope" })), [400, {
          path: "when",
          message: "Unknown variable: nope; known are payload (line 2, column 2) in:  nope"
        }])
        yield* makeService(hub, owner, {
          name: "typed",
          kind: "http",
          base_url: "https://typed.example",
          operations: [{
            name: "pay",
            method: "POST",
            path: "/pay",
            price: { type: "fixed", cents: 2 },
            payload_schema: { type: "object", properties: { amount: { type: "integer" } }, additionalProperties: false }
          }]
        })
        expectStatus(
          yield* api("POST", `/agents/${agent.id}/services`, {
            ...as,
            body: { service: "typed", operations: ["*"], approval_threshold_cents: 0 }
          }),
          201
        )
        const asked = yield* api("POST", "/service-requests", {
          key: agent.key,
          body: { service: "typed", operation: "pay", payload: { amount: 5 } }
        })
        for (const when of ["payload.amount == \"5\"", "payload.amuont == 5", "payload.amount.startsWith(\"5\")"]) {
          assert.strictEqual((yield* approve(asked.body.approval_id, { max_cost_cents: 2, when })).status, 400, when)
        }
        assert.strictEqual(yield* approvalStatus(api, as, asked.body.approval_id), "pending")
      }))

    it.effect("reject a total that does not cover one request of the highest cost", () =>
      Effect.gen(function*() {
        const { approve, ask, say } = yield* world
        const { approval } = yield* ask()
        const refused = yield* approve(approval, { max_cost_cents: 10, max_uses: undefined, max_total_cents: 9 })
        assert.deepStrictEqual([refused.status, refused.body.error?.details?.[0]?.path], [
          400,
          "remember.max_total_cents"
        ])
        expectStatus(yield* approve(approval, { max_cost_cents: 10, max_uses: undefined, max_total_cents: 10 }), 200)
        assert.strictEqual((yield* say()).status, "executed")
      }))

    it.effect("a preview for an agent, a service, or an operation that does not exist is 404", () =>
      Effect.gen(function*() {
        const { hub, preview } = yield* world
        const foreign = yield* makeAgent(hub, yield* makePerson(hub, yield* makeWorkspace(hub), "owner"))
        const refusals: ReadonlyArray<readonly [body: object, noun: string]> = [
          [{ agent_id: foreign.id }, "agent"],
          [{ agent_id: newId("agt") }, "agent"],
          [{ service: "nope" }, "service"],
          [{ operation: "nope" }, "operation"]
        ]
        for (const [body, noun] of refusals) {
          const { body: { error }, status } = yield* preview(body)
          assert.deepStrictEqual(
            [status, error?.message],
            [404, `No such ${noun} in this workspace.`],
            JSON.stringify(body)
          )
        }
      }))

    it.effect("a preview counts the past requests it would have covered, failures of its condition, and pending approvals", () =>
      Effect.gen(function*() {
        const { agent, approve, ask, preview, say } = yield* world
        const first = yield* ask({ n: 1 })
        yield* say({ n: 2 })
        yield* say({})
        yield* say({ n: 1 })
        const figures = ({ body }: Answer) => ({
          checked: body.checked as number,
          covered: body.covered as number,
          errors: body.errors as number,
          pending: body.pending
        })
        assert.deepStrictEqual(figures(yield* preview({ when: "payload.n == 1", approval_id: first.approval })), {
          checked: 4,
          covered: 2,
          errors: 1,
          pending: { count: 1, cost_cents: 1 }
        })
        assert.deepStrictEqual(figures(yield* preview({ max_uses: 2 })), {
          checked: 4,
          covered: 2,
          errors: 0,
          pending: { count: 2, cost_cents: 2 }
        })
        assert.isFalse((yield* preview({ when: "payload.n == 1" })).body.partial)
        assert.deepStrictEqual((yield* preview({ agent_id: agent.id, mode: "test" })).body.pending, {
          count: 0,
          cost_cents: 0
        })
        yield* approve(first.approval)
      }))

    it.effect("a condition sees masked fields in a decision, and not in a preview", () =>
      Effect.gen(function*() {
        const { agent, api, approve, as, hub, owner, preview } = yield* world
        const upstream = yield* httpUpstream((_, response) =>
          response.writeHead(200, { "content-type": "application/json" }).end("{}")
        )
        yield* makeService(hub, owner, {
          name: "masked",
          kind: "http",
          base_url: upstream.origin,
          operations: [{
            name: "pay",
            method: "POST",
            path: "/pay",
            price: { type: "fixed", cents: 1 },
            payload_schema: {
              type: "object",
              properties: { card: { type: "string", writeOnly: true } },
              required: ["card"],
              additionalProperties: false
            }
          }]
        })
        expectStatus(
          yield* api("POST", `/agents/${agent.id}/services`, {
            ...as,
            body: { service: "masked", operations: ["*"], approval_threshold_cents: 0 }
          }),
          201
        )
        const pay = (card: string) =>
          Effect.map(
            api("POST", "/service-requests", {
              key: agent.key,
              body: { service: "masked", operation: "pay", payload: { card } }
            }),
            ({ body }) => body
          )
        const when = "payload.card.startsWith(\"4\")"
        const asked = yield* pay("4111")
        const seen = yield* preview({ service: "masked", operation: "pay", when })
        assert.deepStrictEqual([seen.body.checked, seen.body.covered, seen.body.errors, seen.body.pending.count], [
          1,
          0,
          1,
          0
        ])
        expectStatus(yield* approve(asked.approval_id, { when }), 200)
        assert.deepStrictEqual([(yield* pay("4222")).status, (yield* pay("5222")).status], [
          "executed",
          "approval_required"
        ])
      }))

    it.effect("of concurrent requests only one takes the last use", () =>
      Effect.gen(function*() {
        const { approve, ask, say, target } = yield* world
        const { approval } = yield* ask({ n: 1 })
        expectStatus(yield* approve(approval, { max_uses: 3, when: "payload.n == 1" }), 200)
        const answers = yield* Effect.all(
          Array.from({ length: 12 }, () => say({ n: 1 })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(answers.filter(({ status }) => status === "executed").length, 3)
        assert.strictEqual(answers.filter(({ status }) => status === "approval_required").length, 9)
        yield* expectHealthy(target)
      }))

    it.effect("list the requests that they covered, to their own workspace only", () =>
      Effect.gen(function*() {
        const { api, approve, as, ask, hub, say } = yield* world
        const { approval, request } = yield* ask()
        const standing = expectStatus(yield* approve(approval, { max_uses: 2 }), 200).body.standing_approval
          .id as string
        const passed = [yield* say(), yield* say()].map(({ id }) => id as string)
        yield* say()
        const list = (who: object) =>
          Effect.map(
            api("GET", `/service-requests?standing_approval_id=${standing}`, who),
            ({ body }) => body.data.map(({ id }: { id: string }) => id)
          )
        assert.deepStrictEqual(yield* list(as), passed.toReversed())
        assert.notInclude(passed, request)
        const other = yield* makePerson(hub, yield* makeWorkspace(hub, "Other"), "owner")
        assert.deepStrictEqual(yield* list({ cookie: other.cookie }), [])
      }))

    it.effect("list the covered requests by status, including those older than the newest of that status", () =>
      Effect.gen(function*() {
        const { agent, api, approve, as, ask, hub, owner } = yield* world
        const upstream = yield* httpUpstream((_, response) => response.writeHead(500).end("{}"))
        yield* makeService(hub, owner, {
          name: "broken",
          kind: "http",
          base_url: upstream.origin,
          operations: [{
            name: "pay",
            method: "POST",
            path: "/pay",
            price: { type: "fixed", cents: 1 },
            payload_schema: { type: "object" }
          }]
        })
        expectStatus(
          yield* api("POST", `/agents/${agent.id}/services`, {
            ...as,
            body: { service: "broken", operations: ["*"], approval_threshold_cents: 0 }
          }),
          201
        )
        const pay = (payload: object) =>
          Effect.map(
            api("POST", "/service-requests", {
              key: agent.key,
              body: { service: "broken", operation: "pay", payload }
            }),
            ({ body }) => body
          )
        yield* ask()
        const made: Array<string> = []
        for (const n of [1, 2]) {
          const asked = yield* pay({ n })
          made.push(
            expectStatus(yield* approve(asked.approval_id, { when: `payload.n == ${n}` }), 200).body.standing_approval
              .id
          )
        }
        const passed = yield* pay({ n: 1 })
        for (let newer = 0; newer < 3; newer++) assert.strictEqual((yield* pay({ n: 2 })).status, "failed")
        const listed = yield* api("GET", `/service-requests?standing_approval_id=${made[0]}&status=failed&limit=1`, as)
        assert.deepStrictEqual(listed.body.data.map(({ id }: { id: string }) => id), [passed.id])
      }))

    it.effect("list the covered requests of a test key", () =>
      Effect.gen(function*() {
        const { api, approve, as, ask, hub, owner, say } = yield* world
        const { key } = yield* makeAgent(hub, owner, {
          mode: "test",
          bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
        })
        const { approval } = yield* ask({}, key)
        const standing = expectStatus(yield* approve(approval, {}), 200).body.standing_approval
        assert.strictEqual(standing.mode, "test")
        const passed = yield* say({}, key)
        assert.strictEqual(passed.status, "executed")
        const listed = yield* api("GET", `/service-requests?standing_approval_id=${standing.id}`, as)
        assert.deepStrictEqual(listed.body.data.map(({ id }: { id: string }) => id), [passed.id])
      }))

    it.effect("are limited for each agent, and revoking one frees its place", () =>
      Effect.gen(function*() {
        const { agent, api, approve, as, ask, hub, owner } = yield* world
        // A condition that covers nothing, so that the approvals below stay pending.
        const like = {
          agent_id: agent.id,
          service: "echo",
          operation: "say",
          mode: "live" as const,
          max_cost_cents: 1,
          when: "false",
          expires_at: new Date(soon())
        }
        yield* hub.run(Effect.flatMap(StandingApprovalsRepository, (standings) =>
          Effect.forEach(Array.from({ length: standingMax }), () =>
            standings.add(
              owner.org,
              newId("sta"),
              { ...like, max_total_cents: undefined, max_uses: undefined },
              owner.user
            ))))
        const { approval } = yield* ask()
        const full = yield* approve(approval, {})
        assert.deepStrictEqual([full.status, full.body.error.code, full.body.error.data.max], [
          409,
          "limit_reached",
          standingMax
        ])
        const [first] = (yield* api("GET", `/standing-approvals?agent_id=${agent.id}`, as)).body.data
        expectStatus(yield* api("DELETE", `/standing-approvals/${first.id}`, as), 204)
        expectStatus(yield* approve(approval, {}), 200)
      }))

    it.effect("applied to pending approvals decide those they cover, oldest first, and record the cause of each decision", () =>
      Effect.gen(function*() {
        const { agent, api, approvalOf, approve, as, ask, hub, owner, read, target } = yield* world
        const rule = expectStatus(
          yield* api("POST", "/policies", {
            ...as,
            body: { name: "five", when: "has(payload.n) && payload.n == 5", then: "require_approval" }
          }),
          201
        )
        const first = yield* ask({ n: 1 })
        const covered = [yield* ask({ n: 1 }), yield* ask({ n: 1 }), yield* ask({ n: 1 })]
        const others = [
          yield* ask({ n: 2 }),
          yield* ask({ n: 5 }),
          yield* ask(
            { n: 1 },
            (yield* makeAgent(hub, owner, {
              bindings: [{ service: "echo", operations: ["*"], approval_threshold_cents: 0 }]
            })).key
          )
        ]
        const late = yield* ask({ n: 1 })
        const answer = expectStatus(
          yield* approve(first.approval, { when: "payload.n in [1, 5]", max_uses: 3, apply_to_pending: true }),
          200
        )
        assert.deepStrictEqual(
          answer.body.applied.map(({ error, id, status }: Applied) => [id, status, error?.code]),
          covered.map(({ approval }) => [approval, "approved", undefined])
        )
        for (const { approval, request } of covered) {
          yield* until("the request is executed", Effect.map(read(request), ({ status }) => status === "executed"))
          const decided = yield* approvalOf(approval)
          assert.deepStrictEqual([decided.status, decided.decided_by.id], ["approved", owner.user])
        }
        for (const { approval } of [...others, late]) {
          assert.strictEqual((yield* approvalOf(approval)).status, "pending")
        }
        const { standing_approval: { id } } = answer.body
        assert.deepStrictEqual([answer.body.standing_approval.uses, answer.body.standing_approval.used_cents], [3, 3])
        const log = yield* api("GET", `/audit-logs?agent_id=${agent.id}&action=approval.approved&limit=10`, as)
        const entries = log.body.data as ReadonlyArray<
          { seq: number; subject: { id: string }; data: { standing_approval_id?: string } }
        >
        assert.deepStrictEqual(
          entries.toSorted((one, two) => one.seq - two.seq).map((
            { data, subject }
          ) => [subject.id, data.standing_approval_id]),
          [[first.approval, undefined], ...covered.map(({ approval }) => [approval, id])]
        )
        yield* until(
          "its last use is noted",
          Effect.map(api("GET", `/standing-approvals/${id}`, as), ({ body }) => body.last_used_at !== undefined)
        )
        const passed = yield* api("GET", `/service-requests?standing_approval_id=${id}`, as)
        assert.deepStrictEqual(
          passed.body.data.map((row: { id: string }) => row.id),
          covered.map(({ request }) => request).toReversed()
        )
        // A repeated call decides nothing again.
        assert.strictEqual((yield* approve(first.approval, { apply_to_pending: true })).status, 409)
        yield* api("DELETE", `/policies/${rule.body.id}`, as)
        yield* expectHealthy(target)
      }))

    it.effect("applied to pending approvals respect separation of duties and caps", () =>
      Effect.gen(function*() {
        const { agent, api, approvalOf, approve, as, ask, hub, owner, read } = yield* world
        yield* stepUp(hub, owner)
        const operator = yield* makePerson(hub, owner.org, "operator")
        const [first, edited, plain] = [yield* ask({ n: 1 }), yield* ask({ n: 2 }), yield* ask({ n: 3 })]
        // The operator edits one request and becomes its requester.
        const { payload_digest } = yield* approvalOf(edited.approval)
        const edit = yield* api("POST", `/approvals/${edited.approval}/edit`, {
          cookie: operator.cookie,
          body: { payload: { n: 4 }, payload_digest }
        })
        const own = edit.body.service_request.approval_id as string
        expectStatus(
          yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { separation_of_duties: true } }),
          200
        )
        yield* api("PATCH", `/agents/${agent.id}/budget`, { ...as, body: { monthly_budget_cents: 1 } })
        const answer = yield* approve(first.approval, { apply_to_pending: true }, { cookie: operator.cookie })
        expectStatus(
          yield* api("PATCH", `/workspaces/${owner.org}`, { ...as, body: { separation_of_duties: false } }),
          200
        )
        assert.deepStrictEqual(
          expectStatus(answer, 200).body.applied.map(({ error, id, status }: Applied) => [id, status, error?.code]),
          [
            [plain.approval, "approved", undefined],
            [own, "pending", "separation_of_duties"]
          ]
        )
        assert.deepStrictEqual([(yield* read(plain.request)).reason_code, (yield* approvalOf(own)).status], [
          "agent_budget_exceeded",
          "pending"
        ])
      }))

    it.effect("applied to pending approvals leave to a person those that a newer rule requires approval for", () =>
      Effect.gen(function*() {
        const { api, approvalOf, approve, as, ask } = yield* world
        const [first, plain, ruled] = [yield* ask({ n: 1 }), yield* ask({ n: 1 }), yield* ask({ n: 7 })]
        const rule = expectStatus(
          yield* api("POST", "/policies", {
            ...as,
            body: {
              name: "seven",
              when: "has(payload.n) && payload.n == 7",
              then: "require_approval",
              required_approvals: 2
            }
          }),
          201
        )
        const answer = expectStatus(yield* approve(first.approval, { apply_to_pending: true }), 200)
        yield* api("DELETE", `/policies/${rule.body.id}`, as)
        assert.deepStrictEqual(answer.body.applied.map(({ error, id, status }: Applied) => [id, status, error?.code]), [
          [plain.approval, "approved", undefined],
          [ruled.approval, "pending", "standing_not_allowed"]
        ])
        assert.strictEqual((yield* approvalOf(ruled.approval)).status, "pending")
      }))

    it.effect("whose hub failed half-way decide the remaining approvals later, once", () =>
      Effect.gen(function*() {
        const { approvalOf, approve, ask, read, sql, target } = yield* world
        const [first, second, third] = [yield* ask(), yield* ask(), yield* ask()]
        yield* sql((sql) =>
          sql.unsafe(`create or replace function fail_write() returns trigger language plpgsql as
      'begin raise exception ''this test lets no such row in''; end'`)
        )
        yield* sql((sql) =>
          sql.unsafe(`create trigger fail_write before insert on approval_decisions for each row
      when (new.approval_id = '${second.approval}') execute function fail_write()`)
        )
        const answer = expectStatus(yield* approve(first.approval, { apply_to_pending: true }), 200)
        assert.deepStrictEqual(answer.body.applied.map(({ error, status }: Applied) => [status, error]), [[
          "pending",
          undefined
        ], ["approved", undefined]])
        assert.strictEqual((yield* approvalOf(third.approval)).status, "approved")
        yield* sql((sql) => sql.unsafe("drop trigger fail_write on approval_decisions"))
        yield* sql((sql) => sql`update standing_backlog set due_at = now() - interval '1 second'`)
        yield* until("the rest is decided", Effect.map(read(second.request), ({ status }) => status === "executed"))
        assert.deepStrictEqual(yield* sql((sql) => sql`select approval_id from standing_backlog`), [])
        yield* expectHealthy(target)
      }))

    it.effect("applied to pending approvals decide those that are still pending once the workspace is locked", () =>
      Effect.gen(function*() {
        const { approvalOf, approve, as, api, ask, hub, owner } = yield* world
        const [first, rejected, kept] = [yield* ask({ n: 1 }), yield* ask({ n: 1 }), yield* ask({ n: 1 })]
        const standings = yield* hub.run(StandingApprovalsRepository)
        const like = {
          agent_id: (yield* approvalOf(first.approval)).agent.id,
          service: "echo",
          operation: "say",
          mode: "live",
          max_cost_cents: 1
        } as const
        const { found, rows } = yield* standings.pending(owner.org, like, first.approval, 10)
        assert.deepStrictEqual([rows.map(({ id }) => id), found], [[rejected.approval, kept.approval], 2])
        assert.deepStrictEqual((yield* standings.pending(owner.org, like, undefined, 2)).found, 3)
        expectStatus(yield* api("POST", `/approvals/${rejected.approval}/reject`, { ...as, body: {} }), 200)
        const still = yield* standings.stillPending(owner.org, like, rows.map(({ id }) => id))
        assert.deepStrictEqual(still, [{ id: kept.approval, cost_cents: 1 }])
        const { applied } = expectStatus(yield* approve(first.approval, { apply_to_pending: true }), 200).body
        assert.deepStrictEqual(applied.map(({ id }: Applied) => id), [kept.approval])
      }))

    it.effect("leave an approval to a person after too many failed tries, and record it", () =>
      Effect.gen(function*() {
        const { api, approvalOf, approve, as, ask, sql, target } = yield* world
        const [first, broken] = [yield* ask(), yield* ask()]
        yield* sql((sql) =>
          sql.unsafe(`create or replace function fail_write() returns trigger language plpgsql as
      'begin raise exception ''this test lets no such row in''; end'`)
        )
        yield* sql((sql) =>
          sql.unsafe(`create trigger fail_write before insert on approval_decisions for each row
      when (new.approval_id = '${broken.approval}') execute function fail_write()`)
        )
        const { standing_approval: { id } } =
          expectStatus(yield* approve(first.approval, { apply_to_pending: true }), 200).body
        const tries = sql((sql) =>
          sql<{ tries: number }>`select tries from standing_backlog where approval_id = ${broken.approval}`
        )
        yield* until("the first try is counted", Effect.map(tries, ([row]) => row?.tries === 1))
        yield* sql((sql) =>
          sql`update standing_backlog set tries = ${triesMax - 1}, due_at = now() - interval '1 second'`
        )
        yield* until("the approval is left to a person", Effect.map(tries, (rows) => rows.length === 0))
        yield* sql((sql) => sql.unsafe("drop trigger fail_write on approval_decisions"))
        const log = yield* api("GET", `/audit-logs?subject_id=${id}&action=standing_approval.not_applied`, as)
        assert.deepStrictEqual(log.body.data.map(({ data }: { data: unknown }) => data), [
          { approval_id: broken.approval, service_request_id: broken.request, tries: triesMax }
        ])
        const pending = yield* approvalOf(broken.approval)
        assert.strictEqual(pending.status, "pending")
        expectStatus(yield* approve(broken.approval), 200)
        yield* expectHealthy(target)
      }))
  }
)

describe("pending approvals that a standing approval covers", () => {
  const like = {
    agent_id: "agt_1",
    service: "s",
    operation: "o",
    mode: "live",
    max_cost_cents: 1,
    max_total_cents: undefined,
    max_uses: undefined
  } as const
  const pendingOf = (count: number) => ({
    rows: Array.from(
      { length: count },
      (_, n) => ({ id: `apr_${n}`, request_id: `req_${n}` as const, cost_cents: 1, payload: JSON.stringify({ n }) })
    ),
    found: count
  })

  it("are evaluated while other fibers run, and not more than can be applied", async () => {
    let others = 0
    let isOver = false
    const other = () => {
      others++
      if (!isOver) setImmediate(other)
    }
    setImmediate(other)
    let read = 0
    const judged = await Effect.runPromise(judgePending(
      { pending: () => Effect.succeed(pendingOf(500)) },
      "org_1",
      { ...like, when: "payload.n >= 0" },
      undefined,
      performance.now() + 60_000,
      (text) => {
        read++
        return JSON.parse(text)
      }
    ))
    isOver = true
    assert.deepStrictEqual([judged.matching.length, judged.partial, read], [100, false, 100])
    assert.isAbove(others, 50)
  })

  it("are no longer evaluated after their condition has taken too long", async () => {
    const items = Array.from({ length: 57 }, (_, n) => n)
    const when = "payload.items.all(a, payload.items.all(b, payload.items.all(c, a + b + c >= 0)))"
    let read = 0
    const judged = await Effect.runPromise(judgePending(
      { pending: () => Effect.succeed(pendingOf(1_000)) },
      "org_1",
      { ...like, when },
      undefined,
      performance.now() + 200,
      () => {
        read++
        return { items, n: read }
      }
    ))
    assert.isBelow(read, 1_000)
    assert.isTrue(judged.partial)
  })

  it("are partly known when there are more than the maximum", async () => {
    const { found, rows } = pendingOf(40)
    const judged = await Effect.runPromise(judgePending(
      { pending: () => Effect.succeed({ rows, found: found + 1 }) },
      "org_1",
      { ...like, when: "payload.n < 3" },
      undefined,
      performance.now() + 60_000
    ))
    assert.deepStrictEqual(judged, {
      matching: [0, 1, 2].map((n) => ({ id: `apr_${n}`, cost_cents: 1 })),
      partial: true
    })
  })

  it("are decided oldest first until the standing approval is used up", () => {
    const pending = [1, 5, 2, 1, 1].map((cost_cents, n) => ({ n, cost_cents }))
    const within = (bounds: Parameters<typeof withinStanding>[0]) => withinStanding(bounds, pending).map(({ n }) => n)
    assert.deepStrictEqual(within({ max_cost_cents: 3, max_total_cents: 4 }), [0, 2, 3])
    assert.deepStrictEqual(within({ max_cost_cents: 9, max_uses: 2 }), [0, 1])
  })
})

const approvalStatus = (
  api: (method: string, path: string, call: object) => Effect.Effect<Answer>,
  who: object,
  id: string
) => Effect.map(api("GET", `/approvals/${id}`, who), ({ body }) => body.status as string)
