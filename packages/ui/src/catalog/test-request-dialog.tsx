/** Sends a test-mode request as an agent, without its key, and shows the outcome. */
import type { Output } from "@countersign/hub-client/contract"
import { useQuery } from "@tanstack/react-query"
import { useEffect, useState } from "react"
import { fieldProblem, isReadable } from "../app/field-problem.ts"
import { FormDialog } from "../app/form.tsx"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Select } from "../components/select.tsx"
import { serviceQuery, type ServiceRow } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { detailOf, reasonOf } from "../requests/reason.ts"
import { catalogText } from "../text/catalog.ts"
import { requestsText as requests } from "../text/requests.ts"
import { isJsonObject } from "./read-json.ts"
import { samplePayload } from "./sample-payload.ts"
import { JsonField } from "./schema-form.tsx"
import styles from "./try-panel.module.css"

const outcomes = ["approval", "failure", "running", "blocked"] as const
type Outcome = (typeof outcomes)[number]

export interface TestRequestDialogProps {
  readonly service: ServiceRow
  /** Agents to choose from; with one agent, no choice is shown. */
  readonly agents: ReadonlyArray<{ readonly id: Output<"agents.get">["id"]; readonly name: string }>
  /** The initial choice. */
  readonly operation?: string | undefined
  readonly onClose: () => void
}

export const TestRequestDialog = ({ agents, onClose, operation: first, service }: TestRequestDialogProps) => {
  const t = catalogText.testRequest
  const workspace = useWorkspaceId()
  const [agent, setAgent] = useState<string | undefined>(agents[0]?.id)
  const [name, setName] = useState(first ?? service.operations[0]?.name ?? "")
  const [outcome, setOutcome] = useState<Outcome | "mock">("mock")
  const [payload, setPayload] = useState<unknown>()
  const whole = useQuery(serviceQuery(workspace, service.name)).data
  const operation = whole?.operations.find((each) => each.name === name)
  const send = useAct("service_requests.test", { workspace, touches: ["service_requests", "approvals"] })
  useEffect(() => {
    if (operation === undefined) return
    let isGone = false
    void samplePayload(operation).then((made) => {
      if (!isGone) setPayload((before: unknown) => before ?? made)
    }, () => {})
    return () => {
      isGone = true
    }
  }, [operation])
  const chosen = agents.find(({ id }) => id === agent)
  const isObject = isJsonObject(payload)
  return (
    <FormDialog
      title={t.title}
      description={t.about}
      act={t.act}
      call={send}
      failed={t.failed}
      unchanged={t.unchanged}
      places={["service"]}
      disabled={chosen === undefined || operation === undefined || !isObject}
      onClose={onClose}
      onSubmit={(form) => {
        if (chosen === undefined || !isJsonObject(payload) || !isReadable(form)) return
        send.mutate({
          params: { id: chosen.id },
          payload: { service: service.name, operation: name, payload, ...(outcome === "mock" ? {} : { outcome }) }
        })
      }}
    >
      {agents.length === 0 ? <p className="type-note text-2">{t.noAgents}</p> : (
        agents.length > 1 && (
          <Select
            label={t.agent}
            value={agent}
            onChange={setAgent}
            options={agents.map(({ id, name }) => ({ value: id as string, text: name }))}
          />
        )
      )}
      <Select
        label={t.operation}
        value={name}
        onChange={(next) => {
          setName(next)
          setPayload(undefined)
          send.reset()
        }}
        options={service.operations.map(({ name, title }) => ({
          value: name,
          text: title === undefined || title === name ? name : `${title} (${name})`
        }))}
        path="operation"
        error={fieldProblem(send.error, "service")}
      />
      <Select
        label={t.outcome}
        value={outcome}
        onChange={(next) => setOutcome(next as Outcome | "mock")}
        options={(["mock", ...outcomes] as const).map((value) => ({ value, text: t.outcomes[value] }))}
      />
      <JsonField
        key={name}
        label={t.payload}
        rows={8}
        value={payload ?? {}}
        onChange={(next) => setPayload(next ?? {})}
        path="payload"
        error={payload === undefined || isObject ? undefined : t.notJson}
      />
      <div aria-live="polite">{send.data !== undefined && <Outcome request={send.data} />}</div>
    </FormDialog>
  )
}

const Outcome = ({ request }: { readonly request: Output<"service_requests.test"> }) => {
  const t = catalogText.testRequest
  const workspace = useWorkspaceId()
  const why = [reasonOf(requests, request), detailOf(request.result) ?? ""].filter((text) => text !== "").join(": ")
  return (
    <section className={styles.outcome} aria-label={t.result}>
      <div className="flex flex-wrap items-center gap-8 mb-8 type-body">
        <StatusBadge status={request.status}>{requests.statuses[request.status]}</StatusBadge>
        <Link to="/w/$workspace/requests/$id" params={{ workspace, id: request.id }}>{t.open}</Link>
      </div>
      <KeyValueList
        items={[
          ...(why === "" ? [] : [{ key: "why", name: t.reason, value: why }]),
          ...(request.block?.limit_cents === undefined
            ? []
            : [{ key: "limit", name: t.limit, value: <Money cents={request.block.limit_cents} end /> }]),
          { key: "cost", name: t.cost, value: <Money cents={request.ceiling_cents} end /> }
        ]}
      />
    </section>
  )
}
