/**
 * Detects an agent in a loop: repeated identical calls require approval, even if a rule allows them. Spec:
 * reference/devices.md "D22: repeated calls".
 */
import type { OfferedCommand } from "@countersign/domain/device-frames"
import { canonicalize } from "@countersign/domain/json"

/** This many identical calls in a row require approval. */
const repeatsMax = 3
/** Calls further apart do not count as a row. */
const rowMillis = 10 * 60_000

export interface Repeats {
  /** Whether this call exceeds the limit of identical calls in a row of its agent. Calls of people never do. */
  readonly tooMany: (command: OfferedCommand, now: number) => boolean
  /** Resets the count after an approval. */
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
