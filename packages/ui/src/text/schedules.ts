import { defineText, plural } from "./catalogue.ts"

export const schedulesText = defineText({
  title: "Schedules",
  one: "Schedule",
  list: "Schedules, newest first",
  empty: "A schedule makes a request of an agent, or runs a workflow, at the times of a cron expression.",
  noMatch: "No schedule matches these filters.",
  status: "Status",
  columns: { name: "Schedule", when: "When", next: "Next", last: "Last run" },
  statuses: { active: "Active", paused: "Paused" },
  pausedBy: {
    person: "Paused by a person",
    failures: "Paused after 20 failures in a row",
    member_removed: "Paused because the agent's owner was removed"
  },
  never: "Not yet",
  open: "Open",
  copyId: "Copy id",
  menuOf: (name: string) => `Actions for ${name}`,
  workflow: "Workflow {name}",
  someWorkflow: "a workflow",
  optional: "optional",

  create: {
    act: "Create schedule",
    title: "New schedule",
    failed: "The schedule was not created.",
    unchanged: "Nothing was changed.",
    done: (name: string) => `${name} is created.`
  },
  edit: {
    act: "Edit",
    title: (name: string) => `Edit ${name}`,
    failed: "The schedule was not changed.",
    unchanged: "It is as it was.",
    done: "Saved."
  },
  form: {
    name: "Name",
    namePlaceholder: "Morning research",
    agent: "Agent",
    agentAbout: "Its bindings, budgets, and wallet apply to each run.",
    chooseAgent: "Choose an agent",
    cron: "Cron expression",
    cronAbout: "Minute, hour, day of month, month, day of week, such as 0 9 * * MON-FRI",
    expected: (what: string) => `Expected ${what}.`,
    timezone: "Time zone",
    next: "Next times",
    catchUp: "Missed times",
    catchUps: {
      once: "Run the last missed time once",
      skip: "Leave missed times out"
    },
    overlap: "While an earlier run is open",
    overlaps: {
      skip: "Leave the new one out",
      queue: "Keep one until then",
      allow: "Start it too"
    },
    jitter: "Spread by up to, in seconds",
    jitterAbout: "Each run is up to this much later than its time, so that many schedules don't start at once.",
    invalid: "A whole number from 0 to 3,600",
    enabled: "Start now",
    enabledAbout: "Otherwise it is created paused."
  },
  action: {
    legend: "Action",
    request: "Service request",
    workflow: "Workflow",
    service: "Service",
    operation: "Operation",
    chooseService: "Choose a service",
    chooseOperation: "Choose an operation",
    chooseWorkflow: "Choose a workflow",
    noWorkflow: "No workflow has a live version.",
    payload: "Payload",
    input: "Input",
    view: "View of the payload",
    form: "Form",
    json: "JSON",
    notJson: "Enter a JSON object."
  },
  due: {
    title: "Next times",
    none: "None while it is paused.",
    zone: "Time in {zone}",
    utc: "UTC",
    list: "The next times",
    forward: (at: string, minutes: number) =>
      plural(minutes, {
        one: `Clocks go forward by # minute on ${at}`,
        other: `Clocks go forward by # minutes on ${at}`
      }),
    back: (at: string, minutes: number) =>
      plural(minutes, {
        one: `Clocks go back by # minute on ${at}`,
        other: `Clocks go back by # minutes on ${at}`
      })
  },
  detail: {
    run: "Run now",
    ran: {
      fired: "Started.",
      queued: "Kept until the open run ends.",
      skipped: "Left out: an earlier run is open.",
      missed: "Missed."
    },
    runFailed: "It was not started.",
    pause: "Pause",
    resume: "Resume",
    paused: "Paused.",
    resumed: "Active again.",
    statusFailed: "Its status was not changed.",
    rule: "Schedule",
    cron: "Cron",
    timezone: "Time zone",
    action: "Action",
    agent: "Agent",
    catchUp: "Missed times",
    overlap: "Overlap",
    jitter: "Spread",
    jitterOf: (seconds: number) => plural(seconds, { one: "up to # second", other: "up to # seconds" }),
    noJitter: "none",
    failures: "Failures in a row",
    created: "Created",
    id: "Id",
    payload: "Payload",
    remove: "Delete schedule"
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    what: "It never runs again. Requests that it has made continue.",
    act: "Delete schedule",
    failed: "The schedule was not deleted.",
    unchanged: "It is as it was.",
    done: (name: string) => `${name} is deleted.`
  },
  runs: {
    title: "History",
    list: "Runs of this schedule, newest first",
    empty: "It has not run yet. Runs of the last 90 days are shown.",
    more: "Older runs",
    statuses: { fired: "Started", queued: "Queued", skipped: "Left out", missed: "Missed" },
    missed: (count: number) => plural(count, { one: "# time missed", other: "# times missed" }),
    request: "Request"
  }
})

/** `schedules/cron-words.ts` writes the whole sentence: its grammar belongs to the language. */
export const cronText = defineText({ sentence: (words: string) => words })
