/** Renders a delivery as the hub would, and estimates its request. */
import type { Output } from "@countersign/hub-client/contract"
import { useState } from "react"
import { Form } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { JsonBlock } from "../catalog/json-block.tsx"
import { isJsonObject, readJson } from "../catalog/read-json.ts"
import { TextArea } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import type { Trigger } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { reasonOf } from "../requests/reason.ts"
import { requestsText } from "../text/requests.ts"
import { triggersText } from "../text/triggers.ts"

/** Undefined: no text. `bad`: no JSON object of texts. */
const recordIn = (text: string): Readonly<Record<string, string>> | "bad" | undefined => {
  if (text.trim() === "") return undefined
  const read = readJson(text)
  return read.ok && isJsonObject(read.value)
    ? Object.fromEntries(Object.entries(read.value).map(([name, value]) => [name, String(value)]))
    : "bad"
}

export const TestPanel = ({ trigger }: { readonly trigger: Trigger }) => {
  const t = triggersText.test
  const [body, setBody] = useState("{}")
  const [headers, setHeaders] = useState("")
  const [query, setQuery] = useState("")
  const [result, setResult] = useState<Output<"triggers.test">>()
  const test = useAct("triggers.test", { workspace: useWorkspaceId(), onDone: setResult })
  const read = readJson(body)
  const [headersRead, queryRead] = [recordIn(headers), recordIn(query)]
  const isWebhook = trigger.kind === "webhook"
  return (
    <Panel title={t.title}>
      <p className="mb-16 type-note text-2">{t.about}</p>
      <Form
        call={test}
        act={t.act}
        failed={t.failed}
        unchanged={t.unchanged}
        disabled={isWebhook && (!read.ok || headersRead === "bad" || queryRead === "bad")}
        onSubmit={() =>
          test.mutate({
            params: { id: trigger.id },
            payload: isWebhook
              ? {
                ...read.ok && read.value !== undefined ? { body: read.value } : {},
                ...headersRead === undefined || headersRead === "bad" ? {} : { headers: headersRead },
                ...queryRead === undefined || queryRead === "bad" ? {} : { query: queryRead }
              }
              : null
          })}
      >
        {isWebhook && (
          <>
            <TextArea
              label={t.body}
              mono
              rows={4}
              value={body}
              onChange={setBody}
              error={read.ok ? undefined : t.badJson}
              path="body"
            />
            <TextArea
              label={t.headers}
              aside={triggersText.optional}
              mono
              rows={2}
              value={headers}
              onChange={setHeaders}
              error={headersRead === "bad" ? t.badJson : undefined}
              path="headers"
            />
            <TextArea
              label={t.query}
              aside={triggersText.optional}
              mono
              rows={2}
              value={query}
              onChange={setQuery}
              error={queryRead === "bad" ? t.badJson : undefined}
              path="query"
            />
          </>
        )}
      </Form>
      <div aria-live="polite">{result !== undefined && <TestResult result={result} />}</div>
    </Panel>
  )
}

const TestResult = (
  { result: { estimate, operation, payload, service } }: { readonly result: Output<"triggers.test"> }
) => {
  const t = triggersText.test
  const why = reasonOf(requestsText, estimate)
  return (
    <section className="grid gap-12 mt-16" aria-label={t.result}>
      <KeyValueList
        items={[
          {
            key: "request",
            name: t.request,
            value: (
              <span className="inline-flex items-center gap-8">
                <code className="type-mono">{`${service}.${operation}`}</code>
                <StatusBadge status={estimate.status}>{requestsText.statuses[estimate.status]}</StatusBadge>
              </span>
            )
          },
          ...why === "" ? [] : [{ key: "why", name: t.why, value: why }],
          { key: "ceiling", name: t.ceiling, value: <Money cents={estimate.ceiling_cents} end /> },
          { key: "cost", name: t.cost, value: <Money cents={estimate.cost_cents} end /> }
        ]}
      />
      <JsonBlock label={t.payload} value={payload} />
    </section>
  )
}
