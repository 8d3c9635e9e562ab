/** All schedules that the person may see, newest first. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Plus } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { WorkflowViews } from "../app/workflow-views.tsx"
import { Button } from "../components/button.tsx"
import { MenuItem } from "../components/menu.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type ScheduledTask, schedulePages } from "../hub/queries.ts"
import { useAgentFilter } from "../listing/agent-filter.ts"
import { copyText } from "../listing/copy-text.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { listingText as listing } from "../text/listing.ts"
import { schedulesText as t } from "../text/schedules.ts"
import { workflowsText } from "../text/workflows.ts"
import { actionColumn, LastTime, nameColumn, statusColumn } from "./automation-columns.tsx"
import { cronWords } from "./cron-words.ts"
import { scheduleStatuses } from "./routes.tsx"
import { CreateScheduleDialog } from "./schedule-form.tsx"

const from = "/w/$workspace/schedules"

export const SchedulesScreen = () => {
  const workspace = useWorkspaceId()
  const { ignored, ...filters } = useSearch({ from })
  const navigate = useNavigate({ from })
  const can = useCan()
  const mayWrite = can("schedules:write")
  const mayAct = useMayAct()
  const [isCreating, setCreating] = useState(false)
  const held = useHeldRows<ScheduledTask>(schedulePages(workspace, filters))
  const isFiltered = filters.status !== undefined || filters.agent_id !== undefined
  const change = (changes: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }) as typeof filters, replace })
  const clear = () => void navigate({ search: {} })
  const place = (id: string) => ({ to: "/w/$workspace/schedules/$id", params: { workspace, id } }) as const
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/workflows", params: { workspace } }))
  useCommands(mayWrite ? [{ id: "schedules.new", text: t.create.title, run: () => setCreating(true) }] : [])
  const createButton = mayWrite && (
    <Button
      variant="primary"
      icon={<Plus />}
      disabled={!mayAct}
      onClick={() => setCreating(true)}
    >
      {t.create.act}
    </Button>
  )
  const columns: ReadonlyArray<Column<ScheduledTask>> = [
    nameColumn(t.columns.name, place),
    statusColumn(),
    actionColumn("minmax(120px, 1.6fr)"),
    {
      id: "when",
      head: t.columns.when,
      width: "minmax(140px, 2fr)",
      narrow: "under",
      cell: ({ cron }) => <span className="block truncate">{cronWords(cron)}</span>
    },
    {
      id: "next",
      head: t.columns.next,
      width: "148px",
      end: true,
      narrow: "underTrail",
      cell: ({ next_runs: [next] }) =>
        next === undefined
          ? <span className="text-3">{listing.none}</span>
          : <RelativeTime at={next} now={hubClock.now} />
    },
    {
      id: "last",
      head: t.columns.last,
      width: "148px",
      end: true,
      from: 900,
      cell: ({ last_run }) => <LastTime at={last_run?.created_at} />
    }
  ]
  const agentFilter = useAgentFilter(filters.agent_id, change)
  return (
    <Page
      title={t.title}
      path={<Link quiet to="/w/$workspace/workflows" params={{ workspace }}>{workflowsText.title}</Link>}
      layout="flush"
      busy={held.pages.isFetching}
      action={createButton}
      filters={
        <>
          <WorkflowViews current="schedules" />
          <FilterLine
            ignored={ignored}
            filters={[
              oneFilter(
                "status",
                t.status,
                filters.status,
                change,
                scheduleStatuses.map((value) => ({ value, text: t.statuses[value] }))
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
        endpoint="scheduled_tasks.list"
        workspace={workspace}
        held={held}
        label={t.list}
        columns={columns}
        onOpen={({ id }) => void navigate(place(id))}
        rowMenu={({ id, name }) => (
          <RowMenu label={t.menuOf(name)}>
            {() => (
              <>
                <MenuItem onSelect={() => void navigate(place(id))}>{t.open}</MenuItem>
                <MenuItem onSelect={() => copyText(id)}>{t.copyId}</MenuItem>
              </>
            )}
          </RowMenu>
        )}
        empty={{ text: t.empty, action: createButton }}
        noMatch={t.noMatch}
        onClear={isFiltered ? clear : undefined}
      />
      {isCreating && (
        <CreateScheduleDialog
          onClose={() => setCreating(false)}
          onMade={({ id }) => void navigate(place(id))}
        />
      )}
    </Page>
  )
}
