/** Chats with agents: the list, and the open one beside it. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useState } from "react"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { chatQuery } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { SplitView } from "../patterns/split-view.tsx"
import { chatText } from "../text/chat.ts"
import { NewChatDialog } from "./new-chat-dialog.tsx"
import { SessionList } from "./session-list.tsx"
import { SessionView } from "./session-view.tsx"

export const ChatScreen = () => {
  const t = chatText
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const mayWrite = useCan()("chat:write")
  const mayAct = useMayAct()
  const { id } = useParams({ strict: false })
  const { q } = useSearch({ strict: false })
  const session = useQuery({ ...chatQuery(workspace, id ?? "", undefined), enabled: id !== undefined }).data
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title={id === undefined ? t.title : session === undefined || session.title === "" ? t.untitled : session.title}
      path={id === undefined ? undefined : <Link quiet to="/w/$workspace/chat" params={{ workspace }}>{t.title}</Link>}
      layout="flush"
      action={mayWrite && (
        <Button variant="primary" disabled={!mayAct} onClick={() => setCreating(true)}>{t.create}</Button>
      )}
    >
      <SplitView
        showing={id === undefined ? "list" : "detail"}
        listLabel={t.sessions}
        detailLabel={t.one}
        detailId={id}
        list={
          <SessionList
            open={id}
            q={q}
            onSearch={(next) =>
              void navigate({
                to: ".",
                search: next === undefined ? {} : { q: next },
                replace: true
              })}
          />
        }
        detail={id === undefined ? <EmptyState>{t.choose}</EmptyState> : <SessionView key={id} id={id} />}
      />
      {isCreating && (
        <NewChatDialog
          onClose={() => setCreating(false)}
          onMade={(session) => {
            setCreating(false)
            void navigate({ to: "/w/$workspace/chat/$id", params: { workspace, id: session.id } })
          }}
        />
      )}
    </Page>
  )
}
