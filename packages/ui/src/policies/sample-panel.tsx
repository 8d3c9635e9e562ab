/** A sample request evaluated against the policies in the browser, by the hub's own code. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import { isReadable } from "../app/field-problem.ts"
import { FormFrame, FormSubmit } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { plainCents } from "../catalog/price.ts"
import { isJsonObject } from "../catalog/read-json.ts"
import { samplePayload } from "../catalog/sample-payload.ts"
import { JsonField } from "../catalog/schema-form.tsx"
import { MoneyField } from "../components/fields.tsx"
import { Select } from "../components/select.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentChoices, allServices, type Policy, serviceQuery, type ServiceRow } from "../hub/queries.ts"
import { Phrase } from "../text/catalogue.ts"
import { policiesText } from "../text/policies.ts"
import { ActionBadge } from "./action-badge.tsx"
import type { Trial } from "./sample-check.ts"
import styles from "./test-panels.module.css"

export interface SamplePanelProps {
  readonly rules: ReadonlyArray<Policy>
  /** The edited policy at its position; without one, all policies are tested as saved. */
  readonly tried?:
    | (Pick<Policy, "name" | "when" | "then" | "position" | "enabled" | "reason"> & { readonly id: string })
    | undefined
}

const ceilingOf = (operation: ServiceRow["operations"][number] | undefined): number | undefined =>
  operation === undefined
    ? undefined
    : operation.price.type === "fixed"
    ? operation.price.cents
    : operation.price.type === "tokens"
    ? undefined
    : plainCents(operation.price.ceiling)

export const SamplePanel = ({ rules, tried }: SamplePanelProps) => {
  const t = policiesText.sample
  const workspace = useWorkspaceId()
  const agents = useQuery(agentChoices(workspace)).data?.data ?? []
  const services = useQuery(allServices(workspace)).data ?? []
  const [agentId, setAgentId] = useState<string>()
  const [serviceName, setServiceName] = useState<string>()
  const [operationName, setOperationName] = useState<string>()
  const [payload, setPayload] = useState<unknown>({})
  const [ceiling, setCeiling] = useState<number>()
  const [lacks, setLacks] = useState(false)
  const [trying, setTrying] = useState(false)
  const [result, setResult] = useState<{ readonly trial: Trial; readonly of: string }>()
  const agent = agents.find(({ id }) => id === agentId) ?? (agents.length === 1 ? agents[0] : undefined)
  const client = useQueryClient()
  const service = services.find(({ name }) => name === serviceName)
  const operation = service?.operations.find(({ name }) => name === operationName)
  const takeOperation = (of: ServiceRow | undefined, name: string | undefined) => {
    const taken = of?.operations.find((each) => each.name === name)
    setOperationName(taken?.name)
    setCeiling(ceilingOf(taken))
    const begin = taken?.example ?? {}
    setPayload(begin)
    if (of === undefined || taken === undefined || taken.example !== undefined) return
    client.fetchQuery(serviceQuery(workspace, of.name))
      .then(({ operations }) => operations.find((each) => each.name === name))
      .then((whole) => whole === undefined ? begin : samplePayload(whole))
      // Keep text that the person typed while the sample was loading.
      .then((made) => setPayload((before: unknown) => (before === begin ? made : before)), () => {})
  }
  const standing = rules.map(({ enabled, id, position, version }) => [id, version, position, enabled])
  const now = JSON.stringify([agent?.id, serviceName, operationName, payload, ceiling, tried, standing])
  const run = async () => {
    if (agent === undefined || service === undefined || operation === undefined || !isJsonObject(payload)) return
    setTrying(true)
    try {
      const { tryOn } = await import("./sample-check.ts")
      const trial = tryOn(
        {
          agent: { id: agent.id, name: agent.name, team_id: agent.team_id ?? "" },
          service: service.name,
          operation: operation.name,
          payload,
          ceiling_cents: ceiling ?? 0,
          time: new Date(hubClock.now())
        },
        rules,
        tried === undefined ? undefined : { ...tried, id: tried.id as Policy["id"], version: 1 }
      )
      setResult({ trial, of: now })
    } finally {
      setTrying(false)
    }
  }
  return (
    <FormFrame
      className="grid gap-12 min-w-0"
      call={{ isPending: trying, error: undefined }}
      duringOutage
      onSubmit={(form) => {
        setLacks(agent === undefined || operation === undefined)
        if (isReadable(form)) void run()
      }}
    >
      <p className="type-note text-2">{t.about}</p>
      <div className={`grid items-start gap-12 ${styles.fields}`}>
        <Select
          label={t.agent}
          placeholder=""
          value={agent?.id}
          onChange={setAgentId}
          options={agents.map(({ id, name }) => ({ value: id as string, text: name }))}
        />
        <Select
          label={t.service}
          placeholder=""
          value={service?.name}
          onChange={(next) => {
            setServiceName(next)
            const chosen = services.find(({ name }) => name === next)
            takeOperation(chosen, chosen?.operations[0]?.name)
          }}
          options={services.map(({ name }) => ({ value: name, text: name }))}
        />
        <Select
          label={t.operation}
          placeholder=""
          value={operation?.name}
          disabled={service === undefined}
          onChange={(next) => takeOperation(service, next)}
          options={(service?.operations ?? []).map(({ name }) => ({ value: name as string, text: name as string }))}
        />
        <MoneyField label={t.ceiling} value={ceiling} onChange={setCeiling} invalidText={t.invalid} />
      </div>
      <JsonField
        label={t.payload}
        rows={4}
        value={payload}
        onChange={(next) => setPayload(next ?? {})}
        error={isJsonObject(payload) ? undefined : t.notJson}
      />
      {lacks && (agent === undefined || operation === undefined) && (
        <p role="alert" className="type-note weight-label text-stop wrap-anywhere">
          {t.needs}
        </p>
      )}
      <div>
        <FormSubmit act={t.act} pendingText={t.trying} />
      </div>
      <div className={styles.result} role="status">
        {result !== undefined && (
          <>
            <Outcome trial={result.trial} triedId={tried?.id} />
            {result.of !== now && <p className="mt-8 type-note text-hold">{t.stale}</p>}
          </>
        )}
      </div>
    </FormFrame>
  )
}

const Outcome = (
  { trial: { decision, match }, triedId }: { readonly trial: Trial; readonly triedId: string | undefined }
) => {
  const t = policiesText.sample
  const decided = decision.action === "none" ? undefined : decision.action
  const isThis = decision.rule !== undefined && decision.rule.id === triedId
  return (
    <div className={styles.outcome}>
      {match !== undefined && (
        <p className={styles.match}>
          {match.kind === "yes" ? t.matches : match.kind === "no" ? t.matchesNot : t.unreadable(match.message)}
        </p>
      )}
      <p className="type-body">
        {decided === undefined || decision.rule === undefined
          ? (
            t.nobody
          )
          : (
            <Phrase
              text={isThis ? t.thisDecides : match?.kind === "yes" ? t.before : t.decides}
              rule={<strong>{decision.rule.name}</strong>}
              action={<ActionBadge action={decided} />}
            />
          )}
      </p>
      {!isThis && decision.problem !== undefined && (
        <p className="type-note weight-label text-stop wrap-anywhere">{t.unreadable(decision.problem)}</p>
      )}
    </div>
  )
}
