/** One run: its live timeline and graph, its cost against its limit, and its recovery. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { lazy, Suspense, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { KeptBody } from "../app/kept-body.tsx"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { JsonBlock } from "../catalog/json-block.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { Tabs } from "../components/tabs.tsx"
import { hubClock } from "../hub/hub-time.ts"
import {
  agentChoices,
  versionQuery,
  workflowQuery,
  type WorkflowRun,
  workflowRunQuery,
  type WorkflowVersion
} from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { BudgetBar } from "../patterns/budget-bar.tsx"
import { ChangedValue } from "../patterns/changed-value.tsx"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { statusLook, toneOf } from "../patterns/status.ts"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { runsText } from "../text/runs.ts"
import { stepTypeNames } from "../text/workflows.ts"
import { RepeatDialog } from "./repeat-dialog.tsx"
import { inOrder, repeatedSteps } from "./run-rules.ts"
import { hasEnded, RunState, stepLooks } from "./run-state.tsx"
import { RunSteps } from "./run-steps.tsx"
import styles from "./runs.module.css"
import { useRunEvents } from "./use-run-events.ts"

const GraphCanvas = lazy(() => import("../workflow-editor/graph-canvas.tsx"))

export const RunScreen = () => {
  const t = runsText
  const { id } = useParams({ from: "/w/$workspace/workflow-runs/$id" })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const run = useQuery(workflowRunQuery(workspace, id))
  const { data } = run
  const workflow = useQuery({
    ...workflowQuery(workspace, data?.workflow_id ?? ""),
    enabled: data !== undefined,
    // A deleted workflow leaves its runs.
    retry: false
  }).data
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/workflow-runs", params: { workspace } }))
  return (
    <Page
      title={workflow === undefined ? t.one : t.detail.heading(workflow.name)}
      path={<Link quiet to="/w/$workspace/workflow-runs" params={{ workspace }}>{t.title}</Link>}
      busy={run.isFetching && !run.isRefetching}
    >
      <ScreenState query={run}>
        {data !== undefined && <View key={data.id} run={data} name={workflow?.name} />}
      </ScreenState>
    </Page>
  )
}

interface ViewProps {
  readonly run: WorkflowRun
  /** Undefined for a deleted workflow. */
  readonly name: string | undefined
}

const View = ({ name, run }: ViewProps) => {
  const t = runsText
  const workspace = useWorkspaceId()
  const mayRun = useCan()("workflows:run")
  const mayAct = useMayAct()
  const isOver = hasEnded(run.status)
  const phase = useRunEvents(run.id, !isOver)
  const version = useQuery({ ...versionQuery(workspace, run.workflow_id, run.version_id), retry: false }).data
  const agents = useQuery(agentChoices(workspace)).data?.data ?? []
  const agent = agents.find(({ id }) => id === run.agent_id)?.name ?? run.agent_id
  const [repeating, setRepeating] = useState<{ readonly label: string | undefined }>()
  const [isCancelling, setCancelling] = useState(false)
  const mayRepeat = mayRun && isOver && repeatedSteps(run.steps, []).length > 0
  useCommands([
    ...mayRun && !isOver ? [{ id: "run.cancel", text: t.cancel.act, run: () => setCancelling(true) }] : [],
    ...mayRepeat ? [{ id: "run.rerun", text: t.repeat.act, run: () => setRepeating({ label: undefined }) }] : []
  ])
  return (
    <div className="grid grid-cols-1 gap-16">
      <header className="flex flex-wrap items-center gap-8 gap-x-12">
        <RunState status={run.status} />
        {run.mode === "test" && <Badge>{t.test}</Badge>}
        <p className="type-body text-2">
          <Phrase
            text={t.detail.sentence}
            source={run.source.name}
            agent={<Link to="/w/$workspace/agents/$id" params={{ workspace, id: run.agent_id }}>{agent}</Link>}
            time={<RelativeTime at={run.created_at} now={hubClock.now} />}
          />
        </p>
        <span className="flex flex-wrap gap-8 ms-auto">
          {mayRun && !isOver && (
            <Button variant="danger" disabled={!mayAct} onClick={() => setCancelling(true)}>{t.cancel.act}</Button>
          )}
          {mayRepeat && (
            <Button variant="primary" disabled={!mayAct} onClick={() => setRepeating({ label: undefined })}>
              {t.repeat.act}
            </Button>
          )}
        </span>
      </header>
      <div className={`grid items-start gap-16 ${styles.columns}`}>
        <div className="grid gap-16 min-w-0">
          <RunError run={run} />
          <Steps
            run={run}
            version={version}
            phase={phase}
            onRetry={mayRun && isOver ? (label) => setRepeating({ label }) : undefined}
          />
          {run.output !== undefined && <Json title={t.detail.output} value={run.output} />}
          <Json title={t.detail.input} value={run.input} />
        </div>
        <div className="grid gap-16 min-w-0">
          <MoneyPanel run={run} />
          <Facts run={run} name={name} agent={agent} version={version} />
        </div>
      </div>
      {isCancelling && <CancelRunDialog run={run} onClose={() => setCancelling(false)} />}
      {repeating !== undefined && (
        <RepeatDialog
          run={run}
          version={version}
          label={repeating.label}
          onClose={() => setRepeating(undefined)}
        />
      )}
    </div>
  )
}

