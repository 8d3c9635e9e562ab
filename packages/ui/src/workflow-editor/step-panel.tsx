/** One step: its form or its JSON, its connections, and what happens when it fails. */
import type { Detail } from "@countersign/domain/errors"
import type { StepType } from "@countersign/domain/workflow-definition"
import { type RefObject, useState } from "react"
import { readJson } from "../catalog/read-json.ts"
import { Button } from "../components/button.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { NumberField, TextArea } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { Tabs } from "../components/tabs.tsx"
import { TextField } from "../components/text-field.tsx"
import { actText as acts } from "../text/acts.ts"
import { workflowEditorText } from "../text/workflow-editor.ts"
import { stepTypeNames } from "../text/workflows.ts"
import { ConfigForm } from "./config-form.tsx"
import { Connections } from "./connections.tsx"
import {
  type Draft,
  type DraftStep,
  inputNames,
  readDraft,
  removeStep,
  renameStep,
  replaceStep,
  stepTypes,
  usable,
  withType
} from "./draft.ts"
import styles from "./editor.module.css"
import { problemAt, stepProblems } from "./problems.ts"

const t = workflowEditorText.step
const labelMax = 64

export interface StepPanelProps {
  readonly draft: Draft
  readonly step: DraftStep
  readonly problems: ReadonlyArray<Detail>
  readonly mayChange: boolean
  readonly onChange: (draft: Draft) => void
  readonly onSelect: (label: string | undefined) => void
  /** Gets the focus when the step is opened. */
  readonly place: RefObject<HTMLDivElement | null>
}

export const StepPanel = ({ draft, mayChange, onChange, onSelect, place, problems, step }: StepPanelProps) => {
  const [view, setView] = useState<"form" | "json">("form")
  const own = stepProblems(draft, step.label, problems)
  const set = (next: DraftStep) => onChange(replaceStep(draft, step.label, next))
  const whole = problemAt(own.filter(({ path }) => path === "" || path === "type"), "")
  return (
    <Panel
      title={t.panel(step.label)}
      actions={mayChange && (
        <Button
          size="small"
          variant="danger"
          onClick={() => {
            onChange(removeStep(draft, step.label))
            onSelect(undefined)
          }}
        >
          {t.remove}
        </Button>
      )}
    >
      <div ref={place} tabIndex={-1} className="grid gap-16 outline-none">
        {whole !== undefined && <p role="alert" className="type-note weight-label text-stop">{whole}</p>}
        <Tabs
          label={t.view}
          tabs={[{ value: "form", text: t.form }, { value: "json", text: t.json }]}
          value={view}
          onChange={setView}
        >
          {view === "json"
            ? <StepJson step={step} mayChange={mayChange} onChange={set} />
            : (
              <fieldset className="grid gap-16 min-w-0 border-0" disabled={!mayChange}>
                <LabelField
                  draft={draft}
                  label={step.label}
                  error={problemAt(own, "label")}
                  onRename={(label) => {
                    onChange(renameStep(draft, step.label, label))
                    onSelect(label)
                  }}
                />
                <Select
                  label={t.type}
                  value={step.type}
                  onChange={(type: StepType) => set(withType(step, type))}
                  options={stepTypes.map((value) => ({ value, text: stepTypeNames[value] }))}
                />
                <ConfigForm step={step} problems={own} onChange={(config) => set({ ...step, config })} />
                <References draft={draft} label={step.label} />
                <Failure step={step} problems={own} onChange={set} />
              </fieldset>
            )}
        </Tabs>
        <Connections
          draft={draft}
          label={step.label}
          problems={problems}
          mayChange={mayChange}
          onChange={onChange}
          onSelect={onSelect}
        />
      </div>
    </Panel>
  )
}

interface LabelFieldProps {
  readonly draft: Draft
  readonly label: string
  readonly error: string | undefined
  readonly onRename: (label: string) => void
}

/** A label is changed when the field is left: until then it may be empty, or equal to another one. */
const LabelField = ({ draft, error, label, onRename }: LabelFieldProps) => {
  const [typed, setTyped] = useState<string>()
  const isTaken = typed !== undefined && typed !== label && draft.steps.some((step) => step.label === typed)
  const settle = () => {
    if (typed === undefined || isTaken) return
    setTyped(undefined)
    if (typed !== label && typed !== "") onRename(typed)
  }
  return (
    <TextField
      label={t.label}
      description={t.labelAbout}
      mono
      maxLength={labelMax}
      value={typed ?? label}
      onChange={setTyped}
      onBlur={settle}
      onKeyDown={(event) => {
        if (event.key === "Enter") settle()
      }}
      error={isTaken ? t.labelTaken : error}
    />
  )
}

