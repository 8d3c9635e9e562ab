/** One schedule: its next times, its history, and what it does. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { useCommands } from "../app/commands.ts"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { Page } from "../app/page.tsx"
import { Problem } from "../app/problem.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { type ScheduledTask, scheduleQuery, type ScheduleRun, scheduleRunPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { figure } from "../text/catalogue.ts"
import { schedulesText as t } from "../text/schedules.ts"
import { AutomationFacts, cronFacts, payloadOf, useActionFacts } from "./automation-facts.tsx"
import { AutomationHead } from "./automation-head.tsx"
import { cronWords } from "./cron-words.ts"
import { DueList } from "./due-list.tsx"
import { FiringList } from "./firing-list.tsx"
import { EditScheduleDialog } from "./schedule-form.tsx"
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
      <AutomationHead
        of={schedule}
        acts={mayWrite
          ? {
            onEdit: () => setOpen("edit"),
            onToggle: toggle,
            isToggling: setStatus.isPending,
            more: (
              <Button
                variant="primary"
                disabled={!mayAct}
                pending={run.isPending}
                pendingText={acts.asking}
                onClick={() => run.mutate({ params })}
              >
                {t.detail.run}
              </Button>
            )
          }
          : undefined}
      />
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
  return (
    <FiringList texts={t.runs} pages={runs} rows={rowsOf(runs.data)}>
      {({ count, due_at, status }) => (
        <>
          <StatusBadge status={lookOf[status]}>{t.runs.statuses[status]}</StatusBadge>
          <RelativeTime at={due_at} now={hubClock.now} />
          {count !== undefined && <span className="text-2">{t.runs.missed(count)}</span>}
        </>
      )}
    </FiringList>
  )
}

const Facts = ({ onDelete, schedule }: ScheduleProps & { readonly onDelete: (() => void) | undefined }) => {
  const { action, catch_up, created_at, cron, failures, id, jitter_seconds, overlap, timezone } = schedule
  return (
    <AutomationFacts
      title={t.detail.rule}
      items={[
        ...useActionFacts(schedule),
        ...cronFacts(cron, timezone),
        { key: "catch", name: t.detail.catchUp, value: t.form.catchUps[catch_up] },
        { key: "overlap", name: t.detail.overlap, value: t.form.overlaps[overlap] },
        {
          key: "jitter",
          name: t.detail.jitter,
          value: jitter_seconds === 0 ? t.detail.noJitter : t.detail.jitterOf(jitter_seconds)
        },
        { key: "failures", name: t.detail.failures, value: figure(failures) },
        { key: "created", name: t.detail.created, value: <RelativeTime at={created_at} now={hubClock.now} /> },
        { key: "id", name: t.detail.id, value: <Id value={id} texts={acts.copying} /> }
      ]}
      payload={payloadOf(action)}
      removeText={t.detail.remove}
      onRemove={onDelete}
    />
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
