/** Who sees a publication, in words. */
import { useQuery } from "@tanstack/react-query"
import { useCan } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { allTeams, type Publication } from "../hub/queries.ts"
import { publicationsText } from "../text/publications.ts"

type Audience = Pick<Publication, "listed" | "scope" | "team_id">

/** The name of the team, or "Workspace". */
export const useAudienceName = (workspace: string): (audience: Audience) => string => {
  const mayRead = useCan()("members:read")
  const teams = useQuery({ ...allTeams(workspace), enabled: mayRead }).data ?? []
  const t = publicationsText.audience
  return ({ scope, team_id }) => scope === "org" ? t.workspace : teams.find(({ id }) => id === team_id)?.name ?? t.team
}

export const AudienceCell = ({ audience, name }: { readonly audience: Audience; readonly name: string }) => (
  <span className="inline-flex items-center gap-8 min-w-0">
    <span className="truncate">{name}</span>
    {audience.listed && <Badge>{publicationsText.audience.listed}</Badge>}
  </span>
)
