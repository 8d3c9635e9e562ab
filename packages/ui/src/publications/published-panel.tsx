/** The workspace's publications, newest first, and their revocation. */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useCan, useMe } from "../app/session.ts"
import { MenuItem } from "../components/menu.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type Publication, publicationPages } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { copyText } from "../listing/copy-text.ts"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { ListFrame } from "../listing/list-frame.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { listingText as listing } from "../text/listing.ts"
import { publicationsText } from "../text/publications.ts"
import { useAudienceName } from "./audience.tsx"
import { audienceColumn, nameColumn, StatusFilter } from "./list-parts.tsx"
import { PublicationDialog } from "./publication-dialog.tsx"
import { usePublicationsSearch } from "./use-publications-search.ts"

const statuses = ["active", "revoked"] as const
/** The looks of `patterns/status.ts`. */
const lookOf = { active: "approved", revoked: "withdrawn" } as const

export const PublishedPanel = ({ workspace }: { readonly workspace: string }) => {
  const t = publicationsText.published
  const navigate = useNavigate()
  const mayAct = useMayAct()
  const mayReview = useCan()("publish:review")
  const { user } = useMe()
  const { search: { status: given }, show } = usePublicationsSearch()
  const status = statuses.find((each) => each === given)
  const held = useHeldRows<Publication>(publicationPages(workspace, status === undefined ? {} : { status }))
  const audienceName = useAudienceName(workspace)
  const [open, setOpen] = useState<Publication>()
  const [revoking, setRevoking] = useState<Publication>()
  const clear = () => show("published")
  const mayRevoke = (row: Publication) => row.status === "active" && (mayReview || row.published_by.id === user.id)
  const columns: ReadonlyArray<Column<Publication>> = [
    nameColumn(t.columns.name),
    {
      id: "status",
      head: t.columns.status,
      width: "112px",
      narrow: "trail",
      cell: (row) => <StatusBadge status={lookOf[row.status]}>{t.statuses[row.status]}</StatusBadge>
    },
    audienceColumn(t.columns.audience, audienceName),
    {
      id: "publisher",
      head: t.columns.publisher,
      width: "minmax(104px, 1fr)",
      from: 720,
      cell: ({ published_by }) => published_by.name
    },
    {
      id: "since",
      head: t.columns.since,
      width: "132px",
      end: true,
      narrow: "underTrail",
      cell: ({ published_at }) => <RelativeTime at={published_at} now={hubClock.now} />
    }
  ]
  return (
    <ListFrame
      filters={<StatusFilter statuses={statuses} status={status} label={t.status} names={t.statuses} clear={clear} />}
    >
      <HubTable
        endpoint="publishing.listPublications"
        workspace={workspace}
        held={held}
        label={t.list}
        columns={columns}
        onOpen={setOpen}
        rowMenu={(row) => (
          <RowMenu label={listing.rowMenuOf(row.name)}>
            {() => (
              <>
                <MenuItem onSelect={() => setOpen(row)}>{t.open}</MenuItem>
                {row.subject.type === "agent" && (
                  <MenuItem
                    onSelect={() =>
                      void navigate({ to: "/w/$workspace/agents/$id", params: { workspace, id: row.subject.id } })}
                  >
                    {t.openAgent}
                  </MenuItem>
                )}
                <MenuItem onSelect={() => copyText(row.id)}>{listing.copyId}</MenuItem>
                {mayRevoke(row) && (
                  <MenuItem danger disabled={!mayAct} onSelect={() => setRevoking(row)}>{t.revoke.item}</MenuItem>
                )}
              </>
            )}
          </RowMenu>
        )}
        empty={{ text: t.empty }}
        noMatch={t.noMatch}
        onClear={status === undefined ? undefined : clear}
      />
      {open !== undefined && (
        <PublicationDialog
          publication={held.rows.find(({ id }) => id === open.id) ?? open}
          audience={audienceName(open)}
          onClose={() => setOpen(undefined)}
          onRevoke={mayRevoke(held.rows.find(({ id }) => id === open.id) ?? open)
            ? () => {
              setRevoking(open)
              setOpen(undefined)
            }
            : undefined}
        />
      )}
      {revoking !== undefined && (
        <RevokeDialog
          workspace={workspace}
          publication={revoking}
          onClose={() => setRevoking(undefined)}
        />
      )}
    </ListFrame>
  )
}

interface RevokeDialogProps {
  readonly workspace: string
  readonly publication: Publication
  readonly onClose: () => void
}

const RevokeDialog = ({ onClose, publication: { id, listed, name }, workspace }: RevokeDialogProps) => {
  const t = publicationsText.published.revoke
  const revoke = useAct("publishing.revoke", {
    workspace,
    touches: ["publishing", "audit"],
    done: t.done(name),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={revoke}
      onClose={onClose}
      title={t.title(name)}
      description={listed ? t.whatListed : t.what}
      confirmText={t.act}
      onConfirm={() => revoke.mutate({ params: { id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}
