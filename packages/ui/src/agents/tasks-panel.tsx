/** The latest tasks that an agent delegated or works on. */
import { useInfiniteQuery } from "@tanstack/react-query"
import { Link } from "../app/link.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Panel } from "../components/panel.tsx"
import { hubClock } from "../hub/hub-time.ts"
import { agentTaskPages } from "../hub/queries.ts"
import { rowsOf } from "../hub/query-options.ts"
import { Money } from "../patterns/money.tsx"
import { RelativeTime } from "../patterns/relative-time.tsx"
import { TaskState } from "../tasks/task-state.tsx"
import { tasksText } from "../text/tasks.ts"
import styles from "./activity-panel.module.css"

const shownMax = 5

/** Nothing for an agent without tasks. */
export const TasksPanel = ({ agent }: { readonly agent: string }) => {
  const t = tasksText.panel
  const workspace = useWorkspaceId()
  const rows = rowsOf(useInfiniteQuery(agentTaskPages(workspace, agent)).data).slice(0, shownMax)
  if (rows.length === 0) return null
  return (
    <Panel
      title={t.title}
      flush
      actions={
        <Link to="/w/$workspace/tasks" params={{ workspace }} search={{ agent_id: agent }}>
          {t.all}
        </Link>
      }
    >
      <ul>
        {rows.map((task) => (
          <li key={task.id} className={`flex items-center gap-12 type-body ${styles.row}`}>
            <TaskState status={task.status} />
            <Link
              quiet
              className={`flex-1 min-w-0 truncate ${styles.what}`}
              to="/w/$workspace/agents/$id/tasks/$task"
              params={{ workspace, id: agent, task: task.id }}
            >
              {task.goal}
            </Link>
            <span className="min-w-0 type-note text-3 truncate">
              {task.from_agent_id === agent ? t.to(task.to_agent_name) : t.from(task.from_agent_name)}
            </span>
            <Money cents={task.spent_cents} />
            <span className={`flex-none type-note text-2 text-end ${styles.when}`}>
              <RelativeTime at={task.created_at} now={hubClock.now} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
