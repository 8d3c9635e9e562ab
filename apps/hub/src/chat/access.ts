/** Which sessions a caller may see, and act on. Pure. Spec: reference/chat.md "Access". */
import type { Principal } from "@countersign/domain/auth"
import type { AgentId } from "@countersign/domain/ids"
import { maySeeAgent, ownerFilter, teamsToSee } from "../auth/own.ts"
import type { SessionRow } from "./records.ts"
import type { SessionFilter } from "./sessions-repository.ts"

/** An agent sees its own sessions of its key's mode; a person those of agents that they see, and those they began. */
export const maySeeSession = (principal: Principal, session: SessionRow): boolean =>
  principal.kind === "agent"
    ? session.agent_id === principal.agent_id && session.mode === principal.mode
    : session.user_id === principal.user_id || maySeeAgent(principal, { ...session, id: session.agent_id })

/** The same as a filter of lists. */
export const seenBy = (principal: Principal): Pick<SessionFilter, "mode" | "owner"> & { readonly only?: AgentId } => {
  if (principal.kind === "agent") return { mode: principal.mode, owner: undefined, only: principal.agent_id }
  const user = ownerFilter(principal)
  return {
    mode: undefined,
    owner: user === undefined ? undefined : { user, teams: teamsToSee(principal, "agent") }
  }
}
