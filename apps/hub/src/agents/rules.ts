import type { UpdateAgentInput } from "@countersign/domain/agents"

/** Whether a change only stops the agent's spending: people who decide approvals may make such a change. */
export const freezesAlone = (change: UpdateAgentInput): boolean =>
  change.frozen === true && Object.keys(change).length === 1
