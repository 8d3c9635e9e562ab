/** What publishing does to a workflow: its version goes live, or ends being it. */
import { Effect, Layer } from "effect"
import { AuditLog } from "../platform/audit-log.ts"
import { PublishedWorkflows } from "../publishing/published-workflows.ts"
import { WorkflowsRepository } from "./repository.ts"

export const publishedWorkflowsLayer = Layer.effect(
  PublishedWorkflows,
  Effect.gen(function*() {
    const repository = yield* WorkflowsRepository
    const audit = yield* AuditLog
    return PublishedWorkflows.of({
      goLive: Effect.fn("PublishedWorkflows.goLive")(function*(org, actor, { id, version_id }, at) {
        yield* repository.setLive(org, id, version_id, at)
        yield* audit.record(org, actor, {
          action: "workflow.published",
          subject: { type: "workflow", id },
          data: { version_id }
        })
      }),
      endLive: Effect.fn("PublishedWorkflows.endLive")(function*(org, actor, id, at) {
        yield* repository.setLive(org, id, null, at)
        yield* audit.record(org, actor, {
          action: "workflow.unpublished",
          subject: { type: "workflow", id }
        })
      })
    })
  })
)
