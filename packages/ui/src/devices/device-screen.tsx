/** One device: identity, presence, grants, commands, and pause. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { Terminal } from "lucide-react"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { useKey } from "../app/keys.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Chip } from "../components/chip.tsx"
import { Panel } from "../components/panel.tsx"
import { type Device, deviceQuery, sessionsQuery } from "../hub/queries.ts"
import { EmptyState } from "../patterns/empty-state.tsx"
import { StandingLine } from "../patterns/standing-line.tsx"
import { commandsText as words } from "../text/commands.ts"
import { devicesText as t } from "../text/devices.ts"
import { CommandLog } from "./command-log.tsx"
import { FactsPanel, GrantsPanel, LastSeenPanel, SessionPanel, StatePanel } from "./device-panels.tsx"
import styles from "./device-screen.module.css"
import { DeviceState } from "./device-state.tsx"
import { platformWords } from "./device-words.ts"
import { DirectoryDialog } from "./directory-dialog.tsx"
import { EditDeviceDialog } from "./edit-device-dialog.tsx"
import { GrantsDialog } from "./grants-dialog.tsx"
import { useMayChangeDevice } from "./may-change.ts"
import { Presence } from "./presence.tsx"
import { SessionsPanel } from "./sessions-panel.tsx"
import { EndSessionDialog, type StateAct, StateDialog } from "./state-dialogs.tsx"
import { useNewOffers } from "./use-new-offers.ts"

const from = "/w/$workspace/devices/$id"

export type Asking = StateAct | "grants" | "edit" | "directory" | "session"

export const DeviceScreen = () => {
  const { id } = useParams({ from })
  const search = useSearch({ from })
  const workspace = useWorkspaceId()
  const navigate = useNavigate({ from })
  const device = useQuery(deviceQuery(workspace, id))
  const sessions = useQuery(sessionsQuery(workspace, id))
  const mayChangeIt = useMayChangeDevice()
  const [asking, setAsking] = useState<Asking>()
  const close = () => setAsking(undefined)
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/devices", params: { workspace } }))
  const { data } = device
  const mayChange = data !== undefined && data.state !== "revoked" && mayChangeIt(data)
  const mayQueue = data !== undefined && mayChange && data.session !== undefined && data.granted.length > 0
  const queue = () => void navigate({ to: "/w/$workspace/devices/$id/queue", params: { workspace, id } })
  useCommands([
    ...(mayQueue ? [{ id: "device.queue", text: t.queueOn, detail: data.name, run: queue }] : []),
    ...(mayChange
      ? [{ id: "device.revoke", text: t.acts.revokeTitle(data.name), run: () => setAsking("revoked") }]
      : [])
  ])
  const queueLink = (
    <ButtonLink to="/w/$workspace/devices/$id/queue" params={{ workspace, id }} variant="primary" icon={<Terminal />}>
      {t.queueOn}
    </ButtonLink>
  )
  // The session in the address, otherwise the live one, otherwise the newest one.
  const session = search.session ?? data?.session?.id ?? sessions.data?.data[0]?.id
  return (
    <Page
      title={data?.name ?? t.title}
      path={
        <Link quiet to="/w/$workspace/devices" params={{ workspace }}>
          {t.title}
        </Link>
      }
      busy={device.isFetching && !device.isRefetching}
      action={mayQueue && <span className={styles.topAct}>{queueLink}</span>}
    >
      <ScreenState query={device}>
        {data !== undefined && (
          <>
            <Lines device={data} onGrants={mayChange ? () => setAsking("grants") : undefined} />
            <Head device={data} onEdit={mayChange ? () => setAsking("edit") : undefined} />
            {mayQueue && <div className={styles.bodyAct}>{queueLink}</div>}
            <div className={`grid items-start gap-16 ${styles.columns}`}>
              <div className="grid gap-16 min-w-0">
                <LastSeenPanel device={data} />
                {session === undefined
                  ? (
                    <Panel title={words.log}>
                      <EmptyState>{t.session.none}</EmptyState>
                    </Panel>
                  )
                  : (
                    <CommandLog
                      key={session}
                      device={data}
                      session={session}
                      status={search.status}
                      onStatus={(status) =>
                        void navigate({ search: (before) => ({ ...before, status }) as typeof search })}
                    />
                  )}
                <SessionsPanel
                  sessions={sessions.data?.data ?? []}
                  shown={session}
                  onShow={(next) => void navigate({ search: next === data.session?.id ? {} : { session: next } })}
                />
              </div>
              <div className={`grid gap-16 min-w-0 ${styles.side}`}>
                <GrantsPanel device={data} onChange={mayChange ? () => setAsking("grants") : undefined} />
                <SessionPanel
                  device={data}
                  onDirectory={mayChange ? () => setAsking("directory") : undefined}
                  onEnd={mayChange ? () => setAsking("session") : undefined}
                />
                <FactsPanel device={data} />
                <StatePanel device={data} mayChange={mayChange} onAct={setAsking} />
              </div>
            </div>
            {asking === "grants" && <GrantsDialog device={data} onClose={close} />}
            {asking === "edit" && <EditDeviceDialog device={data} onClose={close} />}
            {asking === "directory" && data.session !== undefined && (
              <DirectoryDialog session={data.session} onClose={close} />
            )}
            {asking === "session" && data.session !== undefined && (
              <EndSessionDialog device={data} session={data.session} onClose={close} />
            )}
            {(asking === "draining" || asking === "paused" || asking === "active" || asking === "revoked") && (
              <StateDialog device={data} act={asking} onClose={close} />
            )}
          </>
        )}
      </ScreenState>
    </Page>
  )
}

interface HeadProps {
  readonly device: Device
  readonly onEdit: (() => void) | undefined
}

const Head = ({ device, onEdit }: HeadProps) => {
  return (
    <header className="flex items-start gap-12 mb-24">
      <div className="flex-1 min-w-0">
        <div className="flex flex-wrap items-center gap-4 gap-x-12">
          <h2 className="type-title tracking-large wrap-anywhere">{device.name}</h2>
          <DeviceState device={device} />
          {device.update_required && <Badge tone="hold">{t.updateRequired}</Badge>}
        </div>
        <p className="flex flex-wrap items-baseline gap-4 gap-x-16 mt-4 type-body text-2">
          <Presence device={device} />
          <span translate="no">{platformWords(device)}</span>
          {device.labels.map((label) => (
            <span key={label} className={`border type-label text-2 ${styles.label}`} translate="no">
              {label}
            </span>
          ))}
        </p>
      </div>
      {onEdit !== undefined && (
        <Button size="small" onClick={onEdit}>
          {t.edit.act}
        </Button>
      )}
    </header>
  )
}

const Lines = ({ device, onGrants }: { readonly device: Device; readonly onGrants: (() => void) | undefined }) => {
  const more = useNewOffers(useWorkspaceId())(device)
  const { name, paused_by, state } = device
  const lines = [
    state === "revoked" && (
      <StandingLine key="revoked" stop>
        {t.detail.revokedLine(name)}
      </StandingLine>
    ),
    state === "pending" && (
      <StandingLine
        key="pending"
        action={onGrants !== undefined && <Chip onClick={onGrants}>{t.grants.pendingAct}</Chip>}
      >
        {t.detail.pendingLine(name)}
      </StandingLine>
    ),
    state === "draining" && <StandingLine key="draining">{t.detail.drainingLine(name)}</StandingLine>,
    state === "paused" && (
      <StandingLine key="paused">
        {paused_by === "device" ? t.detail.pausedDeviceLine(name) : t.detail.pausedHubLine(name)}
      </StandingLine>
    ),
    device.update_required && state !== "revoked" && (
      <StandingLine key="update">{t.detail.updateLine(device.app_version)}</StandingLine>
    ),
    more.length > 0 && (
      <StandingLine key="more" action={onGrants !== undefined && <Chip onClick={onGrants}>{t.grants.review}</Chip>}>
        {t.grants.more(more.join(", "))}
      </StandingLine>
    )
  ].filter((line) => line !== false)
  return lines.length === 0 ? null : <div className={styles.lines}>{lines}</div>
}
