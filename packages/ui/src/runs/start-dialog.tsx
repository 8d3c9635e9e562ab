/** Starts a run: its agent, mode, input, and maximum cost, with an estimate before. */
import type { Json } from "@countersign/domain/json"
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { Problem } from "../app/problem.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { PayloadInput } from "../catalog/payload-input.tsx"
import { Button } from "../components/button.tsx"
import { MoneyField } from "../components/fields.tsx"
import { formatMoney } from "../components/money-text.ts"
import { RadioGroup } from "../components/radio-group.tsx"
import { Select } from "../components/select.tsx"
import { versionQuery, type Workflow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { reasonOf } from "../requests/reason.ts"
import { requestsText } from "../text/requests.ts"
import { runsText } from "../text/runs.ts"

type Mode = "live" | "test"

interface StartRunDialogProps {
  readonly workflow: Workflow
  readonly onClose: () => void
}

export const StartRunDialog = ({ onClose, workflow }: StartRunDialogProps) => {
  const t = runsText.start
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayWrite = useCan()("workflows:write")
  const mayAct = useMayAct()
  const { agents, latest_version, latest_version_id, live_version, live_version_id, max_cost_cents } = workflow
  const [version, setVersion] = useState<string | undefined>(live_version_id ?? latest_version_id)
  const [agent, setAgent] = useState<string | undefined>(agents.length === 1 ? agents[0]?.id : undefined)
  const [picked, setMode] = useState<Mode>()
  // People without workflows:write run other versions in test mode only.
  const mustTest = version !== live_version_id && !mayWrite
  const mode: Mode = mustTest ? "test" : picked ?? (version === live_version_id ? "live" : "test")
  const [input, setInput] = useState<Json | undefined>({})
  const [max, setMax] = useState<number>()
  const [estimated, setEstimated] = useState<
    { readonly of: string; readonly estimate: Output<"workflow_runs.estimate"> }
  >()
  const definition = useQuery({
    ...versionQuery(workspace, workflow.id, version ?? ""),
    enabled: version !== undefined
  }).data
  const params = { id: workflow.id }
  const chosen = {
    ...input === undefined ? {} : { input },
    mode,
    ...version === undefined ? {} : { version_id: version },
    ...agent === undefined ? {} : { agent_id: agent }
  }
  const start = useAct("workflow_runs.start", {
    workspace,
    keyed: true,
    touches: ["workflow_runs"],
    done: t.started,
    onDone: ({ run }) => void navigate({ to: "/w/$workspace/workflow-runs/$id", params: { workspace, id: run.id } })
  })
  const estimate = useAct("workflow_runs.estimate", {
    workspace,
    onDone: (answer, sent) => setEstimated({ of: JSON.stringify(sent.payload), estimate: answer })
  })
  const versions = [
    ...live_version_id === undefined || live_version === undefined
      ? []
      : [{ value: live_version_id as string, text: t.live(live_version) }],
    ...latest_version_id === undefined || latest_version_id === live_version_id
      ? []
      : [{ value: latest_version_id as string, text: t.notLive(latest_version) }]
  ]
  return (
    <FormDialog
      title={t.title(workflow.name)}
      width="wide"
      act={t.act}
      call={start}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={agent === undefined || version === undefined || input === undefined}
      aside={
        <Button
          pending={estimate.isPending}
          disabled={!mayAct || agent === undefined || version === undefined}
          onClick={() => estimate.mutate({ params, payload: chosen })}
        >
          {t.estimate}
        </Button>
      }
      onClose={onClose}
      onSubmit={() =>
        start.mutate({ params, payload: { ...chosen, ...max === undefined ? {} : { max_cost_cents: max } } })}
    >
      <Select
        label={t.agent}
        description={t.agentAbout}
        placeholder={agents.length === 0 ? t.noAgents : t.choose}
        disabled={agents.length === 0}
        value={agent}
        onChange={setAgent}
        options={agents.map(({ id, name }) => ({ value: id as string, text: name }))}
        path="agent_id"
      />
      {versions.length > 1 && (
        <Select label={t.version} value={version} onChange={setVersion} options={versions} path="version_id" />
      )}
      <RadioGroup
        inline
        label={t.mode}
        value={mode}
        onChange={setMode}
        options={(["live", "test"] as const).map((value) => ({
          value,
          text: t.modes[value],
          description: t.modeAbout[value],
          disabled: mustTest && value === "live"
        }))}
      />
      <PayloadInput
        label={t.input}
        text={t}
        schema={definition?.input_schema}
        value={input}
        onChange={setInput}
        error={start.error}
        jsonError={input === undefined ? t.notJson : undefined}
        path="input"
      />
      <MoneyField
        label={t.max}
        aside={t.optional}
        description={max_cost_cents === undefined ? t.maxNone : t.maxAbout(formatMoney(max_cost_cents))}
        invalidText={t.badAmount}
        value={max}
        onChange={setMax}
        path="max_cost_cents"
      />
      {estimate.error !== null && <Problem inline error={estimate.error} failed={t.estimateFailed} />}
      <div aria-live="polite">
        {estimated !== undefined && (
          <Estimate estimate={estimated.estimate} isStale={estimated.of !== JSON.stringify(chosen)} />
        )}
      </div>
    </FormDialog>
  )
}

interface EstimateProps {
  readonly estimate: Output<"workflow_runs.estimate">
  readonly isStale: boolean
}

const statuses: Readonly<Record<string, string>> = requestsText.statuses

const Estimate = ({ estimate: { cost_cents, steps, unknown }, isStale }: EstimateProps) => {
  const t = runsText.estimate
  return (
    <section className="grid gap-8" aria-label={t.title}>
      <h3 className="type-label text-2">{t.title}</h3>
      {isStale && <p className="type-note text-2">{t.stale}</p>}
      <KeyValueList
        items={[
          { key: "cost", name: t.cost, value: <Money cents={cost_cents} end /> },
          ...unknown.length === 0
            ? []
            : [{ key: "unknown", name: t.unknown, value: t.unknownAbout(unknown.join(", ")) }]
        ]}
      />
      <ul className="grid gap-4" aria-label={t.steps}>
        {steps.map((step) => {
          const why = step.reason_code === undefined ? "" : reasonOf(requestsText, step)
          return (
            <li key={step.label} className="flex flex-wrap items-center gap-8 type-body">
              <span className="weight-label">{step.label}</span>
              <StatusBadge status={step.status}>{statuses[step.status] ?? t.unknown}</StatusBadge>
              {why !== "" && <span className="type-note text-2">{why}</span>}
              <span className="ms-auto">
                <Money cents={step.cost_cents} />
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
