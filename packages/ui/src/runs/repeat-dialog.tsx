/** Starts failed steps again, after it shows which steps those are and what they have cost so far. */
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Checkbox } from "../components/checkbox.tsx"
import { formatMoney } from "../components/money-text.ts"
import type { WorkflowRun, WorkflowVersion } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { runsText } from "../text/runs.ts"
import { costOf, repeatedSteps, unknownOutcomes } from "./run-rules.ts"
import { StepState } from "./run-state.tsx"

interface RepeatDialogProps {
  readonly run: WorkflowRun
  readonly version: WorkflowVersion | undefined
  /** One step; otherwise every failed and canceled one. */
  readonly label: string | undefined
  readonly onClose: () => void
}

export const RepeatDialog = ({ label, onClose, run, version }: RepeatDialogProps) => {
  const t = runsText.repeat
  const workspace = useWorkspaceId()
  const [accepted, setAccepted] = useState(false)
  const options = { workspace, touches: ["workflow_runs"] as const, done: t.done, onDone: onClose }
  const rerun = useAct("workflow_runs.rerunFailed", options)
  const retry = useAct("workflow_runs.retryStep", options)
  const call = label === undefined ? rerun : retry
  const steps = repeatedSteps(run.steps, version?.edges ?? [], label)
  const unknown = unknownOutcomes(steps)
  const cost = costOf(steps)
  const payload = unknown.length === 0 ? {} : { accept_unknown_fate: accepted }
  return (
    <ConfirmAct
      call={call}
      danger={unknown.length > 0}
      onClose={onClose}
      title={label === undefined ? t.title : t.titleOne(label)}
      description={t.what}
      confirmText={t.confirm}
      disabled={unknown.length > 0 && !accepted}
      onConfirm={() =>
        label === undefined
          ? rerun.mutate({ params: { runId: run.id }, payload })
          : retry.mutate({ params: { runId: run.id, label }, payload })}
      failed={t.failed}
      unchanged={t.unchanged}
    >
      <div className="grid gap-12">
        <ul className="grid gap-8" aria-label={t.list}>
          {steps.map((step) => (
            <li key={step.label} className="flex flex-wrap items-center gap-8 type-body">
              <span className="weight-label">{step.label}</span>
              <StepState status={step.status} />
              <span className="type-note text-2 ms-auto">
                {step.cost_cents === 0 ? t.free : t.again(formatMoney(step.cost_cents))}
              </span>
            </li>
          ))}
        </ul>
        <p className="type-body">{cost === 0 ? t.totalFree : t.total(formatMoney(cost))}</p>
        {unknown.length > 0 && (
          <>
            <p role="alert" className="type-body text-stop">{t.unknown(unknown.join(", "))}</p>
            <Checkbox label={t.accept} checked={accepted} onChange={setAccepted} />
          </>
        )}
      </div>
    </ConfirmAct>
  )
}
