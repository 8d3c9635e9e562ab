/** Sets or ends the active team of the session. */
import { useWorkspaceId } from "../app/session.ts"
import type { Team } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { teamsText } from "../text/teams.ts"

export const useActiveTeam = () => {
  const t = teamsText.active
  const call = useAct("teams.switch", {
    workspace: useWorkspaceId(),
    touches: ["auth.me"],
    done: (team) => team === null ? t.left : t.entered(team.name)
  })
  const { isPending, mutate } = call
  return {
    call,
    enter: (team: Pick<Team, "id"> | null) => {
      if (!isPending) mutate({ payload: { team_id: team?.id ?? null } })
    }
  }
}
