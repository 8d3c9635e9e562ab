/** One delegated task: its live timeline, input and outcome, money, and the requests that it paid. */
import { useInfiniteQuery, useQuery } from "@tanstack/react-query"
import { useNavigate, useParams } from "@tanstack/react-router"
import { useEffect, useState } from "react"
import { useKey } from "../app/keys.ts"
import { Link } from "../app/link.tsx"
import { MoreButton } from "../app/more-button.tsx"
import { Page } from "../app/page.tsx"
import { ScreenState } from "../app/screen-state.tsx"
import { useCan, useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Id } from "../components/id.tsx"
import { formatMoney } from "../components/money-text.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { requestPages, taskQuery } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { durationText } from "../listing/duration.ts"
import { arrivalsMax, useArrivals } from "../live/arrivals.ts"
import { BudgetBar } from "../patterns/budget-bar.tsx"
import { KeyValueList } from "../patterns/key-value-list.tsx"
import { Money } from "../patterns/money.tsx"
import { PayloadView } from "../patterns/payload-view.tsx"
import { PipelineLine, type PipelineStep } from "../patterns/pipeline-line.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { RevealedText } from "../patterns/revealed-text.tsx"
import { StatusBadge } from "../patterns/status-badge.tsx"
import { actText as acts } from "../text/acts.ts"
import { Phrase } from "../text/catalogue.ts"
import { listingText as listing } from "../text/listing.ts"
import { payloadText as reveal } from "../text/payload.ts"
import { requestsText } from "../text/requests.ts"
import { tasksText } from "../text/tasks.ts"
import styles from "./task-screen.module.css"
import { hasEnded, lookOf, type Task, TaskState } from "./task-state.tsx"
import { type FollowedTask, useTaskEvents } from "./use-task-events.ts"

const from = "/w/$workspace/agents/$id/tasks/$task"
const titleMax = 80

export const TaskScreen = () => {
  const t = tasksText
  const { id: agent, task: id } = useParams({ from })
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const task = useQuery(taskQuery(workspace, id))
  const { data } = task
  // A link with only the task's id redirects to the full address with its agent.
  const delegator = data?.from_agent_id
  useEffect(() => {
    if (agent === "_" && delegator !== undefined) {
      void navigate({ to: from, params: { workspace, id: delegator, task: id }, replace: true })
    }
  }, [agent, delegator, id, navigate, workspace])
  useKey("everywhere.back", () => void navigate({ to: "/w/$workspace/tasks", params: { workspace } }))
  return (
    <Page
      title={data === undefined
        ? t.one
        : data.goal.length > titleMax
        ? `${data.goal.slice(0, titleMax)}…`
        : data.goal}
      path={
        <Link quiet to="/w/$workspace/tasks" params={{ workspace }}>
          {t.title}
        </Link>
      }
      busy={task.isFetching && !task.isRefetching}
    >
      <ScreenState query={task}>{data !== undefined && <View key={data.id} task={data} />}</ScreenState>
    </Page>
  )
}

interface TaskProps {
  readonly task: Task
}

const AgentLink = ({ id, name }: { readonly id: string; readonly name: string }) => {
  const workspace = useWorkspaceId()
  return <Link to="/w/$workspace/agents/$id" params={{ workspace, id }}>{name}</Link>
}

const View = ({ task }: TaskProps) => {
  const t = tasksText
  const followed = useTaskEvents(task.id)
  return (
    <div className="grid grid-cols-1 gap-16">
      <header className="grid gap-8 min-w-0">
        <div className="flex flex-wrap items-center gap-8 gap-x-12">
          <TaskState status={task.status} />
          <p className="type-body text-2">
            <Phrase
              text={t.sentence}
              from={<AgentLink id={task.from_agent_id} name={task.from_agent_name} />}
              to={<AgentLink id={task.to_agent_id} name={task.to_agent_name} />}
            />
          </p>
        </div>
        <h2 className="sr-only">{t.goal}</h2>
        <p className={`max-w-reading type-lead wrap-anywhere ${styles.goal}`}>
          <RevealedText text={task.goal} texts={reveal} />
        </p>
      </header>
      <div className={`grid items-start gap-16 ${styles.columns}`}>
        <div className="grid gap-16 min-w-0">
          <Timeline task={task} followed={followed} />
          <Outcome task={task} />
          {task.input !== undefined && <Json title={t.input} value={task.input} />}
          <Requests task={task} />
        </div>
        <div className="grid gap-16 min-w-0">
          <MoneyPanel task={task} />
          <Facts task={task} />
        </div>
      </div>
    </div>
  )
}

