/** Creates a trigger, or changes one. The kind never changes. */
import type { Output } from "@countersign/hub-client/contract"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { isJsonObject } from "../catalog/read-json.ts"
import { JsonField } from "../catalog/schema-form.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Switch } from "../components/switch.tsx"
import { TextField } from "../components/text-field.tsx"
import { type Trigger } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { changedMembers, json, keysField } from "../patterns/three-way.ts"
import { timeDisplay } from "../patterns/time-zone.ts"
import { type ActionDraft, actionDraftOf, ActionFields, actionOf, noAction } from "../schedules/action-fields.tsx"
import { AgentField } from "../schedules/agent-field.tsx"
import { CronField } from "../schedules/cron-field.tsx"
import { triggersText } from "../text/triggers.ts"
import { triggerKinds } from "./routes.tsx"

const nameMax = 100

interface TriggerDraft {
  readonly kind: Trigger["kind"]
  readonly name: string
  readonly agent: string
  readonly action: ActionDraft
  readonly cron: string
  readonly timezone: string
  readonly hasTemplate: boolean
  readonly template: unknown
  readonly timestamp: boolean
}

const draftOf = (trigger: Trigger): TriggerDraft => ({
  kind: trigger.kind,
  name: trigger.name,
  agent: trigger.agent_id,
  action: actionDraftOf(trigger.action),
  cron: trigger.cron ?? "",
  timezone: trigger.timezone ?? "UTC",
  hasTemplate: trigger.payload_template !== undefined,
  template: trigger.payload_template ?? {},
  timestamp: trigger.require_timestamp ?? false
})

/** The members that a create and a change share; undefined while the draft is incomplete. */
const inputOf = ({ agent, cron, hasTemplate, kind, name, template, timestamp, timezone, ...draft }: TriggerDraft) => {
  const action = actionOf(draft.action)
  if (action === undefined || agent === "") return undefined
  const common = { ...name.trim() === "" ? {} : { name: name.trim() }, agent_id: agent, action }
  if (kind === "cron") return cron.trim() === "" ? undefined : { ...common, cron: cron.trim(), timezone }
  if (hasTemplate && !isJsonObject(template)) return undefined
  return {
    ...common,
    require_timestamp: timestamp,
    ...hasTemplate && isJsonObject(template) ? { payload_template: template } : {}
  }
}

export const CreateTriggerDialog = ({ onClose, onMade }: {
  readonly onClose: () => void
  readonly onMade: (trigger: Output<"triggers.create">) => void
}) => {
  const t = triggersText.create
  const [draft, setDraft] = useState<TriggerDraft>(() => ({
    kind: "webhook",
    name: "",
    agent: "",
    action: noAction,
    cron: "0 9 * * MON-FRI",
    timezone: timeDisplay().timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    hasTemplate: false,
    template: {},
    timestamp: false
  }))
  const create = useAct("triggers.create", { workspace: useWorkspaceId(), touches: ["triggers"], onDone: onMade })
  const input = inputOf(draft)
  return (
    <FormDialog
      title={t.title}
      description={t.about}
      width="wide"
      act={t.act}
      call={create}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={input === undefined}
      onClose={onClose}
      onSubmit={() => {
        if (input !== undefined) create.mutate({ payload: { ...input, kind: draft.kind } })
      }}
    >
      <RadioGroup
        label={triggersText.form.kind}
        value={draft.kind}
        onChange={(kind) => setDraft({ ...draft, kind })}
        options={triggerKinds.map((value) => ({
          value,
          text: triggersText.kinds[value],
          description: triggersText.kindAbout[value]
        }))}
      />
      <TriggerFields draft={draft} onChange={setDraft} error={create.error} />
    </FormDialog>
  )
}

export const EditTriggerDialog = (
  { onClose, trigger }: { readonly onClose: () => void; readonly trigger: Trigger }
) => {
  const { detail, edit: t, form } = triggersText
  const edit = useEdit({
    endpoint: "triggers.update",
    workspace: useWorkspaceId(),
    touches: ["triggers"],
    done: t.done,
    onDone: onClose,
    loaded: trigger,
    draftOf,
    fields: () => [
      keysField<TriggerDraft>(["name"], form.name, ({ name }) => name),
      keysField<TriggerDraft>(["agent"], form.agent, ({ agent }) => agent),
      keysField<TriggerDraft>(["action"], detail.action, ({ action }) => json(actionOf(action) ?? action)),
      keysField<TriggerDraft>(["cron", "timezone"], detail.cron, ({ cron, timezone }) => `${cron} ${timezone}`),
      keysField<TriggerDraft>(
        ["hasTemplate", "template"],
        form.template,
        ({ hasTemplate, template }) => hasTemplate ? json(template) : "–"
      ),
      keysField<TriggerDraft>(["timestamp"], form.timestamp, ({ timestamp }) => json(timestamp))
    ],
    input: (base, draft) => {
      const isRemoved = base.payload_template !== undefined && !draft.hasTemplate
      return {
        params: { id: base.id },
        payload: {
          ...changedMembers(inputOf(draftOf(base)), inputOf(draft)),
          ...isRemoved ? { payload_template: null } : {}
        }
      }
    }
  })
  return (
    <FormDialog
      title={t.title(trigger.name)}
      width="wide"
      call={edit}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={inputOf(edit.draft) === undefined}
      onClose={onClose}
      onSubmit={() => edit.save()}
    >
      <TriggerFields draft={edit.draft} onChange={edit.replace} error={edit.error} />
    </FormDialog>
  )
}

interface TriggerFieldsProps {
  readonly draft: TriggerDraft
  readonly onChange: (draft: TriggerDraft) => void
  readonly error: unknown
}

const TriggerFields = ({ draft, error, onChange }: TriggerFieldsProps) => {
  const t = triggersText.form
  const set = (changes: Partial<TriggerDraft>) => onChange({ ...draft, ...changes })
  const isTemplated = draft.kind === "webhook" && draft.hasTemplate
  return (
    <>
      <TextField
        label={t.name}
        aside={triggersText.optional}
        description={t.nameAbout}
        maxLength={nameMax}
        value={draft.name}
        onChange={(name) => set({ name })}
        path="name"
      />
      <AgentField description={t.agentAbout} value={draft.agent} onChange={(agent) => set({ agent })} />
      <ActionFields
        value={draft.action}
        onChange={(action) => set({ action })}
        error={error}
        withoutPayload={isTemplated}
      />
      {draft.kind === "cron"
        ? <CronField cron={draft.cron} timezone={draft.timezone} onChange={set} />
        : (
          <>
            <Switch
              label={t.hasTemplate}
              description={t.hasTemplateAbout}
              checked={draft.hasTemplate}
              onChange={(hasTemplate) => set({ hasTemplate })}
            />
            {isTemplated && (
              <JsonField
                label={t.template}
                description={t.templateAbout}
                rows={6}
                value={draft.template}
                onChange={(template) => set({ template: template ?? {} })}
                error={isJsonObject(draft.template) ? undefined : t.notJson}
                path="payload_template"
              />
            )}
            <Switch
              label={t.timestamp}
              description={t.timestampAbout}
              checked={draft.timestamp}
              onChange={(timestamp) => set({ timestamp })}
            />
          </>
        )}
    </>
  )
}
