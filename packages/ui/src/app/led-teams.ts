/**
 * Whether the person leads a team of this workspace. A lead has the permissions `agents:write`, `budgets:write`, and
 * `approvals:decide` for the team's agents. Spec: reference/teams.md "Teams".
 */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { allTeams } from "../hub/queries.ts"
import { useCan, useWorkspace } from "./session.ts"

export const isLedIn = (
  teams: ReadonlyArray<Output<"teams.list">["data"][number]> | undefined,
  team: string | undefined
): boolean => teams?.find(({ id }) => id === team)?.role === "lead"

/** Read only by those whose role in the workspace does not include these permissions. */
export const useLeadsTeam = (): (team: string | undefined) => boolean => {
  const can = useCan()
  const enabled = can("members:read") && !can("budgets:write")
  const teams = useQuery({ ...allTeams(useWorkspace().id), enabled }).data
  return (team) => isLedIn(teams, team)
}
