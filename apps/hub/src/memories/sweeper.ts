/**
 * Deletes memories after their expiry, and those of deleted agents. Several hubs may run it at once: each acts under the
 * workspace's lock on the current rows. Spec: reference/memories.md "Expiry".
 */
import { Context, Effect, Layer } from "effect"
import { AuditLog, hubActor } from "../platform/audit-log.ts"
import { Readiness } from "../platform/readiness.ts"
import { backgroundTransactions, repeatRounds } from "../platform/rounds.ts"
import { AgentMemory } from "./recall.ts"
import { MemoriesRepository, type OfAgent } from "./repository.ts"

const roundMillis = 5_000
const agentsMax = 100
/** Memories of a deleted agent that one transaction deletes. */
const batchMax = 500

export class MemorySweeper extends Context.Service<MemorySweeper, {
  /** Returns the number of agents with expired memories, and of deleted agents with memories. */
  readonly round: Effect.Effect<number>
}>()("@countersign/hub/memories/MemorySweeper") {
  static readonly layer = Layer.effect(
    MemorySweeper,
    Effect.gen(function*() {
      const repository = yield* MemoriesRepository
      const memory = yield* AgentMemory
      const readiness = yield* Readiness
      const audit = yield* AuditLog
      const { eachLocked } = yield* backgroundTransactions

      const removeOfEnded = Effect.fnUntraced(function*({ agent_id: agent, org_id: org }: OfAgent) {
        const removed = yield* repository.remove(org, agent, yield* repository.idsOf(org, agent, batchMax))
        if (removed.length === 0) return
        yield* audit.record(org, hubActor, {
          action: "memory.removed",
          subject: { type: "agent", id: agent },
          agent_id: agent,
          data: { memories: removed.length, reason: "agent_deleted" }
        })
      })

      const round = Effect.gen(function*() {
        const due = yield* repository.due(agentsMax)
        yield* eachLocked("expired memories", due, (of, at) => memory.removeExpired(of.org_id, of.agent_id, at))
        const ended = yield* repository.ended(agentsMax)
        yield* eachLocked("memories of deleted agents", ended, removeOfEnded)
        return due.length + ended.length
      })
      yield* repeatRounds(readiness, "memories", roundMillis, round)
      return MemorySweeper.of({ round })
    })
  )
}