const Json = ({ title, value }: { readonly title: string; readonly value: unknown }) => {
  const workspace = useWorkspaceId()
  return (
    <Panel title={title}>
      <KeptBody value={value} workspace={workspace}>
        <JsonBlock label={runsText.detail.jsonOf(title)} value={value} />
      </KeptBody>
    </Panel>
  )
}

const RunError = ({ run: { error } }: Pick<ViewProps, "run">) => {
  const t = runsText.detail
  if (error === undefined) return null
  return (
    <Panel title={t.error}>
      <div className="grid gap-4">
        <p className="type-body wrap-anywhere">
          <RevealedText text={error.message} texts={reveal} /> <code className="type-mono text-3">{error.code}</code>
        </p>
        {error.label !== undefined && (
          <p className="type-note text-2">
            <Phrase text={t.errorAt} step={error.label} />
          </p>
        )}
      </div>
    </Panel>
  )
}

interface StepsProps {
  readonly run: WorkflowRun
  readonly version: WorkflowVersion | undefined
  readonly phase: ReturnType<typeof useRunEvents>
  readonly onRetry: ((label: string) => void) | undefined
}

const Steps = ({ onRetry, phase, run, version }: StepsProps) => {
  const t = runsText
  const [view, setView] = useState<"timeline" | "graph">("timeline")
  const [open, setOpen] = useState<string | undefined>(() => run.error?.label)
  const edges = version?.edges ?? []
  const steps = inOrder(run.steps, edges)
  return (
    <Panel title={t.detail.steps}>
      <Tabs
        label={t.detail.views}
        tabs={[
          { value: "timeline", text: t.detail.timeline },
          { value: "graph", text: t.detail.graph, disabled: version === undefined }
        ]}
        value={view}
        onChange={setView}
      >
        {view === "timeline"
          ? <RunSteps steps={steps} open={open} onOpen={setOpen} onRetry={onRetry} />
          : (
            <div className={styles.graph}>
              <Suspense fallback={<p role="status" className="type-body text-2">{acts.loading}</p>}>
                <GraphCanvas
                  label={t.detail.graphName}
                  keys={t.detail.graphKeys}
                  steps={steps.map(({ label, status, type }) => {
                    const look = statusLook(stepLooks[status])
                    const tone = toneOf[look]
                    return {
                      label,
                      note: t.stepStatuses[status],
                      state: stepTypeNames[type],
                      mark: <StatusGlyph look={look} toned size={14} />,
                      ...tone === "neutral" ? {} : { tone }
                    }
                  })}
                  edges={edges as Parameters<typeof inOrder>[1]}
                  selected={open}
                  onSelect={setOpen}
                  onOpen={(label) => {
                    setOpen(label)
                    setView("timeline")
                  }}
                />
              </Suspense>
            </div>
          )}
      </Tabs>
      {(phase === "lost" || phase === "failed") && (
        <p className="mt-8 type-note text-2" role="status">{phase === "lost" ? t.detail.lost : t.detail.gone}</p>
      )}
    </Panel>
  )
}

