/** Name, description, category and state of an agent. */
import { useState } from "react"
import { fieldProblem, isUnplaced } from "../app/field-problem.ts"
import { FormDialog } from "../app/form-dialog.tsx"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextArea } from "../components/text-area.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import type { Output } from "../hub/contract.ts"
import { useAct } from "../hub/use-hub.ts"
import { agentsText } from "../text/agents.ts"
import { useText } from "../text/catalogue.ts"
import { agentStatuses } from "./routes.tsx"

export const EditAgentDialog = ({ agent, onClose }: { readonly agent: Output<"agents.get">; readonly onClose: () => void }) => {
  const texts = useText(agentsText)
  const t = texts.edit
  const [name, setName] = useState(agent.name)
  const [description, setDescription] = useState(agent.description)
  const [category, setCategory] = useState(agent.category ?? "")
  const [status, setStatus] = useState(agent.status)
  const update = useAct("agents.update", {
    workspace: useWorkspaceId(),
    touches: ["agents"],
    onDone: () => {
      showToast({ text: t.done })
      onClose()
    }
  })
  return (
    <FormDialog
      title={t.title(agent.name)}
      pending={update.isPending}
      disabled={name.trim() === ""}
      onClose={onClose}
      onSubmit={() => {
        // Only what was changed: another person's change of another field stays.
        const payload = {
          ...(name.trim() === agent.name ? {} : { name: name.trim() }),
          ...(description === agent.description ? {} : { description }),
          ...(category.trim() === (agent.category ?? "") ? {} : { category: category.trim() === "" ? null : category.trim() }),
          ...(status === agent.status ? {} : { status })
        }
        if (Object.keys(payload).length === 0) onClose()
        else update.mutate({ params: { id: agent.id }, payload })
      }}
    >
      <TextField
        label={texts.create.name}
        value={name}
        onChange={setName}
        maxLength={100}
        required
        error={fieldProblem(update.error, "name")}
      />
      <TextArea
        label={texts.create.description}
        aside={texts.create.optional}
        value={description}
        onChange={setDescription}
        error={fieldProblem(update.error, "description")}
      />
      <TextField
        label={texts.detail.category}
        aside={texts.create.optional}
        value={category}
        onChange={setCategory}
        maxLength={100}
        error={fieldProblem(update.error, "category")}
      />
      <RadioGroup
        label={t.state}
        value={status}
        onChange={setStatus}
        options={agentStatuses.map((value) => ({ value, text: t.states[value], description: t.stateAbout[value] }))}
      />
      {isUnplaced(update.error, ["name", "description", "category", "status"]) && (
        <Problem inline error={update.error} failed={t.failed} />
      )}
    </FormDialog>
  )
}
