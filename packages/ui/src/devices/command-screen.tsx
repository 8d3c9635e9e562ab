/** One command: its input, its status and cause, its live output, and its outcome. */
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { type ReactNode, useEffect, useState } from "react"
import { useCommands } from "../app/commands.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useKey } from "../app/keys.ts"
import { ButtonLink, Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Panel } from "../components/panel.tsx"
import { showToast } from "../components/toast.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type Command, commandQuery, type Device, deviceQuery } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { PayloadView } from "../patterns/payload-view.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { Phrase } from "../text/catalogue.ts"
import { commandsText } from "../text/commands.ts"
import { devicesText as devices } from "../text/devices.ts"
import { keepingText as keeping } from "../text/keeping.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { ArgvView } from "./argv-view.tsx"
import { CommandFacts } from "./command-facts.tsx"
import { argvOf, lineOf } from "./command-line.ts"
import styles from "./command-screen.module.css"
import { CommandState } from "./command-state.tsx"
import { causeOf, isFinal, sentenceOf } from "./command-words.ts"
import { useMayChangeDevice } from "./may-change.ts"
import { OutputView } from "./output-view.tsx"

const from = "/w/$workspace/devices/$id/commands/$commandId"

export const CommandScreen = () => {
  const t = commandsText
  const { commandId, id } = useParams({ from })
  const workspace = useWorkspaceId()
  const navigate = useNavigate({ from })
  const command = useQuery(commandQuery(workspace, commandId))
  const owner = command.data?.device_id ?? id
  const device = useQuery({ ...deviceQuery(workspace, owner), enabled: command.data !== undefined }).data
  const mayChange = useMayChangeDevice()
  const [cancelling, setCancelling] = useState(false)
  const mayAct = useMayAct()
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/devices/$id", params: { workspace, id: owner } }))
  // A link with only the command's id redirects to the full address with its device.
  useEffect(() => {
    if (owner !== id) void navigate({ params: { workspace, id: owner, commandId }, replace: true })
  }, [owner, id, navigate, workspace, commandId])
  const { data } = command
  const isOpen = data !== undefined && !isFinal(data)
  const mine = device !== undefined && mayChange(device)
  const mayCancel = isOpen && mine && data.cancel_requested_at === undefined
  const mayRepeat = mine && device.state !== "revoked" && device.session !== undefined &&
    device.granted.includes(data?.tool ?? "shell.run")
  useCommands(mayCancel ? [{ id: "command.cancel", text: t.cancel.confirm, run: () => setCancelling(true) }] : [])
  return (
    <Page
      title={data === undefined ? t.detail.title : lineOf(data).slice(0, 80)}
      path={
        <>
          <Link quiet to="/w/$workspace/devices" params={{ workspace }}>
            {devices.title}
          </Link>
          {device !== undefined && (
            <Between>
              <Link quiet to="/w/$workspace/devices/$id" params={{ workspace, id: owner }}>
                {device.name}
              </Link>
            </Between>
          )}
        </>
      }
      busy={command.isFetching && !command.isRefetching}
      action={mayCancel
        ? (
          <Button variant="danger" disabled={!mayAct} onClick={() => setCancelling(true)}>
            {t.detail.cancel}
          </Button>
        )
        : (
          data !== undefined
          && mayRepeat
          && isFinal(data)
          && data.input !== undefined && (
            <ButtonLink
              to="/w/$workspace/devices/$id/queue"
              params={{ workspace, id: owner }}
              search={{ again: data.id }}
            >
              {t.detail.again}
            </ButtonLink>
          )
        )}
    >
      <ScreenState query={command}>
        {data !== undefined && <View command={data} device={device} />}
        {data !== undefined && cancelling && (
          <CancelCommandDialog
            command={data}
            onClose={() => setCancelling(false)}
          />
        )}
      </ScreenState>
    </Page>
  )
}

const Between = ({ children }: { readonly children: ReactNode }) => (
  <>
    <span aria-hidden>/</span>
    {children}
  </>
)

