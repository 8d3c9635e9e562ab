/** An agent's family: its parent, its children, and what is set aside for them and for its tasks. */
import type { Output } from "@countersign/hub-client/contract"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentQuery, familyPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { familiesText } from "../text/families.ts"
import { AgentState } from "./agent-state.tsx"
import { leftOf } from "./left.ts"

type Agent = Output<"agents.get">

const childrenMax = 5

/** Empty for an agent without a parent, children, and commitments. */
export const FamilyPanel = ({ agent }: { readonly agent: Agent }) => {
  const t = familiesText.panel
  const workspace = useWorkspaceId()
  const { child_count: count, committed_cents: setAside, depth, ends_at, parent_agent_id: parent } = agent
  if (parent === undefined && count === 0 && setAside === 0) return null
  return (
    <Panel
      title={t.title}
      actions={
        <Link to="/w/$workspace/agents/families" params={{ workspace }} search={{ root: agent.id }}>
          {t.open}
        </Link>
      }
    >
      <KeyValueList
        items={[
          ...parent === undefined ? [] : [
            { key: "parent", name: t.parent, value: <Parent id={parent} /> },
            { key: "level", name: t.level, value: t.levelOf(depth) }
          ],
          ...ends_at === undefined
            ? []
            : [{ key: "ends", name: t.ends, value: <RelativeTime at={ends_at} now={hubClock.now} /> }],
          { key: "aside", name: t.setAside, value: <Money cents={setAside} /> }
        ]}
      />
      {count > 0 && <Children agent={agent} />}
    </Panel>
  )
}

const Parent = ({ id }: { readonly id: string }) => {
  const workspace = useWorkspaceId()
  const { data, isError } = useQuery(agentQuery(workspace, id))
  if (isError) return familiesText.panel.hiddenParent
  return (
    <Link to="/w/$workspace/agents/$id" params={{ workspace, id }}>
      {data?.name ?? id}
    </Link>
  )
}

const Children = ({ agent }: { readonly agent: Agent }) => {
  const t = familiesText.panel
  const workspace = useWorkspaceId()
  const rows = rowsOf(useInfiniteQuery(familyPages(workspace, agent.id)).data).slice(0, childrenMax)
  const more = agent.child_count - rows.length
  return (
    <div className="grid gap-4 mt-12 pt-12 border-t">
      <h3 className="type-label text-3">{t.children}</h3>
      <ul className="grid gap-4 type-body">
        {rows.map((child) => {
          const left = leftOf(child)
          return (
            <li key={child.id} className="flex flex-wrap items-center gap-x-8">
              <Link
                className="min-w-0 wrap-anywhere"
                to="/w/$workspace/agents/$id"
                params={{ workspace, id: child.id }}
              >
                {child.name}
              </Link>
              {(child.frozen || child.status !== "active") && <AgentState agent={child} />}
              <span className="ms-auto type-note text-2 tabular-nums">
                {left === undefined ? t.noCap : t.left(formatMoney(left))}
              </span>
            </li>
          )
        })}
      </ul>
      {rows.length > 0 && more > 0 && (
        <p className="type-body">
          <Link to="/w/$workspace/agents/families" params={{ workspace }} search={{ root: agent.id }}>
            {t.moreChildren(more)}
          </Link>
        </p>
      )}
    </div>
  )
}
