/**
 * Permissions to see and change an agent. Another owner's agent answers as one that does not exist. Spec:
 * reference/conventions.md "Roles and permissions".
 */
import type { UpdateAgentInput } from "@countersign/domain/agents"
import type { Principal } from "@countersign/domain/auth"

/** An agent sees itself, a member sees their own agents, and every other role sees all agents of the workspace. */
export const maySee = (
  principal: Principal,
  agent: { readonly id: string; readonly owner_user_id: string | null }
): boolean =>
  principal.kind === "agent"
    ? principal.agent_id === agent.id
    : principal.role !== "member" || agent.owner_user_id === principal.user_id

/** The owner to whom a list is restricted. */
export const ownerFilter = (principal: Principal): string | undefined =>
  principal.kind === "user" && principal.role === "member" ? principal.user_id : undefined

/** Whether a change only stops the agent's spending: people who decide approvals may make such a change. */
export const freezesAlone = (change: UpdateAgentInput): boolean =>
  change.frozen === true && Object.keys(change).length === 1
