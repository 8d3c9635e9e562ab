/**
 * Ends agent requests after their expiry, and those of deleted agents. Several hubs may run it at once: each acts under
 * the workspace's lock on the current row.
 */
import { Context, Effect, Layer, Option } from "effect"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { DueWork } from "../platform/due-work.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { AgentRequestsRepository, type DueAgentRequest, dueAgentRequests } from "./repository.ts"

const roundMillis = 2_000
const batchMax = 100

export class AgentRequestSweeper extends Context.Service<AgentRequestSweeper, {
  /** Returns how many requests were due. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/agent-requests/AgentRequestSweeper") {
  static readonly layer = Layer.effect(
    AgentRequestSweeper,
    Effect.gen(function*() {
      const repository = yield* AgentRequestsRepository
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const signals = yield* Signals
      const audit = yield* AuditLog
      const db = yield* Db
      const { eachLocked } = yield* backgroundTransactions

      const end = Effect.fnUntraced(function*({ id, org_id: org }: DueAgentRequest, at: Date) {
        const row = Option.getOrUndefined(yield* repository.find(org, id))
        if (row === undefined || (row.status !== "expired" && row.status !== "dismissed")) return
        const { agent_id, kind, status } = row
        if (!(yield* repository.end(org, id, { status, answer: null, comment: null, by: null, at }))) return
        yield* audit.record(org, hubActor, {
          action: `agent_request.${status}`,
          subject: { type: "agent_request", id },
          agent_id,
          data: { kind, ...(status === "dismissed" ? { reason: "agent_deleted" } : {}) }
        })
        yield* db.afterCommit(Effect.sync(() => signals.object(id)))
      })

      const round = Effect.gen(function*() {
        const due = yield* repository.due(batchMax)
        yield* eachLocked("agent requests", due, end)
        return due.length
      })
      yield* repeatRounds(readiness, "agent requests", roundMillis, round, dueWork.wait(...dueAgentRequests))
      return AgentRequestSweeper.of({ round })
    })
  )
}
