/** All workflows that the person may see, newest first, and the templates to start from. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { FileUp, Plus } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { WorkflowViews } from "../app/workflow-views.tsx"
import { Button } from "../components/button.tsx"
import { MenuItem } from "../components/menu.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type Workflow, workflowPages } from "../hub/queries.ts"
import { copyText } from "../listing/copy-text.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { listingText as listing } from "../text/listing.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { workflowsText as t } from "../text/workflows.ts"
import { CreateWorkflowDialog, ImportWorkflowDialog } from "./create-dialogs.tsx"
import { visibilities, workflowStatuses } from "./routes.tsx"
import { TemplatesPanel } from "./templates-panel.tsx"
import { WorkflowState } from "./workflow-state.tsx"

const from = "/w/$workspace/workflows"

export const WorkflowsScreen = () => {
  const workspace = useWorkspaceId()
  const { ignored, view, ...filters } = useSearch({ from })
  const navigate = useNavigate({ from })
  const mayWrite = useCan()("workflows:write")
  const mayAct = useMayAct()
  const [making, setMaking] = useState<"create" | "import">()
  const close = () => setMaking(undefined)
  const place = (id: string) => ({ to: "/w/$workspace/workflows/$id", params: { workspace, id } }) as const
  const open = ({ id }: { readonly id: string }) => void navigate(place(id))
  useCommands(
    mayWrite
      ? [
        { id: "workflows.new", text: t.create.title, run: () => setMaking("create") },
        { id: "workflows.import", text: t.imports.title, run: () => setMaking("import") }
      ]
      : []
  )
  const change = (changes: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }) as typeof filters, replace })
  const clear = () => void navigate({ search: view === undefined ? {} : { view } })
  const createButton = mayWrite && (
    <Button
      variant="primary"
      icon={<Plus />}
      disabled={!mayAct}
      onClick={() => setMaking("create")}
    >
      {t.create.act}
    </Button>
  )
  const actions = mayWrite && (
    <>
      <Button icon={<FileUp />} disabled={!mayAct} onClick={() => setMaking("import")}>{t.imports.act}</Button>
      {createButton}
    </>
  )
  const dialogs = (
    <>
      {making === "create" && (
        <CreateWorkflowDialog
          onClose={close}
          onMade={({ id }) => void navigate({ to: "/w/$workspace/workflows/$id/edit", params: { workspace, id } })}
        />
      )}
      {making === "import" && <ImportWorkflowDialog onClose={close} onMade={open} />}
    </>
  )
  if (view === "templates") {
    return (
      <Page
        title={t.views.templates}
        path={<Link quiet to={from} params={{ workspace }}>{t.title}</Link>}
        action={actions}
        filters={
          <>
            <WorkflowViews current="templates" />
            <FilterLine
              search={{ value: filters.q, label: t.templates.search }}
              ignored={ignored}
              filters={[]}
              change={change}
              clear={clear}
            />
          </>
        }
      >
        <TemplatesPanel q={filters.q} onClear={clear} onMade={open} />
        {dialogs}
      </Page>
    )
  }
  return (
    <WorkflowList
      filters={filters}
      ignored={ignored}
      actions={actions}
      createButton={createButton}
      change={change}
      clear={clear}
      open={open}
      place={place}
      dialogs={dialogs}
    />
  )
}

interface WorkflowListProps {
  readonly filters: Parameters<typeof workflowPages>[1]
  readonly ignored: ReadonlyArray<string> | undefined
  readonly actions: React.ReactNode
  readonly createButton: React.ReactNode
  readonly change: (changes: Readonly<Record<string, unknown>>, replace?: boolean) => void
  readonly clear: () => void
  readonly open: (workflow: Workflow) => void
  readonly place: (id: string) => {
    readonly to: "/w/$workspace/workflows/$id"
    readonly params: {
      readonly workspace: string
      readonly id: string
    }
  }
  readonly dialogs: React.ReactNode
}

const WorkflowList = (
  { actions, change, clear, createButton, dialogs, filters, ignored, open, place }: WorkflowListProps
) => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate({ from })
  const mayWrite = useCan()("workflows:write")
  const held = useHeldRows<Workflow>(workflowPages(workspace, filters))
  const isFiltered = Object.values(filters).some((each) => each !== undefined)
  const columns: ReadonlyArray<Column<Workflow>> = [
    {
      id: "name",
      head: t.columns.name,
      width: "minmax(180px, 3fr)",
      narrow: "lead",
      cell: ({ id, name }) => (
        <Link quiet className="block truncate" title={name} tabIndex={-1} {...place(id)}>
          <RevealedText text={name} texts={reveal} line />
        </Link>
      )
    },
    {
      id: "status",
      head: t.columns.status,
      width: "112px",
      narrow: "trail",
      cell: ({ status }) => <WorkflowState status={status} />
    },
    {
      id: "version",
      head: t.columns.version,
      width: "128px",
      narrow: "under",
      cell: ({ latest_version, live_version }) =>
        latest_version === 0
          ? <span className="text-3">{t.noVersion}</span>
          : live_version === undefined
          ? <span className="text-2">{t.unpublished(latest_version)}</span>
          : t.versionOf(live_version, latest_version)
    },
    {
      id: "visibility",
      head: t.columns.visibility,
      width: "minmax(104px, 1fr)",
      from: 720,
      cell: ({ visibility }) => t.visibilities[visibility]
    },
    {
      id: "agents",
      head: t.columns.agents,
      width: "minmax(96px, 1.4fr)",
      from: 860,
      cell: ({ agents }) =>
        agents.length === 0
          ? <span className="text-3">{listing.none}</span>
          : <span className="block truncate">{agents.map(({ name }) => name).join(", ")}</span>
    },
    {
      id: "updated",
      head: t.columns.updated,
      width: "132px",
      end: true,
      narrow: "underTrail",
      cell: ({ updated_at }) => <RelativeTime at={updated_at} now={hubClock.now} />
    }
  ]
  return (
    <Page
      title={t.title}
      layout="flush"
      busy={held.pages.isFetching}
      action={actions}
      filters={
        <>
          <WorkflowViews current="list" />
          <FilterLine
            search={{ value: filters.q, label: t.search }}
            ignored={ignored}
            filters={[
              oneFilter(
                "status",
                t.columns.status,
                filters.status,
                change,
                workflowStatuses.map((value) => ({ value, text: t.statuses[value] }))
              ),
              oneFilter(
                "visibility",
                t.columns.visibility,
                filters.visibility,
                change,
                visibilities.map((value) => ({ value, text: t.visibilities[value] }))
              )
            ]}
            change={change}
            clear={clear}
          />
        </>
      }
    >
      <HubTable
        endpoint="workflows.list"
        workspace={workspace}
        held={held}
        label={t.list}
        columns={columns}
        onOpen={open}
        rowMenu={(workflow) => (
          <RowMenu label={t.menuOf(workflow.name)}>
            {() => (
              <>
                <MenuItem onSelect={() => open(workflow)}>{t.open}</MenuItem>
                {mayWrite && (
                  <MenuItem
                    onSelect={() =>
                      void navigate({ to: "/w/$workspace/workflows/$id/edit", params: { workspace, id: workflow.id } })}
                  >
                    {t.edit}
                  </MenuItem>
                )}
                <MenuItem onSelect={() => copyText(workflow.id)}>{t.copyId}</MenuItem>
              </>
            )}
          </RowMenu>
        )}
        empty={{
          text: t.empty,
          action: (
            <span className="flex flex-wrap gap-8">
              {createButton}
              <Link to={from} params={{ workspace }} search={{ view: "templates" }}>{t.views.templates}</Link>
            </span>
          )
        }}
        noMatch={t.noMatch}
        onClear={isFiltered ? clear : undefined}
      />
      {dialogs}
    </Page>
  )
}
