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
    empty: "The wallet has no funds yet: every request with a cost is blocked.",
    below: "The wallet is below zero: a refund or a dispute took back money that was already spent. " +
      "Requests with a cost are blocked until you add funds.",
    unfreeze: "Spending is frozen for the whole workspace. After you add funds, unfreeze it in {settings}.",
    settings: "the workspace's settings"
  },
  split: {
    title: "Where the money is",
    wallet: "Wallet of the workspace",
    pool: "Team pool",
    allocations: (count: number) => plural(count, { one: "Allocation of # person", other: "Allocations of # people" }),
    allocated: "Allocations",
    show: (allocations: string, team: string) => `${allocations} in ${team}`,
    hidden: "Only members of the team see this.",
    total: "Total",
    shown: (shown: number, all: number) => `Total of the wallet and ${figure(shown)} of ${figure(all)} teams`,
    more: "More teams"
  },
  payments: {
    title: "Payments",
    list: "Payments, newest first",
    columns: { time: "Started", status: "Status", detail: "Details", amount: "Amount" },
    statuses: {
      open: "Not paid yet",
      paid: "Paid",
      expired: "Expired",
      failed: "Failed",
      refunded: "Refunded",
      disputed: "Disputed"
    },
    reversed: (amount: string) => `${amount} returned to the payer`,
    continue: "Continue payment",
    copy: { copy: "Copy link", copied: "Copied", refused: "The browser did not copy it" },
    rowMenu: (amount: string) => `Actions for the payment of ${amount}`,
    show: "Show",
    empty: "No payments yet. Payments by card appear here.",
    noMatch: "No payments with this status."
  },
  payment: {
    title: (amount: string) => `Payment of ${amount}`,
    loading: "Payment",
    open: "Stripe has not confirmed this payment yet. When it does, this changes by itself and the wallet is credited.",
    unpaid: "If you have not paid, continue the payment. Otherwise it expires.",
    here: "If no page opens, copy the link into your browser.",
    paid: "The amount is in the wallet.",
    reversed: (amount: string) => `The amount was added to the wallet. ${amount} was returned to the payer since.`,
    expired: "The payment was not made in time. Nothing was charged or added.",
    failed: "The payment failed. Nothing was added to the wallet.",
    refunded: "The whole amount was refunded and taken from the wallet.",
    disputed: "The payer disputed the payment. Its amount was taken from the wallet; a won dispute returns it.",
    gone: "This payment is not in this workspace.",
    close: "Close"
  },
  redeem: {
    title: "Promo code",
    code: "Code",
    act: "Redeem",
    failed: "The code was not redeemed.",
    unchanged: "The wallet is unchanged.",
    needed: "Enter a code.",
    done: (amount: string, available: string) => `${amount} added. ${available} available.`
  },
  codes: {
    title: "Promo codes",
    list: "Promo codes, newest first",
    columns: {
      code: "Code",
      amount: "Amount",
      redemptions: "Redeemed",
      expires: "Expires",
      created: "Created"
    },
    of: (used: number, max: number) => `${figure(used)} of ${figure(max)}`,
    never: "Never",
    about: "Each workspace of this hub can redeem a code once.",
    empty: "No promo codes yet. A code adds its amount to the wallet of each workspace that redeems it.",
    used: "Used up",
    expired: "Expired",
    act: "Create code",
    menu: (code: string) => `Actions for ${code}`,
    remove: "Delete",
    create: {
      title: "Create a promo code",
      code: "Code",
      codeAbout: "Up to 64 letters, digits, dots, dashes, and underscores. Case does not matter.",
      wrongCode: "Use only letters, digits, dots, dashes, and underscores.",
      amount: "Amount",
      amountAbout: "Added to the wallet of each workspace that redeems the code.",
      max: "Maximum redemptions",
      maxAbout: "Number of workspaces. Empty: no limit.",
      wrongMax: "Enter a whole number of at least 1",
      last: "Last day (UTC)",
      lastAbout: "Empty: the code does not expire.",
      past: "Choose a day that is not over.",
      failed: "No code was created.",
      done: (code: string) => `${code} was created`
    },
    deletion: {
      title: (code: string) => `Delete ${code}?`,
      what: "Nobody can redeem it from now on. Redeemed amounts stay in the wallets.",
      act: "Delete code",
      failed: "The code was not deleted.",
      unchanged: "It can still be redeemed.",
      done: (code: string) => `${code} was deleted`
    }
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
    views: "Lists of money",
    pool: (team: string) => `${team} (pool)`,
    allocation: (person: string) => `${person} (allocation)`,
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
      team_budget: "Team pool",
      worker_budget: "Allocation",
      payment: "Payment",
      payment_reversal: "Refund or dispute",
      promo: "Promo code"
    },
    moves: {
      team_budget: { down: "Moved to the team's pool", up: "Returned to the wallet" },
      worker_budget: { down: "Allocated to a person", up: "Returned to the pool" }
    },
    empty: "No transfers yet.",
    noMatch: "No entries of this account.",
    note: "Every transfer has two entries that sum to zero."
  },
  topUp: {
    act: "Add funds",
    title: "Add funds to the wallet",
    what: "This adds funds to the wallet of {workspace}.",
    way: "How",
    ways: { card: "Pay by card", hand: "Add manually" },
    aboutWays: {
      card: "Stripe's page opens. The wallet is credited when Stripe confirms the payment.",
      hand: "No card is charged; the audit log records who did it."
    },
    limits: (min: string, max: string) => `From ${min} to ${max}.`,
    pay: (amount: string) => `Pay ${amount}`,
    payEmpty: "Pay by card",
    notConfigured:
      "To take card payments, set HUB_STRIPE_SECRET_KEY and HUB_STRIPE_WEBHOOK_SECRET on the hub and start it again. " +
      "Or add the funds manually.",
    useCheckout: "This hub takes payments by card, so only an owner adds funds manually. Choose “Pay by card”.",
    notPaid: "No payment was started.",
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
