/**
 * The versions of agents as the ticks last found them. A tick begins a request only if its decision was made on the
 * agent's current version, so every begin confirms the cached entries of that version. Caches need no separate read for
 * an agent in use.
 */
import type { AgentId } from "@countersign/domain/ids"
import { Context, Effect, Layer } from "effect"
import { LRUCache } from "lru-cache"

/** The most agents in memory; beyond it the one that was confirmed longest ago is dropped. */
const agentsMax = 10_000

interface Confirmed {
  version: number
  at: number
}

export class ConfirmedVersions extends Context.Service<ConfirmedVersions, {
  /** The agent had this version at `at`, or later. Times are monotonic milliseconds of this process. */
  readonly confirm: (agent: AgentId, version: number, at: number) => void
  /** The last time at which the agent had this version; `undefined` when another version was found since. */
  readonly confirmedAt: (agent: AgentId, version: number) => number | undefined
}>()("@countersign/hub/platform/ConfirmedVersions") {
  static readonly layer = Layer.effect(
    ConfirmedVersions,
    Effect.sync(() => {
      const versions = new LRUCache<string, Confirmed>({ max: agentsMax })
      return ConfirmedVersions.of({
        confirm: (agent, version, at) => {
          const last = versions.get(agent)
          if (last === undefined) return void versions.set(agent, { version, at })
          // Answers of batches can overtake each other: a version never decreases, and neither does its time.
          if (version < last.version) return
          last.at = version === last.version ? Math.max(last.at, at) : at
          last.version = version
        },
        confirmedAt: (agent, version) => {
          const last = versions.peek(agent)
          return last?.version === version ? last.at : undefined
        }
      })
    })
  )
}
