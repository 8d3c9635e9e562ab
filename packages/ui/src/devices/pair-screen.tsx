/**
 * Pairs a computer: looks up its code, shows its report about itself, and lets a person grant some of the requested
 * capabilities.
 */
import { isHubError } from "@countersign/hub-client/error"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { fieldProblem } from "../app/field-problem.ts"
import { FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { useKey } from "../app/keys.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type Pairing, pairingQuery, type Tool } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { devicesText as texts } from "../text/devices.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { useCodeField } from "./code-field.tsx"
import { ConnectLines } from "./connect-lines.tsx"
import { platformWords } from "./device-words.ts"
import { AgentFields, type AgentMode, agentsOf, ToolFields } from "./grant-fields.tsx"
import styles from "./pair-screen.module.css"
import { codeIn, codeLength, shownCode } from "./pairing-code.ts"

const usePath = () => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/devices", params: { workspace } }))
  return (
    <Link quiet to="/w/$workspace/devices" params={{ workspace }}>
      {texts.title}
    </Link>
  )
}

/** Without a code: the person types it. */
export const PairScreen = () => {
  const path = usePath()
  const mayPair = useCan()("devices:write")
  return (
    <Page title={texts.pairing.title} path={path}>
      <div className={`grid grid-cols-1 ${styles.screen}`}>
        {mayPair ? <CodeForm /> : <p className="max-w-reading type-body text-2">{texts.pairing.mayNot}</p>}
        <section className="grid grid-cols-1 gap-12 min-w-0">
          <p className="max-w-reading type-body text-2">{texts.emptyAbout}</p>
          <ConnectLines />
        </section>
      </div>
    </Page>
  )
}

const CodeForm = ({ problem, was = "" }: { readonly problem?: string | undefined; readonly was?: string }) => {
  const t = texts.pairing
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { field, onSubmit } = useCodeField({
    was,
    problem,
    texts: t,
    className: styles.codeField,
    onCode: (code) => {
      // Fetch again even if the same code was fetched before.
      void queries.resetQueries({ queryKey: pairingQuery(workspace, code).queryKey, exact: true })
      void navigate({ to: "/w/$workspace/devices/pair/$code", params: { workspace, code } })
    }
  })
  return (
    <FormFrame className="grid grid-cols-1 gap-16 max-w-reading" onSubmit={onSubmit}>
      <p className={`type-lead ${styles.lead}`}>{t.about}</p>
      <div className="flex flex-wrap items-start gap-12">
        {field}
        <FormSubmit variant="primary" className={styles.look} act={t.look} />
      </div>
    </FormFrame>
  )
}

/** With a code from a link or from the form. */
export const PairCodeScreen = () => {
  const t = texts.pairing
  const path = usePath()
  const workspace = useWorkspaceId()
  const { code: typedCode } = useParams({ from: "/w/$workspace/devices/pair/$code" })
  const code = shownCode(codeIn(typedCode))
  const mayPair = useCan()("devices:write")
  const pairing = useQuery({
    ...pairingQuery(workspace, code),
    enabled: mayPair && codeIn(typedCode).length === codeLength
  })
  const problem = codeIn(typedCode).length === codeLength ? problemWords(t, pairing.error) : t.short
  return (
    <Page title={t.title} path={path} busy={pairing.isFetching}>
      <div className={`grid grid-cols-1 ${styles.screen}`}>
        {!mayPair
          ? <p className="max-w-reading type-body text-2">{t.mayNot}</p>
          : pairing.data !== undefined
          ? <Asked key={code} pairing={pairing.data} />
          : pairing.error !== null && problem === undefined
          ? <Problem error={pairing.error} failed={t.notRead} onRetry={() => void pairing.refetch()} />
          : problem !== undefined
          ? <CodeForm key={`${code} ${pairing.errorUpdatedAt}`} was={typedCode} problem={problem} />
          : null}
      </div>
    </Page>
  )
}

const problemWords = (t: typeof texts.pairing, error: unknown): string | undefined => {
  if (!isHubError(error)) return undefined
  if (error.status === 404) return t.wrong
  if (error.status === 410) return t.gone
  return error.status === 429 ? t.tooMany(Math.ceil((error.retryAfterMillis ?? 60_000) / 1_000)) : undefined
}

