import { defineText, figure, plural } from "./catalogue.ts"

export const moneyText = defineText({
  title: "Money",
  wallet: {
    title: "Wallet",
    available: "to spend",
    balance: "Balance",
    held: "Held for open requests",
    state: "Spending",
    runs: "Active",
    frozen: "Frozen for the whole workspace",
    agentsFrozen: (count: number) =>
      plural(count, { one: "Active; # agent is frozen", other: "Active; # agents are frozen" }),
    empty: "The wallet has no funds yet: every request with a cost is blocked."
  },
  budgets: {
    title: "Budgets this month (UTC)",
    cap: (cap: string) => `of ${cap}`,
    noCap: "no budget",
    left: (left: string) => `${left} left`,
    over: (over: string) => `${over} over`,
    spent: (spent: string) => `${spent} spent`,
    spentAndHeld: (spent: string, held: string) => `${spent} spent, ${held} held`,
    spoken: (name: string, spent: string, held: string, cap: string) =>
      `${name}: ${spent} spent and ${held} held of ${cap}`,
    resets: "Resets {time}.",
    frozen: "frozen",
    operations: "Operations",
    noOperations: "It has not used any operation yet.",
    requests: (used: number, limit: number) => `${figure(used)} of ${figure(limit)} requests today`,
    requestsFree: (used: number) => plural(used, { one: "# request today", other: "# requests today" }),
    without: (count: number) =>
      plural(count, { one: "# agent has no separate budget", other: "# agents have no separate budget" }),
    empty: "There is no agent in this workspace yet.",
    more: "More agents"
  },
  ledger: {
    title: "Ledger",
    list: "Entries of the ledger, newest first",
    columns: {
      time: "Time",
      account: "Account",
      cause: "Source",
      note: "Note",
      amount: "Amount",
      after: "Balance after"
    },
    account: "Account",
    accounts: {
      org: "Wallet",
      external: "Outside",
      revenue: "Providers",
      team: "Teams",
      worker: "People's allocations"
    },
    causes: {
      service_request: "Request",
      top_up: "Top-up",
      demo: "Start of the demo",
      team_budget: "Team budget",
      worker_budget: "Allocation"
    },
    empty: "No transfers yet.",
    noMatch: "No entries of this account.",
    note: "Every transfer has two entries that sum to zero."
  },
  topUp: {
    act: "Add funds",
    title: "Add funds to the wallet",
    what:
      "This adds funds to the wallet of {workspace} manually. No card is charged; the audit log records who did it.",
    amount: "Amount",
    wrong: "Enter an amount such as 25.00",
    tooLittle: "At least one cent.",
    tooMuch: (max: string) => `At most ${max} at a time.`,
    note: "Note",
    noteAbout: "For example an invoice number. Recorded in the ledger.",
    optional: "optional",
    after: (balance: string) => `${balance} available afterwards`,
    confirm: (amount: string) => `Add ${amount}`,
    confirmEmpty: "Add funds",
    failed: "No funds were added.",
    unchanged: "The balance is unchanged.",
    done: (amount: string, available: string) => `${amount} added. ${available} available.`,
    forbidden: "You don't have the permission to add funds."
  }
})
