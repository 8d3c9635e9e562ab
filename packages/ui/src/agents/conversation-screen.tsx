/** One conversation of an agent, to read: messages from the oldest to the newest, earlier ones on request. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentQuery, conversationQuery } from "../hub/queries.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { agentsText } from "../text/agents.ts"
import { conversationsText as t } from "../text/conversations.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./conversation-screen.module.css"

const from = "/w/$workspace/agents/$id/conversations/$conversation"

export const ConversationScreen = () => {
  const { conversation: cid, id } = useParams({ from })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const agent = useQuery(agentQuery(workspace, id)).data
  const conversation = useQuery(conversationQuery(workspace, id, cid, undefined))
  const { data } = conversation
  const toAgent = { to: "/w/$workspace/agents/$id", params: { workspace, id } } as const
  useKey("everywhere.back", () => void navigate(toAgent))
  return (
    <Page
      title={data === undefined ? t.one : data.title === "" ? t.untitled : data.title}
      path={
        <>
          <Link quiet to="/w/$workspace/agents" params={{ workspace }}>{agentsText.title}</Link>
          {agent !== undefined && (
            <>
              <span aria-hidden>/</span>
              <Link quiet {...toAgent}>{agent.name}</Link>
            </>
          )}
        </>
      }
      busy={conversation.isFetching && !conversation.isRefetching}
    >
      <ScreenState
        query={conversation}
        isEmpty={data?.messages.data.length === 0}
        empty={{ text: t.empty }}
      >
        <div className="grid gap-16 max-w-reading">
          <p className="type-note text-2">
            {t.messages(data?.message_count ?? 0)}. {t.about}
          </p>
          <ol className="grid gap-16" aria-label={t.thread}>
            <Messages agent={id} conversation={cid} cursor={undefined} />
          </ol>
        </div>
      </ScreenState>
    </Page>
  )
}

interface MessagesProps {
  readonly agent: string
  readonly conversation: string
  readonly cursor: string | undefined
}

/** A page of messages below the page before it, if that was requested. */
const Messages = ({ agent, conversation, cursor }: MessagesProps) => {
  const page = useQuery(conversationQuery(useWorkspaceId(), agent, conversation, cursor))
  const [before, setBefore] = useState<string>()
  const { data, next_cursor: next } = page.data?.messages ?? { data: [], next_cursor: null }
  return (
    <>
      {before !== undefined && <Messages agent={agent} conversation={conversation} cursor={before} />}
      {before === undefined && next !== null && (
        <li>
          <Button size="small" onClick={() => setBefore(next)}>{t.earlier}</Button>
        </li>
      )}
      {page.data === undefined && (
        <li>
          <ScreenState query={page}>{null}</ScreenState>
        </li>
      )}
      {[...data].reverse().map((message) => (
        <li key={message.id} className={`grid gap-4 min-w-0 ${styles.message}`} data-role={message.role}>
          <p className="flex items-baseline gap-8 type-note">
            <span className="weight-label">{t.roles[message.role]}</span>
            <span className="text-3">
              <RelativeTime at={message.created_at} now={hubClock.now} />
            </span>
          </p>
          <div className={`type-body wrap-anywhere ${styles.content}`}>
            <RevealedText text={message.content} texts={reveal} />
          </div>
        </li>
      ))}
    </>
  )
}
