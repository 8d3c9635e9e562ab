import { defineText } from "./catalogue.ts"

/** The first steps in a workspace, from the first agent to the first approval. */
export const startText = defineText({
  title: "First steps",
  lead:
    "From an agent's first paid request to your first approval. It takes about two minutes. You can leave and come back at any time.",
  skip: "Skip to the inbox",
  demoTitle: "Or look around first",
  demo: (name: string) =>
    `The workspace ${name} has two agents, some history, and two pending approvals. It contains no real money.`,
  demoAct: (name: string) => `Open ${name}`,
  readOnly: "These steps require permission to create agents and to add funds.",
  steps: "Steps",
  state: { done: "done", now: "now", later: "later" },
  change: "Change",
  changeOf: (step: string) => `Change: ${step}`,
  show: "Show",
  showOf: (step: string) => `Show: ${step}`,
  close: "Close",
  closeOf: (step: string) => `Close: ${step}`,
  saving: "Contacting the hub…",

  quick: {
    what: (sum: string) =>
      `Creates the agent Scout, adds ${sum} to the wallet, and connects the built-in service Echo. Every request needs your approval.`,
    whatFunded: "Creates the agent Scout and connects the built-in service Echo. Every request needs your approval.",
    act: "Create agent Scout",
    failed: "The first steps were not completed.",
    unchanged: "Continue with the steps below."
  },

  agent: {
    title: "Create an agent",
    what:
      "An agent is a program that sends requests: a script, a bot, or an assistant. Each has its own key and limits.",
    byHand: "Or set up each part yourself:",
    name: "Name",
    usual: "Scout",
    act: "Create agent and key",
    existing: "Or choose an existing agent",
    pick: "Agent",
    use: "Use this agent",
    failed: "The agent was not created.",
    nameNeeded: "Enter a name.",
    done: (name: string) => `${name} created`
  },
  key: {
    title: "Agent key, shown once",
    what: "Anyone with this key can spend as this agent, within its limits. Store it with your agent's secrets.",
    label: "Key",
    copy: "Copy the key",
    gone:
      "The key was shown once and isn't stored. Create a new key to get a working command. The old key stops working at once.",
    renew: "Create a new key",
    renewFailed: "The key was not rotated.",
    unchanged: "The old key still works."
  },
  funds: {
    title: "Add funds",
    what:
      "Agents spend from this wallet. Requests are blocked when it is empty. This doesn't charge a card; it only records the amount.",
    amount: "Amount",
    invalid: "An amount from 0.01, such as 10.00",
    act: (sum: string) => `Add ${sum}`,
    failed: "No funds were added.",
    unchanged: "The balance is unchanged.",
    done: (sum: string) => `${sum} available`
  },
  service: {
    title: "Connect a service",
    what: (agent: string) => `${agent} can only use the services that you connect.`,
    choice: "Service",
    echo: "Echo",
    echoAbout: "Returns the payload. Needs no setup and costs $0.01 a request.",
    search: "Web search",
    searchAbout: "Results of the Brave Search API, $0.01 a request. Needs a Brave API key.",
    searchKey: "Key of the Brave Search API",
    searchKeyAbout: "Stored encrypted as the secret brave_search. It is never shown again, and never sent to agents.",
    searchKeyThere: "The secret brave_search is already stored.",
    other: "Another service of this workspace",
    otherPick: "Which one",
    own: "To add your own service or import an OpenAPI document, open the catalog and then come back here.",
    ownAct: "Open the catalog",
    act: "Connect service",
    failed: "The service was not connected.",
    unchanged: "The agent's access is unchanged.",
    secretFailed: "The key was not stored, and no service was connected.",
    keyNeeded: "Paste the key first.",
    done: (service: string, operation: string) => `Can use ${service}.${operation}`
  },
  request: {
    title: "Send the first request",
    what: "Paste this command into a terminal. Your agent will send the same request.",
    line: "Command",
    copy: "Copy the command",
    waiting: (agent: string) => `Waiting for a request from ${agent}…`,
    blocked: "The hub blocked the request:",
    failed: "The provider failed:",
    again: "Fix the cause, then send it again.",
    done: (status: string, cost: string) => `${status} for ${cost}`,
    open: "Open the request"
  },
  threshold: {
    title: "Require approval for the next one",
    what:
      "Requests that cost more than the threshold need approval. Set it below the price, so that the next request needs yours.",
    amount: (service: string) => `Threshold for ${service}`,
    about: (price: string) => `Maximum cost of a request: ${price}.`,
    aboutQuoted: "The price depends on the request.",
    tooHigh: "The next request would not need approval. Choose an amount below the price.",
    invalid: "An amount such as 0.00",
    act: (sum: string) => `Require approval above ${sum}`,
    failed: "The threshold was not set.",
    unchanged: "The previous threshold still applies.",
    done: (sum: string) => `Approval required above ${sum}`
  },
  approve: {
    title: "Approve it",
    what: "Send the same command again. This time it needs your approval, here or in the inbox.",
    waiting: (agent: string) => `Waiting for another request from ${agent}…`,
    wants: "{agent} wants to call {operation}",
    left: "{left} is left in the wallet after this one.",
    over: "The wallet has less than that.",
    payload: "Request payload",
    reason: (sum: string) => `It costs more than the threshold of ${sum}.`,
    act: (sum: string) => `Approve ${sum}`,
    reject: "Reject",
    failed: "The decision was not made.",
    unchanged: "The request is still pending.",
    offline: "Decisions are off while the hub is not connected.",
    forbidden: "You can't decide this request. It is sent to the approvers.",
    seal: "Seal",
    expired: "The approval expired. Send the command again.",
    done: (outcome: string) => `Decided: ${outcome}`
  },
  outcome: {
    executed: "executed",
    blocked: "blocked",
    failed: "failed",
    running: "running",
    approval_required: "pending",
    rejected: "rejected"
  },
  finished: {
    title: "You approved your first request",
    rejectedTitle: "You decided your first request",
    what:
      "{agent} sent a request, you decided it, and it is recorded in the ledger and the audit log. New approvals appear in your inbox.",
    standing:
      "Requests from {agent} to {service} above {threshold} need approval. You can change this in the agent's limits.",
    inbox: "Open the inbox",
    agent: "Limits of the agent",
    catalog: "More services",
    docs: "Documentation",
    again: "Repeat with another agent"
  }
})
