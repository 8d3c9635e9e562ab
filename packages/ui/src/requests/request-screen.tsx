/** One request: its payload, its timeline, the reason for its status, and its entries in ledger and log. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { type ReactNode, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { isRemoved, KeptBody } from "../app/kept-body.tsx"
import { useKey, useKeyCaps } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { useAuditWords } from "../audit/action-words.ts"
import { useVerification, VerificationResult } from "../audit/verify-log.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { serviceQuery, traceQuery } from "../hub/queries.ts"
import { copyText } from "../listing/copy-text.ts"
import { PlaceLink } from "../listing/place-link.tsx"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { PayloadView } from "../patterns/payload-view.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { Seal } from "../patterns/seal.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { TAccount } from "../patterns/t-account.tsx"
import { useTicking } from "../patterns/ticking.ts"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { payloadText as words } from "../text/payload.ts"
import { requestsText } from "../text/requests.ts"
import { BlockExplanation } from "./block-explanation.tsx"
import { CancelDialog } from "./cancel-dialog.tsx"
import { curlOf, holdsMask } from "./curl.ts"
import { isRefusal } from "./reason.ts"
import styles from "./request-screen.module.css"
import { SettleDialog } from "./settle-dialog.tsx"
import { RequestSteps, type Trace } from "./steps.tsx"

const from = "/w/$workspace/requests/$id"
const everySecond = () => Math.floor(hubClock.now() / 1_000) * 1_000

export const RequestScreen = () => {
  const t = requestsText
  const workspace = useWorkspaceId()
  const { id } = useParams({ from })
  const navigate = useNavigate()
  const trace = useQuery(traceQuery(workspace, id))
  const [asking, setAsking] = useState<Act>()
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/requests", params: { workspace } }))
  const request = trace.data?.request
  const acts = useOpenActs(request)
  return (
    <Page
      title={request === undefined ? id.slice(-8) : `${request.service}.${request.operation}`}
      path={<Link to="/w/$workspace/requests" params={{ workspace }}>{t.title}</Link>}
      busy={trace.isFetching}
      action={acts.length === 0 ? undefined : (
        <div className={`flex gap-8 ${styles.topActs}`}>
          <Acts acts={acts} onAct={setAsking} />
        </div>
      )}
    >
      <ScreenState query={trace}>
        {trace.data !== undefined && (
          <RequestView trace={trace.data} workspace={workspace} acts={<Acts acts={acts} onAct={setAsking} />} />
        )}
        {request !== undefined && asking === "cancel" && (
          <CancelDialog
            workspace={workspace}
            id={id}
            isPending={request.status === "approval_required"}
            onClose={() => setAsking(undefined)}
          />
        )}
        {request !== undefined && asking === "settle" && (
          <SettleDialog
            workspace={workspace}
            id={id}
            ceiling={request.ceiling_cents}
            onClose={() => setAsking(undefined)}
          />
        )}
      </ScreenState>
    </Page>
  )
}

const useCopyCurl = ({ payload, request }: Trace) => {
  const t = requestsText.acts
  return () =>
    copyText(curlOf(location.origin, { ...request, payload }), holdsMask(payload) ? t.curlMasked : t.curlDone)
}

type Act = "cancel" | "settle"

const useOpenActs = (request: Trace["request"] | undefined): ReadonlyArray<Act> => {
  const can = useCan()
  const isRunning = request?.status === "running"
  const mayCancel = (isRunning || request?.status === "approval_required") && can("requests:write")
  return [...mayCancel ? ["cancel" as const] : [], ...isRunning && can("budgets:write") ? ["settle" as const] : []]
}

const Acts = ({ acts, onAct }: { readonly acts: ReadonlyArray<Act>; readonly onAct: (act: Act) => void }) => {
  const t = requestsText.acts
  const mayAct = useMayAct()
  return acts.map((act) => (
    <Button
      key={act}
      size="small"
      variant={act === "cancel" ? "danger" : "primary"}
      disabled={!mayAct}
      onClick={() => onAct(act)}
    >
      {t[act]}
    </Button>
  ))
}

const RequestView = (
  { acts, trace, workspace }: { readonly trace: Trace; readonly workspace: string; readonly acts: ReactNode }
) => {
  const t = requestsText
  const copyCurl = useCopyCurl(trace)
  useCommands([{ id: "request.curl", text: t.acts.curl, run: copyCurl }])
  const show = (next: "form" | "json" | "diff") =>
    void navigate({ search: next === "form" ? {} : { view: next }, replace: true })
  const viewKeys = { form: useKeyCaps("view.form"), json: useKeyCaps("view.json"), diff: useKeyCaps("view.diff") }
  useKey("view.form", () => show("form"))
  useKey("view.json", () => show("json"))
  useKey("view.diff", () => show("diff"), { when: trace.approval?.previous !== undefined })
  const can = useCan()
  const navigate = useNavigate({ from })
  const { view = "form" } = useSearch({ from })
  const now = useTicking(everySecond)
  const { approval, request } = trace
  const service = useQuery({ ...serviceQuery(workspace, request.service), enabled: can("catalog:read") }).data
  const schema = service?.operations.find(({ name }) => name === request.operation)?.payload_schema
  const sentence = request.status === "executed"
    ? t.sentenceDone
    : request.status === "blocked" || request.status === "failed"
    ? t.sentenceTried
    : t.sentence
  return (
    <div className={`grid grid-cols-1 gap-16 ${styles.screen}`}>
      <header className={`flex flex-wrap items-start justify-between ${styles.head}`}>
        <div className="grid gap-8 min-w-0">
          <p className={`tracking-large wrap-anywhere ${styles.who}`}>
            <Phrase
              text={sentence}
              agent={
                <PlaceLink href={`/w/${workspace}/agents/${trace.agent.id}`} className={styles.agent}>
                  {trace.agent.name === "" ? t.gone : trace.agent.name}
                </PlaceLink>
              }
              operation={<span className={styles.operation}>{request.service}.{request.operation}</span>}
            />
          </p>
          <p className="flex flex-wrap items-center gap-8 type-body text-2">
            <StatusBadge status={request.status}>{t.statuses[request.status]}</StatusBadge>
            {request.mode === "test" && <Badge>{t.testMark}</Badge>}
            <span>
              <Phrase text={t.asked} time={<RelativeTime at={request.created_at} now={hubClock.now} />} />
            </span>
          </p>
        </div>
        <div className={styles.amount}>
          <Money
            cents={request.status === "executed" && request.mode === "live"
              ? request.cost_cents
              : request.ceiling_cents}
            size="amount"
          />
          <p className="type-note text-3">{request.mode === "test" ? t.amount.test : t.amount[request.status]}</p>
        </div>
      </header>
      <div className={styles.bodyActs}>{acts}</div>
      <div className={`grid items-start gap-16 ${styles.columns}`}>
        <div className="grid gap-16 min-w-0">
          <BlockExplanation trace={trace} workspace={workspace} />
          <Panel title={t.way}>
            <RequestSteps trace={trace} workspace={workspace} now={now} />
          </Panel>
          <Panel
            title={t.payloadTitle}
            actions={isRemoved(trace.payload)
              ? undefined
              : <Button size="small" onClick={copyCurl}>{t.acts.curl}</Button>}
          >
            <KeptBody value={trace.payload} workspace={workspace}>
              <PayloadView
                payload={trace.payload}
                schema={schema}
                previous={approval?.previous?.payload}
                view={view}
                onView={show}
                keys={viewKeys}
                texts={words}
              />
            </KeptBody>
          </Panel>
          <ResultPanel trace={trace} workspace={workspace} />
        </div>
        <div className="grid gap-16 min-w-0">
          <RequestFacts trace={trace} workspace={workspace} />
          <RequestLedger postings={trace.postings} request={request} />
        </div>
      </div>
      <RequestLog entries={trace.entries} workspace={workspace} />
    </div>
  )
}

const ResultPanel = ({ trace: { request }, workspace }: { readonly trace: Trace; readonly workspace: string }) => {
  const t = requestsText.result
  const [view, setView] = useState<"form" | "json" | "diff">("form")
  const [lateView, setLateView] = useState<"form" | "json" | "diff">("form")
  const texts = { ...words, label: t.title, empty: t.empty }
  return (
    <>
      {request.status !== "failed" && (
        <Panel title={t.title}>
          {request.status === "executed"
            ? (
              <KeptBody value={request.result} workspace={workspace}>
                <PayloadView payload={request.result ?? null} view={view} onView={setView} texts={texts} />
              </KeptBody>
            )
            : (
              <p className="type-body text-2">
                {isRefusal(request) ? t.refused : request.status === "blocked" ? t.blocked : t.none}
              </p>
            )}
        </Panel>
      )}
      {request.late_result !== undefined && (
        <Panel title={t.late}>
          <p className="type-body text-2">{t.lateNote}</p>
          <KeptBody value={request.late_result} workspace={workspace}>
            <PayloadView payload={request.late_result} view={lateView} onView={setLateView} texts={texts} />
          </KeptBody>
        </Panel>
      )}
    </>
  )
}

const RequestFacts = ({ trace, workspace }: { readonly trace: Trace; readonly workspace: string }) => {
  const t = requestsText
  const { approval, request } = trace
  const time = (at: string) => <RelativeTime at={at} now={hubClock.now} />
  const items = [
    { key: "id", name: t.about.id, value: <Id value={request.id} texts={acts.copying} /> },
    { key: "mode", name: t.about.mode, value: t.modes[request.mode] },
    { key: "ceiling", name: t.about.ceiling, value: <Money cents={request.ceiling_cents} /> },
    { key: "cost", name: t.about.cost, value: <Money cents={request.cost_cents} /> },
    { key: "created", name: t.about.created, value: time(request.created_at) },
    request.completed_at !== undefined &&
    { key: "completed", name: t.about.completed, value: time(request.completed_at) },
    request.approval_id !== undefined && {
      key: "approval",
      name: t.about.approval,
      value: (
        <PlaceLink href={`/w/${workspace}/approvals/${request.approval_id}`}>{request.approval_id.slice(-8)}</PlaceLink>
      )
    },
    approval !== undefined && {
      key: "digest",
      name: t.about.digest,
      value: <Seal digest={approval.payload_digest} closed={approval.status === "approved"} label={t.about.digest} />
    },
    request.origin?.replaces !== undefined && {
      key: "replaces",
      name: t.about.replaces,
      value: (
        <Link to="/w/$workspace/requests/$id" params={{ workspace, id: request.origin.replaces }}>
          {request.origin.replaces.slice(-8)}
        </Link>
      )
    },
    request.origin?.task_id !== undefined && {
      key: "task",
      name: t.about.task,
      value: (
        <Link to="/w/$workspace/agents/$id/tasks/$task" params={{ workspace, id: "_", task: request.origin.task_id }}>
          {request.origin.task_id.slice(-8)}
        </Link>
      )
    }
  ].filter((item) => item !== false)
  return (
    <Panel title={t.about.title}>
      <KeyValueList items={items} />
    </Panel>
  )
}

/** The ledger entries of a request: one transfer with both of its sides, which sum to zero. */
const RequestLedger = ({ postings, request }: Pick<Trace, "postings" | "request">) => {
  const t = requestsText.ledger
  const can = useCan()
  const nothing = request.mode === "test"
    ? t.noneTest
    : request.status === "approval_required"
    ? t.pending
    : request.status === "running"
    ? t.open
    : request.cost_cents > 0 && !can("usage:read")
    ? t.forbidden
    : t.none
  return (
    <Panel title={t.title}>
      {postings.length === 0
        ? <p className="type-body text-2">{nothing}</p>
        // The entry that takes money is the debit; the pattern expects debits as positive amounts.
        : (
          <TAccount
            postings={postings.map(({ account, amount_cents, id }) => ({
              id,
              account: t.accounts[account.type],
              cents: -amount_cents
            }))}
            texts={t}
          />
        )}
    </Panel>
  )
}

