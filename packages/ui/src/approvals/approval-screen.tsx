/** The page of one approval. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { approvalQuery } from "../hub/queries.ts"
import { approvalText as t } from "../text/approvals.ts"
import { ApprovalDetail } from "./approval-detail.tsx"
import { operationOf } from "./words.ts"

export const ApprovalScreen = () => {
  const { id, workspace } = useParams({ from: "/w/$workspace/approvals/$id" })
  const { view = "form" } = useSearch({ from: "/w/$workspace/approvals/$id" })
  const navigate = useNavigate({ from: "/w/$workspace/approvals/$id" })
  const reading = useQuery(approvalQuery(workspace, id))
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/inbox", params: { workspace } }))
  return (
    <Page
      title={reading.data === undefined ? t.detail : t.title(reading.data.agent.name, operationOf(reading.data))}
      path={<Link quiet to="/w/$workspace/inbox" params={{ workspace }}>{t.inbox}</Link>}
      busy={reading.isFetching}
      layout="flush"
    >
      <ApprovalDetail
        org={workspace}
        id={id}
        view={view}
        onView={(next) => void navigate({ search: next === "form" ? {} : { view: next }, replace: true })}
        onOpen={(next) => void navigate({ params: { workspace, id: next }, search: {} })}
      />
    </Page>
  )
}
