/** All runs that the person may see, newest first. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useAgentChoices } from "../app/agent-choices.ts"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { WorkflowViews } from "../app/workflow-views.tsx"
import { Badge } from "../components/badge.tsx"
import { MenuItem } from "../components/menu.tsx"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { workflowChoices, workflowRunPages, type WorkflowRunRow } from "../hub/queries.ts"
import { useAgentFilter } from "../listing/agent-filter.ts"
import { copyText } from "../listing/copy-text.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { runsText as t } from "../text/runs.ts"
import { workflowsText } from "../text/workflows.ts"
import { runStatuses } from "./routes.tsx"
import { RunState } from "./run-state.tsx"

const from = "/w/$workspace/workflow-runs"

export const RunsScreen = () => {
  const workspace = useWorkspaceId()
  const { ignored, ...filters } = useSearch({ from })
  const navigate = useNavigate({ from })
  const held = useHeldRows<WorkflowRunRow>(workflowRunPages(workspace, filters))
  const agents = useAgentChoices()
  const workflows = useQuery(workflowChoices(workspace)).data?.data ?? []
  const isFiltered = Object.values(filters).some((each) => each !== undefined)
  const change = (changes: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }) as typeof filters, replace })
  const clear = () => void navigate({ search: {} })
  const place = (id: string) => ({ to: "/w/$workspace/workflow-runs/$id", params: { workspace, id } }) as const
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/workflows", params: { workspace } }))
  const nameOf = ({ workflow_id }: WorkflowRunRow) =>
    workflows.find(({ id }) => id === workflow_id)?.name ?? workflow_id
  const columns: ReadonlyArray<Column<WorkflowRunRow>> = [
    {
      id: "workflow",
      head: t.columns.workflow,
      width: "minmax(160px, 2.4fr)",
      narrow: "lead",
      cell: (run) => (
        <span className="flex items-center gap-8 min-w-0">
          <Link quiet className="block truncate" tabIndex={-1} {...place(run.id)}>{nameOf(run)}</Link>
          {run.mode === "test" && <Badge>{t.test}</Badge>}
        </span>
      )
    },
    {
      id: "status",
      head: t.columns.status,
      width: "112px",
      narrow: "trail",
      cell: ({ status }) => <RunState status={status} />
    },
    {
      id: "source",
      head: t.columns.source,
      width: "minmax(104px, 1.2fr)",
      from: 760,
      cell: ({ source }) => <span className="block truncate">{source.name}</span>
    },
    {
      id: "agent",
      head: t.columns.agent,
      width: "minmax(96px, 1fr)",
      narrow: "under",
      cell: ({ agent_id }) => (
        <span className="block truncate">{agents.find(({ id }) => id === agent_id)?.name ?? agent_id}</span>
      )
    },
    {
      id: "cost",
      head: t.columns.cost,
      width: "168px",
      end: true,
      narrow: "underTrail",
      cell: ({ cost_cents, max_cost_cents }) => (
        <span className="inline-flex items-baseline justify-end gap-4 whitespace-nowrap">
          <Money cents={cost_cents} />
          {max_cost_cents !== undefined && (
            <span className="type-note text-3">{t.ofMax(formatMoney(max_cost_cents))}</span>
          )}
        </span>
      )
    },
    {
      id: "started",
      head: t.columns.started,
      width: "132px",
      end: true,
      from: 640,
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
    }
  ]
  const { agent_id: agent, workflow_id: workflow } = filters
  const agentFilter = useAgentFilter(agent, change)
  const isWorkflowListed = workflow === undefined || workflows.some(({ id }) => id === workflow)
  return (
    <Page
      title={t.title}
      path={<Link quiet to="/w/$workspace/workflows" params={{ workspace }}>{workflowsText.title}</Link>}
      layout="flush"
      busy={held.pages.isFetching}
      filters={
        <>
          <WorkflowViews current="runs" />
          <FilterLine
            ignored={ignored}
            filters={[
              oneFilter(
                "status",
                t.status,
                filters.status,
                change,
                runStatuses.map((value) => ({ value, text: t.statuses[value] }))
              ),
              oneFilter("workflow_id", t.workflowFilter, workflow, change, [
                ...isWorkflowListed ? [] : [{ value: workflow, text: t.someWorkflow }],
                ...workflows.map(({ id, name }) => ({ value: id as string, text: name }))
              ]),
              agentFilter
            ]}
            change={change}
            clear={clear}
          />
        </>
      }
    >
      <HubTable
        endpoint="workflow_runs.list"
        workspace={workspace}
        held={held}
        label={t.list}
        columns={columns}
        onOpen={({ id }) => void navigate(place(id))}
        rowMenu={(run) => (
          <RowMenu label={t.menuOf(nameOf(run))}>
            {() => (
              <>
                <MenuItem onSelect={() => void navigate(place(run.id))}>{t.open}</MenuItem>
                <MenuItem onSelect={() => copyText(run.id)}>{t.copyId}</MenuItem>
              </>
            )}
          </RowMenu>
        )}
        empty={{ text: t.empty }}
        noMatch={t.noMatch}
        onClear={isFiltered ? clear : undefined}
      />
    </Page>
  )
}
