/** The marketplace, the workspace's publications, and its publish requests. */
import { useNavigate } from "@tanstack/react-router"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Tabs } from "../components/tabs.tsx"
import { catalogText } from "../text/catalog.ts"
import { publicationsText as t } from "../text/publications.ts"
import { MarketplacePanel } from "./marketplace-panel.tsx"
import { PublishedPanel } from "./published-panel.tsx"
import { ReviewPanel } from "./review-panel.tsx"
import { usePublicationsSearch } from "./use-publications-search.ts"

const views = ["marketplace", "published", "review"] as const
const panels = { marketplace: MarketplacePanel, published: PublishedPanel, review: ReviewPanel }

export const PublicationsScreen = () => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const { search: { view = "marketplace" }, show } = usePublicationsSearch()
  const Panel = panels[view]
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/catalog", params: { workspace } }))
  return (
    <Page
      title={t.title}
      path={
        <Link quiet to="/w/$workspace/catalog" params={{ workspace }}>
          {catalogText.title}
        </Link>
      }
      layout="flush"
    >
      <Tabs
        fill
        label={t.views}
        value={view}
        onChange={show}
        tabs={views.map((value) => ({ value, text: t[value].tab }))}
      >
        <Panel workspace={workspace} />
      </Tabs>
    </Page>
  )
}
