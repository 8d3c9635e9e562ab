/** The fleet: every device of a workspace, newest first, with its presence and grants. */
import { useNavigate, useSearch } from "@tanstack/react-router"
import { Plus } from "lucide-react"
import { useCommands } from "../app/commands.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { MenuItem } from "../components/menu.tsx"
import { type Device, devicePages } from "../hub/queries.ts"
import { copyText } from "../listing/copy-text.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { devicesText as t } from "../text/devices.ts"
import { listingText as listing } from "../text/listing.ts"
import { ConnectLines } from "./connect-lines.tsx"
import { DeviceState } from "./device-state.tsx"
import { agentsWords, loadOf, platformWords, runningMax, toolsWords } from "./device-words.ts"
import styles from "./devices-screen.module.css"
import { Presence } from "./presence.tsx"
import { deviceStates } from "./routes.tsx"
import { useNewOffers } from "./use-new-offers.ts"

const from = "/w/$workspace/devices"

export const DevicesScreen = () => {
  const workspace = useWorkspaceId()
  const filters = useSearch({ from })
  const navigate = useNavigate({ from })
  const mayPair = useCan()("devices:write")
  const held = useHeldRows<Device>(devicePages(workspace, filters))
  const newOffers = useNewOffers(workspace)
  const isFiltered = filters.q !== undefined || filters.state !== undefined
  const change = (changes: Readonly<Record<string, unknown>>, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...changes }) as typeof filters, replace })
  const clear = () => void navigate({ search: {} })
  const toDevice = (id: string) => ({ to: "/w/$workspace/devices/$id", params: { workspace, id } }) as const
  const open = ({ id }: Device) => void navigate(toDevice(id))
  const pair = () => void navigate({ to: "/w/$workspace/devices/pair", params: { workspace } })
  useCommands(mayPair ? [{ id: "devices.pair", text: t.pair, run: pair }] : [])

  const isEmpty = held.pages.data !== undefined && held.rows.length === 0 && !isFiltered
  const pairLink = mayPair && (
    <ButtonLink to="/w/$workspace/devices/pair" params={{ workspace }} variant="primary" icon={<Plus />}>
      {t.pair}
    </ButtonLink>
  )
  const columns: ReadonlyArray<Column<Device>> = [
    {
      id: "device",
      head: t.columns.device,
      width: "minmax(180px, 1.6fr)",
      narrow: "lead",
      cell: (device) => (
        <span className={`flex items-center gap-8 min-w-0 ${styles.device}`}>
          <Link quiet {...toDevice(device.id)}>
            {device.name}
          </Link>
          {device.update_required ? <Badge tone="hold">{t.updateRequired}</Badge> : (
            newOffers(device).length > 0 && <Badge tone="hold">{t.asksMore}</Badge>
          )}
        </span>
      )
    },
    {
      id: "presence",
      head: t.columns.presence,
      width: "minmax(212px, 1.3fr)",
      narrow: "under",
      cell: (device) => <Presence device={device} />
    },
    {
      id: "state",
      head: t.columns.state,
      width: "150px",
      narrow: "trail",
      cell: (device) => <DeviceState device={device} />
    },
    {
      id: "platform",
      head: t.columns.platform,
      width: "100px",
      from: 1020,
      cell: (device) => <span translate="no">{platformWords(device)}</span>
    },
    {
      id: "tools",
      head: t.columns.tools,
      width: "minmax(120px, 1fr)",
      from: 720,
      cell: (device) => (
        <span className={device.granted.length === 0 ? "text-3" : undefined} title={device.granted.join(", ")}>
          {toolsWords(t, device)}
        </span>
      )
    },
    {
      id: "labels",
      head: t.columns.labels,
      width: "minmax(90px, 0.8fr)",
      from: 1160,
      cell: ({ labels }) =>
        labels.length === 0
          ? <span className="text-3">{listing.none}</span>
          : <span title={labels.join(", ")}>{labels.join(", ")}</span>
    },
    {
      id: "agents",
      head: t.columns.agents,
      width: "84px",
      from: 900,
      cell: ({ agents }) => <span className={agents.length === 0 ? "text-3" : undefined}>{agentsWords(t, agents)}</span>
    },
    {
      id: "load",
      head: t.columns.load,
      width: "72px",
      end: true,
      from: 1100,
      cell: (device) => {
        const load = device.presence === "offline" || device.presence === "never" ? undefined : loadOf(device)
        return load === undefined
          ? <span className="text-3">{listing.none}</span>
          : t.loadText(load.busy, load.processors)
      }
    },
    {
      id: "running",
      head: t.columns.running,
      width: "64px",
      end: true,
      narrow: "underTrail",
      cell: ({ running }) => (
        <span className={running === 0 ? "text-3" : "weight-strong"}>{t.runningOf(running, runningMax)}</span>
      )
    }
  ]
  const rowMenu = (device: Device) => (
    <RowMenu label={listing.rowMenuOf(device.name)}>
      {() => (
        <>
          <MenuItem onSelect={() => open(device)}>{t.open}</MenuItem>
          {mayPair && device.granted.length > 0 && device.session !== undefined && (
            <MenuItem
              onSelect={() =>
                void navigate({ to: "/w/$workspace/devices/$id/queue", params: { workspace, id: device.id } })}
            >
              {t.queueOn}
            </MenuItem>
          )}
          <MenuItem onSelect={() => copyText(device.id)}>{listing.copyId}</MenuItem>
        </>
      )}
    </RowMenu>
  )
  return (
    <Page
      title={t.title}
      guide="devices"
      layout="flush"
      busy={held.pages.isFetching && !held.pages.isRefetching}
      action={pairLink}
      filters={
        <FilterLine
          search={{ value: filters.q, label: t.search }}
          filters={[
            oneFilter(
              "state",
              t.stateFilter,
              filters.state,
              change,
              deviceStates.map((value) => ({ value, text: t.states[value] }))
            )
          ]}
          change={change}
          clear={clear}
        />
      }
    >
      {isEmpty
        ? (
          <div className={`grid grid-cols-1 gap-12 ${styles.empty}`}>
            <p className="type-lead">{t.empty}</p>
            <p className="max-w-reading type-body text-2">{t.emptyAbout}</p>
            <ConnectLines />
          </div>
        )
        : (
          <HubTable
            endpoint="devices.list"
            workspace={workspace}
            held={held}
            label={t.table}
            columns={columns}
            onOpen={open}
            rowMenu={rowMenu}
            empty={{ text: t.empty }}
            noMatch={t.noMatch}
            onClear={isFiltered ? clear : undefined}
          />
        )}
    </Page>
  )
}
