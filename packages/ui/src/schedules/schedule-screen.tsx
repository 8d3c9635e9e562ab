/** One schedule: its next times, its history, and what it does. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { JsonBlock } from "../catalog/json-block.tsx"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentChoices, type ScheduledTask, scheduleQuery, type ScheduleRun, scheduleRunPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { figure } from "../text/catalogue.ts"
import { requestsText } from "../text/requests.ts"
import { schedulesText as t } from "../text/schedules.ts"
import { ActionText } from "./action-text.tsx"
import { cronWords } from "./cron-words.ts"
import { DueList } from "./due-list.tsx"
import { EditScheduleDialog } from "./schedule-form.tsx"
import { ScheduleState } from "./schedule-state.tsx"
import styles from "./schedules.module.css"

export const ScheduleScreen = () => {
  const { id } = useParams({ from: "/w/$workspace/schedules/$id" })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const schedule = useQuery(scheduleQuery(workspace, id))
  const { data } = schedule
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/schedules", params: { workspace } }))
  return (
    <Page
      title={data?.name ?? t.one}
      path={<Link quiet to="/w/$workspace/schedules" params={{ workspace }}>{t.title}</Link>}
      busy={schedule.isFetching && !schedule.isRefetching}
    >
      <ScreenState query={schedule}>{data !== undefined && <View key={data.id} schedule={data} />}</ScreenState>
    </Page>
  )
}

interface ScheduleProps {
  readonly schedule: ScheduledTask
}

const View = ({ schedule }: ScheduleProps) => {
  const workspace = useWorkspaceId()
  const mayWrite = useCan()("schedules:write")
  const mayAct = useMayAct()
  const [open, setOpen] = useState<"edit" | "delete">()
  const close = () => setOpen(undefined)
  const isActive = schedule.status === "active"
  const run = useAct("scheduled_tasks.run", {
    workspace,
    touches: ["scheduled_tasks"],
    keyed: true,
    done: ({ status }) => t.detail.ran[status]
  })
  const setStatus = useAct("scheduled_tasks.setStatus", {
    workspace,
    touches: ["scheduled_tasks"],
    done: ({ status }) => status === "active" ? t.detail.resumed : t.detail.paused
  })
  const params = { id: schedule.id }
  const toggle = () => setStatus.mutate({ params, payload: { status: isActive ? "paused" : "active" } })
  useCommands(
    mayWrite
      ? [
        { id: "schedule.run", text: t.detail.run, run: () => run.mutate({ params }) },
        { id: "schedule.toggle", text: isActive ? t.detail.pause : t.detail.resume, run: toggle }
      ]
      : []
  )
  return (
    <>
      <header className="flex flex-wrap items-center gap-8 gap-x-12 mb-24">
        <h2 className="type-title tracking-large wrap-anywhere">{schedule.name}</h2>
        <ScheduleState status={schedule.status} />
        {schedule.paused_by !== undefined && <span className="type-body text-2">{t.pausedBy[schedule.paused_by]}</span>}
        {mayWrite && (
          <div className="flex flex-wrap gap-8 ms-auto">
            <Button disabled={!mayAct} onClick={() => setOpen("edit")}>{t.edit.act}</Button>
            <Button disabled={!mayAct} pending={setStatus.isPending} onClick={toggle}>
              {isActive ? t.detail.pause : t.detail.resume}
            </Button>
            <Button
              variant="primary"
              disabled={!mayAct}
              pending={run.isPending}
              pendingText={acts.asking}
              onClick={() => run.mutate({ params })}
            >
              {t.detail.run}
            </Button>
          </div>
        )}
      </header>
      {run.error !== null && <Problem inline error={run.error} failed={t.detail.runFailed} />}
      {setStatus.error !== null && <Problem inline error={setStatus.error} failed={t.detail.statusFailed} />}
      <div className={`grid items-start gap-16 ${styles.columns}`}>
        <div className="grid gap-16 min-w-0">
          <Panel title={t.due.title}>
            <p className="mb-12 type-body">{cronWords(schedule.cron)}</p>
            <DueList dues={schedule.next_runs} zone={schedule.timezone} />
          </Panel>
          <History schedule={schedule} />
        </div>
        <Facts schedule={schedule} onDelete={mayWrite ? () => setOpen("delete") : undefined} />
      </div>
      {open === "edit" && <EditScheduleDialog schedule={schedule} onClose={close} />}
      {open === "delete" && <DeleteScheduleDialog schedule={schedule} onClose={close} />}
    </>
  )
}

const lookOf: Readonly<Record<ScheduleRun["status"], string>> = {
  fired: "executed",
  queued: "pending",
  skipped: "expired",
  missed: "expired"
}

const History = ({ schedule }: ScheduleProps) => {
  const workspace = useWorkspaceId()
  const runs = useInfiniteQuery(scheduleRunPages(workspace, schedule.id))
  const rows = rowsOf(runs.data)
  return (
    <Panel title={t.runs.title}>
      <ScreenState query={runs}>
        {rows.length === 0
          ? <p className="type-body text-2">{t.runs.empty}</p>
          : (
            <ul className="grid gap-8" aria-label={t.runs.list}>
              {rows.map(({ count, due_at, error, id, request_status, service_request_id, status }) => (
                <li key={id} className="flex flex-wrap items-center gap-4 gap-x-12 type-body">
                  <StatusBadge status={lookOf[status]}>{t.runs.statuses[status]}</StatusBadge>
                  <RelativeTime at={due_at} now={hubClock.now} />
                  {count !== undefined && <span className="text-2">{t.runs.missed(count)}</span>}
                  {error !== undefined && <span className="text-stop wrap-anywhere">{error.message}</span>}
                  {service_request_id !== undefined && (
                    <span className="inline-flex items-center gap-8 ms-auto">
                      {request_status !== undefined && (
                        <StatusBadge status={request_status}>{requestsText.statuses[request_status]}</StatusBadge>
                      )}
                      <Link to="/w/$workspace/requests/$id" params={{ workspace, id: service_request_id }}>
                        {t.runs.request}
                      </Link>
                    </span>
                  )}
                </li>
              ))}
            </ul>
          )}
        {runs.hasNextPage && (
          <p className="mt-12">
            <MoreButton pages={runs}>{t.runs.more}</MoreButton>
          </p>
        )}
      </ScreenState>
    </Panel>
  )
}

const Facts = ({ onDelete, schedule }: ScheduleProps & { readonly onDelete: (() => void) | undefined }) => {
  const workspace = useWorkspaceId()
  const mayRead = useCan()("agents:read")
  const agents = useQuery({ ...agentChoices(workspace), enabled: mayRead }).data?.data ?? []
  const { action, agent_id } = schedule
  const payload = action.type === "workflow" ? action.input : action.payload
  return (
    <Panel title={t.detail.rule}>
      <KeyValueList
        items={[
          { key: "action", name: t.detail.action, value: <ActionText action={action} /> },
          {
            key: "agent",
            name: t.detail.agent,
            value: (
              <Link quiet to="/w/$workspace/agents/$id" params={{ workspace, id: agent_id }}>
                {agents.find(({ id }) => id === agent_id)?.name ?? agent_id}
              </Link>
            )
          },
          { key: "cron", name: t.detail.cron, value: <code className="type-mono">{schedule.cron}</code> },
          { key: "zone", name: t.detail.timezone, value: schedule.timezone },
          { key: "catch", name: t.detail.catchUp, value: t.form.catchUps[schedule.catch_up] },
          { key: "overlap", name: t.detail.overlap, value: t.form.overlaps[schedule.overlap] },
          {
            key: "jitter",
            name: t.detail.jitter,
            value: schedule.jitter_seconds === 0 ? t.detail.noJitter : t.detail.jitterOf(schedule.jitter_seconds)
          },
          { key: "failures", name: t.detail.failures, value: figure(schedule.failures) },
          {
            key: "created",
            name: t.detail.created,
            value: <RelativeTime at={schedule.created_at} now={hubClock.now} />
          },
          { key: "id", name: t.detail.id, value: <Id value={schedule.id} texts={acts.copying} /> }
        ]}
      />
      {payload !== undefined && (
        <div className="mt-12">
          <JsonBlock label={t.detail.payload} value={payload} />
        </div>
      )}
      {onDelete !== undefined && (
        <p className="mt-12">
          <Button size="small" variant="danger" onClick={onDelete}>{t.detail.remove}</Button>
        </p>
      )}
    </Panel>
  )
}

const DeleteScheduleDialog = ({ onClose, schedule }: ScheduleProps & { readonly onClose: () => void }) => {
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const remove = useAct("scheduled_tasks.remove", {
    workspace,
    touches: ["scheduled_tasks.list"],
    done: t.remove.done(schedule.name),
    onDone: () => void navigate({ to: "/w/$workspace/schedules", params: { workspace }, replace: true })
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.remove.title(schedule.name)}
      description={t.remove.what}
      confirmText={t.remove.act}
      onConfirm={() => remove.mutate({ params: { id: schedule.id } })}
      failed={t.remove.failed}
      unchanged={t.remove.unchanged}
    />
  )
}
