import { defineText, plural } from "./catalogue.ts"

/** Standing approvals. */
export const standingText = defineText({
  title: "Standing approvals",
  lead: "Each lets one agent run one operation without approval, within its limits.",
  columns: {
    what: "Agent and operation",
    each: "Maximum each",
    used: "Used",
    of: "Of",
    last: "Last used",
    made: "Created by",
    ends: "Expires",
    act: "Actions"
  },
  when: "when",
  requestsOf: (agent: string, operation: string) =>
    `Requests that the standing approval of ${agent} for ${operation} let pass`,
  search: "Search agent, operation, person",
  allAgents: "All agents",
  agent: "Agent",
  uses: (uses: number) => plural(uses, { one: "# request", other: "# requests" }),
  usesOf: (uses: number, max: number) => plural(max, { one: `${uses} of # request`, other: `${uses} of # requests` }),
  sumOf: (used: string, max: string) => `${used} of ${max}`,
  never: "never",
  test: "test",
  newer: (count: number) => plural(count, { one: "# new", other: "# new" }),
  more: "Show more",
  empty: "No standing approvals.",
  emptyHow: "Create one while you approve a request: press s there.",
  noMatch: "No standing approval matches these filters.",
  clear: "Clear filters",
  toInbox: "Open the inbox",
  withdraw: "Revoke",
  withdrawTitle: (agent: string, operation: string) => `Revoke the standing approval of ${agent} for ${operation}?`,
  withdrawWhat: "These requests require approval again. Executed requests are not affected.",
  revoked: (operation: string) => `Requests for ${operation} require approval again.`,
  failed: "The standing approval was not revoked.",
  unchanged: "It still applies.",
  withdrawAll: "Revoke all",
  withdrawAllTitle: "Revoke all standing approvals?",
  withdrawAllWhat: "Every request above its approval threshold requires approval again.",
  withdrawAllDone: (count: number) => plural(count, { one: "# revoked.", other: "# revoked." }),
  withdrawAllPartly: (done: number) =>
    plural(done, { one: "# was revoked, the rest were not.", other: "# were revoked, the rest were not." }),
  unchangedRest: "The standing approvals in the list still apply.",
  withdrawing: "Revoking…",
  forbidden: "You need permission to decide approvals to revoke these.",
  unknownAgent: "Deleted agent"
})
