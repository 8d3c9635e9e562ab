/** Cancels the pending approvals of an agent in the transaction of its deletion. */
import { Effect, Layer } from "effect"
import { PendingApprovals } from "../agents/service.ts"
import { Dispatch } from "../dispatch/pipeline/service.ts"
import { Db } from "../platform/db.ts"
import { ApprovalsRepository } from "./repository.ts"

export const pendingApprovalsLayer = Layer.effect(
  PendingApprovals,
  Effect.gen(function*() {
    const repository = yield* ApprovalsRepository
    const dispatch = yield* Dispatch
    const db = yield* Db
    return PendingApprovals.of({
      cancelOfAgent: Effect.fnUntraced(function*(org, agent, actor) {
        const pending = yield* repository.pendingOfAgent(org, agent)
        for (const approval of pending) {
          yield* repository.close(org, approval.id, { status: "cancelled", reason: "approval_cancelled" }, actor)
          yield* db.afterCommit(Effect.sync(() => dispatch.moved(approval.request_id)))
        }
        return pending.length
      })
    })
  })
)
