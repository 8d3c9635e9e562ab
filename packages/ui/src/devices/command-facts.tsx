/** Every field of a command that its head does not show. */
import type { ReactNode } from "react"
import { Link } from "../app/link.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { Command, Device } from "../hub/queries.ts"
import { durationText } from "../listing/duration.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { Seal } from "../patterns/seal.tsx"
import { actText as acts } from "../text/acts.ts"
import { commandsText as texts } from "../text/commands.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { bytesText } from "./bytes-text.ts"
import { Took } from "./command-log.tsx"

export const CommandFacts = (
  { command, device }: { readonly command: Command; readonly device: Device | undefined }
) => {
  const t = texts.detail
  const can = useCan()
  const workspace = useWorkspaceId()
  const time = (at: string) => <RelativeTime at={at} now={hubClock.now} />
  const mono = (text: string) => (
    <code className="type-mono wrap-anywhere">
      <RevealedText text={text} texts={reveal} />
    </code>
  )
  const { agent, dropped_bytes, input, output_bytes, requested_by } = command
  const approval = command.approval_id
  const { env, stdin } = (input ?? {}) as { readonly env?: unknown; readonly stdin?: unknown }
  const variables = command.tool === "shell.run" && typeof env === "object" && env !== null ? Object.entries(env) : []
  const waited = command.started_at === undefined
    ? undefined
    : Date.parse(command.started_at) - Date.parse(command.queued_at)
  const agentName: ReactNode = agent === undefined
    ? undefined
    : can("agents:read")
    ? (
      <Link to="/w/$workspace/agents/$id" params={{ workspace, id: agent.id }}>
        {agent.name}
      </Link>
    )
    : (
      agent.name
    )
  const items = [
    {
      key: "device",
      name: t.device,
      value: (
        <Link to="/w/$workspace/devices/$id" params={{ workspace, id: command.device_id }}>
          {device?.name ?? <Id value={command.device_id} />}
        </Link>
      )
    },
    { key: "tool", name: t.tool, value: mono(command.tool) },
    { key: "by", name: t.by, value: agentName ?? requested_by.name },
    command.reason !== undefined && {
      key: "reason",
      name: t.reason,
      value: <RevealedText text={command.reason} texts={reveal} />
    },
    command.working_directory !== undefined &&
    { key: "directory", name: t.directory, value: mono(command.working_directory) },
    variables.length > 0 && {
      key: "env",
      name: t.environment,
      value: mono(variables.map(([name, value]) => `${name}=${String(value)}`).join("\n"))
    },
    typeof stdin === "string" && { key: "stdin", name: t.stdin, value: t.stdinBytes(stdin.length) },
    { key: "timeout", name: t.timeout, value: t.seconds(command.timeout_seconds) },
    command.exit_code !== undefined &&
    { key: "exit", name: t.exit, value: <span translate="no">{command.exit_code}</span> },
    { key: "took", name: t.took, value: <Took command={command} /> },
    waited !== undefined && { key: "waited", name: t.waited, value: <time>{durationText(Math.max(0, waited))}</time> },
    { key: "queued", name: t.queued, value: time(command.queued_at) },
    command.started_at !== undefined && { key: "started", name: t.started, value: time(command.started_at) },
    command.done_at !== undefined && { key: "ended", name: t.ended, value: time(command.done_at) },
    {
      key: "output",
      name: t.output,
      value: dropped_bytes === 0
        ? bytesText(texts.bytes, output_bytes)
        : t.outputBytes(bytesText(texts.bytes, output_bytes), bytesText(texts.bytes, dropped_bytes))
    },
    command.service_request_id !== undefined && {
      key: "request",
      name: t.request,
      value: (
        <Link to="/w/$workspace/requests/$id" params={{ workspace, id: command.service_request_id }}>
          <Id value={command.service_request_id} />
        </Link>
      )
    },
    approval !== undefined && {
      key: "approval",
      name: t.approval,
      value: (
        <Link to="/w/$workspace/approvals/$id" params={{ workspace, id: approval }}>
          <Id value={approval} />
        </Link>
      )
    },
    command.plan_digest !== undefined && {
      key: "plan",
      name: t.plan,
      value: <Seal digest={command.plan_digest} closed={command.started_at !== undefined} label={t.planAbout} />
    },
    { key: "session", name: t.session, value: <Id value={command.session_id} texts={acts.copying} /> },
    { key: "id", name: t.id, value: <Id value={command.id} texts={acts.copying} /> }
  ].filter((item) => item !== false)
  return (
    <Panel title={t.facts}>
      <KeyValueList items={items} />
    </Panel>
  )
}
