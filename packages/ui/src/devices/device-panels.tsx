/** The panels beside a device's log: grants, session, facts, and state. */
import { useQuery } from "@tanstack/react-query"
import type { ReactNode } from "react"
import { Link } from "../app/link.tsx"
import { useCan, useMe, useWorkspaceId } from "../app/session.ts"
import { Badge } from "../components/badge.tsx"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentChoices, type Command, type Device, memberChoices, runningCommands } from "../hub/queries.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { actText as acts } from "../text/acts.ts"
import { figure } from "../text/catalogue.ts"
import { commandsText } from "../text/commands.ts"
import { devicesText as texts } from "../text/devices.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { bytesText } from "./bytes-text.ts"
import { lineOf } from "./command-line.ts"
import { CommandState } from "./command-state.tsx"
import styles from "./device-panels.module.css"
import { agentsWords, loadOf, platformWords, runningMax } from "./device-words.ts"
import type { StateAct } from "./state-dialogs.tsx"

interface DeviceProps {
  readonly device: Device
}
type Act = (() => void) | undefined

const change = (text: string, onClick: Act): ReactNode =>
  onClick !== undefined && (
    <Button size="small" onClick={onClick}>
      {text}
    </Button>
  )

export const GrantsPanel = ({ device, onChange }: DeviceProps & { readonly onChange: Act }) => {
  const tools = [...new Set([...device.capabilities, ...device.granted])]
  return (
    <Panel title={texts.grants.title} actions={change(texts.grants.change, onChange)}>
      {device.granted.length === 0 && device.state !== "revoked" && (
        <p className={styles.note}>{texts.grants.pending}</p>
      )}
      <ul className={styles.tools}>
        {tools.map((tool) => {
          const has = device.granted.includes(tool)
          return (
            <li
              key={tool}
              className={`flex items-baseline justify-between gap-12 type-body ${styles.tool}`}
              data-granted={has}
            >
              <code>{tool}</code>
              <span className="type-note text-3">{has ? texts.grants.granted : texts.grants.notGranted}</span>
            </li>
          )
        })}
      </ul>
      <div className="grid gap-4 mt-12 pt-12 border-t">
        <h3 className="type-label text-3">{texts.grants.agents}</h3>
        <Agents device={device} />
      </div>
    </Panel>
  )
}

const Agents = ({ device: { agents } }: DeviceProps) => {
  const workspace = useWorkspaceId()
  const can = useCan()
  const known = useQuery({
    ...agentChoices(workspace),
    enabled: can("agents:read") && agents !== "*" && agents.length > 0
  }).data
    ?.data
  if (agents === "*") return <p className={styles.note}>{texts.grants.modeShort.all}</p>
  if (agents.length === 0) return <p className={styles.note}>{texts.grants.modeShort.none}</p>
  if (!can("agents:read")) return <p className={styles.note}>{agentsWords(texts, agents)}</p>
  return (
    <ul className={`gap-4 type-body ${styles.names}`}>
      {agents.map((id) => (
        <li key={id}>
          <Link to="/w/$workspace/agents/$id" params={{ workspace, id }}>
            {known?.find((agent) => agent.id === id)?.name ?? <Id value={id} />}
          </Link>
        </li>
      ))}
    </ul>
  )
}

export const SessionPanel = ({
  device: { session, state },
  onDirectory,
  onEnd
}: DeviceProps & { readonly onDirectory: Act; readonly onEnd: Act }) => {
  const t = texts.session
  if (session === undefined) {
    return state === "revoked" ? null : (
      <Panel title={t.title}>
        <p className={styles.note}>{t.none}</p>
      </Panel>
    )
  }
  const path = (text: string) => <code className="type-mono wrap-anywhere">{text}</code>
  return (
    <Panel title={t.title} actions={change(t.end, onEnd)}>
      <KeyValueList
        items={[{ key: "since", name: t.since, value: <RelativeTime at={session.started_at} now={hubClock.now} /> }]}
      />
      <div className="grid gap-4 mt-12 pt-12 border-t">
        <div className="flex items-center justify-between gap-12">
          <h3 className="type-label text-3">{t.directory}</h3>
          {session.roots.length > 0 && change(t.change, onDirectory)}
        </div>
        {session.working_directory === undefined ? <p className={styles.note}>{t.noDirectory}</p> : (
          path(session.working_directory)
        )}
      </div>
      <div className="grid gap-4 mt-12 pt-12 border-t">
        <h3 className="type-label text-3">{t.roots}</h3>
        {session.roots.length === 0
          ? <p className={styles.note}>{t.noRoots}</p>
          : (
            <ul className={`gap-4 type-body ${styles.names}`}>
              {session.roots.map((root) => <li key={root}>{path(root)}</li>)}
            </ul>
          )}
      </div>
    </Panel>
  )
}

