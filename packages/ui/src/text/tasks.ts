import { defineText, plural } from "./catalogue.ts"

export const tasksText = defineText({
  title: "Delegated tasks",
  one: "Task",
  table: "Delegated tasks, newest first",
  empty: "No agent has delegated a task yet. An agent delegates with its key, and the task's budget is set aside from "
    + "its own.",
  noMatch: "No task matches these filters.",
  statusFilter: "Status",
  statuses: {
    accepted: "Not started",
    in_progress: "In progress",
    completed: "Completed",
    failed: "Failed",
    cancelled: "Canceled"
  },
  columns: {
    goal: "Goal",
    status: "Status",
    from: "From",
    to: "To",
    spent: "Spent",
    deadline: "Deadline",
    created: "Created"
  },
  ofBudget: (budget: string) => `of ${budget}`,
  noDeadline: "none",
  open: "Open",
  copyId: "Copy id",
  menuOf: (goal: string) => `Actions for ${goal}`,
  sentence: "{from} delegated this task to {to}.",
  goal: "Goal",
  timeline: {
    title: "Timeline",
    label: "Steps of this task",
    accepted: "Delegated",
    in_progress: "Started",
    end: "End",
    ends: { completed: "Completed", failed: "Failed", cancelled: "Canceled" },
    until: "Deadline {time}",
    skipped: "Ended without a start",
    passed: "passed",
    decider: "current",
    unreached: "not reached",
    lost: "Not live. Reconnecting…",
    failed: "The timeline could not be read."
  },
  input: "Input",
  result: "Result",
  error: "Error",
  errors: {
    deadline_passed: "The deadline passed before the task was completed.",
    agent_ended: "One of the two agents was deleted."
  },
  money: {
    title: "Budget",
    label: "Budget of this task",
    left: (amount: string) => `${amount} left`,
    unused: (amount: string) => `${amount} not used`,
    spent: "Spent",
    held: "Held",
    value: (spent: string, held: string, budget: string) => `${spent} spent and ${held} held of ${budget}`,
    about: "Set aside from {from}'s budget while the task is open. What it doesn't spend is free again at its end."
  },
  facts: {
    title: "About",
    from: "From",
    to: "To",
    services: "Services",
    noServices: "none",
    deadline: "Deadline",
    created: "Created",
    started: "Started",
    ended: "Ended",
    id: "Id"
  },
  who: "Only the two agents change a task. To stop its spending, freeze one of them.",
  requests: {
    title: "Requests of this task",
    empty: "No request has used this task.",
    noneHere: "No request of this task among those read so far.",
    more: "Show more",
    all: "All requests of this agent",
    denied: "Reading requests requires the permission requests:read."
  },
  panel: {
    title: "Delegated tasks",
    all: "All tasks",
    to: (agent: string) => `to ${agent}`,
    from: (agent: string) => `from ${agent}`,
    open: (count: number) => plural(count, { one: "# open", other: "# open" })
  }
})
