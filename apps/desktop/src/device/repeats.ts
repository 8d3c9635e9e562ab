/** An agent in a loop: the same call again and again is shown to a person, though a rule allows it. Spec: D22. */
import type { OfferedCommand } from "@countersign/domain/device-frames"
import { canonicalize } from "@countersign/domain/json"

/** The same call so often in a row is asked about. */
const repeatsMax = 3
/** Calls further apart are no loop. */
const rowMillis = 10 * 60_000

export interface Repeats {
  /** Whether this call is one too many of its kind, from this agent, in a row. People may repeat themselves. */
  readonly tooMany: (command: OfferedCommand, now: number) => boolean
  /** A person said yes: it counts anew. */
  readonly forgive: (command: OfferedCommand) => void
}

export const makeRepeats = (): Repeats => {
  const last = new Map<string, { readonly call: string; readonly count: number; readonly at: number }>()
  return {
    tooMany: ({ agent, id: _, input, tool, working_directory }, now) => {
      if (agent === undefined) return false
      const call = canonicalize({ tool, input, working_directory: working_directory ?? null })
      const before = last.get(agent.id)
      const count = before?.call === call && now - before.at < rowMillis ? before.count + 1 : 1
      last.set(agent.id, { call, count, at: now })
      return count >= repeatsMax
    },
    forgive: ({ agent }) => {
      if (agent !== undefined) last.delete(agent.id)
    }
  }
}
