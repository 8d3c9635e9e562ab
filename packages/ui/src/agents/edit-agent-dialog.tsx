/** Edits the name, description, category, and status of an agent. */
import type { Output } from "@countersign/hub-client/contract"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { TextArea } from "../components/fields.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextField } from "../components/text-field.tsx"
import { keysField } from "../patterns/three-way.ts"
import { agentsText as texts } from "../text/agents.ts"
import { mergeText as words } from "../text/merge.ts"
import { agentStatuses } from "./routes.tsx"

type Agent = Output<"agents.get">

const draftOf = ({ category, description, name, status }: Agent) => ({
  name,
  description,
  category: category ?? "",
  status
})

type AgentDraft = ReturnType<typeof draftOf>

export const EditAgentDialog = ({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) => {
  const t = texts.edit
  const edit = useEdit({
    endpoint: "agents.update",
    loaded: agent,
    draftOf,
    fields: () => [
      keysField<AgentDraft>(["name"], texts.create.name, (draft) => draft.name),
      keysField<AgentDraft>(
        ["description"],
        texts.create.description,
        (draft) => draft.description === "" ? words.none : draft.description
      ),
      keysField<AgentDraft>(
        ["category"],
        texts.detail.category,
        (draft) => draft.category === "" ? words.none : draft.category
      ),
      keysField<AgentDraft>(["status"], t.state, (draft) => t.states[draft.status])
    ],
    // Send only changed fields, so that another person's changes to other fields remain.
    input: (base, draft) => ({
      params: { id: agent.id },
      payload: {
        ...(draft.name.trim() === base.name ? {} : { name: draft.name.trim() }),
        ...(draft.description === base.description ? {} : { description: draft.description }),
        ...(draft.category.trim() === (base.category ?? "")
          ? {}
          : { category: draft.category.trim() === "" ? null : draft.category.trim() }),
        ...(draft.status === base.status ? {} : { status: draft.status })
      }
    }),
    workspace: useWorkspaceId(),
    touches: ["agents"],
    done: t.done,
    onDone: onClose
  })
  const { draft, set } = edit
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(edit.base))
  return (
    <FormDialog
      title={t.title(agent.name)}
      call={edit}
      failed={t.failed}
      disabled={draft.name.trim() === ""}
      onClose={onClose}
      onSubmit={() => isChanged ? edit.save() : onClose()}
    >
      <TextField
        label={texts.create.name}
        value={draft.name}
        onChange={(name) => set({ name })}
        maxLength={100}
        required
        path="name"
      />
      <TextArea
        label={texts.create.description}
        aside={texts.create.optional}
        value={draft.description}
        onChange={(description) => set({ description })}
        path="description"
      />
      <TextField
        label={texts.detail.category}
        aside={texts.create.optional}
        value={draft.category}
        onChange={(category) => set({ category })}
        maxLength={100}
        path="category"
      />
      <RadioGroup
        label={t.state}
        value={draft.status}
        onChange={(status) => set({ status })}
        options={agentStatuses.map((value) => ({ value, text: t.states[value], description: t.stateAbout[value] }))}
      />
    </FormDialog>
  )
}
