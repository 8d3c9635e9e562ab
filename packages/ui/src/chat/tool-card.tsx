/** A call of the agent: its state and amount, its payload and its result, and the approval that it waits for. */
import { useQuery } from "@tanstack/react-query"
import { useId } from "react"
import { Link } from "../app/link.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { JsonBlock } from "../catalog/json-block.tsx"
import { Link as PlainLink } from "../components/link.tsx"
import { formatMoney } from "../components/money-text.ts"
import { approvalQuery } from "../hub/queries.ts"
import { downloadHref } from "../listing/download.ts"
import { Money } from "../patterns/money.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import type { StatusLook } from "../patterns/status.ts"
import { chatText } from "../text/chat.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { requestsText } from "../text/requests.ts"
import { type CallSource, sourcesOf } from "./call-sources.ts"
import styles from "./chat.module.css"
import type { CallState, ShownCall } from "./live-turn.ts"
import { PendingCall } from "./pending-call.tsx"

const looks: Readonly<Record<CallState, StatusLook>> = {
  planned: "running",
  executing: "running",
  pending: "waiting",
  local: "waiting",
  executed: "executed",
  blocked: "blocked",
  failed: "failed",
  running: "running",
  timed_out: "failed",
  cancelled: "expired"
}

const hasOutcome = (state: CallState): boolean =>
  ["executed", "blocked", "failed", "running", "timed_out", "cancelled"].includes(state)

const reasons: Readonly<Record<string, string>> = { ...requestsText.reasons, ...chatText.tool.reasons }

/** The desktop app answers a denial as an output, which the model reads. */
const isDeniedLocally = ({ result, service }: ShownCall): boolean =>
  service === undefined && (result as { readonly denied?: unknown } | null | undefined)?.denied === true

/** An approved call runs, although its turn waits until it has an outcome. */
const useShownState = ({ approval_id = "", state }: ShownCall): CallState => {
  const workspace = useWorkspaceId()
  const mayRead = useCan()("approvals:read")
  const isPending = state === "pending"
  const approval = useQuery({ ...approvalQuery(workspace, approval_id), enabled: isPending && mayRead }).data
  return isPending && approval?.status === "approved" ? "executing" : state
}

export const ToolCard = ({ call }: { readonly call: ShownCall }) => {
  const t = chatText.tool
  const workspace = useWorkspaceId()
  const { approval_id, artifact_id, cost_cents, name, operation, payload, reason_code, result, service, state } = call
  const title = service === undefined ? t.local(name ?? call.call_id) : `${service}.${operation}`
  const shown = useShownState(call)
  const isOver = hasOutcome(state)
  const isDenied = isDeniedLocally(call)
  return (
    <div className={styles.tool} role="group" aria-label={t.label(title)} data-state={state}>
      <div className={styles.toolHead}>
        <StatusGlyph look={isDenied ? "blocked" : looks[shown]} toned />
        <span className="type-mono wrap-anywhere" translate="no">
          <RevealedText text={title} texts={reveal} />
        </span>
        <span className="type-note text-2">
          {isDenied ? t.denied : t.statuses[shown]}
          {reason_code !== undefined && ` · ${reasons[reason_code] ?? reason_code}`}
        </span>
        <span className="flex items-baseline gap-8 ms-auto type-note tabular-nums">
          {service !== undefined && (isOver ? <Money cents={cost_cents} /> : t.planned(formatMoney(cost_cents)))}
          {call.service_request_id !== undefined && (
            <Link to="/w/$workspace/requests/$id" params={{ workspace, id: call.service_request_id }}>{t.request}</Link>
          )}
        </span>
      </div>
      <Sources sources={sourcesOf(call)} />
      {payload !== undefined && (
        <details className={styles.fold}>
          <summary>{t.payload}</summary>
          <JsonBlock role="group" label={t.payload} value={payload} />
        </details>
      )}
      {result !== undefined && (
        <details className={styles.fold}>
          <summary>{t.result}</summary>
          <JsonBlock role="group" label={t.result} value={result} />
          {artifact_id !== undefined && <ArtifactLink id={artifact_id} text={t.artifact} />}
        </details>
      )}
      {state === "pending" && approval_id !== undefined && <PendingCall approvalId={approval_id} />}
    </div>
  )
}

/** The documents that a query of a collection found, each a link to its passage. */
const Sources = ({ sources }: { readonly sources: ReadonlyArray<CallSource> }) => {
  const t = chatText.tool
  const workspace = useWorkspaceId()
  const label = useId()
  if (sources.length === 0) return null
  return (
    <div className={styles.sources}>
      <p id={label}>{t.sources}</p>
      <ol aria-labelledby={label}>
        {sources.map(({ at, collection, document, headings, page, title }) => (
          <li key={document}>
            <Link
              to="/w/$workspace/knowledge/$collection"
              params={{ workspace, collection }}
              search={{ document, at }}
            >
              <RevealedText text={title} texts={reveal} line />
            </Link>
            {page !== undefined && <span>{t.page(page)}</span>}
            {headings.length > 0 && <span className="truncate">{headings.join(" › ")}</span>}
          </li>
        ))}
      </ol>
    </div>
  )
}

export const ArtifactLink = ({ id, text }: { readonly id: string; readonly text: string }) => {
  const workspace = useWorkspaceId()
  return (
    <p className="type-note">
      <PlainLink href={downloadHref("chat.artifact", workspace, { params: { id }, query: {} })} download>
        {text}
      </PlainLink>
    </p>
  )
}
