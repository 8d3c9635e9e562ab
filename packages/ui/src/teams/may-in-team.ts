/**
 * What the person may do in a team: by the role in the workspace, or as the team's lead. The hub enforces it; this only
 * decides which controls to show. Spec: reference/teams.md "Teams".
 */
import { useCan, useWorkspace } from "../app/session.ts"
import type { Team } from "../hub/queries.ts"

export interface MayInTeam {
  /** Members, their roles, name, and description. */
  readonly manage: boolean
  /** Money between the pool and members. */
  readonly allocate: boolean
  /** Money between the workspace's wallet and the pool. */
  readonly fund: boolean
  readonly remove: boolean
  /** The members and the money. */
  readonly see: boolean
}

export const useMayInTeam = (): (team: Pick<Team, "role">) => MayInTeam => {
  const can = useCan()
  const { role: own } = useWorkspace()
  return ({ role }) => ({
    manage: can("members:write") || role === "lead",
    allocate: can("budgets:write") || role === "lead",
    fund: can("budgets:write"),
    remove: can("members:write"),
    see: own !== "member" || role !== null
  })
}
