/** Publish requests, newest first. Members see the requests that they made. */
import { rolePermissions } from "@countersign/domain/role-permissions"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useCan, useMe } from "../app/session.ts"
import { hubClock } from "../hub/hub-time.ts"
import { memberChoices, type PublishRequest, publishRequestPages } from "../hub/queries.ts"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { ListFrame } from "../listing/list-frame.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { publicationsText } from "../text/publications.ts"
import { useAudienceName } from "./audience.tsx"
import { audienceColumn, nameColumn, StatusFilter } from "./list-parts.tsx"
import { RequestDialog } from "./request-dialog.tsx"
import { usePublicationsSearch } from "./use-publications-search.ts"

const statuses = ["pending", "approved", "rejected", "withdrawn"] as const

/** Whether another person can review; undefined until it is known. */
const useHasOtherReviewer = (workspace: string): boolean | undefined => {
  const { user } = useMe()
  const mayRead = useCan()("members:read")
  const people = useQuery({ ...memberChoices(workspace), enabled: mayRead }).data?.data
  return people?.some(({ role, user_id }) => user_id !== user.id && rolePermissions[role].has("publish:review"))
}

export const ReviewPanel = ({ workspace }: { readonly workspace: string }) => {
  const t = publicationsText.review
  const mayReview = useCan()("publish:review")
  const { search: { status: given }, show } = usePublicationsSearch()
  const status = statuses.find((each) => each === given)
  const held = useHeldRows<PublishRequest>(publishRequestPages(workspace, status === undefined ? {} : { status }))
  const hasOther = useHasOtherReviewer(workspace)
  const audienceName = useAudienceName(workspace)
  const [open, setOpen] = useState<PublishRequest>()
  const clear = () => show("review")
  const columns: ReadonlyArray<Column<PublishRequest>> = [
    nameColumn(t.columns.name),
    {
      id: "status",
      head: t.columns.status,
      width: "112px",
      narrow: "trail",
      cell: (row) => <StatusBadge status={row.status}>{t.statuses[row.status]}</StatusBadge>
    },
    audienceColumn(t.columns.audience, audienceName),
    {
      id: "by",
      head: t.columns.by,
      width: "minmax(104px, 1fr)",
      from: 720,
      cell: ({ requested_by }) => requested_by.name
    },
    {
      id: "created",
      head: t.columns.created,
      width: "132px",
      end: true,
      narrow: "underTrail",
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    }
  ]
  return (
    <ListFrame
      filters={<StatusFilter statuses={statuses} status={status} label={t.status} names={t.statuses} clear={clear} />}
    >
      <HubTable
        endpoint="publishing.listRequests"
        workspace={workspace}
        held={held}
        label={t.list}
        columns={columns}
        onOpen={setOpen}
        empty={{ text: mayReview ? t.empty : t.emptyOwn }}
        noMatch={t.noMatch}
        onClear={status === undefined ? undefined : clear}
      />
      {open !== undefined && (
        <RequestDialog
          workspace={workspace}
          request={held.rows.find(({ id }) => id === open.id) ?? open}
          audience={audienceName(open)}
          hasOther={hasOther}
          onClose={() => setOpen(undefined)}
        />
      )}
    </ListFrame>
  )
}
