/** Changes a workflow: its details, who sees it, and which agents run it; unpublishes and deletes it. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { useCan, useWorkspace, useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { MoneyField, TextArea } from "../components/fields.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { agentChoices, allTeams, type Workflow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { Money } from "../patterns/money.tsx"
import { keysField } from "../patterns/three-way.ts"
import { workflowsText } from "../text/workflows.ts"
import { visibilities } from "./routes.tsx"
import { workflowDescriptionMax, workflowNameMax } from "./workflow-state.tsx"

interface WorkflowDialogProps {
  readonly workflow: Workflow
  readonly onClose: () => void
}

interface DetailsDraft {
  readonly name: string
  readonly description: string
  readonly max: number | undefined
}

const detailsOf = ({ description, max_cost_cents, name }: Workflow): DetailsDraft => ({
  name,
  description,
  max: max_cost_cents
})

export const EditWorkflowDialog = ({ onClose, workflow }: WorkflowDialogProps) => {
  const { create, detail, update: t } = workflowsText
  const edit = useEdit({
    endpoint: "workflows.update",
    workspace: useWorkspaceId(),
    touches: ["workflows"],
    done: t.done,
    onDone: onClose,
    loaded: workflow,
    draftOf: detailsOf,
    fields: () => [
      keysField<DetailsDraft>(["name"], create.name, ({ name }) => name),
      keysField<DetailsDraft>(["description"], create.description, ({ description }) => description),
      keysField<DetailsDraft>(
        ["max"],
        create.max,
        ({ max }) => max === undefined ? detail.noMax : <Money cents={max} />
      )
    ],
    input: (base, { description, max, name }) => ({
      params: { id: base.id },
      payload: {
        ...name.trim() === base.name ? {} : { name: name.trim() },
        ...description.trim() === base.description ? {} : { description: description.trim() },
        ...max === base.max_cost_cents ? {} : { max_cost_cents: max ?? null }
      }
    })
  })
  const { draft, set } = edit
  return (
    <FormDialog
      title={t.title(workflow.name)}
      call={edit}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={draft.name.trim() === ""}
      onClose={onClose}
      onSubmit={() => edit.save()}
    >
      <TextField
        label={create.name}
        value={draft.name}
        onChange={(name) => set({ name })}
        maxLength={workflowNameMax}
        required
        path="name"
      />
      <TextArea
        label={create.description}
        aside={workflowsText.optional}
        value={draft.description}
        onChange={(description) => set({ description })}
        maxLength={workflowDescriptionMax}
        path="description"
      />
      <MoneyField
        label={create.max}
        aside={workflowsText.optional}
        description={create.maxAbout}
        invalidText={create.badAmount}
        value={draft.max}
        onChange={(max) => set({ max })}
        path="max_cost_cents"
      />
    </FormDialog>
  )
}

export const ShareWorkflowDialog = ({ onClose, workflow }: WorkflowDialogProps) => {
  const t = workflowsText.share
  const { id: workspace, role } = useWorkspace()
  const mayRead = useCan()("members:read")
  const teams = (useQuery({ ...allTeams(workspace), enabled: mayRead }).data ?? []).filter((each) =>
    role !== "member" || each.role !== null
  )
  const [visibility, setVisibility] = useState(workflow.visibility)
  const [team, setTeam] = useState<string | undefined>(workflow.team_id)
  const share = useAct("workflows.share", { workspace, touches: ["workflows"], done: t.done, onDone: onClose })
  return (
    <FormDialog
      title={t.title(workflow.name)}
      description={t.about}
      call={share}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={visibility === "team" && team === undefined}
      onClose={onClose}
      onSubmit={() =>
        share.mutate({
          params: { id: workflow.id },
          payload: {
            visibility,
            ...visibility === "team" && team !== undefined ? { team_id: team } : {},
            expected_version: workflow.version
          }
        })}
    >
      <RadioGroup
        label={t.visibility}
        value={visibility}
        onChange={setVisibility}
        options={visibilities.map((value) => ({
          value,
          text: workflowsText.visibilities[value],
          description: value === "team" && teams.length === 0 ? t.noTeam : workflowsText.visibilityAbout[value],
          disabled: value === "team" && teams.length === 0
        }))}
      />
      {visibility === "team" && (
        <Select
          label={t.team}
          placeholder={t.chooseTeam}
          value={team}
          onChange={setTeam}
          options={teams.map(({ id, name }) => ({ value: id as string, text: name }))}
          path="team_id"
        />
      )}
    </FormDialog>
  )
}

export const GrantWorkflowDialog = ({ onClose, workflow }: WorkflowDialogProps) => {
  const t = workflowsText.grant
  const workspace = useWorkspaceId()
  const agents = useQuery(agentChoices(workspace)).data?.data ?? []
  const offered = agents.filter(({ id }) => !workflow.agents.some((each) => each.id === id))
  const [agent, setAgent] = useState<string>()
  const grant = useAct("workflows.grant", {
    workspace,
    touches: ["workflows", "skills"],
    done: ({ agent_name }) => t.done(agent_name),
    onDone: onClose
  })
  return (
    <FormDialog
      title={t.title(workflow.name)}
      description={t.about}
      act={t.act}
      call={grant}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={agent === undefined}
      onClose={onClose}
      onSubmit={() => {
        if (agent !== undefined) grant.mutate({ params: { id: workflow.id }, payload: { agent_id: agent } })
      }}
    >
      <Select
        label={t.agent}
        placeholder={offered.length === 0 ? t.none : t.choose}
        disabled={offered.length === 0}
        value={agent}
        onChange={setAgent}
        options={offered.map(({ id, name }) => ({ value: id as string, text: name }))}
        path="agent_id"
      />
    </FormDialog>
  )
}

export const RevokeGrantDialog = (
  { agent, onClose, workflow }: WorkflowDialogProps & { readonly agent: Workflow["agents"][number] }
) => {
  const t = workflowsText.revoke
  const revoke = useAct("workflows.revoke", {
    workspace: useWorkspaceId(),
    touches: ["workflows", "skills"],
    done: t.done(agent.name),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={revoke}
      onClose={onClose}
      title={t.title(agent.name)}
      description={t.what}
      confirmText={t.act}
      onConfirm={() => revoke.mutate({ params: { id: workflow.id }, query: { agent_id: agent.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}

export const UnpublishDialog = ({ onClose, workflow }: WorkflowDialogProps) => {
  const t = workflowsText.unpublish
  const unpublish = useAct("workflows.unpublish", {
    workspace: useWorkspaceId(),
    touches: ["workflows", "publishing"],
    done: t.done(workflow.name),
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={unpublish}
      onClose={onClose}
      title={t.title(workflow.name)}
      description={t.what}
      confirmText={t.act}
      onConfirm={() => unpublish.mutate({ params: { id: workflow.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}

export const DeleteWorkflowDialog = ({ onClose, workflow }: WorkflowDialogProps) => {
  const t = workflowsText.remove
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const [force, setForce] = useState(false)
  const remove = useAct("workflows.remove", {
    workspace,
    touches: ["workflows.list", "publishing", "skills"],
    done: t.done(workflow.name),
    onDone: () => void navigate({ to: "/w/$workspace/workflows", params: { workspace }, replace: true })
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title(workflow.name)}
      description={t.what}
      phrase={{ words: workflow.name, label: t.phrase(workflow.name) }}
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { id: workflow.id }, query: force ? { force: "true" } : {} })}
      failed={t.failed}
      unchanged={t.unchanged}
    >
      <Checkbox label={t.force} description={t.forceAbout} checked={force} onChange={setForce} />
    </ConfirmAct>
  )
}
