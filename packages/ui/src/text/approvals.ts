import { defineText, plural } from "./catalogue.ts"

/** The inbox, an approval, and what a person decides there. */
export const approvalText = defineText({
  inbox: "Inbox",
  title: (agent: string, operation: string) => `${agent}: ${operation}`,
  list: "Approvals",
  detail: "Approval",
  filters: { kind: "Kind", agent: "Agent", operation: "Operation" },
  kinds: { approval: "Approvals", agent_request: "Agent requests", budget_request: "Budget requests" },
  orders: {
    newest: "Newest first",
    oldest: "Oldest first",
    dearest: "Highest amount first",
    cheapest: "Lowest amount first"
  },
  tabs: { label: "Which approvals", waiting: "Pending", decided: "Decided" },
  search: "Search agent, operation, payload, seal",
  workspace: "Workspace",
  allWorkspaces: "All workspaces",
  waiting: (count: number) => plural(count, { one: "# pending", other: "# pending" }),
  atLeast: (count: number) => plural(count, { one: "More than # pending", other: "More than # pending" }),
  sum: (waiting: string, sum: string) => `${waiting}, ${sum}`,
  newer: (count: number) => plural(count, { one: "# new", other: "# new" }),
  arrived: (count: number) =>
    plural(count, { one: "# new request requires approval.", other: "# new requests require approval." }),
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
    pending: "pending",
    approved: "approved",
    rejected: "rejected",
    expired: "expired",
    cancelled: "cancelled",
    blocked: "blocked",
    failed: "failed",
    running: "running",
    unknown: "unknown"
  },
  testMode: "test",
  testHint: "A test key asked. No provider is called and no money moves.",
  asking: "Sending…",

  rowDecided: {
    approved: (name: string) => `Countersigned by ${name}`,
    blocked: (why: string) => `Blocked after approval: ${why}`,
    failed: "Failed after approval",
    running: (name: string) => `Running, countersigned by ${name}`,
    rejected: (name: string) => `Rejected by ${name}`,
    expired: "No person decided in time",
    cancelled: "Taken back by the agent"
  },
  someone: "someone",

  none: {
    pick: "Nothing is open",
    pickHow: "Pick a row, or walk through them with the keys.",
    keys: {
      next: "Next and before",
      approve: "Approve the open request",
      reject: "Reject, with a word why",
      edit: "Edit as a new request",
      select: "Select for a batch",
      batch: "Decide the selected requests"
    }
  },
  empty: {
    waiting: "No pending approvals.",
    today: (requests: number, sum: string, workspace: string) =>
      plural(requests, {
        one: `Today # request was executed in ${workspace}, for ${sum}.`,
        other: `Today # requests were executed in ${workspace}, for ${sum}.`
      }),
    todayNone: (workspace: string) => `Nothing was executed in ${workspace} today.`,
    asked: (names: string) => `Approvers here: ${names}.`,
    askedMore: (names: string, more: number) =>
      plural(more, { one: `Approvers here: ${names} and # more.`, other: `Approvers here: ${names} and # more.` }),
    names: (all: string, last: string) => `${all} and ${last}`,
    test: "Send a test request",
    decided: "Nothing has been decided yet.",
    match: "No approvals match these filters.",
    clear: "Clear filters"
  },

  sentence: {
    wants: "{agent} wants to call {operation}",
    wanted: "{agent} wanted to call {operation}",
    inWorkspace: (workspace: string) => `in ${workspace}`
  },
  /** A device command that requires approval. */
  step: {
    wants: "A workflow run of {agent} asks: {operation}",
    wanted: "A workflow run of {agent} asked: {operation}",
    why: (label: string) => `Step ${label} of a workflow`,
    free: "Approval debits nothing: the run continues.",
    approve: "Approve",
    approved: (name: string) => `Approved. Countersigned by ${name}.`,
    unchanged: "The approval and the run are still pending.",
    continued: "The run continues.",
    rejected: "The step failed.",
    open: "Open the run"
  },
  command: {
    wants: "{agent} wants to run {operation} on {device}",
    wanted: "{agent} wanted to run {operation} on {device}",
    line: (device: string, line: string) => `${device}: ${line}`,
    free: "Nothing is debited. The device owner's rules require approval.",
    approve: "Approve and run",
    commentHint: "Comment, kept with the decision",
    noneBefore: "None of this tool before.",
    why: "Reason",
    noWhy: "No reason was given.",
    plan: "Command to run",
    approved: (name: string) => `Approved. Countersigned by ${name}.`,
    unchanged: "It is still pending, and nothing runs.",
    rejected: "Nothing was run.",
    expired: "No person decided until {time}. Nothing was run.",
    cancelled: "It was canceled. Nothing was run.",
    open: "Open the command"
  },
  threshold: {
    above: (over: string, threshold: string) =>
      `${over} above the threshold of ${threshold}. Above it a person decides.`,
    rule: (threshold: string) => `Not above the threshold of ${threshold}: a rule asks for a person.`,
    both: (over: string, threshold: string) =>
      `${over} above the threshold of ${threshold}, and a rule asks for a person.`
  },
  reasons: { threshold: (threshold: string) => `Costs more than ${threshold}`, rule: "A rule asks for a person" },
  reason: "Reason for approval",
  requested: "Asked {time}",
  ceiling: "At most this much is debited.",
  ownLink: "Open as its own page",
  expiresAt: "Until {time}",

  payload: "Request payload",
  previousNote: "Compared with the approval {time}",
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
    notComparable: "can't be compared",
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
    firstTime: (agent: string, operation: string) =>
      `First time: nothing of ${agent} for ${operation} was decided before.`,
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
        one: `1 value differs from the last approval: ${names}`,
        other: `# values differ from the last approval: ${names}`
      }),
    differsMore: (count: number, names: string) => `${count} values differ from the last approval: ${names}, …`,
    show: "Show the difference",
    dearer: (times: string, median: string) => `${times} times the usual: the median of 30 days is ${median}.`
  },

  limits: {
    title: "After this one",
    titleNow: "Limits now",
    operationMonth: (operation: string) => `${operation}, this month (UTC)`,
    operationDay: (operation: string) => `${operation}, today (UTC)`,
    agentMonth: (agent: string) => `${agent}, this month (UTC)`,
    wallet: "Wallet",
    left: (sum: string) => `${sum} left after this`,
    over: (sum: string) => `${sum} over the cap with this`,
    short: (sum: string) => `${sum} more than the wallet has`,
    leftNow: (sum: string) => `${sum} left`,
    overNow: (sum: string) => `${sum} over the cap`,
    leftCount: (count: number) => plural(count, { one: "# left after this", other: "# left after this" }),
    leftCountNow: (count: number) => plural(count, { one: "# left", other: "# left" }),
    overCount: (count: number) =>
      plural(count, { one: "# more than today's limit", other: "# more than today's limit" }),
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
    title: "Approvers",
    of: (given: number, required: number) => `${given} of ${required} approvals given`,
    needs: (required: number) =>
      plural(required, { one: "One approval is needed.", other: "# different people have to approve." }),
    you: "you",
    may: "may approve",
    mayNot: "can't approve this one",
    approved: "has approved",
    rejected: "has rejected",
    more: (count: number) => plural(count, { one: "# more", other: "# more" }),
    none: "No person in this workspace."
  },

  foot: {
    label: "Decide",
    comment: "Comment",
    commentHint: "Comment, which the agent can read",
    whyHint: "Why not? Enter rejects, Esc goes back",
    reject: "Reject",
    approve: (sum: string) => `Approve ${sum}`,
    again: (sum: string) => `Confirm ${sum}`,
    askingHub: "Sending…",
    againHint: (limit: string) => `You require a second confirmation above ${limit}.`,
    notYet: "Shortcuts work once this has been visible for half a second.",
    holdKey: (keys: string) => `Hold ${keys} to approve.`,
    bareEnter: (keys: string) => `Enter alone doesn't approve. Press ${keys}.`,
    approving: (sum: string, operation: string) => `Approving ${sum}: ${operation}.`,
    rejecting: (sum: string, operation: string) => `Rejecting ${sum}: ${operation}.`,
    scroll: "Scroll to the end of the payload to approve.",
    scrollPlan: "Scroll to the end of the plan to approve.",
    password: "Asks for your password: it is above this workspace's limit.",
    offline: "Not connected. Decisions are off until the hub answers.",
    over: "Expired. Checking the final status…",
    failedApprove: "The request wasn't approved.",
    failedReject: "The request wasn't rejected.",
    unchanged: "It is still pending, and no money was transferred."
  },
  denied: {
    separation_of_duties:
      "This workspace separates duties: the agent is yours, or you created this request by editing. You can reject it.",
    separationOthers: (names: string) => `May approve: ${names}.`,
    already_approved: "You have approved it. Another person must approve it too.",
    forbidden: "You may look at this, and others decide it.",
    approval_not_pending: "It is already decided.",
    other: "You can't approve this one."
  },
  late: {
    approved: (name: string) => `${name} was first, and approved it. Your decision changed nothing.`,
    rejected: (name: string) => `${name} was first, and rejected it. Your decision changed nothing.`,
    expired: "It expired before your decision came. Nothing was executed.",
    cancelled: "The agent canceled it before your decision. Nothing was executed.",
    digest: "This is not the action that you looked at any more. It was read again: look, then decide.",
    voice: "You have already approved this."
  },
  signature: {
    asks: "asked",
    awaits: "your signature",
    awaitsOther: "a signature",
    countersigned: (name: string) => `Countersigned by ${name}`,
    rejected: (name: string) => `Rejected by ${name}`,
    expired: "Expired unsigned",
    cancelled: "Canceled unsigned",
    lapsed: "No longer counts",
    label: "Signatures"
  },
  spoken: {
    approved: (sum: string, name: string) => `Approved ${sum}. Countersigned by ${name}.`,
    rejected: (name: string) => `Rejected by ${name}.`,
    expired: "Expired. Nothing was executed.",
    cancelled: "Canceled by the agent.",
    fiveMinutes: "Five minutes left to decide.",
    oneMinute: "One minute left to decide.",
    voice: (given: number, required: number) => `${given} of ${required} approvals given.`
  },
  outcome: {
    title: "Outcome",
    running: "Approved, and in progress at the provider.",
    waiting: "The hub is checking it again.",
    executed: "Executed, {sum} debited.",
    executedTest: "Executed as a test. Nothing was debited.",
    failed: "Approved, and then it failed: {why}. {sum} debited.",
    blocked: "Approved, and then blocked: {why}. Nothing was executed, no money moved.",
    rejected: "Nothing was executed, no money moved.",
    expired:
      "No person decided until {time}. Nothing was executed, no money moved. The agent can send the request again.",
    cancelled: "The agent canceled it. Nothing was executed, no money moved.",
    replaced: "It was edited into a new request.",
    replacedOpen: "Open the new one",
    request: "Open the request",
    unknown: "The outcome can't be read.",
    comment: (name: string) => `${name} wrote`,
    reasons: {
      policy_violation: "a rule or its bindings forbid it",
      provider_refused: "the provider refused it by its own rules",
      spending_frozen: "spending is frozen",
      daily_limit_exceeded: "today's limit is used up",
      monthly_budget_exceeded: "the operation's monthly cap is used up",
      agent_budget_exceeded: "the agent's monthly cap is used up",
      insufficient_balance: "the wallet has too little",
      approval_stale: "its price rose above the approved amount",
      approval_rejected: "it was rejected",
      approval_expired: "it expired",
      approval_cancelled: "it was canceled",
      agent_disabled: "the agent is paused",
      invalid_request: "it no longer matches the operation"
    }
  },

  edit: {
    act: "Edit",
    title: "Edit as a new request",
    what: (agent: string) =>
      `The pending request is rejected, and this one is created for ${agent} instead. ` +
      "It passes every check again and isn't approved automatically.",
    views: "How to edit",
    fields: "Fields",
    json: "JSON",
    diff: "Difference",
    hidden: "hidden, kept as it is",
    inJson: "Edit it as JSON",
    yes: "true",
    no: "false",
    notJson: (why: string) => `This isn't valid JSON: ${why}`,
    notObject: "A payload is an object: { … }",
    notNumber: "A number",
    same: "Nothing is changed yet.",
    submit: "Reject and create new request",
    failed: "The new request wasn't created.",
    unchanged: "The old request is still pending.",
    done: "New request created.",
    doneWaiting: "New request created. It requires approval."
  },

  batch: {
    bar: (count: number, sum: string) => plural(count, { one: `# selected, ${sum}`, other: `# selected, ${sum}` }),
    open: "Decide",
    clear: "Clear",
    title: (count: number) => plural(count, { one: "Decide # approval", other: "Decide # approvals" })
  },

  remember: { title: "Approve similar requests from now on" },

  secondPress: {
    open: "Confirmation",
    title: "Confirmation",
    what: "These settings apply to you, in this browser.",
    limit: "Require a second confirmation above",
    invalid: "Enter an amount such as 50.00, or leave this empty",
    off: "Never require a second confirmation",
    advance: "Open the next approval",
    advanceWhat:
      "After a decision by keyboard, the next pending approval opens. One that was blocked or failed stays open.",
    undo: "Undo window",
    undoWhat: "Wait 5 seconds before a decision is sent, so that you can undo it. Money that moved can't be moved back."
  }
})
