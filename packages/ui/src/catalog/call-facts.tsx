/** How the hub calls the provider for one operation. */
import type { Operation } from "../hub/queries.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { catalogText } from "../text/catalog.ts"
import { figure } from "../text/catalogue.ts"
import { JsonBlock } from "./json-block.tsx"

const timeoutMillisDefault = 30_000

const Entries = ({ entries }: { readonly entries: Readonly<Record<string, unknown>> }) => (
  <ul className="grid gap-2">
    {Object.entries(entries).map(([name, value]) => (
      <li key={name}>
        <code className="type-mono wrap-anywhere">{`${name}: ${String(value)}`}</code>
      </li>
    ))}
  </ul>
)

export const CallFacts = ({ operation }: { readonly operation: Operation }) => {
  const t = catalogText.detail
  const {
    async,
    body,
    body_type = "json",
    headers = {},
    idempotent = false,
    method,
    path,
    query = {},
    query_style,
    result,
    summary,
    test,
    timeout_ms = timeoutMillisDefault,
    unknown = "fail"
  } = operation
  const takesBody = method !== "GET" && method !== "HEAD"
  const mono = (text: string) => <code className="type-mono wrap-anywhere">{text}</code>
  return (
    <div>
      {method === undefined && <p className="mb-8 type-note text-2">{t.builtin}</p>}
      <KeyValueList
        items={[
          ...(method === undefined
            ? []
            : [
              { key: "call", name: t.method, value: mono(`${method} ${path ?? ""}`) },
              ...(Object.keys(query).length === 0
                ? []
                : [{ key: "query", name: t.query, value: <Entries entries={query} /> }]),
              ...(Object.keys(headers).length === 0
                ? []
                : [{ key: "headers", name: t.headers, value: <Entries entries={headers} /> }]),
              {
                key: "body",
                name: t.body,
                value: body !== undefined
                  ? <JsonBlock value={body} label={t.body} />
                  : takesBody && method !== "DELETE"
                  ? (
                    t.bodyPayload
                  )
                  : (
                    t.noBody
                  )
              },
              ...(body_type === "json" ? [] : [{ key: "body_type", name: t.bodyType, value: t.bodyTypes[body_type] }]),
              ...(query_style === undefined
                ? []
                : [{ key: "query_style", name: t.queryStyle, value: mono(query_style) }]),
              { key: "result", name: t.result, value: result === undefined ? t.wholeAnswer : mono(result) }
            ]),
          ...(async === undefined ? [] : [{ key: "async", name: t.async, value: t.asyncs[async.mode] }]),
          {
            key: "summary",
            name: t.summary,
            value: summary === undefined ? t.summaryDefault : mono(summary.join(" "))
          },
          { key: "timeout", name: t.timeout, value: t.seconds(figure(timeout_ms / 1_000)) },
          { key: "repeat", name: t.repeat, value: idempotent ? t.repeats : t.noRepeat },
          { key: "unknown", name: t.unknown, value: t.unknowns[unknown] },
          ...(test?.result === undefined
            ? []
            : [{ key: "test", name: t.testResult, value: <JsonBlock value={test.result} label={t.testResult} /> }])
        ]}
      />
    </div>
  )
}
