/** One webhook endpoint: its deliveries, how to verify its messages, and its settings. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { Tabs } from "../components/tabs.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type WebhookEndpoint, webhookQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { CommandBlock } from "../setup/command-block.tsx"
import { type ShownSecret, SigningSecretDialog } from "../signing-secrets/signing-secret.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { webhooksText as t } from "../text/webhooks.ts"
import { Deliveries } from "./deliveries.tsx"
import { EndpointState } from "./endpoint-state.tsx"
import { type SnippetLanguage, snippetLanguages, verifySnippet } from "./verify-snippet.ts"
import { DeleteWebhookDialog, ReplayDialog, RotateWebhookDialog } from "./webhook-dialogs.tsx"
import { EditWebhookDialog } from "./webhook-form.tsx"
import { isAll } from "./webhook-types.ts"
import styles from "./webhooks.module.css"

export const WebhookScreen = () => {
  const { id } = useParams({ from: "/w/$workspace/settings/webhooks/$id" })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const endpoint = useQuery(webhookQuery(workspace, id))
  const { data } = endpoint
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/settings/webhooks", params: { workspace } }))
  return (
    <Page
      title={t.one}
      path={<Link quiet to="/w/$workspace/settings/webhooks" params={{ workspace }}>{t.title}</Link>}
      busy={endpoint.isFetching && !endpoint.isRefetching}
    >
      <ScreenState query={endpoint}>{data !== undefined && <View key={data.id} endpoint={data} />}</ScreenState>
    </Page>
  )
}

interface EndpointProps {
  readonly endpoint: WebhookEndpoint
}

const View = ({ endpoint }: EndpointProps) => {
  const workspace = useWorkspaceId()
  const mayAct = useMayAct()
  const [open, setOpen] = useState<"edit" | "rotate" | "replay" | "delete">()
  const [secret, setSecret] = useState<ShownSecret>()
  const [part, setPart] = useState<"deliveries" | "verify">("deliveries")
  const close = () => setOpen(undefined)
  const { description, disabled_by, id, status, url } = endpoint
  const isEnabled = status === "enabled"
  const setStatus = useAct("webhook_endpoints.update", {
    workspace,
    touches: ["webhook_endpoints"],
    done: ({ status }) => status === "enabled" ? t.status.enabled : t.status.disabled
  })
  const test = useAct("webhook_endpoints.test", {
    workspace,
    touches: ["webhook_endpoints.listDeliveries"],
    done: t.test.done
  })
  return (
    <>
      <header className="flex flex-wrap items-center gap-8 gap-x-12 mb-24">
        <h2 className="type-title tracking-large wrap-anywhere">{url}</h2>
        <EndpointState endpoint={endpoint} />
        {disabled_by !== undefined && <span className="type-body text-2">{t.disabledBy[disabled_by]}</span>}
        <div className="flex flex-wrap gap-8 ms-auto">
          <Button
            disabled={!mayAct || !isEnabled}
            pending={test.isPending}
            onClick={() => test.mutate({ params: { id } })}
          >
            {t.test.act}
          </Button>
          <Button disabled={!mayAct || !isEnabled} onClick={() => setOpen("replay")}>{t.replay.act}</Button>
          <Button disabled={!mayAct} onClick={() => setOpen("edit")}>{t.edit.act}</Button>
          <Button
            disabled={!mayAct}
            pending={setStatus.isPending}
            onClick={() =>
              setStatus.mutate({ params: { id }, payload: { status: isEnabled ? "disabled" : "enabled" } })}
          >
            {isEnabled ? t.status.disable : t.status.enable}
          </Button>
          <Button disabled={!mayAct} onClick={() => setOpen("rotate")}>{t.rotate.act}</Button>
        </div>
      </header>
      {description !== "" && <p className="mb-16 type-body text-2 wrap-anywhere">{description}</p>}
      {test.error !== null && <Problem inline error={test.error} failed={t.test.failed} />}
      {setStatus.error !== null && <Problem inline error={setStatus.error} failed={t.status.failed} />}
      <div className={`grid items-start gap-16 ${styles.columns}`}>
        <Tabs
          label={t.detail.parts}
          tabs={[{ value: "deliveries", text: t.deliveries.title }, { value: "verify", text: t.verify.title }]}
          value={part}
          onChange={setPart}
        >
          {part === "deliveries" ? <Deliveries endpoint={endpoint} /> : <VerifyPanel />}
        </Tabs>
        <Facts endpoint={endpoint} onDelete={() => setOpen("delete")} />
      </div>
      {open === "edit" && <EditWebhookDialog endpoint={endpoint} onClose={close} />}
      {open === "replay" && <ReplayDialog endpoint={endpoint} onClose={close} />}
      {open === "delete" && <DeleteWebhookDialog endpoint={endpoint} onClose={close} />}
      {open === "rotate" && (
        <RotateWebhookDialog
          endpoint={endpoint}
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

const VerifyPanel = () => {
  const [language, setLanguage] = useState<SnippetLanguage>("node")
  return (
    <Panel>
      <p className="mb-12 type-note text-2">{t.verify.about}</p>
      <Tabs
        label={t.verify.languages}
        tabs={snippetLanguages.map((value) => ({ value, text: t.verify[value] }))}
        value={language}
        onChange={setLanguage}
      >
        <CommandBlock label={t.verify.label} copyText={t.verify.copy} command={verifySnippet(language)} />
      </Tabs>
    </Panel>
  )
}

const Facts = ({ endpoint, onDelete }: EndpointProps & { readonly onDelete: () => void }) => {
  const { created_at, failing_since, id, previous_secret_until, types } = endpoint
  return (
    <Panel title={t.detail.facts}>
      <KeyValueList
        items={[
          {
            key: "events",
            name: t.detail.events,
            value: isAll(types) ? t.allTypes : (
              <ul className="grid gap-4">
                {types.map((type) => (
                  <li key={type}>
                    <code className="type-mono wrap-anywhere">{type}</code>
                  </li>
                ))}
              </ul>
            )
          },
          ...failing_since === undefined ? [] : [{
            key: "failing",
            name: t.failing,
            value: <RelativeTime at={failing_since} now={hubClock.now} />
          }],
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
          { key: "created", name: t.detail.created, value: <RelativeTime at={created_at} now={hubClock.now} /> },
          { key: "id", name: t.detail.id, value: <Id value={id} texts={acts.copying} /> }
        ]}
      />
      <p className="mt-12">
        <Button size="small" variant="danger" onClick={onDelete}>{t.detail.remove}</Button>
      </p>
    </Panel>
  )
}