export const FactsPanel = ({ device }: DeviceProps) => {
  const t = texts.detail
  const sizes = commandsText.bytes
  const me = useMe()
  const can = useCan()
  const members = useQuery({
    ...memberChoices(useWorkspaceId()),
    enabled: can("members:read") && device.owner_user_id !== me.user.id
  }).data?.data
  const owner = members?.find(({ user_id }) => user_id === device.owner_user_id)
  const load = loadOf(device)
  const { memory_bytes: memory, memory_used_bytes: used } = device.load ?? {}
  const items = [
    {
      key: "last_seen",
      name: t.lastSeen,
      value: device.last_heard_at === undefined
        ? t.never
        : <RelativeTime at={device.last_heard_at} now={hubClock.now} />
    },
    device.state !== "revoked" && { key: "runs", name: t.runs, value: texts.runningOf(device.running, runningMax) },
    load !== undefined
    && device.state !== "revoked" && { key: "load", name: t.load, value: t.loadAbout(load.busy, load.processors) },
    memory !== undefined
    && used !== undefined
    && device.state !== "revoked" && {
      key: "memory",
      name: t.memory,
      value: texts.memory(bytesText(sizes, used), bytesText(sizes, memory))
    },
    { key: "platform", name: t.platform, value: <span translate="no">{platformWords(device)}</span> },
    { key: "version", name: t.version, value: <span translate="no">{device.app_version}</span> },
    device.fingerprint !== undefined && {
      key: "fingerprint",
      name: t.fingerprint,
      value: <code className="type-mono wrap-anywhere">{device.fingerprint}</code>
    },
    {
      key: "owner",
      name: t.owner,
      value: device.owner_user_id === me.user.id
        ? t.you
        : (owner?.name ?? owner?.email ?? <Id value={device.owner_user_id} texts={acts.copying} />)
    },
    { key: "created", name: t.created, value: <RelativeTime at={device.created_at} now={hubClock.now} /> },
    { key: "id", name: t.id, value: <Id value={device.id} texts={acts.copying} /> }
  ].filter((item) => item !== false)
  return (
    <Panel title={t.facts}>
      <KeyValueList items={items} />
    </Panel>
  )
}

export const StatePanel = ({
  device,
  mayChange,
  onAct
}: DeviceProps & { readonly mayChange: boolean; readonly onAct: (act: StateAct) => void }) => {
  const t = texts.acts
  const mayAct = useMayAct()
  const { paused_by, state } = device
  const ownPause = state === "paused" && paused_by === "device"
  const offered: ReadonlyArray<readonly [act: StateAct, text: string]> = state === "pending" || ownPause
    ? []
    : [
      ...(state === "active"
        ? ([
          ["paused", t.pause],
          ["draining", t.drain]
        ] as const)
        : ([["active", t.activate]] as const)),
      ...(state === "draining" ? ([["paused", t.pause]] as const) : [])
    ]
  return (
    <Panel title={t.title}>
      <p className={styles.note}>{t.state[state]}</p>
      {mayChange
        ? (
          <div className={`flex flex-wrap gap-8 mt-12 ${styles.acts}`}>
            {offered.map(([act, text]) => (
              <Button key={act} size="small" disabled={!mayAct} onClick={() => onAct(act)}>
                {text}
              </Button>
            ))}
            <Button size="small" variant="danger" disabled={!mayAct} onClick={() => onAct("revoked")}>
              {t.revoke}
            </Button>
          </div>
        )
        : (
          state !== "revoked" && <p className="mt-8 type-note text-3 wrap-anywhere">{t.who}</p>
        )}
    </Panel>
  )
}

/** The commands that a silent device was running. */
export const LastSeenPanel = ({ device }: DeviceProps) => {
  const t = texts.detail
  const workspace = useWorkspaceId()
  const isSilent = (device.presence === "offline" || device.presence === "late") && device.running > 0 &&
    device.session !== undefined
  const open = useQuery({
    ...runningCommands(workspace, device.session?.id ?? ""),
    enabled: isSilent
  })
  const commands = (open.data?.data ?? []) as ReadonlyArray<Command>
  if (!isSilent || commands.length === 0) return null
  return (
    <Panel title={t.lastDid} actions={<Badge tone="hold">{figure(commands.length)}</Badge>}>
      <p className={styles.note}>{t.lostLine(commands.length)}</p>
      <ul className={styles.last}>
        {commands.map((command) => (
          <li key={command.id} className={`flex flex-wrap items-baseline gap-4 gap-x-12 type-body ${styles.lastRow}`}>
            <CommandState command={command} />
            <Link
              className={`flex-1 type-mono truncate ${styles.line}`}
              to="/w/$workspace/devices/$id/commands/$commandId"
              params={{ workspace, id: device.id, commandId: command.id }}
            >
              <RevealedText line text={lineOf(command)} texts={reveal} />
            </Link>
            <RelativeTime at={command.started_at ?? command.queued_at} now={hubClock.now} />
          </li>
        ))}
      </ul>
    </Panel>
  )
}
