import { defineText, plural } from "./catalogue.ts"

/** The inbox, an approval, and what a person decides there. */
export const approvalText = defineText({
  inbox: "Inbox",
  title: (agent: string, operation: string) => `${agent}: ${operation}`,
  list: "Approvals",
  detail: "Approval",
  tabs: { label: "Which approvals", waiting: "Waiting", decided: "Decided" },
  search: "Search agent, operation, reason",
  workspace: "Workspace",
  allWorkspaces: "All workspaces",
  waiting: (count: number) => plural(count, { one: "# waits", other: "# wait" }),
  atLeast: (count: number) => plural(count, { one: "More than # waits", other: "More than # wait" }),
  sum: (waiting: string, sum: string) => `${waiting}, ${sum}`,
  newer: (count: number) => plural(count, { one: "# new", other: "# new" }),
  arrived: (count: number) =>
    plural(count, { one: "# new request waits for a person.", other: "# new requests wait for a person." }),
  clearDecided: (count: number) => plural(count, { one: "Clear # decided", other: "Clear # decided" }),
  select: "Select",
  selectEnd: "End selecting",
  more: "Show more",
  urgent: "Expires within the hour",
  later: "Later",
  fold: (count: number, operation: string) => `${count} × ${operation}`,
  foldSum: (sum: string) => `${sum} in all`,
  foldReason: (reason: string) => `Each: ${reason}`,
  foldClose: "Fold",
  foldSelect: "Select all",
  selectRow: (agent: string, operation: string, sum: string) => `Select ${agent}, ${operation}, ${sum}`,
  seal: "Seal",
  left: {
    over: "expired",
    seconds: (n: number) => `${n} s left`,
    minutes: (n: number) => `${n} min left`,
    hours: (n: number) => `${n} h left`,
    days: (n: number) => plural(n, { one: "# day left", other: "# days left" })
  },
  status: {
    pending: "waiting",
    approved: "approved",
    rejected: "rejected",
    expired: "expired",
    cancelled: "cancelled",
    unknown: "unknown"
  },
  testMode: "test",
  testHint: "A test key asked. No provider is called and no money moves.",
  asking: "Asking the hub…",

  rowDecided: {
    approved: (name: string) => `Countersigned by ${name}`,
    rejected: (name: string) => `Rejected by ${name}`,
    expired: "Nobody decided in time",
    cancelled: "Taken back by the agent"
  },
  someone: "someone",

  none: {
    pick: "Nothing is open",
    pickHow: "Pick a row, or walk through them with the keys.",
    keys: {
      next: "Next and before",
      approve: "Approve what is open",
      reject: "Reject, with a word why",
      edit: "Edit as a new request",
      select: "Select for a batch",
      batch: "Decide what is selected"
    }
  },
  empty: {
    waiting: "Nothing waits for you.",
    today: (requests: number, sum: string, workspace: string) =>
      plural(requests, {
        one: `Today # request was executed in ${workspace}, for ${sum}.`,
        other: `Today # requests were executed in ${workspace}, for ${sum}.`
      }),
    todayNone: (workspace: string) => `Nothing was executed in ${workspace} today.`,
    asked: (names: string) => `Who is asked here: ${names}.`,
    askedMore: (names: string, more: number) =>
      plural(more, { one: `Who is asked here: ${names} and # more.`, other: `Who is asked here: ${names} and # more.` }),
    names: (all: string, last: string) => `${all} and ${last}`,
    test: "Send a test request",
    decided: "Nothing has been decided yet.",
    match: "None of those listed fits this search.",
    clear: "Clear the search"
  },

  sentence: {
    wants: "{agent} wants to call {operation}",
    wanted: "{agent} wanted to call {operation}",
    inWorkspace: (workspace: string) => `in ${workspace}`
  },
  /** Of a device that asks before it does what it was told to. */
  command: {
    wants: "{agent} wants to run {operation} on {device}",
    wanted: "{agent} wanted to run {operation} on {device}",
    line: (device: string, line: string) => `${device}: ${line}`,
    free: "Nothing is debited. The rules of the device's owner want a person asked.",
    approve: "Approve and run",
    commentHint: "Comment, kept with the decision",
    noneBefore: "None of this tool before.",
    why: "Why it is wanted",
    noWhy: "No reason was given.",
    plan: "As it will run",
    approved: (name: string) => `Approved. Countersigned by ${name}.`,
    unchanged: "It still waits, and nothing runs.",
    rejected: "Nothing was run.",
    expired: "Nobody decided until {time}. Nothing was run.",
    cancelled: "It was taken back. Nothing was run.",
    open: "Open the command"
  },
  threshold: {
    above: (over: string, threshold: string) => `${over} above the threshold of ${threshold}. Above it a person decides.`,
    rule: (threshold: string) => `Not above the threshold of ${threshold}: a rule asks for a person.`,
    both: (over: string, threshold: string) => `${over} above the threshold of ${threshold}, and a rule asks for a person.`
  },
  reasons: { threshold: (threshold: string) => `Costs more than ${threshold}`, rule: "A rule asks for a person" },
  reason: "Why it waits",
  requested: "Asked {time}",
  ceiling: "At most this much is debited.",
  ownLink: "Open as its own page",
  expiresAt: "Until {time}",

  payload: "What is to be done",
  noPayload: "There is no payload.",
  previousNote: "Against what was approved {time}",
  payloadView: {
    label: "Payload",
    form: "Form",
    json: "JSON",
    diff: "Difference",
    masked: "hidden",
    undescribed: "not in the schema",
    empty: "empty",
    items: (count: number) => plural(count, { one: "# item", other: "# items" }),
    search: "Search the payload",
    matches: (count: number) => plural(count, { one: "# match", other: "# matches" }),
    fold: "Fold",
    unfold: "Unfold",
    more: (left: number) => plural(left, { one: "Show more, # line left", other: "Show more, # lines left" }),
    copyJson: { copy: "Copy JSON", copied: "Copied", refused: "The browser did not copy it" },
    same: "Nothing differs from the last one that was approved.",
    added: "added",
    removed: "removed",
    changed: "changed",
    notComparable: "whether it changed cannot be told",
    unchangedCount: (count: number) => plural(count, { one: "# the same: show it", other: "# the same: show them" })
  },
  hidden: {
    bidi: "This character reorders the text",
    control: "This is a control character",
    invisible: "This character is not seen",
    unknown: "This character has no known form",
    lookalike: (like: string) => `This character looks like ${like}`
  },

  marks: {
    firstTime: (agent: string, operation: string) => `First time: nothing of ${agent} for ${operation} was decided before.`,
    neverApproved: (agent: string, operation: string) => `Never approved yet: ${operation} of ${agent}.`,
    sameAgain: (times: number) =>
      plural(times, {
        one: "This same action was approved once before, {time}.",
        other: "This same action was approved # times before, last {time}."
      }),
    sameAgainSomeTime: (times: number) =>
      plural(times, {
        one: "This same action was approved once before.",
        other: "This same action was approved # times before."
      }),
    differs: (count: number, names: string) =>
      plural(count, {
        one: `1 value is not what was approved last: ${names}`,
        other: `# values are not what was approved last: ${names}`
      }),
    differsMore: (count: number, names: string) => `${count} values are not what was approved last: ${names}, …`,
    show: "Show the difference",
    dearer: (times: string, median: string) => `${times} times the usual: the median of 30 days is ${median}.`
  },

  limits: {
    title: "After this one",
    titleNow: "Limits now",
    operationMonth: (operation: string) => `${operation}, this month`,
    operationDay: (operation: string) => `${operation}, today`,
    agentMonth: (agent: string) => `${agent}, this month`,
    wallet: "Wallet",
    left: (sum: string) => `${sum} left after this`,
    over: (sum: string) => `${sum} over the cap with this`,
    short: (sum: string) => `${sum} more than the wallet has`,
    leftNow: (sum: string) => `${sum} left`,
    overNow: (sum: string) => `${sum} over the cap`,
    leftCount: (count: number) => plural(count, { one: "# left after this", other: "# left after this" }),
    leftCountNow: (count: number) => plural(count, { one: "# left", other: "# left" }),
    overCount: (count: number) => plural(count, { one: "# more than today's limit", other: "# more than today's limit" }),
    count: (count: number) => plural(count, { one: "# a day", other: "# a day" }),
    none: "no limit",
    value: (spent: string, held: string, current: string, cap: string) =>
      `${spent} spent, ${held} held, ${current} for this one, of ${cap}`,
    valueNow: (spent: string, held: string, cap: string) => `${spent} spent, ${held} held, of ${cap}`,
    countValue: (used: number, cap: number) => `${used} used, one for this, of ${cap}`,
    countValueNow: (used: number, cap: number) => `${used} used of ${cap}`,
    wouldBlock: "At today's figures it would be blocked after an approval."
  },

  past: {
    title: "Last decisions",
    none: "None on this agent and operation before.",
    of: (count: number, approved: number, rejected: number) =>
      `30 days: ${count} asked, ${approved} approved, ${rejected} rejected`,
    same: "same action",
    approved: "approved",
    rejected: "rejected"
  },
  people: {
    title: "Who may decide",
    of: (given: number, required: number) => `${given} of ${required} approvals given`,
    needs: (required: number) =>
      plural(required, { one: "One approval is needed.", other: "# different people have to approve." }),
    you: "you",
    may: "may approve",
    mayNot: "may not approve this one",
    approved: "has approved",
    more: (count: number) => plural(count, { one: "# more", other: "# more" }),
    none: "Nobody in this workspace may."
  },

  foot: {
    label: "Decide",
    comment: "Comment",
    commentHint: "Comment, which the agent can read",
    whyHint: "Why not? Enter rejects, Esc goes back",
    reject: "Reject",
    approve: (sum: string) => `Approve ${sum}`,
    again: (sum: string) => `Once more: ${sum}`,
    askingHub: "Asking the hub…",
    againHint: (limit: string) => `You asked for a second press above ${limit}.`,
    notYet: "Keys act when this has been on screen for half a second, and settles.",
    pressKey: (keys: string) => `Enter alone approves nothing. Press ${keys}.`,
    password: "Asks for your password: it is above this workspace's limit.",
    offline: "Not connected. Decisions are off until the hub answers.",
    over: "Its time is over. The hub is asked what became of it.",
    failedApprove: "It was not approved.",
    failedReject: "It was not rejected.",
    unchanged: "It still waits, and no money moved."
  },
  denied: {
    separation_of_duties:
      "This workspace keeps asking and deciding apart: the agent is yours, or you filed this by an edit. You may reject it.",
    separationOthers: (names: string) => `May approve: ${names}.`,
    already_approved: "You have approved it. It waits for another person.",
    forbidden: "You may look at this, and others decide it.",
    approval_not_pending: "It is decided already.",
    other: "You may not approve this one."
  },
  late: {
    approved: (name: string) => `${name} was first, and approved it. Your decision changed nothing.`,
    rejected: (name: string) => `${name} was first, and rejected it. Your decision changed nothing.`,
    expired: "It expired before your decision came. Nothing was executed.",
    cancelled: "The agent took it back before your decision came. Nothing was executed.",
    digest: "This is not the action that you looked at any more. It was read again: look, then decide.",
    voice: "Your approval was counted before."
  },
  signature: {
    asks: "asked",
    awaits: "your signature",
    awaitsOther: "a signature",
    countersigned: (name: string) => `Countersigned by ${name}`,
    rejected: (name: string) => `Rejected by ${name}`,
    expired: "Expired unsigned",
    cancelled: "Taken back unsigned",
    label: "Signatures"
  },
  spoken: {
    approved: (sum: string, name: string) => `Approved ${sum}. Countersigned by ${name}.`,
    rejected: (name: string) => `Rejected by ${name}.`,
    expired: "Expired. Nothing was executed.",
    cancelled: "Taken back by the agent.",
    fiveMinutes: "Five minutes left to decide.",
    oneMinute: "One minute left to decide.",
    voice: (given: number, required: number) => `${given} of ${required} approvals given.`
  },
  outcome: {
    title: "What came of it",
    running: "Approved, and under way at the provider.",
    waiting: "The hub checks it once more.",
    executed: "Executed, {sum} debited.",
    executedTest: "Executed as a test. Nothing was debited.",
    failed: "Approved, and then it failed: {why}. {sum} debited.",
    blocked: "Approved, and then blocked: {why}. Nothing was executed, no money moved.",
    rejected: "Nothing was executed, no money moved.",
    expired: "Nobody decided until {time}. Nothing was executed, no money moved. The agent may ask again.",
    cancelled: "The agent took it back. Nothing was executed, no money moved.",
    replaced: "It was edited into a new request.",
    replacedOpen: "Open the new one",
    request: "Open the request",
    unknown: "What came of it cannot be read.",
    comment: (name: string) => `${name} wrote`,
    reasons: {
      policy_violation: "a rule or its bindings forbid it",
      spending_frozen: "spending is frozen",
      daily_limit_exceeded: "today's limit is used up",
      monthly_budget_exceeded: "the operation's monthly cap is used up",
      agent_budget_exceeded: "the agent's monthly cap is used up",
      insufficient_balance: "the wallet has too little",
      approval_stale: "its price rose above what was approved",
      approval_rejected: "it was rejected",
      approval_expired: "it expired",
      approval_cancelled: "it was taken back",
      agent_disabled: "the agent is paused",
      invalid_request: "it does not fit the operation any more"
    }
  },

  edit: {
    act: "Edit",
    title: "Edit as a new request",
    what: (agent: string) =>
      `The one that waits is rejected, and this is filed for ${agent} in its place. ` +
      "It goes through every check again, and approves nothing by itself.",
    views: "How to edit",
    fields: "Fields",
    json: "JSON",
    diff: "Difference",
    hidden: "hidden, kept as it is",
    inJson: "Edit it as JSON",
    yes: "true",
    no: "false",
    notJson: (why: string) => `This is no JSON: ${why}`,
    notObject: "A payload is an object: { … }",
    notNumber: "A number",
    same: "Nothing is changed yet.",
    submit: "Reject and file the new one",
    failed: "Nothing was filed.",
    unchanged: "The old one still waits.",
    done: "The new request is filed.",
    doneWaiting: "The new request waits for a person."
  },

  batch: {
    bar: (count: number, sum: string) => plural(count, { one: `# selected, ${sum}`, other: `# selected, ${sum}` }),
    open: "Decide",
    clear: "Clear",
    title: (count: number) => plural(count, { one: "Decide # approval", other: "Decide # approvals" }),
    what: "Each is decided for itself: one that fails stops no other.",
    total: "Total",
    approve: (count: number, sum: string) => plural(count, { one: `Approve ${sum}`, other: `Approve # for ${sum}` }),
    reject: (count: number) => plural(count, { one: "Reject", other: "Reject #" }),
    columns: { what: "Approval", cost: "At most", result: "Result" },
    state: {
      waiting: "waits",
      asking: "asked",
      approved: "approved",
      rejected: "rejected",
      expired: "expired",
      cancelled: "cancelled",
      added: "your approval counts"
    },
    summary: (done: number, failed: number) => failed === 0
      ? plural(done, { one: "# decided.", other: "All # decided." })
      : plural(failed, { one: `${done} decided, # not.`, other: `${done} decided, # not.` }),
    decidedBy: (status: string, name: string) => `${status} by ${name} before`,
    failed: "Some have no answer.",
    unchanged: "Those that show no result still wait.",
    cannot: "you may not",
    leftOut: (count: number) =>
      plural(count, {
        one: "# of them is left out: it waits no more, or is not yours to decide.",
        other: "# of them are left out: they wait no more, or are not yours to decide."
      }),
    done: "Done"
  },

  remember: {
    act: "Remember",
    title: "Approve, and let the like of it pass",
    what: (agent: string, operation: string) =>
      `From now on, requests of ${agent} for ${operation} within these limits are executed without asking a person. ` +
      "Every other limit holds as before.",
    each: "Each at most",
    invalid: "An amount such as 42.00",
    by: "In all",
    byUses: "a number of requests",
    byTotal: "a sum",
    uses: "Requests",
    usesInvalid: "A whole number from 1 to 1,000,000",
    total: "Sum",
    until: "Ends",
    lives: { day: "after 24 hours", week: "after 7 days", month: "after 30 days", quarter: "after 90 days" },
    preview: (covered: number, checked: number) =>
      plural(checked, {
        one: `Would have covered ${covered} of the last # request.`,
        other: `Would have covered ${covered} of the last # requests.`
      }),
    previewNone: "There is no earlier request to try it on.",
    previewCost: (sum: string) => `${sum} in all.`,
    previewFailed: "What it would have covered could not be read.",
    previewList: "The last requests, newest first",
    covered: "covered",
    notCovered: "asked",
    byRule:
      "A rule asked for this one. A standing approval replaces the threshold only: what a rule wants seen still waits.",
    notQuorum: "It needs several people, so it cannot be remembered.",
    submit: (sum: string) => `Approve ${sum} and remember`,
    needed: "Fill in both limits.",
    failed: "It was not approved, and nothing is remembered.",
    done: "Approved. The like of it passes from now on."
  },

  secondPress: {
    open: "Second press",
    title: "Ask me twice",
    what: "Above this amount Approve has to be pressed a second time. It is kept in this browser, for you alone.",
    limit: "Above",
    invalid: "An amount such as 50.00, or nothing",
    off: "Never ask twice"
  }
})

