/** Edits and deletes a team. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { heldCents } from "../app/held-cents.ts"
import { useWorkspaceId } from "../app/session.ts"
import { TextArea } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { TextField } from "../components/text-field.tsx"
import { type Team, teamBudgetQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { teamsText } from "../text/teams.ts"
import { teamDescriptionMax, teamNameMax } from "./limits.ts"

interface TeamDialogProps {
  readonly team: Team
  readonly onClose: () => void
}

export const EditTeamDialog = ({ onClose, team }: TeamDialogProps) => {
  const { create, edit: t } = teamsText
  const [loaded] = useState(team)
  const [name, setName] = useState(team.name)
  const [description, setDescription] = useState(team.description)
  const update = useAct("teams.update", {
    workspace: useWorkspaceId(),
    touches: ["teams.list", "auth.me"],
    done: t.done,
    onDone: onClose
  })
  // Send only changed fields, so that another person's changes to other fields remain.
  const payload = {
    ...name.trim() === loaded.name ? {} : { name: name.trim() },
    ...description.trim() === loaded.description ? {} : { description: description.trim() }
  }
  return (
    <FormDialog
      title={t.title(team.name)}
      call={update}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={name.trim() === ""}
      onClose={onClose}
      onSubmit={() =>
        Object.keys(payload).length === 0 ? onClose() : update.mutate({ params: { id: team.id }, payload })}
    >
      <TextField label={create.name} value={name} onChange={setName} maxLength={teamNameMax} required path="name" />
      <TextArea
        label={create.description}
        aside={create.optional}
        value={description}
        onChange={setDescription}
        maxLength={teamDescriptionMax}
        path="description"
      />
    </FormDialog>
  )
}

export const DeleteTeamDialog = ({ onClose, team }: TeamDialogProps) => {
  const { holds, remove: t } = teamsText
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const budget = useQuery(teamBudgetQuery(workspace, team.id)).data
  const remove = useAct("teams.remove", {
    workspace,
    touches: ["agents", "ledger", "auth.me"],
    done: t.done(team.name),
    onDone: () => void navigate({ to: "/w/$workspace/teams", params: { workspace }, replace: true })
  })
  const held = heldCents(remove.error)
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title(team.name)}
      description={
        <>
          <p>
            {budget === undefined ? t.moneyHidden : t.money(formatMoney(budget.balance_cents + budget.allocated_cents))}
          </p>
          <p>{t.people(team.member_count)} {t.last}</p>
        </>
      }
      phrase={{ words: team.name, label: t.phrase(team.name) }}
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { id: team.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
      problem={held === undefined ? undefined : <p>{holds(formatMoney(held))}</p>}
    />
  )
}