const Asked = ({ pairing }: { readonly pairing: Pairing }) => {
  const t = texts.pairing
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayAct = useMayAct()
  const [name, setName] = useState(pairing.name)
  const [tools, setTools] = useState<ReadonlyArray<Tool>>([])
  const [mode, setMode] = useState<AgentMode>("none")
  const [agents, setAgents] = useState<ReadonlyArray<string>>([])
  const [lacks, setLacks] = useState<{ readonly tools: boolean; readonly agents: boolean }>({
    tools: false,
    agents: false
  })
  const [rejecting, setRejecting] = useState(false)
  const confirm = useAct("device_pairing.confirm", {
    workspace,
    touches: ["devices"],
    onDone: (device) => {
      showToast({ text: t.done(device.name) })
      void navigate({ to: "/w/$workspace/devices/$id", params: { workspace, id: device.id }, replace: true })
    }
  })
  const reject = useAct("device_pairing.reject", {
    workspace,
    onDone: () => {
      showToast({ text: t.rejected(pairing.name) })
      void navigate({ to: "/w/$workspace/devices", params: { workspace }, replace: true })
    }
  })
  const gone = isHubError(confirm.error) && confirm.error.status === 410
  return (
    <>
      <FormFrame
        className="grid gap-16 min-w-0"
        call={confirm}
        failed={gone ? undefined : t.failed}
        unchanged={t.unchanged}
        places={["granted", "agents"]}
        onSubmit={() => {
          const missing = { tools: tools.length === 0, agents: mode === "some" && agents.length === 0 }
          setLacks(missing)
          if (missing.tools || missing.agents) return
          confirm.mutate({
            params: { code: pairing.code },
            payload: {
              granted: tools,
              agents: agentsOf(mode, agents),
              ...(name.trim() === "" || name.trim() === pairing.name ? {} : { name: name.trim() })
            }
          })
        }}
      >
        <header className="flex flex-wrap items-baseline gap-4 gap-x-16">
          <p className="type-lead">{t.compare}</p>
          <p className={styles.bigCode} translate="no">
            {pairing.code}
          </p>
          <ButtonLink size="small" variant="bare" to="/w/$workspace/devices/pair" params={{ workspace }}>
            {t.another}
          </ButtonLink>
        </header>
        <div className={`grid items-start gap-16 ${styles.columns}`}>
          <div className="grid gap-16 min-w-0">
            <Panel title={t.facts}>
              <KeyValueList
                items={[
                  { key: "name", name: t.name, value: <RevealedText text={pairing.name} texts={reveal} /> },
                  {
                    key: "address",
                    name: t.address,
                    value: <code className="type-mono wrap-anywhere">{pairing.address}</code>
                  },
                  { key: "platform", name: t.platform, value: <span translate="no">{platformWords(pairing)}</span> },
                  { key: "version", name: t.version, value: <span translate="no">{pairing.app_version}</span> },
                  {
                    key: "fingerprint",
                    name: t.fingerprint,
                    value: pairing.fingerprint === undefined
                      ? (
                        t.noFingerprint
                      )
                      : <code className="type-mono wrap-anywhere">{pairing.fingerprint}</code>
                  },
                  {
                    key: "expires",
                    name: t.expires,
                    value: <RelativeTime at={pairing.expires_at} now={hubClock.now} />
                  }
                ]}
              />
              <p className="mt-12 pt-12 border-t type-note text-2">{t.claims}</p>
            </Panel>
          </div>
          <div className="grid gap-16 min-w-0">
            <Panel title={t.grant}>
              <div className="grid gap-16">
                <TextField
                  label={t.name}
                  description={t.nameAbout}
                  value={name}
                  onChange={setName}
                  maxLength={100}
                  path="name"
                />
                <p className="max-w-reading type-body text-2">{t.grantAbout}</p>
                <ToolFields
                  offered={pairing.capabilities}
                  before={[]}
                  value={tools}
                  onChange={setTools}
                  error={lacks.tools && tools.length === 0
                    ? texts.grants.pickOne
                    : fieldProblem(confirm.error, "granted", true)}
                />
                <AgentFields
                  mode={mode}
                  onMode={setMode}
                  picked={agents}
                  onPick={setAgents}
                  error={lacks.agents && mode === "some" && agents.length === 0
                    ? texts.grants.pickAgent
                    : fieldProblem(confirm.error, "agents", true)}
                />
                {gone
                  ? (
                    <p className="type-body weight-label text-stop" role="alert">
                      {t.gone}
                    </p>
                  )
                  : <FormProblem />}
                <div className="flex flex-wrap justify-end gap-12 gap-x-24 pt-16 border-t">
                  <Button variant="danger" disabled={!mayAct || confirm.isPending} onClick={() => setRejecting(true)}>
                    {t.reject}
                  </Button>
                  <FormSubmit variant="primary" act={t.confirm} />
                </div>
              </div>
            </Panel>
          </div>
        </div>
      </FormFrame>
      {rejecting && (
        <ConfirmAct
          call={reject}
          onClose={() => setRejecting(false)}
          title={t.rejectTitle(pairing.name)}
          description={t.rejectWhat}
          confirmText={t.reject}
          onConfirm={() => reject.mutate({ params: { code: pairing.code } })}
          failed={t.rejectFailed}
          unchanged={t.unchanged}
        />
      )}
    </>
  )
}
