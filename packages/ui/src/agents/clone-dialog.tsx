/** Clones an agent. The key of the new one is shown once, then its page opens. */
import type { Output } from "@countersign/hub-client/contract"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { agentActsText } from "../text/agent-acts.ts"
import { KeyDialog } from "./key-dialog.tsx"

type Agent = Output<"agents.get">

const nameMax = 100

/** Whether a clone copies limits in money or requests, which needs budgets:write. */
const hasLimits = ({ approval_threshold_cents, bindings, monthly_budget_cents }: Agent): boolean =>
  monthly_budget_cents !== undefined || approval_threshold_cents !== undefined
  || bindings.some((binding) =>
    binding.monthly_cap_cents !== undefined || binding.daily_request_limit !== undefined
    || binding.approval_threshold_cents !== undefined || Object.keys(binding.per_operation ?? {}).length > 0
  )

export const CloneDialog = ({ agent, onClose }: { readonly agent: Agent; readonly onClose: () => void }) => {
  const t = agentActsText.clone
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayBudget = useCan()("budgets:write")
  const isRefused = hasLimits(agent) && !mayBudget
  const [name, setName] = useState(() => t.copyOf(agent.name.slice(0, nameMax - t.copyOf("").length)))
  const [hasMemories, setHasMemories] = useState(false)
  const [made, setMade] = useState<Output<"families.clone">>()
  const clone = useAct("families.clone", { workspace, touches: ["agents"], onDone: setMade })
  if (made !== undefined) {
    const onKept = () => {
      onClose()
      showToast({ text: t.done(made.name) })
      void navigate({ to: "/w/$workspace/agents/$id", params: { workspace, id: made.id } })
    }
    return <KeyDialog name={made.name} apiKey={made.api_key} onKept={onKept} />
  }
  return (
    <FormDialog
      title={t.title(agent.name)}
      description={t.about}
      act={t.act}
      call={clone}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={isRefused || name.trim() === ""}
      onClose={onClose}
      onSubmit={() =>
        clone.mutate({
          params: { id: agent.id },
          payload: { name: name.trim(), ...hasMemories ? { include_memories: true } : {} }
        })}
    >
      {isRefused && <p className="type-body text-2">{t.noBudgets}</p>}
      <TextField label={t.name} value={name} onChange={setName} maxLength={nameMax} required path="name" />
      <Checkbox
        label={t.memories}
        description={t.memoriesAbout}
        checked={hasMemories}
        onChange={setHasMemories}
      />
    </FormDialog>
  )
}
