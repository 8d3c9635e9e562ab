import type { TestOutcome } from "@countersign/domain/service-requests"
import { Dispatch } from "@countersign/hub/dispatch/pipeline/service"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
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
})
