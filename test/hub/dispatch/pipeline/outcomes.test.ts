import { newId } from "@countersign/domain/ids"
import type { TestOutcome } from "@countersign/domain/service-requests"
import { Dispatch } from "@countersign/hub/dispatch/pipeline/service"
import type { Submission } from "@countersign/hub/dispatch/pipeline/submission"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { HubTest, makeAgent, TestHub, topUp } from "../../../support/hub.ts"

layer(HubTest(), { excludeTestServices: true })("a dispatch inside of the hub", (it) => {
  const submitted = Effect.fnUntraced(function*(script?: TestOutcome) {
    const hub = yield* TestHub
    yield* topUp(hub, hub.owner, 100)
    const { id } = yield* makeAgent(hub, hub.owner)
    const submission = {
      mode: "test",
      org: hub.owner.org,
      agent: id,
      actor: { type: "agent", id, name: "Agent" },
      service: "echo",
      operation: "say",
      payload: { text: "hello" },
      ...(script === undefined ? {} : { script })
    } as const
    return yield* hub.run(Effect.flatMap(Dispatch, (dispatch) => Effect.result(dispatch.submit(submission))))
  })

  it.effect("succeeds with Executed and Running", () =>
    Effect.gen(function*() {
      const executed = yield* submitted()
      assert(executed._tag === "Success" && executed.success._tag === "Executed")
      assert.include(executed.success.facts, { status: "executed", service: "echo", operation: "say" })
      const running = yield* submitted("running")
      assert(running._tag === "Success" && running.success._tag === "Running")
      assert.isNotNull(running.success.facts.waiting_for)
    }))

  it.effect("fails with one tag for each other outcome", () =>
    Effect.gen(function*() {
      const blocked = yield* submitted("blocked")
      assert(blocked._tag === "Failure" && blocked.failure._tag === "Blocked")
      assert.isNotNull(blocked.failure.facts.reason_code)
      const approval = yield* submitted("approval")
      assert(approval._tag === "Failure" && approval.failure._tag === "ApprovalRequired")
      assert.isNotNull(approval.failure.facts.approval_id)
      const failed = yield* submitted("failure")
      assert(failed._tag === "Failure" && failed.failure._tag === "Failed")
      assert.isNotNull(failed.failure.facts.result)
    }))

  /** A live submission of a new agent, and how to send it. */
  const live = Effect.fnUntraced(function*(cents: number) {
    const hub = yield* TestHub
    yield* topUp(hub, hub.owner, 100)
    const { id } = yield* makeAgent(hub, hub.owner, { monthly_budget_cents: cents })
    const submission = {
      mode: "live",
      org: hub.owner.org,
      agent: id,
      actor: { type: "agent", id, name: "Agent" },
      service: "echo",
      operation: "say",
      payload: { text: "hello" }
    } as const
    const submit = (more: Partial<Submission>) =>
      hub.run(Effect.flatMap(Dispatch, (dispatch) => Effect.result(dispatch.submit({ ...submission, ...more }))))
    const spent = Effect.map(
      hub.api("GET", `/agents/${id}`, { cookie: hub.owner.cookie }),
      ({ body }) => body.spent_this_month_cents as number
    )
    return { hub, spent, submission, submit }
  })

  it.effect("sends the submissions of one id once, together and again", () =>
    Effect.gen(function*() {
      const { spent, submit } = yield* live(50)
      const id = newId("req")
      const together = yield* Effect.forEach(
        Array.from({ length: 50 }),
        (_, at) => submit({ id, again: at % 2 === 0 }),
        {
          concurrency: "unbounded"
        }
      )
      for (const answer of [...together, yield* submit({ id, again: true })]) {
        assert(answer._tag === "Success" && answer.success._tag === "Executed")
        assert.strictEqual(answer.success.facts.id, id)
      }
      assert.strictEqual(yield* spent, 1)
    }))

  it.effect("answers as running once it has begun, when its sender waits for no more", () =>
    Effect.gen(function*() {
      const { hub, submission, submit } = yield* live(50)
      const begun = yield* submit({ until: "begun" })
      assert(begun._tag === "Success" && begun.success._tag === "Running")
      const { id } = begun.success.facts
      const ended = yield* hub.run(Effect.flatMap(Dispatch, (dispatch) => dispatch.await(submission.org, id, 20_000)))
      assert.strictEqual(ended._tag === "Some" && ended.value.status, "executed")
      const blocked = yield* submit({ until: "begun", service: "flights", operation: "book" })
      assert(blocked._tag === "Failure" && blocked.failure._tag === "Blocked")
    }))

  it.effect("shows its origin, and keeps the entry point for the rules of a later grant", () =>
    Effect.gen(function*() {
      const { hub, submit } = yield* live(50)
      const { cookie } = hub.owner
      const rule = yield* hub.api("POST", "/policies", {
        cookie,
        body: { name: "Runs ask", when: "context.door == 'workflow'", then: "require_approval" }
      })
      assert.strictEqual(rule.status, 201, rule.text)
      const filed = yield* submit({ door: "workflow", origin: { run_id: "run_1", label: "Pay" } })
      assert(filed._tag === "Failure" && filed.failure._tag === "ApprovalRequired")
      const { approval_id, id } = filed.failure.facts
      const shown = yield* hub.api("GET", `/service-requests/${id}`, { cookie })
      assert.deepStrictEqual(shown.body.origin, { run_id: "run_1", label: "Pay" })
      // A rule that only blocks requests of workflows is evaluated again at the grant.
      const blocking = yield* hub.api("PATCH", `/policies/${rule.body.id}`, { cookie, body: { then: "block" } })
      assert.strictEqual(blocking.status, 200, blocking.text)
      const granted = yield* hub.api("POST", `/approvals/${approval_id}/approve`, { cookie, body: {} })
      assert.strictEqual(granted.body.service_request?.reason_code, "policy_violation", granted.text)
      const direct = yield* submit({})
      assert(direct._tag === "Success" && direct.success._tag === "Executed")
      yield* hub.api("DELETE", `/policies/${rule.body.id}`, { cookie })
    }))

  it.effect("fits the budgets of the runs that it is part of, also when it is granted later", () =>
    Effect.gen(function*() {
      const { hub, submission, submit } = yield* live(50)
      const [budget] = yield* hub.run(
        Effect.flatMap(
          SqlClient.SqlClient,
          (sql) =>
            sql<{ readonly id: bigint }>`insert into limits (org_id, kind, mode, operation, cap)
          values (${submission.org}, limit_kind('task_budget'), 'live', 'run_1', 2) returning id`
        )
      )
      const budgets = [Number(budget!.id)]
      const answers = yield* Effect.forEach(Array.from({ length: 16 }), () => submit({ budgets }), {
        concurrency: "unbounded"
      })
      const outcomes = answers.map((answer) => answer._tag === "Success" ? "Executed" : answer.failure._tag).sort()
      assert.deepStrictEqual(outcomes, [...Array.from({ length: 14 }, () => "Blocked"), "Executed", "Executed"])
      const refused = answers.find((answer) => answer._tag === "Failure")
      assert(refused?._tag === "Failure" && refused.failure._tag === "Blocked")
      assert.strictEqual(refused.failure.facts.reason_code, "task_budget_exceeded")
    }))
})
