/** One trigger: how to fire it, a test, its deliveries, and what it does. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { JsonBlock } from "../catalog/json-block.tsx"
import { Button } from "../components/button.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentChoices, deliveryPages, type Trigger, type TriggerDelivery, triggerQuery } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { ActionText } from "../schedules/action-text.tsx"
import { cronWords } from "../schedules/cron-words.ts"
import { DueList } from "../schedules/due-list.tsx"
import { ScheduleState } from "../schedules/schedule-state.tsx"
import styles from "../schedules/schedules.module.css"
import { CommandBlock } from "../setup/command-block.tsx"
import { type ShownSecret, SigningSecretDialog } from "../signing-secrets/signing-secret.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { requestsText } from "../text/requests.ts"
import { schedulesText } from "../text/schedules.ts"
import { triggersText as t } from "../text/triggers.ts"
import { signingCurl } from "./signing-curl.ts"
import { TestPanel } from "./test-panel.tsx"
import { DeleteTriggerDialog, RotateSecretDialog } from "./trigger-dialogs.tsx"
import { EditTriggerDialog } from "./trigger-form.tsx"

export const TriggerScreen = () => {
  const { id } = useParams({ from: "/w/$workspace/triggers/$id" })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const trigger = useQuery(triggerQuery(workspace, id))
  const { data } = trigger
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/triggers", params: { workspace } }))
  return (
    <Page
      title={data?.name ?? t.one}
      path={<Link quiet to="/w/$workspace/triggers" params={{ workspace }}>{t.title}</Link>}
      busy={trigger.isFetching && !trigger.isRefetching}
    >
      <ScreenState query={trigger}>{data !== undefined && <View key={data.id} trigger={data} />}</ScreenState>
    </Page>
  )
}

interface TriggerProps {
  readonly trigger: Trigger
}

/** The body of the copied call. */
const exampleBody = { example: true }

const View = ({ trigger }: TriggerProps) => {
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("triggers:write")
  const mayAct = useMayAct()
  const [open, setOpen] = useState<"edit" | "rotate" | "delete">()
  const [secret, setSecret] = useState<ShownSecret>()
  const close = () => setOpen(undefined)
  const isActive = trigger.status === "active"
  const setStatus = useAct("triggers.update", {
    workspace,
    touches: ["triggers"],
    done: ({ status }) => status === "active" ? t.detail.resumed : t.detail.paused
  })
  const { cron, fire_url, next_runs = [], timezone = "UTC" } = trigger
  return (
    <>
      <header className="flex flex-wrap items-center gap-8 gap-x-12 mb-24">
        <h2 className="type-title tracking-large wrap-anywhere">{trigger.name}</h2>
        <ScheduleState status={trigger.status} />
        {trigger.paused_by !== undefined && (
          <span className="type-body text-2">{schedulesText.pausedBy[trigger.paused_by]}</span>
        )}
        {mayWrite && (
          <div className="flex flex-wrap gap-8 ms-auto">
            <Button disabled={!mayAct} onClick={() => setOpen("edit")}>{t.edit.act}</Button>
            <Button
              disabled={!mayAct}
              pending={setStatus.isPending}
              onClick={() =>
                setStatus.mutate({ params: { id: trigger.id }, payload: { status: isActive ? "paused" : "active" } })}
            >
              {isActive ? t.detail.pause : t.detail.resume}
            </Button>
            {trigger.kind === "webhook" && (
              <Button disabled={!mayAct} onClick={() => setOpen("rotate")}>{t.rotate.act}</Button>
            )}
          </div>
        )}
      </header>
      {setStatus.error !== null && <Problem inline error={setStatus.error} failed={t.detail.statusFailed} />}
      <div className={`grid items-start gap-16 ${styles.columns}`}>
        <div className="grid gap-16 min-w-0">
          {cron !== undefined && (
            <Panel title={t.detail.next}>
              <p className="mb-12 type-body">{cronWords(cron)}</p>
              <DueList dues={next_runs} zone={timezone} />
            </Panel>
          )}
          {fire_url !== undefined && (
            <Panel title={t.detail.curl}>
              <div className="grid gap-12">
                <div className="flex flex-wrap items-center gap-8">
                  <code className="type-mono wrap-anywhere" aria-label={t.detail.url}>{fire_url}</code>
                  <CopyButton value={fire_url} texts={t.detail.urlCopy} />
                </div>
                <p className="type-note text-2">{t.detail.curlAbout}</p>
                <CommandBlock
                  label={t.detail.curl}
                  copyText={t.detail.curlCopy}
                  command={signingCurl({
                    fire_url,
                    require_timestamp: trigger.require_timestamp ?? false,
                    body: exampleBody
                  })}
                />
              </div>
            </Panel>
          )}
          {mayWrite && <TestPanel trigger={trigger} />}
          <Deliveries trigger={trigger} />
        </div>
        <Facts trigger={trigger} onDelete={mayWrite ? () => setOpen("delete") : undefined} />
      </div>
      {open === "edit" && <EditTriggerDialog trigger={trigger} onClose={close} />}
      {open === "delete" && <DeleteTriggerDialog trigger={trigger} onClose={close} />}
      {open === "rotate" && (
        <RotateSecretDialog
          trigger={trigger}
          onClose={close}
          onRotated={(shown) => {
            close()
            setSecret(shown)
          }}
        />
      )}
      {secret !== undefined && (
        <SigningSecretDialog
          secret={secret}
          texts={t.secret}
          onKept={() => setSecret(undefined)}
        />
      )}
    </>
  )
}

