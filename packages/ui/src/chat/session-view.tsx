/** One chat: its head, the shown branch of its messages, the answer being written, and the composer. */
import type { ChatMessage } from "@countersign/domain/chat-events"
import { useQueries, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useEffect, useLayoutEffect, useRef, useState } from "react"
import { useKey } from "../app/keys.ts"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { agentQuery, chatQuery, type ChatThread, turnQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { chatText } from "../text/chat.ts"
import styles from "./chat.module.css"
import { Composer, type Draft, emptyDraft } from "./composer.tsx"
import { keepMessage, keptMessage } from "./kept-message.ts"
import { MessageView } from "./message-view.tsx"
import { SessionHead } from "./session-head.tsx"
import { branchBeside, leafBelow, textOf, threadTo } from "./thread.ts"
import { TurnView } from "./turn-view.tsx"
import { useBeginTurn } from "./use-begin-turn.ts"
import { useTurn } from "./use-turn.ts"

/** Costs of this many last messages are read at once. */
const recentMax = 12

/** The unsent messages of chats, until the page is left; their texts are kept longer. */
const drafts = new Map<string, Draft>()

export const SessionView = ({ id }: { readonly id: string }) => {
  const workspace = useWorkspaceId()
  const [cursors, setCursors] = useState<ReadonlyArray<string | undefined>>([undefined])
  const pages = useQueries({ queries: cursors.map((cursor) => chatQuery(workspace, id, cursor)) })
  const first = pages[0]!
  const next = pages.at(-1)?.data?.messages.next_cursor
  const messages = [
    ...new Map(pages.flatMap(({ data }) => data?.messages.data ?? []).map((each) => [each.id, each])).values()
  ]
  return (
    <ScreenState query={first}>
      {first.data !== undefined && (
        <View
          session={first.data}
          messages={messages}
          readAt={first.dataUpdatedAt}
          onEarlier={next === null || next === undefined ? undefined : () => setCursors((before) => [...before, next])}
        />
      )}
    </ScreenState>
  )
}

interface ViewProps {
  readonly session: ChatThread
  readonly messages: ReadonlyArray<ChatMessage>
  readonly readAt: number
  readonly onEarlier: (() => void) | undefined
}

const useDraft = (id: string) => {
  const { user } = useMe()
  const [draft, setDraft] = useState(() => drafts.get(id) ?? { ...emptyDraft, text: keptMessage(user.id, id) })
  return [draft, (next: Draft) => {
    drafts.set(id, next)
    // An edited message is in the thread.
    keepMessage(user.id, id, next.editing === undefined ? next.text : "")
    setDraft(next)
  }] as const
}

const View = ({ messages, onEarlier, readAt, session }: ViewProps) => {
  const t = chatText
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayAct = useMayAct()
  const mayWrite = useCan()("chat:write")
  const agentName = useQuery(agentQuery(workspace, session.agent_id)).data?.name ?? t.roles.assistant
  const field = useRef<HTMLTextAreaElement>(null)
  const [draft, setDraft] = useDraft(session.id)
  const [leaf, setLeaf] = useState<string>()
  const [begun, setBegun] = useState<string>()
  const [beganHere, setBeganHere] = useState<string>()

  const open = session.turn
  const latest = threadTo(messages, leaf).at(-1)?.message
  const followedId = open?.id ?? begun ?? (latest?.role === "user" ? latest.turn_id : undefined)
  const followed = useTurn(followedId, readAt)
  const turn = useQuery({ ...turnQuery(workspace, followedId ?? ""), enabled: followedId !== undefined }).data

  // The open answer is shown unless the person chose another branch; once it is stored, it stays in view.
  const asked = turn?.user_message_id
  const isStored = turn !== undefined && messages.some(({ id }) => id === turn.message_id)
  const shownLeaf = (leaf ?? (open === undefined ? undefined : asked)) === asked && isStored
    ? turn.message_id
    : leaf ?? (open === undefined ? undefined : asked)
  const thread = threadTo(messages, shownLeaf)
  const last = thread.at(-1)
  const isLive = followedId !== undefined && !isStored && turn !== undefined && last?.message.id === asked

  // A chat begins with a message: after "Start chat" it can be typed at once.
  const [isNew] = useState(messages.length === 0 && open === undefined)
  useEffect(() => {
    if (isNew) field.current?.focus()
  }, [isNew])
  const { follow, scroller } = useFollowedEnd()
  const begin = useBeginTurn((id, payload) => {
    setBegun(id)
    if (payload.continue_from !== undefined) return
    follow()
    setBeganHere(id)
    // An answer that is made again continues the thread at its question.
    setLeaf(
      payload.message === undefined && payload.attachments === undefined ? payload.parent_id ?? undefined : undefined
    )
    if (payload.message !== undefined || payload.attachments !== undefined) {
      setDraft({ ...emptyDraft, force: draft.force })
    }
  })
  const resume = useBeginTurn(setBegun)
  const stop = useAct("chat.cancel", { workspace, touches: ["chat.get", "chat.list"] })
  const model = useAct("chat.update", { workspace, touches: ["chat.get"] })

  const isOpen = open !== undefined
  const isBusy = isOpen || begin.isPending || !mayWrite || !mayAct || session.status === "closed"
  const branch = draft.editing === undefined ? last?.message.id : messageOf(messages, draft.editing)?.parent_id ?? null

  const send = () => {
    if (isBusy) return
    begin.mutate({
      session_id: session.id,
      ...draft.text.trim() === "" ? {} : { message: draft.text.trim() },
      ...draft.attached.length === 0 ? {} : { attachments: draft.attached.map(({ id }) => id) },
      ...branch === undefined ? {} : { parent_id: branch },
      ...draft.force ? { force_approval: true } : {}
    })
  }
  const answerAgain = (user: string | undefined) => {
    if (isBusy || user === undefined) return
    begin.mutate({ session_id: session.id, parent_id: user, ...draft.force ? { force_approval: true } : {} })
  }
  const edit = (message: ChatMessage) => {
    setDraft({ ...draft, text: textOf(message), editing: message.id })
    field.current?.focus()
  }
  const stopTurn = () => {
    if (open !== undefined && !stop.isPending) stop.mutate({ params: { id: open.id } })
  }
  const show = (message: ChatMessage) => setLeaf(leafBelow(messages, message.id))

  const lastUser = thread.findLast(({ message }) => message.role === "user")?.message
  const branching = thread.findLast(({ branches }) => branches.length > 1)
  const step = (by: -1 | 1) => {
    const beside = branching === undefined ? undefined : branchBeside(branching, by)
    if (beside !== undefined) show(beside)
  }
  useKey("chat.edit", () => lastUser !== undefined && edit(lastUser), { when: !isBusy && lastUser !== undefined })
  useKey("chat.retry", () => answerAgain(lastUser?.id), { when: !isBusy && lastUser !== undefined })
  useKey("chat.branchPrevious", () => step(-1), { when: branching !== undefined })
  useKey("chat.branchNext", () => step(1), { when: branching !== undefined })
  useKey("everywhere.back", () => {
    if (isOpen) stopTurn()
    else if (draft.editing !== undefined) setDraft(emptyDraft)
    else void navigate({ to: "/w/$workspace/chat", params: { workspace } })
  })

  return (
    <div className={styles.chat}>
      <SessionHead session={session} agentName={agentName} mayWrite={mayWrite} />
      <div ref={scroller} className={styles.scroller} tabIndex={0} role="region" aria-label={t.thread}>
        {onEarlier !== undefined && <Button size="small" onClick={onEarlier}>{t.earlier}</Button>}
        {thread.length === 0 && !isLive && <p className="type-body text-2">{t.noMessages}</p>}
        <ol className={styles.thread}>
          {thread.map((entry, at) => (
            <MessageView
              key={entry.message.id}
              entry={entry}
              agent={{ id: session.agent_id, name: agentName }}
              isBusy={isBusy}
              isRecent={at >= thread.length - recentMax}
              onEdit={edit}
              onRetry={(message) => answerAgain(message.parent_id)}
              onBranch={show}
            />
          ))}
          {isLive && (
            <TurnView
              followed={followed}
              agent={{ id: session.agent_id, name: agentName }}
              state={open?.state}
              pauseReason={turn.pause_reason}
              pauseError={turn.error}
              resume={{
                call: resume,
                act: () => resume.mutate({ session_id: session.id, continue_from: turn.id })
              }}
              session={session.id}
              turnId={turn.id}
              beganHere={beganHere === turn.id}
              onRetry={() => answerAgain(asked)}
            />
          )}
        </ol>
      </div>
      <footer className={styles.foot}>
        {begin.error !== null && !begin.isPending && (
          <Problem
            inline
            error={begin.error}
            failed={begin.variables?.message === undefined ? t.composer.retryFailed : t.composer.failed}
            unchanged={t.composer.unchanged}
          />
        )}
        {stop.error !== null && (
          <Problem inline error={stop.error} failed={t.composer.stopFailed} unchanged={t.composer.stopUnchanged} />
        )}
        {model.error !== null && <Problem inline error={model.error} failed={t.models.failed} />}
        {session.status === "closed"
          ? <p className="type-body text-2">{t.composer.closed}</p>
          : mayWrite
          ? (
            <Composer
              ref={field}
              draft={draft}
              onDraft={setDraft}
              onSend={send}
              isSending={begin.isPending}
              isOpen={isOpen}
              onStop={stopTurn}
              isStopping={stop.isPending}
              model={session.model}
              onModel={(id) => model.mutate({ params: { id: session.id }, payload: { model: id } })}
              isModelPending={model.isPending}
            />
          )
          : <p className="type-body text-2">{t.denied}</p>}
      </footer>
    </div>
  )
}

const messageOf = (messages: ReadonlyArray<ChatMessage>, id: string) => messages.find((each) => each.id === id)

/** Within this distance the end counts as in view. */
const endPixels = 48

/**
 * Keeps the end of a growing thread in view: an answer grows, and its approvals are read later. Not once the person
 * scrolled away from it, or unfolded a part, which stays where it is.
 */
const useFollowedEnd = () => {
  const scroller = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useLayoutEffect(() => {
    const element = scroller.current
    const thread = element?.querySelector("ol") ?? null
    if (element === null || thread === null) return
    const onScroll = () => {
      isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < endPixels
    }
    const onClick = ({ target }: MouseEvent) => {
      if (target instanceof Element && target.closest("summary") !== null) isAtEnd.current = false
    }
    const sizes = new ResizeObserver(() => {
      if (isAtEnd.current) element.scrollTop = element.scrollHeight
    })
    element.addEventListener("scroll", onScroll, { passive: true })
    element.addEventListener("click", onClick)
    // The thread grows, and the window that shows it shrinks with the composer.
    for (const each of [element, thread]) sizes.observe(each)
    return () => {
      element.removeEventListener("scroll", onScroll)
      element.removeEventListener("click", onClick)
      sizes.disconnect()
    }
  }, [])
  /** Shows the end, where the person's own message appears. */
  const follow = () => {
    isAtEnd.current = true
    if (scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight
  }
  return { scroller, follow }
}
