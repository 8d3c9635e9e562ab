/** Invites a person by email, and then shows the link once. */
import type { Role, TeamRole } from "@countersign/domain/auth"
import type { inviteDays as contractDays } from "@countersign/domain/invites"
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useRef, useState } from "react"
import { useCloseTwice } from "../app/close-twice.ts"
import { FormDialog } from "../app/form.tsx"
import { useWorkspace } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { isEmail } from "../components/email.ts"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { allTeams } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { actText as acts } from "../text/acts.ts"
import { invitesText } from "../text/invites.ts"
import { settingsText } from "../text/settings.ts"
import { roles } from "./permission-groups.ts"

/** Its type makes the compiler compare it with the contract, whose module would load schemas. */
const inviteDays: typeof contractDays = 7
const none = "none"

export const InviteDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = invitesText.create
  const { id: workspace, role: own } = useWorkspace()
  const field = useRef<HTMLInputElement>(null)
  const [email, setEmail] = useState("")
  const [role, setRole] = useState<Role>("member")
  const [team, setTeam] = useState(none)
  const [teamRole, setTeamRole] = useState<TeamRole>("worker")
  const [tried, setTried] = useState(false)
  const [made, setMade] = useState<Output<"invites.create">>()
  const teams = useQuery(allTeams(workspace)).data ?? []
  const invite = useAct("invites.create", { workspace, touches: ["invites"], onDone: setMade })
  if (made !== undefined) return <LinkDialog invite={made} onClose={onClose} />
  const isValid = isEmail(email)
  return (
    <FormDialog
      title={t.title}
      description={t.about(inviteDays)}
      width="narrow"
      initialFocus={field}
      act={t.act}
      call={invite}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() => {
        setTried(true)
        if (!isValid) return
        invite.mutate({
          params: { id: workspace },
          payload: { email: email.trim(), role, ...team === none ? {} : { team_id: team, team_role: teamRole } }
        })
      }}
    >
      <TextField
        ref={field}
        label={t.email}
        type="email"
        autoComplete="off"
        required
        value={email}
        onChange={setEmail}
        path="email"
        error={tried && !isValid ? t.emailWrong : undefined}
      />
      <Select<Role>
        label={t.role}
        value={role}
        onChange={setRole}
        path="role"
        description={settingsText.roleWords[role]}
        options={roles.map((value) => ({
          value,
          text: settingsText.roles[value],
          disabled: value === "owner" && own !== "owner"
        }))}
      />
      {teams.length > 0 && (
        <Select
          label={t.team}
          value={team}
          onChange={setTeam}
          path="team_id"
          options={[{ value: none, text: t.noTeam }, ...teams.map(({ id, name }) => ({ value: id, text: name }))]}
        />
      )}
      {team !== none && (
        <Select<TeamRole>
          label={t.teamRole}
          value={teamRole}
          onChange={setTeamRole}
          path="team_role"
          options={(["lead", "worker"] as const).map((value) => ({ value, text: invitesText.teamRoles[value] }))}
        />
      )}
    </FormDialog>
  )
}

interface LinkDialogProps {
  readonly invite: Output<"invites.create">
  readonly onClose: () => void
}

const LinkDialog = ({ invite: { email, mailed, url }, onClose }: LinkDialogProps) => {
  const t = invitesText.made
  const { close, isWarned } = useCloseTwice(onClose)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={t.title(email)}
      description={mailed ? t.mailed : t.notMailed}
      closeText={acts.close}
      footer={<Button variant="primary" onClick={onClose}>{t.done}</Button>}
    >
      <div className="grid gap-12">
        <div role="group" className="type-mono wrap-anywhere" aria-label={t.label}>{url}</div>
        <CopyButton value={url} texts={t.copy} size="standard" />
        {isWarned && <p role="alert">{t.closeWarning}</p>}
      </div>
    </Dialog>
  )
}
