/** What the person may do in a workspace that need not be the screen's. True while it is being read. */
import type { Permission } from "@countersign/domain/auth"
import { useQuery } from "@tanstack/react-query"
import { isLedIn } from "../app/led-teams.ts"
import { agentQuery, allTeams, meQuery } from "../hub/queries.ts"

export const usePermissionIn = (workspace: string, permission: Permission): boolean =>
  useQuery(meQuery(workspace)).data?.permissions.includes(permission) ?? true

/** In the workspace, or as the lead of the agent's team. Spec: reference/teams.md "Teams". */
export const usePermissionForAgent = (workspace: string, agent: string, permission: Permission): boolean => {
  const isGeneral = usePermissionIn(workspace, permission)
  const reading = useQuery({ ...agentQuery(workspace, agent), enabled: !isGeneral })
  const team = reading.data?.team_id
  const teams = useQuery({ ...allTeams(workspace), enabled: !isGeneral && team !== undefined })
  if (isGeneral || reading.isPending) return true
  if (team === undefined) return false
  return teams.isPending || isLedIn(teams.data, team)
}
