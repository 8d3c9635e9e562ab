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
/** Batches of one kind in a round. */
const batchesMax = 20

export class MemorySweeper extends Context.Service<MemorySweeper, {
  /** Returns the number of deleted memories. */
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
        if (removed.length > 0) {
          yield* audit.record(org, hubActor, {
            action: "memory.removed",
            subject: { type: "agent", id: agent },
            agent_id: agent,
            data: { memories: removed.length, reason: "agent_deleted" }
          })
        }
        return removed.length
      })

      /** A transaction for each agent and batch, so that the lock is held briefly; a crash in between leaves the rest due. */
      const removeAll = Effect.fnUntraced(function*(
        what: string,
        find: Effect.Effect<ReadonlyArray<OfAgent>>,
        remove: (of: OfAgent, at: Date) => Effect.Effect<number>
      ) {
        let total = 0
        for (let batch = 0; batch < batchesMax; batch++) {
          const before = total
          yield* eachLocked(what, yield* find, (of, at) =>
            Effect.map(remove(of, at), (removed) => {
              total += removed
            }))
          // Nothing is due, or every workspace with due memories is locked.
          if (total === before) break
        }
        return total
      })

      const round = Effect.gen(function*() {
        const expired = yield* removeAll(
          "expired memories",
          repository.due(agentsMax),
          (of, at) => memory.removeExpired(of.org_id, of.agent_id, at)
        )
        return expired + (yield* removeAll("memories of deleted agents", repository.ended(agentsMax), removeOfEnded))
      })
      yield* repeatRounds(readiness, "memories", roundMillis, round)
      return MemorySweeper.of({ round })
    })
  )
}