/** At the foot of a request: its audit entries, the newest hash, and whether the log is intact. */
const RequestLog = ({ entries, workspace }: Pick<Trace, "entries"> & { readonly workspace: string }) => {
  const words = useAuditWords()
  const { start, walk } = useVerification(workspace)
  const last = entries.at(-1)
  return (
    <Panel
      title={requestsText.log.title}
      actions={last === undefined
        ? undefined
        : (
          <Button size="small" pending={walk.kind === "running"} pendingText={acts.asking} onClick={() => void start()}>
            {requestsText.verify}
          </Button>
        )}
    >
      {last === undefined ? <p className="type-body text-2">{requestsText.log.none}</p> : (
        <div className="grid gap-12">
          <ul className="grid">
            {entries.map((entry) => (
              <li key={entry.id} className={`grid items-baseline gap-16 border-b type-body ${styles.entry}`}>
                <Link
                  to="/w/$workspace/audit"
                  params={{ workspace }}
                  search={{ entry: entry.seq }}
                  title={entry.action}
                >
                  {words.action(entry.action)}
                </Link>
                <span className={styles.by}>{requestsText.log.by(entry.actor.name)}</span>
                <span className="text-3">
                  <RelativeTime at={entry.created_at} now={hubClock.now} />
                </span>
              </li>
            ))}
          </ul>
          <p className="flex flex-wrap items-center gap-8 type-body">
            <span className="text-3">{requestsText.log.entry(last.seq)}</span>
            <Id value={last.hash} head={16} tail={8} texts={acts.copying} />
          </p>
          <VerificationResult walk={walk} />
        </div>
      )}
    </Panel>
  )
}
