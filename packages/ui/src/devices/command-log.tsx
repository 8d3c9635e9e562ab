/** The commands of a session, newest first: the command, its author, and its outcome. */
import { useNavigate } from "@tanstack/react-router"
import type { CSSProperties } from "react"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { MenuItem } from "../components/menu.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type Command, commandPages, type Device } from "../hub/queries.ts"
import { copyText } from "../listing/copy-text.ts"
import { durationText } from "../listing/duration.ts"
import { FilterLine, oneFilter } from "../listing/filters.tsx"
import { useHeldRows } from "../listing/held-rows.ts"
import { HubTable } from "../listing/hub-table.tsx"
import { RowMenu } from "../listing/row-menu.tsx"
import type { Column } from "../patterns/data-table.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { useTicking } from "../patterns/ticking.ts"
import { commandsText as t } from "../text/commands.ts"
import { listingText as listing } from "../text/listing.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { lineOf } from "./command-line.ts"
import styles from "./command-log.module.css"
import { CommandState } from "./command-state.tsx"
import { tookMillis } from "./command-words.ts"
import { commandStatuses } from "./routes.tsx"

type Status = (typeof commandStatuses)[number]

/** Maximum number of visible rows; with fewer rows the panel is lower. */
const rowsMax = 14
const rowsMin = 4

export const Took = ({ command }: { readonly command: Command }) => {
  const words = useTicking(() => {
    const took = tookMillis(command, hubClock.now())
    return took === undefined
      ? ""
      : durationText(Math.max(0, command.done_at === undefined ? Math.floor(took / 1_000) * 1_000 : took))
  })
  return words === "" ? <span className="text-3">{listing.none}</span> : <time>{words}</time>
}

export interface CommandLogProps {
  readonly device: Device
  readonly session: string
  readonly status: Status | undefined
  readonly onStatus: (status: Status | undefined) => void
}

export const CommandLog = ({ device, onStatus, session, status }: CommandLogProps) => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const held = useHeldRows<Command>(commandPages(workspace, session, status === undefined ? {} : { status }))
  const place = (command: Command) =>
    ({
      to: "/w/$workspace/devices/$id/commands/$commandId",
      params: { workspace, id: device.id, commandId: command.id }
    }) as const
  const open = (command: Command) => void navigate(place(command))
  const columns: ReadonlyArray<Column<Command>> = [
    {
      id: "state",
      head: t.columns.state,
      width: "128px",
      narrow: "trail",
      cell: (command) => <CommandState command={command} />
    },
    {
      id: "what",
      head: t.columns.what,
      width: "minmax(180px, 6fr)",
      narrow: "lead",
      cell: (command) => (
        <Link quiet className="block overflow-hidden type-mono text-ellipsis" {...place(command)} tabIndex={-1}>
          <RevealedText line text={lineOf(command)} texts={reveal} />
        </Link>
      )
    },
    {
      id: "who",
      head: t.columns.who,
      width: "minmax(72px, 1fr)",
      from: 560,
      narrow: "under",
      cell: ({ requested_by }) => requested_by.name
    },
    {
      id: "exit",
      head: t.columns.exit,
      width: "44px",
      end: true,
      from: 680,
      cell: ({ exit_code }) => exit_code ?? <span className="text-3">{t.noExit}</span>
    },
    {
      id: "took",
      head: t.columns.took,
      width: "68px",
      end: true,
      from: 620,
      cell: (command) => <Took command={command} />
    },
    {
      id: "when",
      head: t.columns.when,
      width: "116px",
      end: true,
      from: 480,
      narrow: "underTrail",
      cell: ({ queued_at }) => <RelativeTime at={queued_at} now={hubClock.now} />
    }
  ]
  const rowMenu = (command: Command) => (
    <RowMenu label={listing.rowMenuOf(lineOf(command).slice(0, 60))}>
      {() => (
        <>
          <MenuItem onSelect={() => open(command)}>{t.menu.open}</MenuItem>
          <MenuItem onSelect={() => copyText(command.id)}>{t.menu.copy}</MenuItem>
        </>
      )}
    </RowMenu>
  )
  const rows = Math.min(rowsMax, Math.max(rowsMin, held.count))
  const change = (changes: Readonly<Record<string, unknown>>) => onStatus(changes["status"] as Status | undefined)
  return (
    <Panel title={t.log} flush>
      <FilterLine
        filters={[
          oneFilter(
            "status",
            t.statusFilter,
            status,
            change,
            commandStatuses.map((value) => ({ value, text: t.statuses[value] }))
          )
        ]}
        change={change}
        clear={() => onStatus(undefined)}
      />
      <div className="container-inline">
        <div className={styles.table} style={{ "--rows": rows } as CSSProperties}>
          <HubTable
            endpoint="device_sessions.commands"
            workspace={workspace}
            held={held}
            label={t.logOf(device.name)}
            columns={columns}
            onOpen={open}
            rowMenu={rowMenu}
            empty={{ text: t.empty }}
            noMatch={t.noMatch}
            onClear={status === undefined ? undefined : () => onStatus(undefined)}
          />
        </div>
      </div>
    </Panel>
  )
}
