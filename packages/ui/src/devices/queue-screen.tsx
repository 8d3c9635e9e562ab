/** A person's command for a device. The form shows the command's path through the checks before it is sent. */
import { newIdempotencyKey } from "@countersign/domain/idempotency-key"
import { isHubError } from "@countersign/hub-client/error"
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams, useSearch } from "@tanstack/react-router"
import { useRef, useState } from "react"
import { fieldProblem, isReadable } from "../app/field-problem.ts"
import { FormFrame, FormProblem, FormSubmit } from "../app/form.tsx"
import { useKey } from "../app/keys.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { NumberField } from "../components/fields.tsx"
import { Panel } from "../components/panel.tsx"
import { Select } from "../components/select.tsx"
import { TextField } from "../components/text-field.tsx"
import { type Command, commandQuery, type Device, deviceQuery, type Tool } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { commandsText } from "../text/commands.ts"
import { devicesText as devices } from "../text/devices.ts"
import { DeviceState } from "./device-state.tsx"
import { runningMax } from "./device-words.ts"
import { useMayChangeDevice } from "./may-change.ts"
import { Presence } from "./presence.tsx"
import styles from "./queue-screen.module.css"
import { ToolInputFields } from "./tool-fields.tsx"
import { draftOf, emptyDraft, inputOf } from "./tool-input.ts"

const from = "/w/$workspace/devices/$id/queue"

/**
 * The default timeout in seconds, and the maximum that a device's rules may allow. Spec: reference/devices.md
 * "Commands".
 */
const timeoutDefault = 30
const timeoutMost = 21_600

export const QueueScreen = () => {
  const t = commandsText.queue
  const { id } = useParams({ from })
  const { again } = useSearch({ from })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const device = useQuery(deviceQuery(workspace, id))
  const before = useQuery({ ...commandQuery(workspace, again ?? ""), enabled: again !== undefined })
  const mayChange = useMayChangeDevice()
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/devices/$id", params: { workspace, id } }))
  const { data } = device
  const problem = data === undefined
    ? undefined
    : data.state === "revoked"
    ? t.revoked
    : !mayChange(data)
    ? t.mayNot
    : data.granted.length === 0
    ? t.noTool
    : data.session === undefined
    ? t.noSession
    : undefined
  return (
    <Page
      title={t.title}
      path={
        <>
          <Link quiet to="/w/$workspace/devices" params={{ workspace }}>
            {devices.title}
          </Link>
          {data !== undefined && (
            <>
              <span aria-hidden>/</span>
              <Link quiet to="/w/$workspace/devices/$id" params={{ workspace, id }}>
                {data.name}
              </Link>
            </>
          )}
        </>
      }
      busy={device.isFetching && !device.isRefetching}
    >
      <ScreenState query={device}>
        {data !== undefined
          && (problem !== undefined
            ? (
              <div className="grid justify-items-start gap-16">
                <p className="type-lead">{problem}</p>
                <ButtonLink to="/w/$workspace/devices/$id" params={{ workspace, id }}>
                  {data.name}
                </ButtonLink>
              </div>
            )
            : again !== undefined && before.isPending
            ? null
            : <QueueForm device={data} again={before.data} />)}
      </ScreenState>
    </Page>
  )
}