const StepJson = (
  { mayChange, onChange, step }: Pick<StepPanelProps, "step" | "mayChange"> & {
    readonly onChange: (step: DraftStep) => void
  }
) => {
  const [typed, setTyped] = useState<string>()
  const stepIn = (text: string): DraftStep | undefined => {
    const read = readJson(text)
    return read.ok ? readDraft({ steps: [read.value], edges: [] })?.steps[0] : undefined
  }
  const read = typed === undefined ? undefined : stepIn(typed)
  const isOwn = typed !== undefined && (read === undefined || JSON.stringify(read) === JSON.stringify(step))
  return (
    <TextArea
      label={t.json}
      labelHidden
      mono
      rows={18}
      readOnly={!mayChange}
      value={isOwn ? typed : JSON.stringify(step, null, 2)}
      error={typed !== undefined && read === undefined ? t.badJson : undefined}
      onChange={(text) => {
        setTyped(text)
        const next = stepIn(text)
        // The label is changed in the form, which changes the references too.
        if (next !== undefined) onChange({ ...next, label: step.label })
      }}
    />
  )
}

const References = ({ draft, label }: { readonly draft: Draft; readonly label: string }) => {
  const references = [
    ...inputNames(draft).map((name) => `\${input.${name}}`),
    ...usable(draft, label).map((each) => `\${steps.${each}.output}`)
  ]
  return (
    <details className="type-note text-2">
      <summary>{t.references}</summary>
      {references.length === 0 ? <p className="mt-8">{t.noReferences}</p> : (
        <ul className="grid gap-4 mt-8">
          {references.map((reference) => (
            <li key={reference} className="flex items-center justify-between gap-8">
              <code className="type-mono wrap-anywhere">{reference}</code>
              <CopyButton
                iconOnly
                value={reference}
                texts={{ ...acts.copying, copy: t.copyReference(reference) }}
              />
            </li>
          ))}
        </ul>
      )}
    </details>
  )
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const numberIn = (value: unknown): number | undefined => typeof value === "number" ? value : undefined

const Failure = (
  { onChange, problems, step }: {
    readonly step: DraftStep
    readonly problems: ReadonlyArray<Detail>
    readonly onChange: (step: DraftStep) => void
  }
) => {
  const retry = isRecord(step.retry) ? step.retry : {}
  const withRetry = (changed: Readonly<Record<string, number | undefined>>) => {
    const { retry: _, ...rest } = step
    const next = Object.fromEntries(
      Object.entries({ ...retry, ...changed }).filter(([, value]) => value !== undefined)
    )
    onChange(Object.keys(next).length === 0 ? rest : { ...rest, retry: { max_attempts: 1, ...next } })
  }
  const withTimeout = (timeout_ms: number | undefined) => {
    const { timeout_ms: _, ...rest } = step
    onChange(timeout_ms === undefined ? rest : { ...rest, timeout_ms })
  }
  const withOnError = (on_error: "fail" | "continue") => {
    const { on_error: _, ...rest } = step
    onChange(on_error === "fail" ? rest : { ...rest, on_error })
  }
  return (
    <details className={styles.advanced} open={problemAt(problems, "retry") !== undefined || undefined}>
      <summary className="type-label text-1">{t.advanced}</summary>
      <div className="grid gap-12 mt-12">
        <Select
          label={t.onError}
          value={step.on_error === "continue" ? "continue" : "fail"}
          onChange={withOnError}
          options={[{ value: "fail", text: t.fail }, { value: "continue", text: t.continue }]}
        />
        <NumberField
          label={t.attempts}
          description={t.attemptsAbout}
          invalidText={t.invalid}
          min={1}
          max={10}
          value={numberIn(retry["max_attempts"])}
          onChange={(max_attempts) => withRetry({ max_attempts })}
          error={problemAt(problems, "retry.max_attempts")}
        />
        <NumberField
          label={t.backoff}
          invalidText={t.invalid}
          max={3_600_000}
          value={numberIn(retry["backoff_ms"])}
          onChange={(backoff_ms) => withRetry({ backoff_ms })}
          error={problemAt(problems, "retry.backoff_ms")}
        />
        <NumberField
          label={t.timeout}
          invalidText={t.invalid}
          min={1}
          max={2_592_000_000}
          value={numberIn(step.timeout_ms)}
          onChange={withTimeout}
          error={problemAt(problems, "timeout_ms")}
        />
      </div>
    </details>
  )
}
