/** Families of agents as a tree, with the budget of each agent and what is left of it. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback, useRef } from "react"
import { AgentViews } from "../app/agent-views.tsx"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { agentQuery } from "../hub/queries.ts"
import { useArrivals } from "../live/arrivals.ts"
import { agentsText } from "../text/agents.ts"
import { familiesText as t } from "../text/families.ts"
import styles from "./families-screen.module.css"
import { FamilyTree } from "./family-tree.tsx"

export const FamiliesScreen = () => {
  const workspace = useWorkspaceId()
  const { root } = useSearch({ from: "/w/$workspace/agents/families" })
  const navigate = useNavigate()
  const shown = useRef(new Set<string>())
  const onShown = useCallback((id: string) => void shown.current.add(id), [])
  const arrived = useArrivals("agents.list", workspace)
  const news = arrived.ids.filter((id) => !shown.current.has(id)).length
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/agents", params: { workspace } }))
  return (
    <Page
      title={t.title}
      path={
        <Link quiet to="/w/$workspace/agents" params={{ workspace }}>
          {agentsText.title}
        </Link>
      }
      layout="flush"
      filters={<AgentViews current="families" />}
      news={news > 0 && <Button size="small" onClick={() => void arrived.show()}>{t.fresh(news)}</Button>}
    >
      <div className={`grid gap-4 ${styles.lead}`}>
        <p className="max-w-reading type-body text-2">{t.about}</p>
        <p className="type-note text-3">{t.month}</p>
        {root !== undefined && <Above root={root} />}
      </div>
      <FamilyTree
        key={root ?? ""}
        root={root}
        onShown={onShown}
      />
    </Page>
  )
}

/** Links from one agent's family to its parent's, and to all. */
const Above = ({ root }: { readonly root: string }) => {
  const workspace = useWorkspaceId()
  const agent = useQuery(agentQuery(workspace, root))
  const parent = agent.data?.parent_agent_id
  const to = { to: "/w/$workspace/agents/families", params: { workspace } } as const
  return (
    <ScreenState query={agent} skeleton={<p className="type-body">{t.title}</p>}>
      <p className="flex flex-wrap gap-x-16 type-body">
        <Link {...to} search={{}}>{t.all}</Link>
        {parent !== undefined && <Link {...to} search={{ root: parent }}>{t.up}</Link>}
      </p>
    </ScreenState>
  )
}
