/** The parts of a service's page: its operations, its details, and the selected operation. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "../app/link.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { Tabs } from "../components/tabs.tsx"
import { agentChoices, type Operation, type Price, type Service } from "../hub/queries.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { catalogText } from "../text/catalog.ts"
import { figure, Phrase } from "../text/catalogue.ts"
import { JsonBlock } from "./json-block.tsx"
import { plainCents, priceWords } from "./price.ts"
import { operationViews } from "./routes.tsx"
import { SchemaTable } from "./schema-table.tsx"
import styles from "./service-screen.module.css"
import { TryPanel } from "./try-panel.tsx"

interface OperationsPanelProps {
  readonly service: Service
  readonly operation: Operation | undefined
  readonly onPick: (name: string) => void
}

export const OperationsPanel = ({ onPick, operation, service }: OperationsPanelProps) => {
  const t = catalogText
  return (
    <Panel title={t.detail.operations} flush>
      <ul className={styles.operations}>
        {service.operations.map((each) => (
          <li key={each.name}>
            <button
              type="button"
              className={styles.operation}
              aria-current={each.name === operation?.name || undefined}
              onClick={() => onPick(each.name)}
            >
              <span className="weight-label wrap-anywhere">{each.title ?? each.name}</span>
              <span className="type-note text-2 text-end">{priceWords(t.price, each.price)}</span>
              <code className="col-span-full type-mono text-3 wrap-anywhere">{each.name}</code>
            </button>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

export const FactsPanel = ({ service }: { readonly service: Service }) => {
  const t = catalogText
  const f = t.detail.facts
  const can = useCan()
  const workspace = useWorkspaceId()
  const agents = useQuery({ ...agentChoices(workspace), enabled: can("agents:read") }).data?.data ?? []
  const users = agents.filter(({ bindings }) => bindings.some((each) => each.service === service.name && each.enabled))
  const { adapter, auth = { type: "none" as const }, base_url = service.url, name, shipped } = service
  const secret = auth.secret === undefined ? null : (
    <Phrase
      text={t.detail.secret}
      name={can("catalog:write")
        ? (
          <Link to="/w/$workspace/secrets" params={{ workspace }}>
            {auth.secret}
          </Link>
        )
        : (
          auth.secret
        )}
    />
  )
  return (
    <Panel title={t.detail.about}>
      <KeyValueList
        items={[
          { key: "name", name: f.name, value: <code className="type-mono wrap-anywhere">{name}</code> },
          { key: "origin", name: f.origin, value: shipped ? t.origins.shipped : t.origins.own },
          ...(base_url === undefined
            ? []
            : [{ key: "base", name: f.base, value: <code className="type-mono wrap-anywhere">{base_url}</code> }]),
          ...(adapter !== undefined
            ? [{ key: "adapter", name: f.adapter, value: f.hub }]
            : [
              {
                key: "auth",
                name: f.auth,
                value: auth.type === "none"
                  ? (
                    t.detail.auths.none
                  )
                  : (
                    <>
                      {t.detail.authOf(t.detail.auths[auth.type], auth.header ?? auth.param ?? auth.app ?? "")} {secret}
                    </>
                  )
              }
            ]),
          {
            key: "used",
            name: f.usedBy,
            value: users.length === 0
              ? (
                f.nobody
              )
              : (
                <span className="flex flex-wrap gap-2 gap-x-8">
                  {users.map((agent) => (
                    <Link key={agent.id} to="/w/$workspace/agents/$id" params={{ workspace, id: agent.id }}>
                      {agent.name}
                    </Link>
                  ))}
                </span>
              )
          }
        ]}
      />
    </Panel>
  )
}

interface OperationPanelProps {
  readonly service: Service
  readonly operation: Operation
  readonly view: (typeof operationViews)[number]
  readonly onView: (view: (typeof operationViews)[number]) => void
  readonly agent: string | undefined
  readonly onAgent: (agent: string) => void
  readonly onPrice: (() => void) | undefined
}

export const OperationPanel = ({ agent, onAgent, onPrice, onView, operation, service, view }: OperationPanelProps) => {
  const t = catalogText.detail
  return (
    <Panel
      title={<code className="type-mono wrap-anywhere">{`${service.name}.${operation.name}`}</code>}
      actions={onPrice && (
        <Button size="small" onClick={onPrice}>
          {t.setPrice}
        </Button>
      )}
    >
      {operation.description !== undefined && <p className={styles.about}>{operation.description}</p>}
      <PriceWords price={operation.price} />
      <div className="mt-16">
        <Tabs
          label={t.view}
          tabs={operationViews.map((value) => ({ value, text: t[value] }))}
          value={view}
          onChange={onView}
        >
          <div className="pt-16">
            {view === "payload" && <SchemaTable schema={operation.payload_schema} />}
            {view === "try" && (
              <TryPanel
                service={service.name}
                operation={operation}
                agent={agent}
                onAgent={onAgent}
              />
            )}
            {view === "call" && <CallFacts operation={operation} />}
          </div>
        </Tabs>
      </div>
    </Panel>
  )
}

/** The price of a call in words: the amount, then how it is calculated. */
const PriceWords = ({ price }: { readonly price: Price }) => {
  const t = catalogText.price
  if (price.type === "fixed") return <p className="type-body tabular-nums weight-label">{priceWords(t, price)}</p>
  if (price.type === "tokens") return <p className="type-body weight-label">{t.tokensLong}</p>
  const isPlain = plainCents(price.ceiling) !== undefined
  return (
    <div>
      <p className="type-body tabular-nums weight-label">
        {isPlain
          ? (
            priceWords(t, price)
          )
          : (
            <Phrase
              text={t.quotedLong}
              expression={<code className="type-mono wrap-anywhere">{price.ceiling}</code>}
            />
          )}
      </p>
      {price.estimate !== undefined && (
        <p className="mt-2 type-note text-2">
          <Phrase text={t.estimate} expression={<code className="type-mono wrap-anywhere">{price.estimate}</code>} />
        </p>
      )}
      {(price.actual !== undefined || !isPlain) && (
        <p className="mt-2 type-note text-2">
          {price.actual === undefined
            ? (
              t.asQuoted
            )
            : <Phrase text={t.actual} pointer={<code className="type-mono wrap-anywhere">{price.actual}</code>} />}
        </p>
      )}
    </div>
  )
}

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

/** How the hub calls the provider for one operation. */
const CallFacts = ({ operation }: { readonly operation: Operation }) => {
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
      {method === undefined && operation.tool === undefined && <p className="mb-8 type-note text-2">{t.builtin}</p>}
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
