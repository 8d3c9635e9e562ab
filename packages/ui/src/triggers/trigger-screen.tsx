/** One trigger: how to fire it, a test, its deliveries, and what it does. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { deliveryPages, type Trigger, type TriggerDelivery, triggerQuery } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { AutomationFacts, cronFacts, payloadOf, useActionFacts } from "../schedules/automation-facts.tsx"
import { AutomationHead } from "../schedules/automation-head.tsx"
import { cronWords } from "../schedules/cron-words.ts"
import { DueList } from "../schedules/due-list.tsx"
import { FiringList } from "../schedules/firing-list.tsx"
import styles from "../schedules/schedules.module.css"
import { CommandBlock } from "../setup/command-block.tsx"
import { type ShownSecret, SigningSecretDialog } from "../signing-secrets/signing-secret.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
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
      <AutomationHead
        of={trigger}
        acts={mayWrite
          ? {
            onEdit: () => setOpen("edit"),
            onToggle: () =>
              setStatus.mutate({ params: { id: trigger.id }, payload: { status: isActive ? "paused" : "active" } }),
            isToggling: setStatus.isPending,
            more: trigger.kind === "webhook" && (
              <Button disabled={!mayAct} onClick={() => setOpen("rotate")}>{t.rotate.act}</Button>
            )
          }
          : undefined}
      />
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
  return (
    <FiringList texts={t.deliveries} pages={deliveries} rows={rowsOf(deliveries.data)}>
      {({ created_at, delivery_id, status }) => (
        <>
          <StatusBadge status={lookOf[status]}>{t.deliveries.statuses[status]}</StatusBadge>
          <RelativeTime at={created_at} now={hubClock.now} />
          {delivery_id !== undefined && (
            <span className="text-2 wrap-anywhere">
              <Phrase text={t.deliveries.delivery} id={<code className="type-mono">{delivery_id}</code>} />
            </span>
          )}
        </>
      )}
    </FiringList>
  )
}

const Facts = ({ onDelete, trigger }: TriggerProps & { readonly onDelete: (() => void) | undefined }) => {
  const { action, cron, payload_template, previous_secret_until, timezone } = trigger
  const time = (key: string, name: string, at: string | undefined) =>
    at === undefined ? [] : [{ key, name, value: <RelativeTime at={at} now={hubClock.now} /> }]
  return (
    <AutomationFacts
      title={t.detail.rule}
      items={[
        { key: "kind", name: t.detail.kind, value: t.kinds[trigger.kind] },
        ...useActionFacts(trigger),
        ...cron === undefined
          ? [{
            key: "timestamp",
            name: t.detail.timestamp,
            value: trigger.require_timestamp === true ? t.detail.timestampRequired : t.detail.timestampOptional
          }]
          : cronFacts(cron, timezone ?? "UTC"),
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
      payload={payload_template ?? payloadOf(action)}
      payloadTitle={payload_template === undefined ? t.detail.payload : t.detail.template}
      removeText={t.detail.remove}
      onRemove={onDelete}
    />
  )
}
