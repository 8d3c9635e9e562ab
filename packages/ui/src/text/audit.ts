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
    copy: "Copy id"
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
    noData: "No other fields.",
    chain: "In the chain",
    previous: "Hash before",
    hash: "Hash",
    checking: "Computing…",
    holds: "The fields match this hash.",
    broken: "The fields don't match this hash: the entry was altered.",
    uncheckable: "This page can't compute hashes, because it wasn't loaded over a secure connection."
  },
  verify: {
    act: "Verify",
    title: "Verify the log",
    what:
      "The hub recomputes the hash of every entry, from the first to the last, and compares it with the stored hash.",
    start: "Verify now",
    again: "Verify again",
    running: (count: string) => `${count} entries are being checked…`,
    runningUnknown: "The log is being checked…",
    done: (count: number) =>
      plural(count, {
        one: "The log is intact: its one entry is unchanged.",
        other: "The log is intact: all # entries are unchanged."
      }),
    empty: "The log is empty.",
    broken: (seq: number) => `Entry ${figure(seq)} was altered.`,
    brokenAfter: (count: number) =>
      count === 0
        ? "It is the first entry."
        : plural(count, { one: "The entry before it is intact.", other: "The # entries before it are intact." }),
    brokenNext:
      "The database was changed outside the hub, or replaced with a copy. Keep the database unchanged, export the log, and compare both with your last export.",
    open: "Open entry",
    took: (time: string) => `It took ${time}.`,
    failed: "The log wasn't verified.",
    unchanged: "Its state is unknown.",
    offline: "An export as JSON Lines can be verified without the hub."
  }
})
