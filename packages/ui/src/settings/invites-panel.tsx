/** The invites of the workspace, for people with the permission to invite. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { allTeams, type Invite, invitePages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { RowList } from "../patterns/row-list.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { Phrase } from "../text/catalogue.ts"
import { invitesText as t } from "../text/invites.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"
import { InviteDialog } from "./invite-dialog.tsx"
import { Moment } from "./moment.tsx"

/** The status of the console's list of looks (`patterns/status.ts`). */
const looks = { pending: "pending", accepted: "executed", revoked: "cancelled", expired: "expired" } as const

export const InvitesPanel = () => {
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const [inviting, setInviting] = useState(false)
  const [revoking, setRevoking] = useState<Invite>()
  const pages = useInfiniteQuery(invitePages(workspace))
  const rows = rowsOf(pages.data)
  const teams = useQuery({ ...allTeams(workspace), enabled: rows.some(({ team_id }) => team_id !== undefined) }).data
  const teamName = (id: string) => teams?.find((team) => team.id === id)?.name ?? t.otherTeam
  const invite = <Button size="small" disabled={!mayAct} onClick={() => setInviting(true)}>{t.act}</Button>
  return (
    <Panel title={t.title} actions={invite} flush>
      <ScreenState query={pages}>
        {rows.length === 0
          ? <EmptyState>{t.empty}</EmptyState>
          : (
            <RowList
              label={t.list}
              rows={rows.map((row) => ({
                key: row.id,
                title: (
                  <>
                    {row.email} <StatusBadge status={looks[row.status]}>{t.statuses[row.status]}</StatusBadge>
                  </>
                ),
                detail: (
                  <>
                    <span>{settingsText.roles[row.role]}</span>
                    {row.team_id !== undefined && row.team_role !== undefined && (
                      <span>
                        <Phrase text={t.inTeam} teamRole={t.teamRoles[row.team_role]} team={teamName(row.team_id)} />
                      </span>
                    )}
                    <span>
                      <Phrase text={t.by} name={row.invited_by.name} time={<Moment at={row.created_at} />} />
                    </span>
                    {row.status === "pending" && (
                      <span>
                        <Phrase text={t.until} time={<Moment at={row.expires_at} />} />
                      </span>
                    )}
                    {row.accepted_at !== undefined && (
                      <span>
                        <Phrase text={t.accepted} time={<Moment at={row.accepted_at} />} />
                      </span>
                    )}
                  </>
                ),
                acts: row.status === "pending" && (
                  <Button
                    size="small"
                    variant="danger"
                    disabled={!mayAct}
                    aria-label={t.revokeOf(row.email)}
                    onClick={() => setRevoking(row)}
                  >
                    {t.revoke}
                  </Button>
                )
              }))}
            />
          )}
        {pages.hasNextPage && (
          <div className={styles.foot}>
            <MoreButton pages={pages}>{t.more}</MoreButton>
          </div>
        )}
      </ScreenState>
      {inviting && <InviteDialog onClose={() => setInviting(false)} />}
      {revoking !== undefined && <RevokeDialog invite={revoking} onClose={() => setRevoking(undefined)} />}
    </Panel>
  )
}

const RevokeDialog = ({ invite, onClose }: { readonly invite: Invite; readonly onClose: () => void }) => {
  const workspace = useWorkspaceId()
  const revoke = useAct("invites.revoke", {
    workspace,
    touches: ["invites"],
    done: t.revoked(invite.email),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={revoke}
      onClose={onClose}
      title={t.revokeTitle(invite.email)}
      description={t.revokeWhat}
      confirmText={t.revoke}
      onConfirm={() => revoke.mutate({ params: { id: workspace, inviteId: invite.id } })}
      failed={t.revokeFailed}
      unchanged={t.unchanged}
    />
  )
}
