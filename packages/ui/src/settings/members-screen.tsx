/** The members of a workspace, their roles, and the permissions of each role. */
import type { Role } from "@countersign/domain/auth"
import type { Row } from "@countersign/hub-client/contract"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useMe, useWorkspace, useWorkspaceId } from "../app/session.ts"
import { Avatar } from "../components/avatar.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { memberPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { memberName } from "../patterns/member-name.ts"
import { RowList } from "../patterns/row-list.tsx"
import { Phrase } from "../text/catalogue.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"
import { InvitesPanel } from "./invites-panel.tsx"
import { isLastOwner } from "./last-owner.ts"
import { Moment } from "./moment.tsx"
import { roles } from "./permission-groups.ts"
import { RemoveMemberDialog } from "./remove-member-dialog.tsx"
import { RolesTable } from "./roles-table.tsx"
import { SettingsFrame } from "./settings-frame.tsx"

type Member = Row<"members.list">

export const MembersScreen = () => {
  const { members: t, more, roles: roleNames } = settingsText
  const workspace = useWorkspace()
  const { user } = useMe()
  const can = useCan()
  const [changing, setChanging] = useState<{ readonly member: Member; readonly role: Role }>()
  const [removing, setRemoving] = useState<Member>()
  const mayAct = useMayAct()
  const pages = useInfiniteQuery({ ...memberPages(workspace.id), enabled: can("members:read") })
  const isOwner = workspace.role === "owner"
  const mayChange = ({ role }: Member) => can("members:write") && (isOwner || role !== "owner")
  return (
    <SettingsFrame section="members" busy={pages.isFetching}>
      {can("members:read")
        ? (
          <Panel title={t.people} flush>
            <ScreenState query={pages}>
              <RowList
                label={t.people}
                rows={rowsOf(pages.data).map((member) => ({
                  key: member.user_id,
                  mark: <Avatar kind="person" name={memberName(member)} size={24} />,
                  title: <>{memberName(member)} {member.user_id === user.id && <Badge>{t.you}</Badge>}</>,
                  detail: (
                    <>
                      {member.name !== "" && <span>{member.email}</span>}
                      <span>
                        <Phrase text={t.since} time={<Moment at={member.created_at} />} />
                      </span>
                    </>
                  ),
                  acts: mayChange(member)
                    ? (
                      <>
                        <Select<Role>
                          label={t.role(memberName(member))}
                          labelHidden
                          value={member.role}
                          disabled={!mayAct}
                          onChange={(role) => setChanging({ member, role })}
                          options={roles.map((role) => ({
                            value: role,
                            text: roleNames[role],
                            disabled: role === "owner" && !isOwner
                          }))}
                        />
                        <Button
                          size="small"
                          variant="danger"
                          disabled={!mayAct}
                          aria-label={t.removeOf(memberName(member))}
                          onClick={() => setRemoving(member)}
                        >
                          {t.remove}
                        </Button>
                      </>
                    )
                    : <Badge>{roleNames[member.role]}</Badge>
                }))}
              />
              {pages.hasNextPage && (
                <div className={styles.foot}>
                  <MoreButton pages={pages}>{more}</MoreButton>
                </div>
              )}
            </ScreenState>
          </Panel>
        )
        : <p className="type-body text-2">{t.noRight}</p>}
      {can("members:write") && <InvitesPanel />}
      <RolesTable own={workspace.role} />
      {changing !== undefined && <RoleDialog {...changing} onClose={() => setChanging(undefined)} />}
      {removing !== undefined && <RemoveMemberDialog member={removing} onClose={() => setRemoving(undefined)} />}
    </SettingsFrame>
  )
}

interface RoleDialogProps {
  readonly member: Member
  readonly role: Role
  readonly onClose: () => void
}

const RoleDialog = ({ member, onClose, role }: RoleDialogProps) => {
  const { members: t, roleWords } = settingsText
  const workspace = useWorkspaceId()
  const name = memberName(member)
  const update = useAct("members.update", {
    workspace,
    touches: ["members", "auth.me", "workspaces"],
    done: t.changed(name, t.roleWithArticle[role]),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={update}
      onClose={onClose}
      title={t.changeTitle(name, t.roleWithArticle[role])}
      description={roleWords[role]}
      confirmText={t.change}
      onConfirm={() => update.mutate({ params: { userId: member.user_id }, payload: { role } })}
      failed={t.changeFailed}
      unchanged={t.unchanged}
      problem={isLastOwner(update.error) ? <p>{t.lastOwner}</p> : undefined}
      danger={false}
    />
  )
}
