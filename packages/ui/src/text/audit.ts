import { defineText, figure, plural } from "./catalogue.ts"

export const auditText = defineText({
  title: "Audit",
  list: "Entries of the log, newest first",
  columns: {
    seq: "No.",
    time: "Time",
    action: "Action",
    actor: "By",
    subject: "About",
    outcome: "Outcome",
    cost: "Cost"
  },
  search: "Search the log",
  filters: {
    action: "Action",
    actor_id: "By",
    subject_id: "About",
    agent_id: "Agent",
    operation: "Operation",
    outcome: "Outcome"
  },
  actions: {
    requests: "Every request",
    approvals: "Every approval",
    standing: "Standing approvals",
    agents: "Agents",
    bindings: "Bindings",
    keys: "Keys",
    budgets: "Budgets",
    money: "Money",
    policies: "Policies",
    services: "Services",
    secrets: "Secrets",
    members: "People",
    tokens: "Tokens",
    views: "Saved views",
    sessions: "Sessions",
    workspace: "Workspace"
  },
  actionTyped: "An action, such as agent.created",
  actorTyped: "A name, or an id",
  subjectTyped: "The id of the subject",
  operationTyped: "service.operation",
  outcomeTyped: "An outcome or a reason code",
  agentTyped: "A name, or an agent's id",
  noCost: "–",
  empty: "Nothing has happened in this workspace yet.",
  noMatch: "No entry matches these filters.",
  actorTypes: { user: "person", agent: "agent", hub: "hub", provider: "provider" },
  menu: {
    open: "Open",
    action: "Only this action",
    actor: "Only by the same",
    subject: "Only about the same",
    agent: "Only this agent",
    operation: "Only this operation",
    outcome: "Only this outcome",
    copy: "Copy the id"
  },
  export: {
    act: "Export",
    csv: "CSV, for a spreadsheet",
    jsonl: "JSON Lines, to verify offline",
    filtered: "The entries that match the filters.",
    whole: "The whole log."
  },
  entry: {
    title: (seq: string) => `Entry ${seq}`,
    close: "Close",
    newer: "Newer entry",
    older: "Older entry",
    facts: "Facts",
    time: "Time",
    action: "Action",
    actor: "By",
    subject: "About",
    agent: "Agent",
    outcome: "Outcome",
    reason: "Reason",
    cost: "Cost",
    ip: "Address",
    id: "Id",
    changed: "Changes",
    data: "Data",
    noData: "Nothing more is recorded.",
    chain: "In the chain",
    previous: "Hash before",
    hash: "Hash",
    checking: "Being computed…",
    holds: "Its fields give this hash.",
    broken: "Its fields do not give this hash: it was altered.",
    uncheckable: "This page cannot compute hashes: it was not served safely.",
    openSubject: "Open"
  },
  verify: {
    act: "Verify",
    title: "Verify the log",
    what:
      "The hub walks every entry from the first to the last, computes each hash anew from the entry and the hash before, and compares.",
    start: "Verify now",
    again: "Verify again",
    running: (count: string) => `${count} entries are being checked…`,
    runningUnknown: "The log is being checked…",
    done: (count: number) =>
      plural(count, {
        one: "The log is whole: its one entry is as it was written.",
        other: "The log is whole: all # entries are as they were written."
      }),
    empty: "The log is empty: there is nothing to check.",
    broken: (seq: number) => `Entry ${figure(seq)} is not as it was written.`,
    brokenAfter: (count: number) =>
      count === 0
        ? "It is the first."
        : plural(count, { one: "The one entry before it is whole.", other: "The # entries before it are whole." }),
    brokenNext:
      "Somebody wrote to the database past the hub, or a copy was put in its place. Keep the database as it is, export the log, and compare both with your last export.",
    open: "Open that entry",
    took: (time: string) => `It took ${time}.`,
    failed: "The log was not verified.",
    unchanged: "Nothing is known of it yet, neither good nor bad.",
    offline: "An export as JSON Lines can be verified without the hub."
  }
})