const lookOf: Readonly<Record<TriggerDelivery["status"], string>> = {
  fired: "executed",
  refused: "rejected",
  queued: "pending",
  skipped: "expired",
  missed: "expired"
}

const Deliveries = ({ trigger }: TriggerProps) => {
  const workspace = useWorkspaceId()
  const deliveries = useInfiniteQuery(deliveryPages(workspace, trigger.id))
  const rows = rowsOf(deliveries.data)
  return (
    <Panel title={t.deliveries.title}>
      <ScreenState query={deliveries}>
        {rows.length === 0
          ? <p className="type-body text-2">{t.deliveries.empty}</p>
          : (
            <ul className="grid gap-8" aria-label={t.deliveries.list}>
              {rows.map(({ created_at, delivery_id, error, id, request_status, service_request_id, status }) => (
                <li key={id} className="flex flex-wrap items-center gap-4 gap-x-12 type-body">
                  <StatusBadge status={lookOf[status]}>{t.deliveries.statuses[status]}</StatusBadge>
                  <RelativeTime at={created_at} now={hubClock.now} />
                  {delivery_id !== undefined && (
                    <span className="text-2 wrap-anywhere">
                      <Phrase text={t.deliveries.delivery} id={<code className="type-mono">{delivery_id}</code>} />
                    </span>
                  )}
                  {error !== undefined && <span className="text-stop wrap-anywhere">{error.message}</span>}
                  {service_request_id !== undefined && (
                    <span className="inline-flex items-center gap-8 ms-auto">
                      {request_status !== undefined && (
                        <StatusBadge status={request_status}>{requestsText.statuses[request_status]}</StatusBadge>
                      )}
                      <Link to="/w/$workspace/requests/$id" params={{ workspace, id: service_request_id }}>
                        {t.deliveries.request}
                      </Link>
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )}
        {deliveries.hasNextPage && (
          <p className="mt-12">
            <MoreButton pages={deliveries}>{t.deliveries.more}</MoreButton>
          </p>
        )}
      </ScreenState>
    </Panel>
  )
}

const Facts = ({ onDelete, trigger }: TriggerProps & { readonly onDelete: (() => void) | undefined }) => {
  const workspace = useWorkspaceId()
  const mayRead = useCan()("agents:read")
  const agents = useQuery({ ...agentChoices(workspace), enabled: mayRead }).data?.data ?? []
  const { action, agent_id, cron, payload_template, previous_secret_until, timezone } = trigger
  const payload = payload_template ?? (action.type === "workflow" ? action.input : action.payload)
  const time = (key: string, name: string, at: string | undefined) =>
    at === undefined ? [] : [{ key, name, value: <RelativeTime at={at} now={hubClock.now} /> }]
  return (
    <Panel title={t.detail.rule}>
      <KeyValueList
        items={[
          { key: "kind", name: t.detail.kind, value: t.kinds[trigger.kind] },
          { key: "action", name: t.detail.action, value: <ActionText action={action} /> },
          {
            key: "agent",
            name: t.detail.agent,
            value: (
              <Link quiet to="/w/$workspace/agents/$id" params={{ workspace, id: agent_id }}>
                {agents.find(({ id }) => id === agent_id)?.name ?? agent_id}
              </Link>
            )
          },
          ...cron === undefined
            ? [{
              key: "timestamp",
              name: t.detail.timestamp,
              value: trigger.require_timestamp === true ? t.detail.timestampRequired : t.detail.timestampOptional
            }]
            : [
              { key: "cron", name: t.detail.cron, value: <code className="type-mono">{cron}</code> },
              { key: "zone", name: t.detail.timezone, value: timezone ?? "UTC" }
            ],
          ...previous_secret_until === undefined ? [] : [{
            key: "previous",
            name: t.detail.previous,
            value: (
              <Phrase
                text={t.detail.previousUntil}
                time={<RelativeTime at={previous_secret_until} now={hubClock.now} />}
              />
            )
          }],
          ...time("fired", t.detail.lastFired, trigger.last_fired_at),
          ...time("created", t.detail.created, trigger.created_at),
          { key: "id", name: t.detail.id, value: <Id value={trigger.id} texts={acts.copying} /> }
        ]}
      />
      {payload !== undefined && (
        <div className="grid gap-4 mt-12">
          <h3 className="type-label text-2">
            {payload_template === undefined ? t.detail.payload : t.detail.template}
          </h3>
          <JsonBlock label={t.detail.payload} value={payload} />
        </div>
      )}
      {onDelete !== undefined && (
        <p className="mt-12">
          <Button size="small" variant="danger" onClick={onDelete}>{t.detail.remove}</Button>
        </p>
      )}
    </Panel>
  )
}
