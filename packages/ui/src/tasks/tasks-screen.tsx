/** Every delegated task of a workspace, newest first. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { AgentViews } from "../app/agent-views.tsx"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { MenuItem } from "../components/menu.tsx"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { taskPages } from "../hub/queries.ts"
import { useAgentFilter } from "../listing/agent-filter.ts"
import { copyText } from "../listing/copy-text.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { agentsText } from "../text/agents.ts"
import { listingText as listing } from "../text/listing.ts"
import { tasksText as t } from "../text/tasks.ts"
import { taskStatuses } from "./routes.tsx"
import { hasEnded, type Task, TaskState } from "./task-state.tsx"

const from = "/w/$workspace/tasks"

export const TasksScreen = () => {
  const workspace = useWorkspaceId()
  const { ignored, ...filters } = useSearch({ from })
  const navigate = useNavigate({ from })
  const held = useHeldRows<Task>(taskPages(workspace, filters))
  const isFiltered = filters.status !== undefined || filters.agent_id !== undefined
  const change = (changes: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }) as typeof filters, replace })
  const clear = () => void navigate({ search: {} })
  const place = (task: Task) =>
    ({
      to: "/w/$workspace/agents/$id/tasks/$task",
      params: { workspace, id: task.from_agent_id, task: task.id }
    }) as const
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/agents", params: { workspace } }))
  const agentCell = (id: string, name: string) => (
    <Link quiet to="/w/$workspace/agents/$id" params={{ workspace, id }} tabIndex={-1}>{name}</Link>
  )
  const columns: ReadonlyArray<Column<Task>> = [
    {
      id: "goal",
      head: t.columns.goal,
      width: "minmax(180px, 3fr)",
      narrow: "lead",
      cell: (task) => (
        <Link quiet className="block truncate" title={task.goal} tabIndex={-1} {...place(task)}>{task.goal}</Link>
      )
    },
    {
      id: "status",
      head: t.columns.status,
      width: "112px",
      narrow: "trail",
      cell: ({ status }) => <TaskState status={status} />
    },
    {
      id: "from",
      head: t.columns.from,
      width: "minmax(96px, 1fr)",
      from: 560,
      cell: ({ from_agent_id, from_agent_name }) => agentCell(from_agent_id, from_agent_name)
    },
    {
      id: "to",
      head: t.columns.to,
      width: "minmax(96px, 1fr)",
      narrow: "under",
      cell: ({ to_agent_id, to_agent_name }) => agentCell(to_agent_id, to_agent_name)
    },
    {
      id: "deadline",
      head: t.columns.deadline,
      width: "148px",
      from: 860,
      cell: ({ deadline_at, status }) =>
        deadline_at === undefined || hasEnded(status)
          ? <span className="text-3">{deadline_at === undefined ? t.noDeadline : listing.none}</span>
          : <RelativeTime at={deadline_at} now={hubClock.now} />
    },
    {
      id: "spent",
      head: t.columns.spent,
      width: "168px",
      end: true,
      narrow: "underTrail",
      cell: ({ budget_cents, spent_cents }) => (
        <span className="inline-flex items-baseline justify-end gap-4 whitespace-nowrap">
          <Money cents={spent_cents} />{" "}
          <span className="type-note text-3">{t.ofBudget(formatMoney(budget_cents))}</span>
        </span>
      )
    },
    {
      id: "created",
      head: t.columns.created,
      width: "116px",
      end: true,
      from: 720,
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    }
  ]
  const rowMenu = (task: Task) => (
    <RowMenu label={t.menuOf(task.goal.slice(0, 60))}>
      {() => (
        <>
          <MenuItem onSelect={() => void navigate(place(task))}>{t.open}</MenuItem>
          <MenuItem onSelect={() => copyText(task.id)}>{t.copyId}</MenuItem>
        </>
      )}
    </RowMenu>
  )
  const agentFilter = useAgentFilter(filters.agent_id, change)
  return (
    <Page
      title={t.title}
      path={
        <Link quiet to="/w/$workspace/agents" params={{ workspace }}>
          {agentsText.title}
        </Link>
      }
      layout="flush"
      busy={held.pages.isFetching}
      filters={
        <>
          <AgentViews current="tasks" />
          <FilterLine
            ignored={ignored}
            filters={[
              oneFilter(
                "status",
                t.statusFilter,
                filters.status,
                change,
                taskStatuses.map((value) => ({ value, text: t.statuses[value] }))
              ),
              agentFilter
            ]}
            change={change}
            clear={clear}
          />
        </>
      }
    >
      <HubTable
        endpoint="delegated_tasks.listAll"
        workspace={workspace}
        held={held}
        label={t.table}
        columns={columns}
        onOpen={(task) => void navigate(place(task))}
        rowMenu={rowMenu}
        empty={{ text: t.empty }}
        noMatch={t.noMatch}
        onClear={isFiltered ? clear : undefined}
      />
    </Page>
  )
}
