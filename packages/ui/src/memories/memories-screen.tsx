/** The memories of an agent: a list with a search by meaning, and a graph. */
import { useQuery } from "@tanstack/react-query"
import { Link as RouterLink, useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { Ellipsis, Plus } from "lucide-react"
import { useState } from "react"
import { useMayChangeAgent } from "../agents/may-freeze-agent.ts"
import { percentText } from "../agents/percent-text.ts"
import viewStyles from "../app/agent-views.module.css"
import { useCommands } from "../app/commands.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { IconButton } from "../components/icon-button.tsx"
import { Menu, MenuItem } from "../components/menu.tsx"
import tabs from "../components/tabs.module.css"
import { hubClock } from "../hub/hub-time.ts"
import { agentQuery, memoryGraphQuery, memoryPages, memoryQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { type Changes, FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { agentsText } from "../text/agents.ts"
import { memoriesText as t } from "../text/memories.ts"
import { payloadText as reveal } from "../text/payload.ts"
import styles from "./memories.module.css"
import { type Memory, MemoryDialog, memoryKinds } from "./memory-dialog.tsx"
import { MemoryGraph } from "./memory-graph.tsx"

const from = "/w/$workspace/agents/$id/memories"

export const MemoriesScreen = () => {
  const { id } = useParams({ from })
  const { memory: selected, view } = useSearch({ from })
  const workspace = useWorkspaceId()
  const navigate = useNavigate({ from })
  const agent = useQuery(agentQuery(workspace, id)).data
  const mayChangeAgent = useMayChangeAgent()
  const mayAct = useMayAct()
  const mayChange = agent !== undefined && mayChangeAgent(agent)
  const [open, setOpen] = useState<Memory | "new">()
  /** The memory that the graph opens: its nodes lack most fields. */
  const [openId, setOpenId] = useState<string>()
  const single = useQuery({ ...memoryQuery(workspace, id, openId ?? ""), enabled: openId !== undefined }).data
  const shown = open ?? (single?.id === openId ? single : undefined)
  const close = () => {
    setOpen(undefined)
    setOpenId(undefined)
  }
  const [removing, setRemoving] = useState<Memory>()
  const toAgent = { to: "/w/$workspace/agents/$id", params: { workspace, id } } as const
  useKey("everywhere.back", () => void navigate(toAgent))
  useCommands(mayChange ? [{ id: "memories.add", text: t.add, run: () => setOpen("new") }] : [])
  const change = (changes: Changes, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), replace })
  const remove = useAct("memories.remove", {
    workspace,
    touches: ["memories"],
    done: t.remove.done,
    onDone: () => {
      setRemoving(undefined)
      close()
    }
  })
  const addButton = mayChange && (
    <Button
      variant="primary"
      icon={<Plus />}
      disabled={!mayAct}
      onClick={() => setOpen("new")}
    >
      {t.add}
    </Button>
  )
  const empty = { text: t.empty, action: addButton }
  return (
    <Page
      title={t.title}
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
      layout={view === "graph" ? "padded" : "flush"}
      action={addButton}
      filters={
        <>
          <Views agent={id} current={view ?? "list"} />
          {view !== "graph" && <Filters agent={id} change={change} clear={() => void navigate({ search: {} })} />}
        </>
      }
    >
      {view === "graph"
        ? (
          <MemoryGraph
            agent={id}
            selected={selected}
            onSelect={(memory) => change({ memory }, true)}
            onOpen={setOpenId}
            empty={empty}
          />
        )
        : (
          <List
            agent={id}
            mayChange={mayChange}
            empty={empty}
            onOpen={setOpen}
            onRemove={setRemoving}
            onClear={() => void navigate({ search: {} })}
          />
        )}
      {shown !== undefined && removing === undefined && agent !== undefined && (
        <MemoryDialog
          agent={agent}
          memory={shown === "new" ? undefined : shown}
          mayChange={mayChange}
          onRemove={setRemoving}
          onClose={close}
        />
      )}
      {removing !== undefined && (
        <ConfirmAct
          call={remove}
          onClose={() => setRemoving(undefined)}
          title={t.remove.title}
          description={t.remove.what}
          confirmText={t.remove.act}
          onConfirm={() => remove.mutate({ params: { id, memoryId: removing.id } })}
          failed={t.remove.failed}
          unchanged={t.remove.unchanged}
        >
          <p className={`type-body wrap-anywhere ${styles.text}`}>
            <RevealedText text={removing.content.slice(0, 400)} texts={reveal} />
          </p>
        </ConfirmAct>
      )}
    </Page>
  )
}

const Views = ({ agent, current }: { readonly agent: string; readonly current: "list" | "graph" }) => {
  const workspace = useWorkspaceId()
  return (
    <nav aria-label={t.views.label} className={`${tabs.list} ${viewStyles.views}`}>
      {(["list", "graph"] as const).map((name) => (
        <RouterLink
          key={name}
          className={tabs.tab}
          to="/w/$workspace/agents/$id/memories"
          params={{ workspace, id: agent }}
          search={name === "graph" ? { view: name } : {}}
          aria-current={name === current ? "page" : undefined}
          data-active={name === current || undefined}
        >
          {t.views[name]}
        </RouterLink>
      ))}
    </nav>
  )
}

interface FiltersProps {
  readonly agent: string
  readonly change: (changes: Changes, replace?: boolean) => void
  readonly clear: () => void
}

const Filters = ({ agent, change, clear }: FiltersProps) => {
  const { ignored, kind, q, tag } = useSearch({ from })
  const nodes = useQuery(memoryGraphQuery(useWorkspaceId(), agent)).data?.nodes ?? []
  const tags = [...new Set(nodes.flatMap((node) => node.tags))].sort()
  return (
    <FilterLine
      search={{ value: q, label: t.search }}
      ignored={ignored}
      filters={[
        oneFilter("kind", t.kind, kind, change, memoryKinds.map((value) => ({ value, text: t.kinds[value] }))),
        oneFilter("tag", t.tag, tag, change, tags.map((value) => ({ value, text: value })), {
          is: (typed) => typed.length <= 64,
          label: t.tagFilter
        })
      ]}
      change={change}
      clear={clear}
    />
  )
}

interface ListProps {
  readonly agent: string
  readonly mayChange: boolean
  readonly empty: { readonly text: string; readonly action: React.ReactNode }
  readonly onOpen: (memory: Memory) => void
  readonly onRemove: (memory: Memory) => void
  readonly onClear: () => void
}

const List = ({ agent, empty, mayChange, onClear, onOpen, onRemove }: ListProps) => {
  const workspace = useWorkspaceId()
  const { kind, q, tag } = useSearch({ from })
  const mayAct = useMayAct()
  const filters = {
    ...q === undefined ? {} : { q },
    ...kind === undefined ? {} : { kind },
    ...tag === undefined ? {} : { tag }
  }
  const held = useHeldRows<Memory>(memoryPages(workspace, agent, filters))
  const columns: ReadonlyArray<Column<Memory>> = [
    {
      id: "memory",
      head: t.columns.memory,
      width: "minmax(200px, 4fr)",
      narrow: "lead",
      cell: ({ content }) => <RevealedText line text={content.slice(0, 300)} texts={reveal} />
    },
    ...q === undefined ? [] : [
      {
        id: "score",
        head: t.columns.score,
        width: "112px",
        narrow: "trail" as const,
        end: true,
        cell: ({ matched_by, score = 0 }: Memory) =>
          matched_by === "words"
            ? <span title={t.byWordsAbout}>{t.byWords}</span>
            : percentText(Math.max(score, 0))
      }
    ],
    {
      id: "kind",
      head: t.columns.kind,
      width: "112px",
      narrow: "under",
      cell: ({ kind }) => <Badge>{t.kinds[kind]}</Badge>
    },
    {
      id: "tags",
      head: t.columns.tags,
      width: "minmax(100px, 1fr)",
      from: 720,
      cell: ({ tags }) => <span className="truncate" title={tags.join(", ")}>{tags.join(", ")}</span>
    },
    {
      id: "importance",
      head: t.columns.importance,
      width: "96px",
      from: 860,
      end: true,
      cell: ({ importance }) => percentText(importance)
    },
    {
      id: "expires",
      head: t.columns.expires,
      width: "148px",
      from: 980,
      cell: ({ expires_at }) => expires_at === undefined ? null : <RelativeTime at={expires_at} now={hubClock.now} />
    },
    {
      id: "updated",
      head: t.columns.updated,
      width: "124px",
      from: 640,
      narrow: "underTrail",
      cell: ({ updated_at }) => <RelativeTime at={updated_at} now={hubClock.now} />
    }
  ]
  return (
    <HubTable
      endpoint="memories.list"
      workspace={workspace}
      held={held}
      label={q === undefined ? t.table : t.results}
      columns={columns}
      onOpen={onOpen}
      rowMenu={(memory) => (
        <Menu align="end" trigger={<IconButton label={t.menu} icon={<Ellipsis />} />}>
          <MenuItem
            onSelect={() => onOpen(memory)}
          >
            {t.open}
          </MenuItem>
          {mayChange && (
            <MenuItem
              danger
              disabled={!mayAct}
              onSelect={() => onRemove(memory)}
            >
              {t.remove.act}
            </MenuItem>
          )}
        </Menu>
      )}
      empty={empty}
      noMatch={t.noMatch}
      onClear={q === undefined && kind === undefined && tag === undefined ? undefined : onClear}
    />
  )
}