/** The three steps of every task. Before the first event they are drawn from the task itself. */
const stepsOf = (task: Task, { events }: FollowedTask): ReadonlyArray<PipelineStep> => {
  const t = tasksText.timeline
  const at = (status: Task["status"], known: string | undefined) =>
    events.find((event) => event.status === status)?.created_at ?? known
  const isOver = hasEnded(task.status)
  const begun = at("accepted", task.created_at) ?? task.created_at
  const started = at("in_progress", task.started_at)
  const ended = isOver ? at(task.status, task.ended_at) : undefined
  const time = (moment: string | undefined) =>
    moment === undefined ? undefined : <RelativeTime at={moment} now={hubClock.now} />
  const took = (start: string, end: string | undefined) =>
    end === undefined ? undefined : durationText(Math.max(0, Date.parse(end) - Date.parse(start)))
  const look = lookOf[task.status]
  return [
    {
      id: "accepted",
      name: t.accepted,
      state: task.status === "accepted" ? "decider" : "passed",
      status: look,
      time: time(begun)
    },
    {
      id: "in_progress",
      name: t.in_progress,
      state: task.status === "in_progress" ? "decider" : started === undefined ? "unreached" : "passed",
      status: look,
      fact: isOver && started === undefined ? t.skipped : undefined,
      duration: took(begun, started),
      time: time(started)
    },
    {
      id: "end",
      name: isOver ? t.ends[task.status as keyof typeof t.ends] : t.end,
      state: isOver ? "decider" : "unreached",
      status: look,
      fact: isOver || task.deadline_at === undefined
        ? undefined
        : <Phrase text={t.until} time={<RelativeTime at={task.deadline_at} now={hubClock.now} />} />,
      duration: took(started ?? begun, ended),
      time: time(ended)
    }
  ]
}

const Timeline = ({ followed, task }: TaskProps & { readonly followed: FollowedTask }) => {
  const t = tasksText.timeline
  return (
    <Panel title={t.title}>
      <PipelineLine label={t.label} steps={stepsOf(task, followed)} texts={t} />
      {(followed.phase === "lost" || followed.phase === "failed") && (
        <p className="mt-8 type-note text-2" role="status">{t[followed.phase]}</p>
      )}
      {!hasEnded(task.status) && <p className="mt-8 type-note text-2">{tasksText.who}</p>}
    </Panel>
  )
}

const Outcome = ({ task: { error, result } }: TaskProps) => {
  const t = tasksText
  if (error !== undefined) {
    const own = (t.errors as Readonly<Record<string, string>>)[error.code]
    return (
      <Panel title={t.error}>
        <p className={`type-body wrap-anywhere ${styles.goal}`}>
          <RevealedText text={own ?? error.message} texts={reveal} />{" "}
          <code className="type-mono text-3">{error.code}</code>
        </p>
      </Panel>
    )
  }
  return result === undefined ? null : <Json title={t.result} value={result} />
}

const Json = ({ title, value }: { readonly title: string; readonly value: unknown }) => {
  const [view, setView] = useState<"form" | "json" | "diff">("form")
  return (
    <Panel title={title}>
      <PayloadView payload={value} view={view} onView={setView} texts={{ ...reveal, label: title }} />
    </Panel>
  )
}

