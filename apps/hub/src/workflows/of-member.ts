/** Transfers the workflows of a person who leaves the workspace, or leaves them to its owners and admins. */
import { Effect, Layer } from "effect"
import { WorkflowsOfMember } from "../members/departure.ts"
import { AuditLog } from "../platform/audit-log.ts"
import { WorkflowsRepository } from "./repository.ts"

export const workflowsOfMemberLayer = Layer.effect(
  WorkflowsOfMember,
  Effect.gen(function*() {
    const repository = yield* WorkflowsRepository
    const audit = yield* AuditLog
    return WorkflowsOfMember.of({
      leave: Effect.fnUntraced(function*({ actor, org, transferTo = null, user }, at) {
        const owned = yield* repository.ownedBy(org, user)
        for (const id of owned) {
          yield* repository.update(org, id, { owner_user_id: transferTo }, at)
          yield* audit.record(org, actor, {
            action: "workflow.transferred",
            subject: { type: "workflow", id },
            data: { owner_user_id: { from: user, to: transferTo }, reason: "member_removed" }
          })
        }
        return owned.length
      })
    })
  })
)
