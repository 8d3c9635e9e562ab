/** Evaluates a payload as an agent. Nothing is sent to the provider and nothing is spent. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { fieldProblem, isReadable } from "../app/field-problem.ts"
import { FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Select } from "../components/select.tsx"
import { Tabs } from "../components/tabs.tsx"
import { agentChoices, type Operation } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { reasonOf } from "../requests/reason.ts"
import { catalogText } from "../text/catalog.ts"
import { figure } from "../text/catalogue.ts"
import { requestsText as requests } from "../text/requests.ts"
import { isJsonObject } from "./read-json.ts"
import { samplePayload } from "./sample-payload.ts"
import { type Payload, schemaFields } from "./schema-fields.ts"
import { JsonField, SchemaForm } from "./schema-form.tsx"
import styles from "./try-panel.module.css"

export interface TryPanelProps {
  readonly service: string
  readonly operation: Operation
  /** The agent in the address. */
  readonly agent: string | undefined
  readonly onAgent: (agent: string) => void
}

/** The payload until the sample is loaded. */
const nothing: Payload = {}

export const TryPanel = ({ agent, onAgent, operation, service }: TryPanelProps) => {
  const t = catalogText.tryIt
  const workspace = useWorkspaceId()
  const can = useCan()
  const agents = useQuery({ ...agentChoices(workspace), enabled: can("agents:read") })
  const [payload, setPayload] = useState<unknown>(operation.example ?? nothing)
  useEffect(() => {
    // Keep text that the person typed while the sample was loading.
    const begin = (made: Payload) => setPayload((before: unknown) => (before === nothing ? made : before))
    samplePayload(operation).then(begin, () => {})
  }, [operation])
  const hasFields = schemaFields(operation.payload_schema).length > 0
  const [view, setView] = useState<"form" | "json">(hasFields ? "form" : "json")
  const [lacksAgent, setLacksAgent] = useState(false)
  const [result, setResult] = useState<{
    readonly estimate: Output<"service_requests.estimate">
    readonly payload: unknown
    readonly agent: string
  }>()
  const choices = agents.data?.data ?? []
  const bound = new Set(
    choices
      .filter(({ bindings }) => bindings.some((each) => each.service === service && each.enabled))
      .map(({ id }) => id as string)
  )
  const picked = choices.find(({ id }) => id === agent)?.id
    ?? choices.find(({ id }) => bound.has(id))?.id
    ?? (choices.length === 1 ? choices[0]?.id : undefined)
  const estimate = useAct("service_requests.estimate", {
    workspace,
    onDone: (answer, input) =>
      setResult({ estimate: answer, payload: input.payload.payload, agent: input.payload.agent_id ?? "" })
  })
  if (!can("requests:write")) return <p className="type-note text-2">{t.noRequests}</p>
  const isStale = result !== undefined &&
    (JSON.stringify(result.payload) !== JSON.stringify(payload) || result.agent !== picked)
  return (
    <div className={`grid items-start gap-24 ${styles.try}`}>
      <FormFrame
        className="grid gap-16 min-w-0"
        call={estimate}
        failed={t.failed}
        unchanged={t.unchanged}
        places={["payload"]}
        onSubmit={(form) => {
          setLacksAgent(picked === undefined)
          if (picked === undefined || !isJsonObject(payload) || !isReadable(form)) return
          estimate.mutate({ payload: { agent_id: picked, service, operation: operation.name, payload } })
        }}
      >
        <p className="type-note text-2">{t.about}</p>
        <Select
          label={t.agent}
          placeholder={choices.length === 0 ? t.noAgents : t.pickAgent}
          value={picked}
          onChange={onAgent}
          disabled={choices.length === 0}
          options={choices.map(({ id, name }) => ({ value: id as string, text: name }))}
          error={lacksAgent && picked === undefined ? t.pickAgent : undefined}
          path="agent_id"
        />
        <Tabs
          label={t.view}
          tabs={[
            { value: "form", text: t.form, disabled: !hasFields },
            { value: "json", text: t.json }
          ]}
          value={view}
          onChange={setView}
        >
          <div className="pt-12">
            {view === "form"
              ? (
                <SchemaForm
                  schema={operation.payload_schema}
                  value={isJsonObject(payload) ? payload : {}}
                  onChange={setPayload}
                  error={estimate.error}
                />
              )
              : (
                <JsonField
                  label={t.payload}
                  labelHidden
                  rows={8}
                  value={payload}
                  onChange={(next) => setPayload(next ?? {})}
                  error={isJsonObject(payload) ? fieldProblem(estimate.error, "payload", true) : t.notJson}
                />
              )}
          </div>
        </Tabs>
        <FormProblem />
        {view === "form" && fieldProblem(estimate.error, "payload") !== undefined && (
          <p role="alert" className="type-note weight-label text-stop">
            {fieldProblem(estimate.error, "payload")}
          </p>
        )}
        <div>
          <FormSubmit variant="primary" act={t.act} />
        </div>
      </FormFrame>
      <div aria-live="polite">
        {result !== undefined && <EstimateResult estimate={result.estimate} stale={isStale ? t.stale : undefined} />}
      </div>
    </div>
  )
}

interface EstimateResultProps {
  readonly estimate: Output<"service_requests.estimate">
  /** Shown if the estimate is for another payload than the one beside it. */
  readonly stale: string | undefined
}

/** The estimate, in the order of every decision: action, amount, reason, and remaining limits. */
const EstimateResult = ({ estimate, stale }: EstimateResultProps) => {
  const t = catalogText.tryIt
  const { ceiling_cents, cost_cents, remaining, status } = estimate
  const why = reasonOf(requests, estimate)
  return (
    <section className={styles.outcome} aria-label={t.result}>
      <h3 className="mb-8 type-label text-3">{t.result}</h3>
      <div className="flex flex-wrap items-center gap-8 mb-8 type-body">
        <StatusBadge status={status}>{requests.statuses[status]}</StatusBadge>
        <span>{status === "failed" ? t.failedStatus : t[status]}</span>
      </div>
      {stale !== undefined && <p className={styles.stale}>{stale}</p>}
      <KeyValueList
        items={[
          ...(why === "" ? [] : [{ key: "why", name: t.why, value: why }]),
          { key: "ceiling", name: t.ceiling, value: <Money cents={ceiling_cents} end /> },
          { key: "cost", name: t.cost, value: <Money cents={cost_cents} end /> }
        ]}
      />
      {remaining !== undefined && (
        <>
          <h4 className="mt-16 type-label text-3">{t.remaining}</h4>
          <KeyValueList
            items={[
              ...(remaining.operation_month_cents === undefined
                ? []
                : [{
                  key: "month",
                  name: t.operationMonth,
                  value: <Money cents={remaining.operation_month_cents} end />
                }]),
              ...(remaining.operation_day_count === undefined
                ? []
                : [{ key: "day", name: t.operationDay, value: figure(remaining.operation_day_count) }]),
              ...(remaining.agent_month_cents === undefined
                ? []
                : [{ key: "agent", name: t.agentMonth, value: <Money cents={remaining.agent_month_cents} end /> }]),
              { key: "wallet", name: t.wallet, value: <Money cents={remaining.wallet_cents} end /> }
            ]}
          />
        </>
      )}
    </section>
  )
}
