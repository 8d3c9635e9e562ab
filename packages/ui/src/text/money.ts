import { defineText, figure, plural } from "./catalogue.ts"

export const moneyText = defineText({
  title: "Money",
  wallet: {
    title: "Wallet",
    available: "to spend",
    balance: "Balance",
    held: "Held for open requests",
    state: "Spending",
    runs: "Runs",
    frozen: "Frozen for the whole workspace",
    agentsFrozen: (count: number) =>
      plural(count, { one: "Runs; # agent is frozen", other: "Runs; # agents are frozen" }),
    empty: "Nothing has been put into the wallet yet: every request that costs something is blocked."
  },
  budgets: {
    title: "Budgets of this month (UTC)",
    cap: (cap: string) => `of ${cap}`,
    noCap: "no budget",
    left: (left: string) => `${left} left`,
    over: (over: string) => `${over} over`,
    spent: (spent: string) => `${spent} spent`,
    spentAndHeld: (spent: string, held: string) => `${spent} spent, ${held} held`,
    spoken: (name: string, spent: string, held: string, cap: string) =>
      `${name}: ${spent} spent and ${held} held of ${cap}`,
    resets: "They start anew {time}.",
    frozen: "frozen",
    operations: "Operations",
    noOperations: "It has not used any operation yet.",
    requests: (used: number, limit: number) => `${figure(used)} of ${figure(limit)} requests today`,
    requestsFree: (used: number) => plural(used, { one: "# request today", other: "# requests today" }),
    without: (count: number) =>
      plural(count, { one: "# agent has no budget of its own", other: "# agents have no budget of their own" }),
    empty: "There is no agent in this workspace yet.",
    more: "More agents"
  },
  ledger: {
    title: "Ledger",
    list: "Entries of the ledger, newest first",
    columns: {
      time: "Time",
      account: "Account",
      cause: "Because of",
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
    causes: { service_request: "Request", top_up: "Top-up", demo: "Start of the demo" },
    empty: "Nothing has moved yet.",
    noMatch: "No entry of this account.",
    note: "Every movement has two entries that sum to nothing."
  },
  topUp: {
    act: "Top up",
    title: "Top up the wallet",
    what:
      "This books money into the wallet of {workspace} by hand. Nothing is charged anywhere; the log keeps who did it.",
    amount: "Amount",
    wrong: "An amount like 25.00",
    tooLittle: "At least one cent.",
    note: "Note",
    noteAbout: "An invoice, a reason. It stands in the ledger.",
    optional: "optional",
    after: (balance: string) => `${balance} to spend afterwards`,
    confirm: (amount: string) => `Top up ${amount}`,
    confirmEmpty: "Top up",
    failed: "The wallet was not topped up.",
    unchanged: "No money moved.",
    done: (amount: string, available: string) => `${amount} were added. ${available} can be spent.`,
    forbidden: "You may not top up here."
  }
})