const MoneyPanel = ({ task }: TaskProps) => {
  const t = tasksText.money
  const { budget_cents: budget, held_cents: held, spent_cents: spent } = task
  const left = formatMoney(budget - spent - held)
  return (
    <Panel title={t.title}>
      <div className="grid gap-16">
        <BudgetBar
          label={t.label}
          cap={<Money cents={budget} />}
          spent_cents={spent}
          held_cents={held}
          this_cents={0}
          cap_cents={budget}
          note={hasEnded(task.status) ? t.unused(left) : t.left(left)}
          valueText={t.value(formatMoney(spent), formatMoney(held), formatMoney(budget))}
        />
        <KeyValueList
          items={[
            { key: "spent", name: t.spent, value: <Money cents={spent} /> },
            { key: "held", name: t.held, value: <Money cents={held} /> }
          ]}
        />
        <p className="type-note text-2">
          <Phrase text={t.about} from={task.from_agent_name} />
        </p>
      </div>
    </Panel>
  )
}

const Facts = ({ task }: TaskProps) => {
  const t = tasksText.facts
  const time = (key: string, name: string, at: string | undefined) =>
    at === undefined ? [] : [{ key, name, value: <RelativeTime at={at} now={hubClock.now} /> }]
  return (
    <Panel title={t.title}>
      <KeyValueList
        items={[
          { key: "from", name: t.from, value: <AgentLink id={task.from_agent_id} name={task.from_agent_name} /> },
          { key: "to", name: t.to, value: <AgentLink id={task.to_agent_id} name={task.to_agent_name} /> },
          {
            key: "services",
            name: t.services,
            value: task.services.length === 0 ? t.noServices : task.services.join(", ")
          },
          ...time("deadline", t.deadline, task.deadline_at),
          ...time("created", t.created, task.created_at),
          ...time("started", t.started, task.started_at),
          ...time("ended", t.ended, task.ended_at),
          { key: "id", name: t.id, value: <Id value={task.id} texts={acts.copying} /> }
        ]}
      />
    </Panel>
  )
}

/** The hub has no filter by task: the worker's requests of the task's time are read, and those of the task are shown. */
const Requests = ({ task }: TaskProps) => {
  const t = tasksText.requests
  const workspace = useWorkspaceId()
  const mayRead = useCan()("requests:read")
  const pages = useInfiniteQuery({
    ...requestPages(workspace, {
      agent_id: task.to_agent_id,
      from: task.created_at,
      ...task.ended_at === undefined ? {} : { to: task.ended_at }
    }),
    enabled: mayRead
  })
  const arrived = useArrivals("service_requests.list", workspace)
  const rows = rowsOf(pages.data).filter(({ origin }) => origin?.task_id === task.id)
  return (
    <Panel
      title={t.title}
      actions={mayRead && (
        <>
          {arrived.count > 0 && (
            <Button size="small" onClick={() => void arrived.show()}>
              {listing.fresh(arrived.count, arrived.count >= arrivalsMax)}
            </Button>
          )}
          <Link to="/w/$workspace/requests" params={{ workspace }} search={{ agent_id: task.to_agent_id }}>
            {t.all}
          </Link>
        </>
      )}
    >
      {mayRead
        ? (
          <ScreenState query={pages}>
            {rows.length === 0
              ? <p className="type-body text-2">{pages.hasNextPage ? t.noneHere : t.empty}</p>
              : (
                <ul className="grid gap-8">
                  {rows.map((request) => (
                    <li key={request.id} className="flex flex-wrap items-center gap-4 gap-x-12 type-body">
                      <StatusBadge status={request.status}>{requestsText.statuses[request.status]}</StatusBadge>
                      <Link
                        className="flex-1 min-w-0 wrap-anywhere"
                        to="/w/$workspace/requests/$id"
                        params={{ workspace, id: request.id }}
                      >
                        {`${request.service}.${request.operation}`}
                      </Link>
                      <Money cents={request.status === "executed" ? request.cost_cents : request.ceiling_cents} />
                      <span className="type-note text-2 text-end">
                        <RelativeTime at={request.created_at} now={hubClock.now} />
                      </span>
                    </li>
                  ))}
                </ul>
              )}
            {pages.hasNextPage && (
              <p className="mt-8">
                <MoreButton pages={pages}>{t.more}</MoreButton>
              </p>
            )}
          </ScreenState>
        )
        : <p className="type-body text-2">{t.denied}</p>}
    </Panel>
  )
}
