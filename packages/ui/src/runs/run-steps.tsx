/** The steps of a run in their order: what each one did, cost, and waits for. */
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { JsonBlock } from "../catalog/json-block.tsx"
import { Button } from "../components/button.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { RunStep } from "../hub/queries.ts"
import { durationText } from "../listing/duration.ts"
import { useMayAct } from "../live/connection.ts"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { Phrase } from "../text/catalogue.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { runsText } from "../text/runs.ts"
import { stepTypeNames } from "../text/workflows.ts"
import { StepState } from "./run-state.tsx"
import styles from "./runs.module.css"

export interface RunStepsProps {
  readonly steps: ReadonlyArray<RunStep>
  /** The step whose details are open. */
  readonly open: string | undefined
  readonly onOpen: (label: string | undefined) => void
  /** Absent while the run has not ended, and for readers. */
  readonly onRetry: ((label: string) => void) | undefined
}

export const RunSteps = ({ onOpen, onRetry, open, steps }: RunStepsProps) => (
  <ol className={styles.steps} aria-label={runsText.detail.stepList}>
    {steps.map((step) => (
      <li key={step.label}>
        <StepLine
          step={step}
          isOpen={open === step.label}
          onToggle={() => onOpen(open === step.label ? undefined : step.label)}
          onRetry={onRetry}
        />
      </li>
    ))}
  </ol>
)

interface StepLineProps {
  readonly step: RunStep
  readonly isOpen: boolean
  readonly onToggle: () => void
  readonly onRetry: RunStepsProps["onRetry"]
}

const StepLine = ({ isOpen, onRetry, onToggle, step }: StepLineProps) => {
  const t = runsText.step
  const { attempt, cost_cents, ended_at, label, started_at, status, type } = step
  return (
    <>
      <div className={styles.line} data-status={status}>
        <button
          type="button"
          className={styles.toggle}
          data-step={label}
          aria-expanded={isOpen}
          aria-label={t.details(label)}
          onClick={onToggle}
        >
          <span className="weight-label wrap-anywhere">{label}</span>
        </button>
        <StepState status={status} />
        <span className={`flex flex-wrap items-center gap-4 gap-x-12 type-note text-2 ${styles.facts}`}>
          <span>{stepTypeNames[type]}</span>
          {attempt > 1 && <span>{t.attempt(attempt)}</span>}
          <Awaited step={step} />
          <Links step={step} />
        </span>
        <span className={`type-note text-3 tabular-nums ${styles.took}`}>
          {started_at !== undefined && ended_at !== undefined
            ? durationText(Math.max(0, Date.parse(ended_at) - Date.parse(started_at)))
            : started_at !== undefined && <RelativeTime at={started_at} now={hubClock.now} />}
        </span>
        <span className={styles.cost}>{cost_cents > 0 && <Money cents={cost_cents} end />}</span>
      </div>
      {isOpen && <Details step={step} onRetry={onRetry} />}
    </>
  )
}

const Awaited = ({ step: { due_at, status, type } }: { readonly step: RunStep }) => {
  const t = runsText.step
  if (due_at === undefined || status !== "waiting" && status !== "running") return null
  return (
    <span>
      <Phrase
        text={type === "service_call" ? t.next : t.until}
        time={<RelativeTime at={due_at} now={hubClock.now} />}
      />
    </span>
  )
}

const Links = ({ step }: { readonly step: RunStep }) => {
  const t = runsText.step
  const workspace = useWorkspaceId()
  const { agent_request_id, approval_id, child_run_id, delegated_task_id, request_id } = step
  return (
    <>
      {approval_id !== undefined && (
        <Link to="/w/$workspace/approvals/$id" params={{ workspace, id: approval_id }}>{t.approval}</Link>
      )}
      {request_id !== undefined && (
        <Link to="/w/$workspace/requests/$id" params={{ workspace, id: request_id }}>{t.request}</Link>
      )}
      {child_run_id !== undefined && (
        <Link to="/w/$workspace/workflow-runs/$id" params={{ workspace, id: child_run_id }}>{t.child}</Link>
      )}
      {delegated_task_id !== undefined && (
        <Link to="/w/$workspace/agents/$id/tasks/$task" params={{ workspace, id: "_", task: delegated_task_id }}>
          {t.task}
        </Link>
      )}
      {agent_request_id !== undefined && (
        <Link to="/w/$workspace/inbox" params={{ workspace }} search={{ open: agent_request_id }}>{t.question}</Link>
      )}
    </>
  )
}

const Details = ({ onRetry, step }: Pick<StepLineProps, "step" | "onRetry">) => {
  const t = runsText.step
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const { attempts = [], error, input, label, output, status } = step
  const mayRetry = onRetry !== undefined && (status === "failed" || status === "cancelled")
  const isEmpty = error === undefined && input === undefined && output === undefined && attempts.length === 0
  return (
    <div className={`grid gap-12 ${styles.details}`}>
      {isEmpty && <p className="type-note text-2">{t.nothing}</p>}
      {error !== undefined && (
        <div className="grid gap-4">
          <p className="type-body text-stop wrap-anywhere">
            <RevealedText text={error.message} texts={reveal} /> <code className="type-mono text-3">{error.code}</code>
          </p>
          {error.fate === "unknown" && <p className="type-body text-2">{t.unknown}</p>}
        </div>
      )}
      {input !== undefined && <Value title={t.input} of={label} value={input} />}
      {output !== undefined && <Value title={t.output} of={label} value={output} />}
      {attempts.length > 0 && (
        <div className="grid gap-4">
          <h3 className="type-label text-2">{t.attempts}</h3>
          <ol className="grid gap-4 type-note">
            {attempts.map((each) => (
              <li key={each.attempt} className="flex flex-wrap items-center gap-8 wrap-anywhere">
                <Phrase
                  text={t.attemptLine}
                  attempt={each.attempt}
                  status={runsText.stepStatuses[each.status]}
                />
                {each.request_id !== undefined && (
                  <Link to="/w/$workspace/requests/$id" params={{ workspace, id: each.request_id }}>{t.request}</Link>
                )}
                {each.error !== undefined && <span className="text-2">{each.error.message}</span>}
              </li>
            ))}
          </ol>
        </div>
      )}
      {mayRetry && (
        <p>
          <Button size="small" disabled={!mayAct} aria-label={t.retryOf(label)} onClick={() => onRetry(label)}>
            {t.retry}
          </Button>
        </p>
      )}
    </div>
  )
}

interface ValueProps {
  readonly title: string
  /** The step's label. */
  readonly of: string
  readonly value: unknown
}

const Value = ({ of, title, value }: ValueProps) => (
  <div className="grid gap-4">
    <h3 className="type-label text-2">{title}</h3>
    <JsonBlock label={runsText.step.valueOf(title, of)} value={value} />
  </div>
)