/** Standing approvals. */
export const standingText = defineText({
  title: "Standing approvals",
  lead: "Each lets requests of one agent and operation pass without a person, within its limits.",
  columns: {
    what: "Agent and operation",
    each: "Each at most",
    used: "Used",
    of: "Of",
    last: "Last used",
    made: "Made by",
    ends: "Ends",
    act: "Withdraw"
  },
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
  empty: "Nothing passes unseen.",
  emptyHow: "A standing approval is made where a request is approved: press s there.",
  noMatch: "None of those listed fits.",
  clear: "Clear filters",
  toInbox: "Open the inbox",
  withdraw: "Withdraw",
  withdrawTitle: (agent: string, operation: string) => `Withdraw the standing approval of ${agent} for ${operation}?`,
  withdrawWhat: "From the hub's answer on, such requests wait for a person again. What was executed stays.",
  withdrawn: (operation: string) => `Requests for ${operation} wait for a person again.`,
  failed: "It was not withdrawn.",
  unchanged: "It still lets requests pass.",
  withdrawAll: "Withdraw all",
  withdrawAllTitle: "Withdraw all standing approvals?",
  withdrawAllWhat: "From the hub's answers on, every request above its threshold waits for a person again.",
  withdrawAllDone: (count: number) => plural(count, { one: "# withdrawn.", other: "# withdrawn." }),
  withdrawAllPartly: (done: number) =>
    plural(done, { one: "# was withdrawn, the rest was not.", other: "# were withdrawn, the rest were not." }),
  unchangedRest: "Those that are listed still let requests pass.",
  withdrawing: "Withdrawing…",
  forbidden: "Who decides approvals may withdraw these.",
  unknownAgent: "an agent that is gone"
})
