/** The latest conversations of an agent. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { conversationPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { conversationsText as t } from "../text/conversations.ts"
import styles from "./activity-panel.module.css"

const shownMax = 5

/** Nothing for an agent without conversations. */
export const ConversationsPanel = ({ agent }: { readonly agent: string }) => {
  const workspace = useWorkspaceId()
  const pages = useInfiniteQuery(conversationPages(workspace, agent))
  const [isWhole, setWhole] = useState(false)
  const all = rowsOf(pages.data)
  if (all.length === 0) return null
  const rows = isWhole ? all : all.slice(0, shownMax)
  return (
    <Panel title={t.title} flush>
      <ul>
        {rows.map((conversation) => (
          <li key={conversation.id} className={`flex items-center gap-12 type-body ${styles.row}`}>
            <Link
              quiet
              className={`flex-1 min-w-0 truncate ${styles.what}`}
              to="/w/$workspace/agents/$id/conversations/$conversation"
              params={{ workspace, id: agent, conversation: conversation.id }}
            >
              {conversation.title === "" ? t.untitled : conversation.title}
            </Link>
            <span className="type-note text-3 whitespace-nowrap">{t.messages(conversation.message_count)}</span>
            <span className={`flex-none type-note text-2 text-end ${styles.when}`}>
              <RelativeTime at={conversation.updated_at} now={hubClock.now} />
            </span>
          </li>
        ))}
      </ul>
      {(all.length > rows.length || pages.hasNextPage) && (
        <p className="px-16 py-8">
          <Button
            size="small"
            pending={pages.isFetchingNextPage}
            onClick={() => {
              if (isWhole) void pages.fetchNextPage()
              else setWhole(true)
            }}
          >
            {t.more}
          </Button>
        </p>
      )}
    </Panel>
  )
}
