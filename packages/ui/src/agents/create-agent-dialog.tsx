/** Creates an agent from a name. Its key is shown once, then its page opens. */
import type { Output } from "@countersign/hub-client/contract"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { markMade } from "../app/just-made.ts"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { MoneyField } from "../components/money-field.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { TextArea } from "../components/text-area.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { agentsText as texts } from "../text/agents.ts"
import { KeyDialog } from "./key-dialog.tsx"

export const CreateAgentDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = texts.create
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayBudget = useCan()("budgets:write")
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const [budget, setBudget] = useState<number>()
  const [mode, setMode] = useState<"live" | "test">("live")
  const [made, setMade] = useState<Output<"agents.create">>()
  const create = useAct("agents.create", { workspace, touches: ["agents"], onDone: setMade })

  if (made !== undefined) {
    const onKept = () => {
      onClose()
      markMade("agent", workspace, made.id)
      showToast({ text: t.done(made.name) })
      void navigate({ to: "/w/$workspace/agents/$id", params: { workspace, id: made.id } })
    }
    return <KeyDialog name={made.name} apiKey={made.api_key} onKept={onKept} />
  }
  return (
    <FormDialog
      title={t.title}
      description={t.about}
      act={t.act}
      call={create}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={name.trim() === ""}
      onClose={onClose}
      onSubmit={() => {
        create.mutate({
          payload: {
            name: name.trim(),
            mode,
            ...(description.trim() === "" ? {} : { description: description.trim() }),
            ...(budget === undefined ? {} : { monthly_budget_cents: budget })
          }
        })
      }}
    >
      <TextField
        label={t.name}
        value={name}
        onChange={setName}
        placeholder={t.namePlaceholder}
        maxLength={100}
        required
        path="name"
      />
      <TextArea
        label={t.description}
        aside={t.optional}
        value={description}
        onChange={setDescription}
        rows={2}
        path="description"
      />
      <MoneyField
        label={t.budget}
        aside={t.optional}
        description={mayBudget ? t.budgetAbout : t.noBudgets}
        disabled={!mayBudget}
        value={budget}
        onChange={setBudget}
        invalidText={texts.budget.invalid}
        path="monthly_budget_cents"
      />
      <RadioGroup
        label={t.mode}
        value={mode}
        onChange={setMode}
        options={[
          { value: "live", text: t.live, description: t.liveAbout },
          { value: "test", text: t.test, description: t.testAbout }
        ]}
      />
    </FormDialog>
  )
}
