/** The person's chats, newest first, each with the mark of its open answer. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "../app/link.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useSearchDraft } from "../app/search-draft.ts"
import { useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { formatMoney } from "../components/money-text.ts"
import { TextField } from "../components/text-field.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentChoices, type ChatSession, chatSessions } from "../hub/queries.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import type { StatusLook } from "../patterns/status.ts"
import { chatText } from "../text/chat.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./chat.module.css"

const looks: Readonly<Record<string, StatusLook>> = {
  queued: "running",
  running: "running",
  waiting_approval: "waiting",
  waiting_local: "waiting",
  paused: "waiting"
}

interface SessionListProps {
  readonly open: string | undefined
  readonly q: string | undefined
  readonly onSearch: (q: string | undefined) => void
}

export const SessionList = ({ onSearch, open, q }: SessionListProps) => {
  const t = chatText
  const workspace = useWorkspaceId()
  const sessions = useQuery(chatSessions(workspace))
  const agents = useQuery(agentChoices(workspace)).data?.data
  const [draft, setDraft] = useSearchDraft(q, onSearch)
  const words = (q ?? "").toLowerCase()
  const rows = sessions.data?.filter(({ title }) => title.toLowerCase().includes(words)) ?? []
  return (
    <>
      <div className={styles.search}>
        <TextField
          label={t.search}
          labelHidden
          placeholder={t.search}
          value={draft}
          onChange={setDraft}
          data-search
        />
      </div>
      <ScreenState
        query={sessions}
        isEmpty={rows.length === 0}
        empty={{ text: sessions.data?.length === 0 ? t.empty : t.noMatch }}
      >
        <ol aria-label={t.sessions}>
          {rows.map((session) => (
            <Row
              key={session.id}
              session={session}
              agent={agents === undefined
                ? undefined
                : agents.find(({ id }) => id === session.agent_id)?.name ?? t.ownAgent}
              isOpen={session.id === open}
            />
          ))}
        </ol>
      </ScreenState>
    </>
  )
}

interface RowProps {
  readonly session: ChatSession
  readonly agent: string | undefined
  readonly isOpen: boolean
}

const Row = ({ agent, isOpen, session }: RowProps) => {
  const t = chatText
  const workspace = useWorkspaceId()
  const { cost_cents, id, mode, title, turn, updated_at } = session
  const state = turn === undefined ? undefined : (t.states as Readonly<Record<string, string>>)[turn.state]
  return (
    <li>
      <Link
        quiet
        className={styles.row}
        to="/w/$workspace/chat/$id"
        params={{ workspace, id }}
        search={(before: { readonly q?: string }) => before}
        aria-current={isOpen ? "true" : undefined}
      >
        <span className="flex items-baseline gap-8 min-w-0">
          <span className="flex-1 type-control truncate">
            <RevealedText text={title === "" ? t.untitled : title} texts={reveal} line />
          </span>
          {mode === "test" && <Badge>{t.test}</Badge>}
          <span className="type-note text-3 whitespace-nowrap">
            <RelativeTime at={updated_at} now={hubClock.now} />
          </span>
        </span>
        <span className="flex items-center gap-8 min-w-0 type-note text-2">
          {turn !== undefined && (
            <span className="inline-flex items-center gap-4">
              <StatusGlyph look={looks[turn.state] ?? "expired"} toned />
              {state}
            </span>
          )}
          <span className="flex-1 truncate">{agent}</span>
          <span className="tabular-nums">{formatMoney(cost_cents)}</span>
        </span>
      </Link>
    </li>
  )
}