const QueueForm = ({ again, device }: { readonly device: Device; readonly again: Command | undefined }) => {
  const t = commandsText.queue
  const tools = devices.tools
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const search = useSearch({ from })
  const wanted = search.tool ?? again?.tool
  const [tool, setTool] = useState<Tool>(
    wanted !== undefined && device.granted.includes(wanted) ? wanted : (device.granted[0] ?? "system.info")
  )
  const [draft, setDraft] = useState(again === undefined ? emptyDraft : draftOf(again))
  const [directory, setDirectory] = useState(
    again?.working_directory !== device.session?.working_directory ? (again?.working_directory ?? "") : ""
  )
  const [timeout, setTimeout] = useState<number | undefined>(again?.timeout_seconds ?? timeoutDefault)
  const [reason, setReason] = useState(again?.reason ?? "")
  /** Sending the same input again after no answer is the same command. */
  const sent = useRef({ words: "", key: "" })
  const queue = useAct("device_sessions.queue", {
    workspace,
    touches: ["device_sessions.commands", "devices"],
    onDone: (command) =>
      void navigate({
        to: "/w/$workspace/devices/$id/commands/$commandId",
        params: { workspace, id: device.id, commandId: command.id }
      })
  })
  const input = inputOf(tool, draft)
  const isOutside = isHubError(queue.error) && queue.error.code === "outside_root"
  const takesPlace = tool !== "http.get" && tool !== "system.info"
  const own = device.session?.working_directory
  return (
    <FormFrame
      className={`grid items-start gap-16 ${styles.columns}`}
      call={queue}
      failed={isOutside ? undefined : t.failed}
      unchanged={t.unchanged}
      places={["input"]}
      disabled={input === undefined}
      onSubmit={(form) => {
        if (input === undefined || device.session === undefined || !isReadable(form)) return
        const payload = {
          tool,
          input,
          ...(!takesPlace || directory.trim() === "" ? {} : { working_directory: directory.trim() }),
          ...(timeout === undefined ? {} : { timeout_seconds: timeout }),
          ...(reason.trim() === "" ? {} : { reason: reason.trim() })
        }
        const words = JSON.stringify([device.session.id, payload])
        if (sent.current.words !== words) sent.current = { words, key: newIdempotencyKey() }
        queue.mutate({ params: { id: device.session.id }, payload: { ...payload, idempotency_key: sent.current.key } })
      }}
    >
      <div className="grid gap-16 min-w-0">
        <Panel title={t.on(device.name)}>
          <div className="grid gap-16 min-w-0">
            <Select
              label={t.tool}
              description={tools[tool]}
              value={tool}
              onChange={(next) => {
                queue.reset()
                setTool(next)
              }}
              options={device.granted.map((value) => ({ value, text: value }))}
            />
            <ToolInputFields
              tool={tool}
              draft={draft}
              onChange={setDraft}
              error={fieldProblem(queue.error, "input", true)}
            />
            <div className={styles.pair}>
              {takesPlace && (
                <TextField
                  label={t.directory}
                  aside={t.optional}
                  description={own === undefined ? t.directoryNone : t.directoryAbout(own)}
                  value={directory}
                  onChange={setDirectory}
                  mono
                  error={isOutside ? <Outside /> : undefined}
                  path="working_directory"
                />
              )}
              <NumberField
                label={t.timeout}
                description={t.timeoutAbout}
                suffix={t.secondsUnit}
                value={timeout}
                onChange={setTimeout}
                min={1}
                max={timeoutMost}
                invalidText={t.number}
                error={isHubError(queue.error) && queue.error.code === "timeout_too_long"
                  ? t.timeoutTooLong
                  : undefined}
                path="timeout_seconds"
              />
            </div>
            <TextField
              label={t.reason}
              aside={t.optional}
              description={t.reasonAbout}
              value={reason}
              onChange={setReason}
              maxLength={2_000}
              path="reason"
            />
            <FormProblem />
            <div className="flex justify-end pt-16 border-t">
              <FormSubmit variant="primary" act={t.act} />
            </div>
          </div>
        </Panel>
      </div>
      <div className="grid gap-16 min-w-0">
        <Before device={device} tool={tool} />
      </div>
    </FormFrame>
  )
}

const Outside = () => <>{devices.session.outside}</>

/** What happens to the command, before it is sent. */
const Before = ({ device, tool }: { readonly device: Device; readonly tool: Tool }) => {
  const t = commandsText.queue
  const session = devices.session
  const isAway = device.presence === "offline" || device.presence === "never"
  const facts = [
    isAway && t.beforeOffline,
    !isAway && device.state !== "active" && t.beforePaused,
    !isAway && device.state === "active" && device.running >= runningMax && t.beforeBusy(device.running, runningMax),
    t.beforeRules,
    tool === "shell.run" && t.beforeShells,
    (tool === "shell.run" || tool.startsWith("fs.")) && t.beforeDirectory,
    t.beforeLog
  ].filter((fact) => fact !== false)
  const roots = device.session?.roots ?? []
  return (
    <Panel title={t.before}>
      <p className="flex flex-wrap items-center justify-between gap-8 mb-12 type-body">
        <Presence device={device} /> <DeviceState device={device} />
      </p>
      <ul className={`grid gap-8 type-note text-2 ${styles.facts}`}>
        {facts.map((fact) => <li key={fact}>{fact}</li>)}
      </ul>
      {(tool === "shell.run" || tool.startsWith("fs.")) && (
        <div className="grid gap-2 mt-12 pt-12 border-t">
          <span className="type-label text-3">{session.roots}</span>
          {roots.length === 0 ? <p className="type-note text-2">{session.noRoots}</p> : (
            roots.map((root) => (
              <code key={root} className="type-mono wrap-anywhere">
                {root}
              </code>
            ))
          )}
        </div>
      )}
    </Panel>
  )
}