const MoneyPanel = ({ run }: Pick<ViewProps, "run">) => {
  const t = runsText.detail
  const { cost_cents: cost, max_cost_cents: max, status } = run
  return (
    <Panel title={t.money}>
      <div className="grid gap-12">
        {max === undefined
          ? (
            <>
              <ChangedValue value={cost}>
                <Money cents={cost} size="amount" />
              </ChangedValue>
              <p className="type-note text-2">{t.noMax}</p>
            </>
          )
          : (
            <BudgetBar
              label={t.moneyLabel}
              cap={<Money cents={max} />}
              spent_cents={cost}
              held_cents={0}
              this_cents={0}
              cap_cents={max}
              note={t.left(formatMoney(max - cost))}
              valueText={t.value(formatMoney(cost), formatMoney(max))}
            />
          )}
        {(status === "failed" || status === "cancelled") && cost > 0 && (
          <p className="type-note text-2">{t.paidBefore(formatMoney(cost))}</p>
        )}
      </div>
    </Panel>
  )
}

interface FactsProps extends ViewProps {
  readonly agent: string
  readonly version: WorkflowVersion | undefined
}

const Facts = ({ agent, name, run, version }: FactsProps) => {
  const t = runsText.detail
  const workspace = useWorkspaceId()
  const time = (key: string, label: string, at: string | undefined) =>
    at === undefined ? [] : [{ key, name: label, value: <RelativeTime at={at} now={hubClock.now} /> }]
  const { agent_id, created_at, deadline_at, ended_at, id, parent_run_id, workflow_id } = run
  return (
    <Panel title={t.facts}>
      <KeyValueList
        items={[
          ...name === undefined ? [] : [{
            key: "workflow",
            name: t.workflow,
            value: <Link quiet to="/w/$workspace/workflows/$id" params={{ workspace, id: workflow_id }}>{name}</Link>
          }],
          ...version === undefined ? [] : [{ key: "version", name: t.version, value: version.number }],
          {
            key: "agent",
            name: t.agent,
            value: <Link quiet to="/w/$workspace/agents/$id" params={{ workspace, id: agent_id }}>{agent}</Link>
          },
          ...parent_run_id === undefined ? [] : [{
            key: "parent",
            name: t.parent,
            value: (
              <Link to="/w/$workspace/workflow-runs/$id" params={{ workspace, id: parent_run_id }}>
                {runsText.open}
              </Link>
            )
          }],
          ...time("started", t.started, created_at),
          ...time("ended", t.ended, ended_at),
          ...hasEnded(run.status) ? [] : time("deadline", t.deadline, deadline_at),
          { key: "id", name: t.id, value: <Id value={id} texts={acts.copying} /> }
        ]}
      />
    </Panel>
  )
}

const CancelRunDialog = ({ onClose, run }: { readonly run: WorkflowRun; readonly onClose: () => void }) => {
  const t = runsText.cancel
  const cancel = useAct("workflow_runs.cancel", {
    workspace: useWorkspaceId(),
    touches: ["workflow_runs"],
    done: t.done,
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={cancel}
      onClose={onClose}
      title={t.title}
      description={t.what}
      cancelText={t.keep}
      confirmText={t.act}
      onConfirm={() => cancel.mutate({ params: { runId: run.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}
