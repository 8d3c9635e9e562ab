/** Who may see and change an agent. Another's answers as one that does not exist. Spec: contract 1 "Roles and permissions". */
import type { UpdateAgentInput } from "@countersign/domain/agents"
import type { Principal } from "@countersign/domain/auth"

/** An agent sees itself; a member what is their own; every other role all of the workspace. */
export const maySee = (
  principal: Principal,
  agent: { readonly id: string; readonly owner_user_id: string | null }
): boolean =>
  principal.kind === "agent"
    ? principal.agent_id === agent.id
    : principal.role !== "member" || agent.owner_user_id === principal.user_id

/** The owner that a list is narrowed to. */
export const ownerFilter = (principal: Principal): string | undefined =>
  principal.kind === "user" && principal.role === "member" ? principal.user_id : undefined

/** Whether a change only stops the agent's spending: whoever decides approvals may do that. */
export const freezesAlone = (change: UpdateAgentInput): boolean =>
  change.frozen === true && Object.keys(change).length === 1
