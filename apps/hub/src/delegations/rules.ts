/** Transitions of delegated tasks by side. Pure. Spec: reference/agents.md "Delegated tasks". */
import { isEnded, type TaskStatus } from "@countersign/domain/delegated-tasks"

/** The agent that delegated a task, or the agent that works on it. */
export type Side = "from" | "to"

/** `forbidden`: the status is the other side's to set. */
export type Transition = "allowed" | "forbidden" | "invalid"

const sideOf: Readonly<Record<TaskStatus, Side | undefined>> = {
  accepted: undefined,
  in_progress: "to",
  completed: "to",
  failed: "to",
  cancelled: "from"
}

export const transition = (side: Side, current: TaskStatus, next: TaskStatus): Transition => {
  const owner = sideOf[next]
  if (owner !== undefined && owner !== side) return "forbidden"
  if (owner === undefined || isEnded(current)) return "invalid"
  return next === "in_progress" && current !== "accepted" ? "invalid" : "allowed"
}
