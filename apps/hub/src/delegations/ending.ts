/** Ends delegated tasks: by their agents, by their deadline, and with the end of one of their agents. */
import { Context, Effect, Layer } from "effect"
import { AgentTasks } from "../agents/service.ts"
import { type Actor, AuditLog } from "../platform/audit-log.ts"
import { Db } from "../platform/db.ts"
import { Signals } from "../platform/signals.ts"
import { DelegationsRepository, type TaskEnd, type TaskRow } from "./repository.ts"

const hubError = (code: string, message: string): TaskEnd => ({
  status: "failed",
  error: JSON.stringify({ code, message })
})
export const deadlinePassed = hubError("deadline_passed", "The task's deadline has passed.")
const agentEnded = hubError("agent_ended", "The agent that worked on the task was deleted.")

export class TaskEnding extends Context.Service<TaskEnding, {
  /** Records a change for both agents. Call it in the transaction of the change, at its end. */
  readonly record: (task: TaskRow, actor: Actor, change: TaskChange) => Effect.Effect<void>
  /** Ends an open task, with its audit entries; false when it has ended. Call it under the workspace's lock. */
  readonly end: (task: TaskRow, end: TaskEnd, actor: Actor, at: Date) => Effect.Effect<boolean>
}>()("@countersign/hub/delegations/TaskEnding") {
  static readonly layer = Layer.effect(
    TaskEnding,
    Effect.gen(function*() {
      const tasks = yield* DelegationsRepository
      const audit = yield* AuditLog
      const signals = yield* Signals
      const db = yield* Db
      const record = Effect.fnUntraced(function*(task: TaskRow, actor: Actor, { action, data }: TaskChange) {
        for (const agent of [task.from_agent_id, task.to_agent_id]) {
          yield* audit.record(task.org_id, actor, {
            action: `delegated_task.${action}`,
            subject: { type: "delegated_task", id: task.id },
            agent_id: agent,
            data
          })
        }
      })
      const end = Effect.fnUntraced(function*(task: TaskRow, end: TaskEnd, actor: Actor, at: Date) {
        if (!(yield* tasks.end(task.org_id, task.id, end, at))) return false
        yield* record(task, actor, { action: "updated", data: { status: end.status } })
        yield* db.afterCommit(Effect.sync(() => signals.object(task.id)))
        return true
      })
      return TaskEnding.of({ record, end })
    })
  )
}

export interface TaskChange {
  readonly action: "created" | "updated"
  readonly data: Readonly<Record<string, unknown>>
}

/** A deleted agent's tasks: those that it delegated are cancelled, those that it worked on have failed. */
export const agentTasksLayer = Layer.effect(
  AgentTasks,
  Effect.gen(function*() {
    const tasks = yield* DelegationsRepository
    const ending = yield* TaskEnding
    return AgentTasks.of({
      endOfAgent: Effect.fnUntraced(function*(org, agent, actor, at) {
        const open = yield* tasks.openOf(org, agent)
        for (const task of open) {
          yield* ending.end(task, task.from_agent_id === agent ? { status: "cancelled" } : agentEnded, actor, at)
        }
        return open.length
      })
    })
  })
)
