/** The latest memories of an agent. */
import { useQuery } from "@tanstack/react-query"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { latestMemories } from "../hub/queries.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { memoriesText as t } from "../text/memories.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./activity-panel.module.css"

const contentMax = 200

export const MemoriesPanel = ({ agent }: { readonly agent: string }) => {
  const workspace = useWorkspaceId()
  const rows = useQuery(latestMemories(workspace, agent)).data?.data
  return (
    <Panel
      title={t.title}
      flush
      actions={<Link to="/w/$workspace/agents/$id/memories" params={{ workspace, id: agent }}>{t.all}</Link>}
    >
      {rows?.length === 0 && <p className="p-16 type-body text-2">{t.emptyPanel}</p>}
      <ul>
        {rows?.map(({ content, created_at, id, kind }) => (
          <li key={id} className={`flex items-center gap-12 type-body ${styles.row}`}>
            <span className={`flex-1 min-w-0 truncate ${styles.what}`}>
              <RevealedText line text={content.slice(0, contentMax)} texts={reveal} />
            </span>
            <Badge>{t.kinds[kind]}</Badge>
            <span className={`flex-none type-note text-2 text-end ${styles.when}`}>
              <RelativeTime at={created_at} now={hubClock.now} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
