/** The answer that is being written, or that ended without one: its parts so far, its state, and what it waits for. */
import type { PauseReason, TurnState } from "@countersign/domain/chat"
import type { TurnError } from "@countersign/domain/chat-events"
import type { ChatSessionId, ChatTurnId } from "@countersign/domain/ids"
import type { ReactNode } from "react"
import { ButtonLink } from "../app/link.tsx"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { useMayAct } from "../live/connection.ts"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import { chatText } from "../text/chat.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { requestsText } from "../text/requests.ts"
import styles from "./chat.module.css"
import { LocalCalls } from "./local-calls.tsx"
import { errorOf, Items, Usage } from "./message-view.tsx"
import { PendingCall } from "./pending-call.tsx"
import type { FollowedTurn } from "./use-turn.ts"

interface TurnViewProps {
  readonly followed: FollowedTurn
  readonly agent: { readonly id: string; readonly name: string }
  /** Absent: it has ended. */
  readonly state: TurnState | undefined
  readonly pauseReason: PauseReason | undefined
  readonly pauseError: TurnError | undefined
  readonly resume: {
    readonly call: { readonly isPending: boolean; readonly error: unknown }
    readonly act: () => void
  }
  readonly session: ChatSessionId
  readonly turnId: ChatTurnId
  /** In this window. */
  readonly beganHere: boolean
  readonly onRetry: () => void
}

/** Other calls are a new question to this computer. */
const localKey = ({ items }: FollowedTurn["turn"]): string =>
  items.flatMap((item) => item.kind === "call" && item.call.state === "local" ? [item.call.call_id] : []).join(" ")

export const TurnView = (props: TurnViewProps) => {
  const t = chatText
  const {
    agent,
    beganHere,
    followed: { phase, turn },
    onRetry,
    pauseError,
    pauseReason,
    resume,
    session,
    state,
    turnId
  } = props
  const isMoving = state === "queued" || state === "running"
  return (
    <li className={styles.entry} data-role="assistant">
      <p className="flex items-baseline gap-8 type-note">
        <span className="weight-label">{t.by(agent.name)}</span>
      </p>
      <Items items={turn.items} />
      {turn.modelApproval !== undefined && (
        <div className={styles.tool} role="group" aria-label={t.tool.model}>
          <p className="type-note text-2">{t.tool.model}</p>
          <PendingCall approvalId={turn.modelApproval} />
        </div>
      )}
      <div role="status" className="grid gap-8">
        {isMoving && phase !== "lost" && (
          <p className={styles.moving}>
            <StatusGlyph look="running" toned />
            {state === "queued" ? t.waiting.queued : turn.status ?? t.answering}
          </p>
        )}
        {state === "waiting_approval" && <p className="type-note text-2">{t.waiting.approval}</p>}
        {state === "waiting_local" && (
          <LocalCalls key={localKey(turn)} session={session} turn={turnId} beganHere={beganHere} />
        )}
        {state === "paused" && (
          <Paused agent={agent.id} reason={pauseReason} error={turn.error ?? pauseError} resume={resume} />
        )}
        {state === undefined && turn.end === "cancelled" && <p className="type-note text-2">{t.ended.cancelled}</p>}
        {state === undefined && turn.error !== undefined && (
          <Note look="failed">
            <RevealedText text={errorOf(turn.error)} texts={reveal} />
            <Button size="small" onClick={onRetry}>{t.retry}</Button>
          </Note>
        )}
        {phase === "lost" && <p className="type-note text-2">{t.lost}</p>}
        {phase === "failed" && <p className="type-note text-2">{t.unreadable}</p>}
      </div>
      {turn.usage !== undefined && <Usage model={turn.model} usage={turn.usage} />}
    </li>
  )
}

const Note = ({ children, look }: { readonly look: "failed" | "waiting"; readonly children: ReactNode }) => (
  <div className={styles.note} data-look={look}>
    <StatusGlyph look={look} toned />
    <div className="grid gap-8 justify-items-start min-w-0 type-body">{children}</div>
  </div>
)

interface PausedProps extends Pick<TurnViewProps, "resume"> {
  readonly agent: string
  readonly reason: PauseReason | undefined
  readonly error: TurnError | undefined
}

const Paused = ({ agent, error, reason = "no_reader", resume }: PausedProps) => {
  const t = chatText.paused
  const mayAct = useMayAct()
  return (
    <Note look="waiting">
      <p>
        <span className="weight-label">{t.title}</span> {t[reason]}
      </p>
      {reason === "budget" && error !== undefined && (
        <p className="wrap-anywhere">
          <RevealedText text={blockText(error)} texts={reveal} /> {t.budgetNext}
        </p>
      )}
      <div className="flex flex-wrap gap-8">
        {reason === "budget" && <Unblock agent={agent} error={error} />}
        <Button
          size="small"
          pending={resume.call.isPending}
          pendingText={chatText.composer.sending}
          disabled={!mayAct}
          onClick={resume.act}
        >
          {t.resume}
        </Button>
      </div>
      {resume.call.error !== null && (
        <Problem inline error={resume.call.error} failed={t.failed} unchanged={t.unchanged} />
      )}
    </Note>
  )
}

const blockText = ({ block, code, message }: TurnError): string => {
  const reasons: Readonly<Record<string, string>> = requestsText.reasons
  return block?.message ?? reasons[code] ?? message
}

/** Where the limit can be changed. */
const Unblock = ({ agent, error }: { readonly agent: string; readonly error: TurnError | undefined }) => {
  const t = chatText.paused
  const workspace = useWorkspaceId()
  const block = error?.block
  if (block?.policy_id !== undefined) {
    return <ButtonLink size="small" to="/w/$workspace/policies" params={{ workspace }}>{t.policies}</ButtonLink>
  }
  return block?.limit === "wallet"
    ? <ButtonLink size="small" to="/w/$workspace/money" params={{ workspace }}>{t.wallet}</ButtonLink>
    : <ButtonLink size="small" to="/w/$workspace/agents/$id" params={{ workspace, id: agent }}>{t.limits}</ButtonLink>
}
