/** Creates a workflow: an empty one, one from an export, or one from a template. */
import { isHubError } from "@countersign/hub-client/error"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { keepWarnings } from "../app/save-warnings.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { readJson } from "../catalog/read-json.ts"
import { MoneyField, TextArea } from "../components/fields.tsx"
import { TextField } from "../components/text-field.tsx"
import type { Workflow, WorkflowTemplate } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { workflowsText } from "../text/workflows.ts"
import { warningsKey } from "../workflow-editor/warnings-key.ts"
import { workflowDescriptionMax, workflowNameMax } from "./workflow-state.tsx"

interface Made {
  readonly onClose: () => void
  readonly onMade: (workflow: Workflow) => void
}

/** An export is smaller: a definition has at most 100 steps of 64 KiB texts. */
const exportBytesMax = 8_388_608

export const CreateWorkflowDialog = ({ onClose, onMade }: Made) => {
  const t = workflowsText.create
  const [name, setName] = useState("")
  const [description, setDescription] = useState("")
  const [max, setMax] = useState<number>()
  const create = useAct("workflows.create", {
    workspace: useWorkspaceId(),
    touches: ["workflows.list"],
    done: (workflow) => t.done(workflow.name),
    onDone: onMade
  })
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
      onSubmit={() =>
        create.mutate({
          payload: {
            name: name.trim(),
            ...description.trim() === "" ? {} : { description: description.trim() },
            ...max === undefined ? {} : { max_cost_cents: max }
          }
        })}
    >
      <TextField
        label={t.name}
        value={name}
        onChange={setName}
        placeholder={t.namePlaceholder}
        maxLength={workflowNameMax}
        required
        path="name"
      />
      <TextArea
        label={t.description}
        aside={workflowsText.optional}
        value={description}
        onChange={setDescription}
        maxLength={workflowDescriptionMax}
        rows={2}
        path="description"
      />
      <MoneyField
        label={t.max}
        aside={workflowsText.optional}
        description={t.maxAbout}
        invalidText={t.badAmount}
        value={max}
        onChange={setMax}
        path="max_cost_cents"
      />
    </FormDialog>
  )
}

export const ImportWorkflowDialog = ({ onClose, onMade }: Made) => {
  const t = workflowsText.imports
  const [text, setText] = useState("")
  const [problem, setProblem] = useState<string>()
  const workspace = useWorkspaceId()
  const imports = useAct("workflows.import", {
    workspace,
    touches: ["workflows.list"],
    done: (workflow) => t.done(workflow.name),
    onDone: ({ warnings = [], ...workflow }) => {
      keepWarnings(warningsKey(workspace, workflow.id), warnings)
      onMade(workflow)
    }
  })
  const details = isHubError(imports.error) ? imports.error.details : []
  return (
    <FormDialog
      title={t.title}
      description={t.about}
      width="wide"
      act={t.act}
      call={imports}
      failed={t.failed}
      unchanged={t.unchanged}
      places={details.map(({ path }) => path)}
      disabled={text.trim() === ""}
      onClose={onClose}
      onSubmit={() => {
        const read = readJson(text)
        setProblem(read.ok ? undefined : t.bad)
        // The hub checks the form of an export.
        if (read.ok) imports.mutate({ payload: read.value as Parameters<typeof imports.mutate>[0]["payload"] })
      }}
    >
      <TextArea
        label={t.text}
        mono
        rows={12}
        value={text}
        onChange={(next) => {
          setText(next)
          setProblem(undefined)
        }}
        error={problem ?? (details.length === 0
          ? undefined
          : details.map(({ message, path }) => path === "" ? message : `${path}: ${message}`).join(" "))}
      />
      <label className="type-note text-2">
        {t.file}{" "}
        <input
          type="file"
          accept="application/json,.json"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0]
            if (file === undefined) return
            if (file.size > exportBytesMax) return setProblem(t.tooLarge)
            void file.text().then(setText, () => setProblem(t.bad))
          }}
        />
      </label>
    </FormDialog>
  )
}

export const UseTemplateDialog = ({ onClose, onMade, template }: Made & { readonly template: WorkflowTemplate }) => {
  const t = workflowsText.templates
  const [name, setName] = useState(template.name)
  const workspace = useWorkspaceId()
  const create = useAct("workflows.fromTemplate", {
    workspace,
    touches: ["workflows.list"],
    done: (workflow) => t.done(workflow.name),
    onDone: ({ warnings = [], ...workflow }) => {
      keepWarnings(warningsKey(workspace, workflow.id), warnings)
      onMade(workflow)
    }
  })
  return (
    <FormDialog
      title={t.title(template.name)}
      description={template.description}
      act={workflowsText.create.act}
      call={create}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={name.trim() === ""}
      onClose={onClose}
      onSubmit={() => create.mutate({ payload: { template_id: template.id, name: name.trim() } })}
    >
      <TextField label={t.name} value={name} onChange={setName} maxLength={workflowNameMax} required path="name" />
    </FormDialog>
  )
}