const View = ({ command, device }: { readonly command: Command; readonly device: Device | undefined }) => {
  const t = commandsText
  const workspace = useWorkspaceId()
  const argv = argvOf(command)
  const cause = causeOf(t, command)
  const isOpen = !isFinal(command)
  const deviceLink = (
    <Link className={styles.place ?? ""} to="/w/$workspace/devices/$id" params={{ workspace, id: command.device_id }}>
      {device?.name ?? t.detail.someDevice}
    </Link>
  )
  return (
    <div className={`grid grid-cols-1 gap-16 ${styles.screen}`}>
      <header className="grid gap-8 min-w-0">
        <p className="type-title tracking-large text-2 wrap-anywhere">
          <Phrase
            text={argv === undefined ? t.detail.sentenceTool : t.detail.sentence}
            who={<span className="text-1">{command.requested_by.name}</span>}
            device={deviceLink}
            tool={<code className={styles.tool}>{command.tool}</code>}
          />
        </p>
        {argv !== undefined && <ArgvView argv={argv} />}
        {command.working_directory !== undefined && argv !== undefined && (
          <p className={`type-note text-2 ${styles.directory}`}>
            <Phrase text={t.detail.inDirectory} path={<code>{command.working_directory}</code>} />
          </p>
        )}
        <div className="flex flex-wrap items-start gap-8 gap-x-12 mt-8">
          <CommandState command={command} />
          <div className={styles.explanation}>
            <p className={`type-body ${styles.sentence}`}>
              {sentenceOf(t, command, device)}
              {cause === undefined ? "" : ` ${cause}`}
            </p>
            {command.error !== undefined && command.removed_after_days === undefined &&
              command.outcome !== "cancelled" && (
              <p className={`mt-2 type-note text-2 wrap-anywhere ${styles.message}`}>
                <span className={styles.source}>{t.said}</span>{" "}
                <RevealedText text={command.error.message} texts={reveal} />{" "}
                <code className="type-mono text-3">{command.error.code}</code>
              </p>
            )}
          </div>
          {command.status === "awaiting_consent" && command.approval_id !== undefined && (
            <ButtonLink size="small" to="/w/$workspace/approvals/$id" params={{ workspace, id: command.approval_id }}>
              {t.detail.decide}
            </ButtonLink>
          )}
          <span className="type-note text-3">
            <RelativeTime at={command.done_at ?? command.started_at ?? command.queued_at} now={hubClock.now} />
          </span>
        </div>
      </header>
      <div className={`grid items-start gap-16 ${styles.columns}`}>
        <div className="grid gap-16 min-w-0">
          {command.removed_after_days === undefined
            ? (
              <>
                <OutputView
                  key={command.id}
                  command={command.id}
                  isUnstarted={isOpen && command.started_at === undefined}
                />
                <Results command={command} />
                {argv === undefined && Object.keys(command.input ?? {}).length > 0 && (
                  <Json title={t.detail.input} value={command.input} />
                )}
              </>
            )
            : (
              <Panel title={t.output.title}>
                <p className="mb-12 type-note text-2">{keeping.commandRemoved(command.removed_after_days)}</p>
              </Panel>
            )}
        </div>
        <div className="grid gap-16 min-w-0">
          <CommandFacts command={command} device={device} />
        </div>
      </div>
    </div>
  )
}

const Results = ({ command: { artifacts, late_result, result } }: { readonly command: Command }) => {
  const t = commandsText.detail
  return (
    <>
      {result !== undefined && <Json title={t.result} value={result} />}
      {artifacts !== undefined && artifacts.length > 0 && <Json title={t.artifacts} value={artifacts} />}
      {late_result !== undefined && <Json title={t.late} note={t.lateAbout} value={late_result} />}
    </>
  )
}

const Json = ({ note, title, value }: { readonly title: string; readonly note?: string; readonly value: unknown }) => {
  const [view, setView] = useState<"form" | "json" | "diff">("form")
  return (
    <Panel title={title}>
      {note !== undefined && <p className="mb-12 type-note text-2">{note}</p>}
      <PayloadView payload={value} view={view} onView={setView} texts={{ ...reveal, label: title }} />
    </Panel>
  )
}

const CancelCommandDialog = (
  { command, onClose }: { readonly command: Command; readonly onClose: () => void }
) => {
  const t = commandsText.cancel
  const cancel = useAct("device_commands.cancel", {
    workspace: useWorkspaceId(),
    touches: ["device_commands.get", "device_sessions.commands", "devices"],
    onDone: ({ status }) => {
      if (status === "cancelled") showToast({ text: t.doneQueued })
      else if (status !== "done" && status !== "expired") showToast({ text: t.done })
      onClose()
    }
  })
  return (
    <ConfirmAct
      call={cancel}
      onClose={onClose}
      title={t.title}
      description={command.status === "queued" ? t.queued : t.running}
      confirmText={t.confirm}
      cancelText={t.keep}
      onConfirm={() => cancel.mutate({ params: { id: command.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}
