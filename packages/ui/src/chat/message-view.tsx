/** One message: its parts in order, its branches, and, for an answer, its cost. */
import type { ChatMessage, TurnError } from "@countersign/domain/chat-events"
import { useQuery } from "@tanstack/react-query"
import { ChevronLeft, ChevronRight, Pencil, RotateCcw } from "lucide-react"
import { type ReactNode, useState } from "react"
import { useKeyCaps } from "../app/keys.ts"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { type ChatTurn, turnQuery } from "../hub/queries.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { sizeText } from "../storage/storage-words.ts"
import { chatText } from "../text/chat.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./chat.module.css"
import { ListenButton } from "./listen-button.tsx"
import { itemsOf, type ShownItem } from "./live-turn.ts"
import { Markdown } from "./markdown.tsx"
import { branchBeside, textOf, type ThreadEntry } from "./thread.ts"
import { ArtifactLink, ToolCard } from "./tool-card.tsx"

export interface MessageActs {
  readonly onEdit: (message: ChatMessage) => void
  readonly onRetry: (message: ChatMessage) => void
  readonly onBranch: (message: ChatMessage) => void
  /** Nothing can be sent now. */
  readonly isBusy: boolean
}

interface MessageViewProps extends MessageActs {
  readonly entry: ThreadEntry
  readonly agent: { readonly id: string; readonly name: string }
  /** Its cost is read at once; that of an older answer on request. */
  readonly isRecent: boolean
}

export const MessageView = ({ agent, entry, isBusy, isRecent, onBranch, onEdit, onRetry }: MessageViewProps) => {
  const t = chatText
  const { message } = entry
  const isMine = message.role === "user"
  const spoken = textOf(message)
  const editCaps = useKeyCaps("chat.edit")
  const retryCaps = useKeyCaps("chat.retry")
  return (
    <li className={styles.entry} data-role={message.role}>
      <p className="flex items-baseline gap-8 type-note">
        <span className="weight-label">{isMine ? t.roles.user : t.by(agent.name)}</span>
        <span className="text-3">
          <RelativeTime at={message.created_at} now={hubClock.now} />
        </span>
      </p>
      <Items items={itemsOf(message)} plain={isMine} />
      <div className={styles.acts}>
        <Branches entry={entry} onBranch={onBranch} />
        <CopyButton value={spoken} texts={t.copyMessage} iconOnly />
        {isMine
          ? (
            <IconButton
              label={t.edit}
              icon={<Pencil size={14} />}
              keys={editCaps}
              disabled={isBusy}
              onClick={() => onEdit(message)}
            />
          )
          : (
            <>
              <IconButton
                label={t.retry}
                icon={<RotateCcw size={14} />}
                keys={retryCaps}
                disabled={isBusy || message.parent_id === undefined}
                onClick={() => onRetry(message)}
              />
              {spoken !== "" && <ListenButton agentId={agent.id} text={spoken} />}
              {message.turn_id !== undefined && <StoredTurn turn={message.turn_id} isRecent={isRecent} />}
            </>
          )}
      </div>
    </li>
  )
}

const Branches = ({ entry, onBranch }: Pick<MessageViewProps, "entry" | "onBranch">) => {
  const t = chatText
  const { branches, message } = entry
  if (branches.length < 2) return null
  const before = branchBeside(entry, -1)
  const after = branchBeside(entry, 1)
  return (
    <span className="inline-flex items-center gap-4 type-note tabular-nums text-2">
      <IconButton
        label={t.branchPrevious}
        icon={<ChevronLeft size={14} />}
        disabled={before === undefined}
        onClick={() => before !== undefined && onBranch(before)}
      />
      {t.branch(branches.findIndex(({ id }) => id === message.id) + 1, branches.length)}
      <IconButton
        label={t.branchNext}
        icon={<ChevronRight size={14} />}
        disabled={after === undefined}
        onClick={() => after !== undefined && onBranch(after)}
      />
    </span>
  )
}

/** The parts of a message. A person's own text is shown as it was typed. */
export const Items = ({ items, plain = false }: {
  readonly items: ReadonlyArray<ShownItem>
  readonly plain?: boolean
}) => (
  <>
    {items.map((item, at) => {
      switch (item.kind) {
        case "text":
          return (
            <div key={at} className="min-w-0">
              {plain
                ? (
                  <p className={`type-body wrap-anywhere ${styles.own}`}>
                    <RevealedText text={item.text} texts={reveal} />
                  </p>
                )
                : <Markdown text={item.text} />}
              {item.artifact_id !== undefined && <ArtifactLink id={item.artifact_id} text={chatText.download} />}
            </div>
          )
        case "thinking":
          return (
            <details key={at} className={styles.fold}>
              <summary>{chatText.thinking}</summary>
              <p className={`type-note text-2 wrap-anywhere ${styles.own}`}>
                <RevealedText text={item.text} texts={reveal} />
              </p>
            </details>
          )
        case "call":
          return <ToolCard key={at} call={item.call} />
        case "attachment":
          return (
            <p key={at} className="type-note text-2 wrap-anywhere">
              {chatText.attachment(item.key, sizeText(item.size_bytes))}
            </p>
          )
      }
    })}
  </>
)

/** An ended turn does not change. */
const StoredTurn = ({ isRecent, turn }: { readonly turn: string; readonly isRecent: boolean }) => {
  const t = chatText
  const workspace = useWorkspaceId()
  const [isAsked, setAsked] = useState(false)
  const { data } = useQuery({
    ...turnQuery(workspace, turn),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: isRecent || isAsked
  })
  if (data === undefined) {
    return isRecent || isAsked
      ? null
      : <Button size="small" variant="bare" onClick={() => setAsked(true)}>{t.usage.ask}</Button>
  }
  return (
    <>
      <Usage model={data.model} usage={data.usage} />
      {data.state === "cancelled" && <span className="type-note text-2">{t.ended.cancelled}</span>}
      {data.state === "failed" && <span className="type-note text-stop">{errorOf(data.error)}</span>}
    </>
  )
}

/** What failed, and the next act; the hub's own words for a code without a text. */
export const errorOf = (error: TurnError | undefined): string => {
  const texts: Readonly<Record<string, string>> = chatText.ended
  return error === undefined ? chatText.ended.failed : texts[error.code] ?? error.message
}

/** `accrued_micro_cents` is exact: less than a cent is shown as such. */
const costText = ({ accrued_micro_cents }: ChatTurn["usage"]): string => formatMoney(accrued_micro_cents / 1_000_000)

export const Usage = ({ model, usage }: { readonly model?: ReactNode; readonly usage: ChatTurn["usage"] }) => {
  const t = chatText.usage
  const { cached_tokens, input_tokens, output_tokens } = usage
  return (
    <details className={styles.usage}>
      <summary>
        <span className="tabular-nums">{costText(usage)}</span> · {t.show}
      </summary>
      <span className="type-note tabular-nums text-2">
        {t.tokens(input_tokens, output_tokens, cached_tokens)}
        {model !== undefined && (
          <>
            {" · "}
            <span translate="no">{model}</span>
          </>
        )}
      </span>
    </details>
  )
}
