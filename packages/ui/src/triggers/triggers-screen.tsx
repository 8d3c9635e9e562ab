/** All triggers that the person may see, newest first. */
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
import { type Trigger, triggerPages } from "../hub/queries.ts"
import { useAgentFilter } from "../listing/agent-filter.ts"
import { copyText } from "../listing/copy-text.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import { useMayAct } from "../live/connection.ts"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { actionColumn, LastTime, nameColumn, statusColumn } from "../schedules/automation-columns.tsx"
import { type ShownSecret, SigningSecretDialog } from "../signing-secrets/signing-secret.tsx"
import { schedulesText } from "../text/schedules.ts"
import { triggersText as t } from "../text/triggers.ts"
import { workflowsText } from "../text/workflows.ts"
import { triggerKinds } from "./routes.tsx"
import { CreateTriggerDialog } from "./trigger-form.tsx"

const from = "/w/$workspace/triggers"

export const TriggersScreen = () => {
  const workspace = useWorkspaceId()
  const { ignored, ...filters } = useSearch({ from })
  const navigate = useNavigate({ from })
  const can = useCan()
  const mayWrite = can("triggers:write")
  const mayAct = useMayAct()
  const [isCreating, setCreating] = useState(false)
  const [made, setMade] = useState<ShownSecret & { readonly id: string }>()
  const held = useHeldRows<Trigger>(triggerPages(workspace, filters))
  const isFiltered = Object.values(filters).some((each) => each !== undefined)
  const change = (changes: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }) as typeof filters, replace })
  const clear = () => void navigate({ search: {} })
  const place = (id: string) => ({ to: "/w/$workspace/triggers/$id", params: { workspace, id } }) as const
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/workflows", params: { workspace } }))
  useCommands(mayWrite ? [{ id: "triggers.new", text: t.create.title, run: () => setCreating(true) }] : [])
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
  const columns: ReadonlyArray<Column<Trigger>> = [
    nameColumn(t.columns.name, place),
    statusColumn(),
    { id: "kind", head: t.columns.kind, width: "96px", narrow: "under", cell: ({ kind }) => t.kinds[kind] },
    actionColumn("minmax(140px, 2fr)"),
    {
      id: "last",
      head: t.columns.last,
      width: "148px",
      end: true,
      narrow: "underTrail",
      cell: ({ last_fired_at }) => <LastTime at={last_fired_at} />
    },
    {
      id: "created",
      head: t.columns.created,
      width: "132px",
      end: true,
      from: 900,
      cell: ({ created_at }) => <RelativeTime at={created_at} now={hubClock.now} />
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
          <WorkflowViews current="triggers" />
          <FilterLine
            ignored={ignored}
            filters={[
              oneFilter(
                "kind",
                t.kind,
                filters.kind,
                change,
                triggerKinds.map((value) => ({ value, text: t.kinds[value] }))
              ),
              oneFilter(
                "status",
                t.status,
                filters.status,
                change,
                (["active", "paused"] as const).map((value) => ({ value, text: schedulesText.statuses[value] }))
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
        endpoint="triggers.list"
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
        <CreateTriggerDialog
          onClose={() => setCreating(false)}
          onMade={({ id, name, signing_secret }) => {
            setCreating(false)
            setMade({ id, name, secret: signing_secret })
          }}
        />
      )}
      {made !== undefined && (
        <SigningSecretDialog
          secret={made}
          texts={t.secret}
          onKept={() => void navigate(place(made.id))}
        />
      )}
    </Page>
  )
}
