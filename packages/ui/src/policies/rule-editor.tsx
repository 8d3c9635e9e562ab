/** A policy as a form, with its effect on a sample and on recent requests beside it. */
import { type RequestField, requestFields } from "@countersign/domain/condition-builder"
import type { HubError } from "@countersign/hub-client/error"
import { useQuery } from "@tanstack/react-query"
import { type ReactNode, useState } from "react"
import { fieldProblem, isReadable } from "../app/field-problem.ts"
import { FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { LeaveGuard } from "../app/leave-guard.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { NumberField, TextArea } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { RadioGroup } from "../components/radio-group.tsx"
import { Switch } from "../components/switch.tsx"
import { TextField } from "../components/text-field.tsx"
import { ConditionEditor } from "../conditions/condition-editor.tsx"
import { type Expression, useExpression } from "../conditions/use-expression.ts"
import { policiesQuery } from "../hub/queries.ts"
import { policiesText as all } from "../text/policies.ts"
import { AskFields } from "./ask-fields.tsx"
import { ReplayPanel } from "./replay-panel.tsx"
import { actions, createInput, lacksDecider, type RuleDraft } from "./rule-draft.ts"
import styles from "./rule-editor.module.css"
import { SamplePanel } from "./sample-panel.tsx"

export interface RuleEditorProps {
  /** The loaded draft: leaving with a different one requires a confirmation. */
  readonly initial: RuleDraft
  readonly draft: RuleDraft
  readonly onChange: (draft: RuleDraft) => void
  /** Above the button: the review of a merge. */
  readonly review?: ReactNode
  /** The review requires a choice. */
  readonly undecided?: boolean
  /** The id of an existing policy. */
  readonly id: string | undefined
  readonly onSave: (draft: RuleDraft) => void
  readonly pending: boolean
  readonly error: HubError | null
  readonly saved: boolean
}

const places = ["name", "when", "position", "then", "required_approvals", "deciders", "expires_in_seconds", "reason"]
const policiesMax = 200
const fields = Object.keys(requestFields) as ReadonlyArray<RequestField>
/** A policy applies to payloads of every operation, so their fields are typed by hand. */
const noFields: ReadonlyArray<never> = []
/** Expressions are the same in every language. */
const examples = [
  "ceiling_cents > 5000",
  "service == \"voice\" && agent.name == \"Scout\"",
  "payload.to.endsWith(\"@example.com\")",
  "time.getHours() < 6"
]

export const RuleEditor = ({
  draft,
  error,
  id,
  initial,
  onChange,
  onSave,
  pending,
  review,
  saved,
  undecided = false
}: RuleEditorProps) => {
  const t = all.editor
  const rules = useQuery(policiesQuery(useWorkspaceId())).data?.data ?? []
  const [tried, setTried] = useState(false)
  const set = (changes: Partial<RuleDraft>) => onChange({ ...draft, ...changes })
  const condition = useCondition(draft.when)
  const [isIncomplete, setIncomplete] = useState(false)
  const isChanged = !saved && JSON.stringify(draft) !== JSON.stringify(initial)
  const isComplete = draft.name.trim() !== "" && draft.when.trim() !== "" && condition.state !== "wrong" &&
    !isIncomplete
    && !lacksDecider(draft)
  const missing = (text: string) => (tried && text.trim() === "" ? t.required : undefined)
  const position = draft.position ?? rules.length + 1
  return (
    <div className={`grid items-start gap-16 ${styles.columns}`}>
      <FormFrame
        className="grid gap-16 min-w-0"
        call={{ isPending: pending, error }}
        failed={t.failed}
        unchanged={t.unchanged}
        places={places}
        disabled={undecided}
        onSubmit={(form) => {
          setTried(true)
          if (isComplete && isReadable(form)) onSave(draft)
        }}
      >
        <Panel
          title={t.rule}
          actions={<Switch label={t.enabled} checked={draft.enabled} onChange={(enabled) => set({ enabled })} />}
        >
          <div className="grid gap-16 min-w-0">
            <div className={`grid items-start gap-16 ${styles.name}`}>
              <TextField
                label={t.name}
                required
                maxLength={100}
                placeholder={t.namePlaceholder}
                value={draft.name}
                onChange={(name) => set({ name })}
                error={missing(draft.name)}
                path="name"
              />
              <NumberField
                label={t.position}
                min={1}
                max={policiesMax}
                description={id === undefined ? t.positionAbout : undefined}
                invalidText={t.positionInvalid}
                value={draft.position}
                onChange={(next) => set({ position: next })}
                path="position"
              />
            </div>
            <ConditionEditor
              label={t.when}
              required
              value={draft.when}
              onChange={(when) => set({ when })}
              onIncomplete={setIncomplete}
              requestFields={fields}
              payloadFields={noFields}
              description={condition.state === "reads" ? t.reads : t.whenAbout}
              error={fieldProblem(error, "when") ?? (condition.state === "wrong"
                ? condition.message
                : tried && isIncomplete
                ? t.incomplete
                : missing(draft.when))}
              range={condition.state === "wrong" ? condition.range : undefined}
            />
            <details className={`type-note text-2 ${styles.help}`}>
              <summary>{t.variables}</summary>
              <ul>
                {Object.entries(t.known).map(([name, words]) => <li key={name}>{words}</li>)}
              </ul>
              <p>{t.examples}</p>
              <ul>
                {examples.map((example) => (
                  <li key={example}>
                    <button type="button" className={styles.example} onClick={() => set({ when: example })}>
                      <code>{example}</code>
                    </button>
                  </li>
                ))}
              </ul>
            </details>
            <RadioGroup
              label={t.then}
              value={draft.then}
              onChange={(then) => set({ then })}
              options={actions.map((value) => ({ value, text: all.actions[value], description: t.thenAbout[value] }))}
            />
            {draft.then === "require_approval" && (
              <AskFields draft={draft} onChange={set} error={error} lacksDecider={tried && lacksDecider(draft)} />
            )}
            <TextArea
              label={t.reason}
              aside={t.optional}
              rows={2}
              maxLength={500}
              description={t.reasonAbout}
              value={draft.reason}
              onChange={(reason) => set({ reason })}
              path="reason"
            />
            {review}
            <FormProblem />
            <div className="flex justify-end gap-8">
              <FormSubmit variant="primary" act={id === undefined ? t.create : t.save} />
            </div>
          </div>
        </Panel>
      </FormFrame>
      <div className="grid gap-16 min-w-0">
        <Panel title={all.sample.title}>
          <SamplePanel
            rules={rules}
            tried={draft.when.trim() === ""
              ? undefined
              : {
                id: id ?? "",
                name: draft.name,
                when: draft.when,
                then: draft.then,
                position,
                enabled: draft.enabled,
                reason: draft.reason
              }}
          />
        </Panel>
        <Panel title={all.replay.title}>
          <ReplayPanel
            rule={draft.when.trim() === "" || condition.state === "wrong" || isIncomplete || lacksDecider(draft)
              ? undefined
              : { ...createInput(draft), name: draft.name.trim() === "" ? all.editor.rule : draft.name.trim() }}
          />
        </Panel>
      </div>
      <LeaveGuard isChanged={isChanged} />
    </div>
  )
}

const check = async (when: string) => (await import("./sample-check.ts")).conditionProblem(when)

/** Whether a policy's condition is valid. */
const useCondition = (when: string): Expression => useExpression(when, check)
