/** The command to paste, and its outcome as soon as it arrives. */
import type { Row } from "@countersign/hub-client/contract"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { StatusBadge, StatusGlyph } from "../patterns/status-badge.tsx"
import { startText } from "../text/start.ts"
import { AgentKey } from "./agent-step.tsx"
import { CommandBlock } from "./command-block.tsx"
import { unknownKey } from "./curl-line.ts"
import { useHeldKey } from "./held-key.ts"
import styles from "./start-screen.module.css"

type Request = Row<"service_requests.list">

export interface RequestStepProps {
  readonly agent: { readonly id: string; readonly name: string }
  /** The command with the key. */
  readonly command: (key: string) => string
  readonly latest: Request | undefined
}

export const RequestStep = ({ agent, command, latest }: RequestStepProps) => {
  const { request: t } = startText
  const stopped = latest !== undefined && (latest.status === "blocked" || latest.status === "failed")
    ? latest
    : undefined
  return (
    <>
      <p>{t.what}</p>
      <TheLine agent={agent.id} command={command} />
      {stopped === undefined ? <PendingNote text={t.waiting(agent.name)} /> : <Stopped request={stopped} />}
    </>
  )
}

/** The command; without a known key, a button to create one. */
export const TheLine = ({ agent, command }: { readonly agent: string; readonly command: (key: string) => string }) => {
  const { request: t } = startText
  const key = useHeldKey(agent)
  return (
    <>
      {key === undefined && <AgentKey agent={agent} />}
      <CommandBlock label={t.line} command={command(key ?? unknownKey)} copyText={t.copy} primary={key !== undefined} />
    </>
  )
}

export const PendingNote = ({ text }: { readonly text: string }) => (
  <p className="flex items-center gap-8 text-2" role="status">
    <StatusGlyph look="running" toned size={14} />
    {text}
  </p>
)

const Stopped = ({ request }: { readonly request: Request }) => {
  const { outcome, request: t } = startText
  const workspace = useWorkspaceId()
  return (
    <div className={styles.stopped} role="alert">
      <p>
        <StatusBadge status={request.status}>{outcome[request.status]}</StatusBadge>{" "}
        {request.status === "blocked" ? t.blocked : t.failed}
      </p>
      <p className="type-mono wrap-anywhere">{refusalWords(request)}</p>
      <p>
        {t.again} <Link to="/w/$workspace/requests/$id" params={{ workspace, id: request.id }}>{t.open}</Link>
      </p>
    </div>
  )
}

/** Why a request was not executed, in the hub's own words: its code, and the provider's message. */

interface Refused {
  readonly reason_code?: string | undefined
  readonly result?: unknown
}

interface Failure {
  readonly code?: unknown
  readonly detail?: unknown
}

const refusalWords = ({ reason_code, result }: Refused): string => {
  const { code, detail }: Failure = typeof result === "object" && result !== null ? result : {}
  const parts = [reason_code ?? code, detail].filter((part): part is string => typeof part === "string" && part !== "")
  return parts.join(": ")
}
