/**
 * Agents as a tree (WAI-ARIA treegrid with focus on rows). Children are read when their parent is expanded, 50 at a
 * time, so that a family may have ten thousand agents. Nothing moves by itself: new agents are offered by the screen.
 */
import type { Row } from "@countersign/hub-client/contract"
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { ChevronDown, ChevronRight } from "lucide-react"
import {
  createContext,
  type CSSProperties,
  type KeyboardEvent,
  type ReactNode,
  useContext,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState
} from "react"
import { AgentState } from "../agents/agent-state.tsx"
import { leftOf } from "../agents/left.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Avatar } from "../components/avatar.tsx"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentQuery, familyPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { familiesText as t } from "../text/families.ts"
import styles from "./family-tree.module.css"

type Agent = Row<"agents.list">

/** The expanded agents of each tree, kept while the page is open. */
const kept = new Map<string, ReadonlySet<string>>()

interface Tree {
  readonly open: ReadonlySet<string>
  readonly toggle: (id: string, isOpen: boolean) => void
  readonly onShown: (id: string) => void
}
const TreeContext = createContext<Tree>({ open: new Set(), toggle: () => {}, onShown: () => {} })

const columns = ["state", "budget", "spent", "held", "committed", "left", "ends"] as const

export interface FamilyTreeProps {
  /** Only this agent and its descendants. */
  readonly root: string | undefined
  readonly onShown: (id: string) => void
}

export const FamilyTree = ({ onShown, root }: FamilyTreeProps) => {
  const workspace = useWorkspaceId()
  const name = `${workspace} ${root ?? ""}`
  const frame = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(() => kept.get(name) ?? new Set(root === undefined ? [] : [root]))
  const tree = useMemo((): Tree => ({
    open,
    onShown,
    toggle: (id, isOpen) =>
      setOpen((before) => {
        const next = new Set(before)
        if (isOpen) next.add(id)
        else next.delete(id)
        kept.set(name, next)
        return next
      })
  }), [name, onShown, open])
  // Exactly one row is a tab stop, also after the row that was one has gone.
  useLayoutEffect(() => {
    const rows = stopsIn(frame.current)
    if (!rows.some(({ tabIndex }) => tabIndex === 0)) rows[0]?.setAttribute("tabindex", "0")
  })
  return (
    <TreeContext value={tree}>
      <div ref={frame} className="container-inline">
        <div role="treegrid" aria-label={t.tree} onKeyDown={onKeyDown(tree)} onFocus={onFocus}>
          <div role="rowgroup" className={styles.heads}>
            <div role="row" className={`${styles.row} ${styles.head}`}>
              <span role="columnheader">{t.columns.agent}</span>
              {columns.map((column) => (
                <span key={column} role="columnheader" className={column === "state" ? undefined : "text-end"}>
                  {t.columns[column]}
                </span>
              ))}
            </div>
          </div>
          <div role="rowgroup">
            {root === undefined ? <Level parent={undefined} level={1} /> : <Root id={root} />}
          </div>
        </div>
      </div>
    </TreeContext>
  )
}

const Root = ({ id }: { readonly id: string }) => {
  const agent = useQuery(agentQuery(useWorkspaceId(), id))
  return (
    <Reading query={agent}>
      {agent.data !== undefined && <Node agent={agent.data} level={1} position={1} size={1} />}
    </Reading>
  )
}

/** First load and errors, as a row of the tree. */
const Reading = ({ children, query }: {
  readonly query: Parameters<typeof ScreenState>[0]["query"]
  readonly children: ReactNode
}) =>
  query.data === undefined
    ? (
      <div role="row">
        <div role="gridcell" className={styles.reading}>
          <ScreenState query={query}>{null}</ScreenState>
        </div>
      </div>
    )
    : children

interface LevelProps {
  /** Undefined: the agents without a parent. */
  readonly parent: Agent | undefined
  readonly level: number
}

const Level = ({ level, parent }: LevelProps) => {
  const workspace = useWorkspaceId()
  const pages = useInfiniteQuery(familyPages(workspace, parent?.id ?? "none"))
  const rows = rowsOf(pages.data)
  const size = pages.hasNextPage ? parent?.child_count ?? -1 : rows.length
  if (parent === undefined && pages.data !== undefined && rows.length === 0) {
    const toAgents = <ButtonLink to="/w/$workspace/agents" params={{ workspace }}>{t.toAgents}</ButtonLink>
    return (
      <div role="row">
        <div role="gridcell" className={styles.reading}>
          <ScreenState query={pages} isEmpty empty={{ text: t.empty, action: toAgents }}>{null}</ScreenState>
        </div>
      </div>
    )
  }
  return (
    <Reading query={pages}>
      {rows.map((agent, at) => <Node key={agent.id} agent={agent} level={level} position={at + 1} size={size} />)}
      {pages.hasNextPage && (
        <div role="row" aria-level={level} className={styles.more} style={levelStyle(level)}>
          <div role="gridcell">
            <Button
              size="small"
              data-stop
              pending={pages.isFetchingNextPage}
              aria-label={parent === undefined ? t.moreRoots : t.moreOf(parent.name)}
              onClick={() => void pages.fetchNextPage()}
            >
              {t.more}
            </Button>
          </div>
        </div>
      )}
    </Reading>
  )
}

const levelStyle = (level: number) => ({ "--level": level - 1 }) as CSSProperties

interface NodeProps {
  readonly agent: Agent
  readonly level: number
  /** Among its siblings, from 1. */
  readonly position: number
  readonly size: number
}

