/** Creates a schedule, or changes one. */
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { NumberField } from "../components/fields.tsx"
import { Select } from "../components/select.tsx"
import { Switch } from "../components/switch.tsx"
import { TextField } from "../components/text-field.tsx"
import { type ScheduledTask } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { changedMembers, json, keysField } from "../patterns/three-way.ts"
import { timeDisplay } from "../patterns/time-zone.ts"
import { schedulesText } from "../text/schedules.ts"
import { type ActionDraft, actionDraftOf, ActionFields, actionOf, noAction } from "./action-fields.tsx"
import { AgentField } from "./agent-field.tsx"
import { CronField } from "./cron-field.tsx"
import { jitterSecondsMax, scheduleNameMax } from "./limits.ts"
import styles from "./schedules.module.css"

interface ScheduleDraft {
  readonly name: string
  readonly agent: string
  readonly cron: string
  readonly timezone: string
  readonly action: ActionDraft
  readonly catch_up: ScheduledTask["catch_up"]
  readonly overlap: ScheduledTask["overlap"]
  readonly jitter: number | undefined
}

const draftOf = (schedule: ScheduledTask): ScheduleDraft => ({
  name: schedule.name,
  agent: schedule.agent_id,
  cron: schedule.cron,
  timezone: schedule.timezone,
  action: actionDraftOf(schedule.action),
  catch_up: schedule.catch_up,
  overlap: schedule.overlap,
  jitter: schedule.jitter_seconds
})

/** The members of the hub's input; undefined while the draft is incomplete. */
const inputOf = ({ agent, catch_up, cron, jitter, name, overlap, timezone, ...draft }: ScheduleDraft) => {
  const action = actionOf(draft.action)
  if (action === undefined || agent === "" || name.trim() === "" || cron.trim() === "") return undefined
  return {
    name: name.trim(),
    agent_id: agent,
    cron: cron.trim(),
    timezone,
    action,
    catch_up,
    overlap,
    jitter_seconds: jitter ?? 0
  }
}

export const CreateScheduleDialog = (
  { onClose, onMade }: { readonly onClose: () => void; readonly onMade: (schedule: ScheduledTask) => void }
) => {
  const t = schedulesText.create
  const [draft, setDraft] = useState<ScheduleDraft>(() => ({
    name: "",
    agent: "",
    cron: "0 9 * * MON-FRI",
    timezone: timeDisplay().timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    action: noAction,
    catch_up: "once",
    overlap: "skip",
    jitter: 0
  }))
  const [enabled, setEnabled] = useState(true)
  const create = useAct("scheduled_tasks.create", {
    workspace: useWorkspaceId(),
    touches: ["scheduled_tasks"],
    done: ({ name }) => t.done(name),
    onDone: onMade
  })
  const input = inputOf(draft)
  return (
    <FormDialog
      title={t.title}
      width="wide"
      act={t.act}
      call={create}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={input === undefined}
      onClose={onClose}
      onSubmit={() => {
        if (input !== undefined) create.mutate({ payload: { ...input, enabled } })
      }}
    >
      <ScheduleFields draft={draft} onChange={setDraft} error={create.error} />
      <Switch
        label={schedulesText.form.enabled}
        description={schedulesText.form.enabledAbout}
        checked={enabled}
        onChange={setEnabled}
      />
    </FormDialog>
  )
}

export const EditScheduleDialog = (
  { onClose, schedule }: { readonly onClose: () => void; readonly schedule: ScheduledTask }
) => {
  const { detail, edit: t, form } = schedulesText
  const edit = useEdit({
    endpoint: "scheduled_tasks.update",
    workspace: useWorkspaceId(),
    touches: ["scheduled_tasks"],
    done: t.done,
    onDone: onClose,
    loaded: schedule,
    draftOf,
    fields: () => [
      keysField<ScheduleDraft>(["name"], form.name, ({ name }) => name),
      keysField<ScheduleDraft>(["agent"], form.agent, ({ agent }) => agent),
      keysField<ScheduleDraft>(["cron"], form.cron, ({ cron }) => cron),
      keysField<ScheduleDraft>(["timezone"], form.timezone, ({ timezone }) => timezone),
      keysField<ScheduleDraft>(["action"], detail.action, ({ action }) => json(actionOf(action) ?? action)),
      keysField<ScheduleDraft>(["catch_up"], form.catchUp, ({ catch_up }) => form.catchUps[catch_up]),
      keysField<ScheduleDraft>(["overlap"], form.overlap, ({ overlap }) => form.overlaps[overlap]),
      keysField<ScheduleDraft>(["jitter"], form.jitter, ({ jitter }) => json(jitter ?? 0))
    ],
    input: (base, draft) => ({
      params: { id: base.id },
      payload: changedMembers(inputOf(draftOf(base)), inputOf(draft))
    })
  })
  return (
    <FormDialog
      title={t.title(schedule.name)}
      width="wide"
      call={edit}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={inputOf(edit.draft) === undefined}
      onClose={onClose}
      onSubmit={() => edit.save()}
    >
      <ScheduleFields draft={edit.draft} onChange={edit.replace} error={edit.error} />
    </FormDialog>
  )
}

interface ScheduleFieldsProps {
  readonly draft: ScheduleDraft
  readonly onChange: (draft: ScheduleDraft) => void
  readonly error: unknown
}

const ScheduleFields = ({ draft, error, onChange }: ScheduleFieldsProps) => {
  const t = schedulesText.form
  const set = (changes: Partial<ScheduleDraft>) => onChange({ ...draft, ...changes })
  return (
    <>
      <TextField
        label={t.name}
        placeholder={t.namePlaceholder}
        required
        maxLength={scheduleNameMax}
        value={draft.name}
        onChange={(name) => set({ name })}
        path="name"
      />
      <AgentField description={t.agentAbout} value={draft.agent} onChange={(agent) => set({ agent })} />
      <ActionFields value={draft.action} onChange={(action) => set({ action })} error={error} />
      <CronField cron={draft.cron} timezone={draft.timezone} onChange={set} />
      <div className={`grid items-start gap-16 ${styles.pair}`}>
        <Select
          label={t.catchUp}
          value={draft.catch_up}
          onChange={(catch_up) => set({ catch_up })}
          options={(["once", "skip"] as const).map((value) => ({ value, text: t.catchUps[value] }))}
          path="catch_up"
        />
        <Select
          label={t.overlap}
          value={draft.overlap}
          onChange={(overlap) => set({ overlap })}
          options={(["skip", "queue", "allow"] as const).map((value) => ({ value, text: t.overlaps[value] }))}
          path="overlap"
        />
      </div>
      <NumberField
        label={t.jitter}
        description={t.jitterAbout}
        invalidText={t.invalid}
        max={jitterSecondsMax}
        value={draft.jitter}
        onChange={(jitter) => set({ jitter })}
        path="jitter_seconds"
      />
    </>
  )
}
