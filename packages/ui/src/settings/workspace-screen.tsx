/** The settings of a workspace. The values shown as saved are the hub's answer. */
import { FormFrame, FormProblem, FormReview, FormSubmit } from "../app/form.tsx"
import { useMayFreeze } from "../app/may-freeze.ts"
import { openOverlay } from "../app/overlay.ts"
import { useCan, useWorkspace, useWorkspaceId } from "../app/session.ts"
import { useEdit } from "../app/use-edit.ts"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { MoneyField, NumberField } from "../components/fields.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { useMayAct } from "../live/connection.ts"
import { actText } from "../text/acts.ts"
import { mergeText as words } from "../text/merge.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"
import { SettingsFrame } from "./settings-frame.tsx"
import {
  changeOf,
  draftOf,
  draftProblems,
  type LifeUnit,
  lifeUnitNames,
  retentionDaysMax,
  workspaceFields
} from "./workspace-draft.ts"

const nameMax = 100
const secondFactors = ["off", "deciders", "all"] as const
type SecondFactor = typeof secondFactors[number]

export const WorkspaceScreen = () => {
  const { workspace: t } = settingsText
  return (
    <SettingsFrame section="workspace">
      <WorkspaceForm key={useWorkspaceId()} />
      <FreezePanel title={t.freezeTitle} />
    </SettingsFrame>
  )
}

const WorkspaceForm = () => {
  const { asking, workspace: t } = settingsText
  const { copying } = actText
  const workspace = useWorkspace()
  const can = useCan()
  const may = can("workspace:write")
  const mayThreshold = may && can("budgets:write")
  const save = useEdit({
    endpoint: "workspaces.update",
    loaded: workspace,
    draftOf,
    fields: () => workspaceFields(t, words),
    input: (base, draft) => ({ params: { id: workspace.id }, payload: changeOf(base, draft) }),
    workspace: workspace.id,
    touches: ["workspaces", "auth.me"],
    done: t.saved
  })
  const { draft, set } = save
  const problems = draftProblems(draft)
  const isChanged = problems.size > 0 || Object.keys(changeOf(save.base, draft)).length > 0
  const isSendable = isChanged && problems.size === 0
  const detailOf = (field: string) => save.error?.details.find(({ path }) => path.includes(field))?.message
  return (
    <FormFrame
      className="grid justify-items-start gap-24"
      call={save}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={!isSendable}
      onSubmit={() => {
        if (isSendable) save.save()
      }}
    >
      {!may && <p className="type-body text-2">{t.readOnly}</p>}
      <Panel title={t.general} className="w-full">
        <div className={styles.form}>
          <TextField
            label={t.name}
            className={styles.field}
            required
            maxLength={nameMax}
            disabled={!may}
            value={draft.name}
            onChange={(name) => set({ name })}
            error={problems.has("name") ? t.nameNeeded : detailOf("name")}
          />
          <p className="type-body text-2">
            {t.id} <Id value={workspace.id} texts={copying} />
          </p>
        </div>
      </Panel>
      <Panel title={t.approvals} className="w-full">
        <div className={styles.form}>
          <MoneyField
            label={t.threshold}
            className={styles.short}
            required
            disabled={!mayThreshold}
            value={draft.thresholdCents}
            onChange={(thresholdCents) => set({ thresholdCents })}
            invalidText={t.amountInvalid}
            description={t.thresholdWhat}
            error={problems.has("thresholdCents") ? t.amountInvalid : undefined}
          />
          <div className={`grid gap-12 ${styles.pair}`}>
            <NumberField
              label={t.life}
              required
              min={1}
              disabled={!may}
              value={draft.life}
              onChange={(life) => set({ life })}
              invalidText=""
            />
            <Select<LifeUnit>
              label={t.lifeUnit}
              labelHidden
              disabled={!may}
              value={draft.lifeUnit}
              onChange={(lifeUnit) => set({ lifeUnit })}
              options={lifeUnitNames.map((value) => ({ value, text: t.units[value] }))}
            />
          </div>
          <p
            className={problems.has("life") ? "type-body weight-label text-stop" : "type-body text-2"}
            aria-live="polite"
          >
            {t.lifeWhat}
          </p>
          <Checkbox
            label={t.stepUpOn}
            description={t.stepUpWhat}
            disabled={!may}
            checked={draft.hasStepUp}
            onChange={(hasStepUp) => set({ hasStepUp })}
          />
          {draft.hasStepUp && (
            <MoneyField
              label={t.stepUp}
              className={styles.short}
              required
              disabled={!may}
              value={draft.stepUpCents}
              onChange={(stepUpCents) => set({ stepUpCents })}
              invalidText={t.amountInvalid}
              error={problems.has("stepUpCents") ? t.amountInvalid : undefined}
            />
          )}
          <Select<SecondFactor>
            label={t.secondFactor}
            className={styles.field}
            description={t.secondFactorWhat}
            disabled={!may}
            value={draft.secondFactor}
            onChange={(secondFactor) => set({ secondFactor })}
            options={secondFactors.map((value) => ({ value, text: t.secondFactors[value] }))}
          />
          <Checkbox
            label={t.duties}
            description={t.dutiesWhat}
            disabled={!may}
            checked={draft.duties}
            onChange={(duties) => set({ duties })}
          />
        </div>
      </Panel>
      <Panel title={t.keeping} className="w-full">
        <div className={styles.form}>
          <TextField
            label={t.alerts}
            className={styles.field}
            inputMode="numeric"
            disabled={!may}
            value={draft.alerts}
            onChange={(alerts) => set({ alerts })}
            description={t.alertsWhat}
            error={problems.has("alerts") ? t.alertsInvalid : detailOf("alert")}
          />
          <NumberField
            label={t.retention}
            className={styles.short}
            min={1}
            max={retentionDaysMax}
            disabled={!may}
            suffix={t.retentionUnit}
            value={draft.retentionDays}
            onChange={(retentionDays) => set({ retentionDays })}
            invalidText={t.numberInvalid}
            description={t.retentionWhat}
          />
          <NumberField
            label={t.deviceRetention}
            className={styles.short}
            required
            min={1}
            max={retentionDaysMax}
            disabled={!may}
            suffix={t.retentionUnit}
            value={draft.deviceOutputDays}
            onChange={(deviceOutputDays) => set({ deviceOutputDays })}
            invalidText={t.numberInvalid}
            description={t.deviceRetentionWhat}
            error={problems.has("deviceOutputDays") ? t.deviceRetentionInvalid : undefined}
          />
        </div>
      </Panel>
      <FormReview />
      <FormProblem />
      {may && (
        <div className="flex flex-wrap items-center gap-12">
          <FormSubmit variant="primary" act={t.save} pendingText={asking} />
          {isChanged && <Button variant="bare" onClick={save.reset}>{t.revert}</Button>}
        </div>
      )}
    </FormFrame>
  )
}

const FreezePanel = ({ title }: { readonly title: string }) => {
  const { workspace: t } = settingsText
  const { frozen } = useWorkspace()
  const mayFreeze = useMayFreeze()
  const mayAct = useMayAct()
  return (
    <Panel title={title}>
      <div className={styles.form}>
        <p className="type-body text-2">{frozen ? t.frozenWhat : t.freezeWhat}</p>
        {mayFreeze && (
          <Button
            variant={frozen ? "quiet" : "danger"}
            disabled={!mayAct}
            onClick={() => openOverlay("freeze")}
          >
            {frozen ? t.lift : t.freeze}
          </Button>
        )}
      </div>
    </Panel>
  )
}