const Node = ({ agent, level, position, size }: NodeProps) => {
  const { onShown, open, toggle } = useContext(TreeContext)
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const hasChildren = agent.child_count > 0
  const isOpen = hasChildren && open.has(agent.id)
  const left = leftOf(agent)
  const to = { to: "/w/$workspace/agents/$id", params: { workspace, id: agent.id } } as const
  useEffect(() => onShown(agent.id), [agent.id, onShown])
  const amount = (column: "spent" | "held" | "committed", cents: number) => (
    <span role="gridcell" className="text-end" data-label={t.columns[column]} data-zero={cents === 0 || undefined}>
      <Money cents={cents} />
    </span>
  )
  return (
    <>
      <div
        role="row"
        className={`${styles.row} ${styles.node}`}
        style={levelStyle(level)}
        aria-level={level}
        aria-posinset={position}
        aria-setsize={size}
        aria-expanded={hasChildren ? isOpen : undefined}
        tabIndex={-1}
        data-stop
        data-id={agent.id}
        onKeyDown={(event) => {
          if (event.key === "Enter" && event.target === event.currentTarget) void navigate(to)
        }}
      >
        <span role="rowheader" className={`flex items-center gap-8 min-w-0 ${styles.name}`}>
          {hasChildren
            ? (
              <IconButton
                tabIndex={-1}
                label={isOpen ? t.collapse(agent.name) : t.expand(agent.name)}
                icon={isOpen ? <ChevronDown /> : <ChevronRight />}
                onClick={() => toggle(agent.id, !isOpen)}
              />
            )
            : <span className={styles.leaf} aria-hidden />}
          <Avatar kind="agent" name={agent.name} />
          <span className={`flex flex-wrap items-center min-w-0 gap-x-8 ${styles.words}`}>
            <Link quiet className="min-w-0 wrap-anywhere" tabIndex={-1} {...to}>{agent.name}</Link>
            {agent.kind === "yupi" && <Badge>{t.assistant}</Badge>}
            {hasChildren && <span className="type-note text-3 whitespace-nowrap">{t.children(agent.child_count)}</span>}
          </span>
        </span>
        <span role="gridcell">
          <AgentState agent={agent} />
        </span>
        <span role="gridcell" className="text-end" data-label={t.columns.budget}>
          {agent.monthly_budget_cents === undefined
            ? <span className="text-3">{t.noCap}</span>
            : <Money cents={agent.monthly_budget_cents} />}
        </span>
        {amount("spent", agent.spent_this_month_cents)}
        {amount("held", agent.held_cents)}
        {amount("committed", agent.committed_cents)}
        <span role="gridcell" className="text-end" data-label={t.columns.left}>
          {left === undefined
            ? <span className="text-3">{t.noCap}</span>
            : (
              <span className={left < 0 ? "weight-strong text-stop" : "weight-label"}>
                <Money cents={left} />
              </span>
            )}
        </span>
        <span
          role="gridcell"
          className="text-end"
          data-label={agent.ends_at === undefined ? undefined : t.columns.ends}
        >
          {agent.ends_at === undefined
            ? <span className={`text-3 ${styles.none}`}>{t.never}</span>
            : <RelativeTime at={agent.ends_at} now={hubClock.now} />}
        </span>
      </div>
      {isOpen && <Level parent={agent} level={level + 1} />}
    </>
  )
}

/** Rows and their buttons that the arrow keys reach, in the order of the page. */
const stopsIn = (frame: HTMLElement | null): ReadonlyArray<HTMLElement> => [
  ...frame?.querySelectorAll<HTMLElement>("[data-stop]") ?? []
]

/** The focused row is the tab stop. */
const onFocus = ({ currentTarget, target }: { readonly currentTarget: HTMLElement; readonly target: EventTarget }) => {
  const stop = (target as HTMLElement).closest<HTMLElement>("[data-stop]")
  if (stop === null) return
  for (const each of stopsIn(currentTarget)) each.tabIndex = each === stop ? 0 : -1
}

const levelOf = (stop: HTMLElement): number => Number(stop.closest("[aria-level]")?.getAttribute("aria-level"))

/** Up and down move between rows; right expands, then enters; left collapses, then goes to the parent. */
const onKeyDown = ({ toggle }: Tree) => (event: KeyboardEvent<HTMLElement>) => {
  const { altKey, ctrlKey, currentTarget, key, metaKey, shiftKey, target } = event
  if (altKey || ctrlKey || metaKey || shiftKey) return
  const stops = stopsIn(currentTarget)
  const stop = (target as HTMLElement).closest<HTMLElement>("[data-stop]")
  if (stop === null) return
  const at = stops.indexOf(stop)
  const expanded = stop.getAttribute("aria-expanded")
  const id = stop.dataset["id"] ?? ""
  const level = levelOf(stop)
  const go = (to: HTMLElement | undefined) => {
    event.preventDefault()
    to?.focus()
  }
  if (key === "ArrowDown") go(stops[at + 1])
  else if (key === "ArrowUp") go(stops[at - 1])
  else if (key === "Home") go(stops[0])
  else if (key === "End") go(stops.at(-1))
  else if (key === "ArrowRight" && expanded === "false") {
    event.preventDefault()
    toggle(id, true)
  } else if (key === "ArrowRight" && expanded === "true") go(stops[at + 1])
  else if (key === "ArrowLeft" && expanded === "true") {
    event.preventDefault()
    toggle(id, false)
  } else if (key === "ArrowLeft") go(stops.slice(0, Math.max(0, at)).findLast((each) => levelOf(each) < level))
}
