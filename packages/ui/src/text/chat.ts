import { defineText, figure, plural } from "./catalogue.ts"

export const chatText = defineText({
  title: "Chat",
  one: "Chat",
  sessions: "Chats, newest first",
  untitled: "New chat",
  search: "Search chats by title",
  noMatch: "No chat's title matches this search.",
  empty:
    "A chat is a conversation with one of your agents. Each of its actions goes through policy, budget, and approval.",
  choose: "Choose a chat, or start a new one.",
  create: "New chat",
  denied: "Your role here can't write in chats.",
  states: {
    queued: "Queued",
    running: "Answering",
    waiting_approval: "Pending approval",
    waiting_local: "Waiting for local tools",
    paused: "Paused"
  },
  ownAgent: "Agent for this chat only",
  test: "Test",
  closed: "Closed",
  spent: (amount: string) => `${amount} spent`,
  newChat: {
    title: "New chat",
    about: "The agent acts in this chat with its own bindings, limits, and approvals.",
    act: "Start chat",
    failed: "The chat was not started.",
    unchanged: "No chat was created.",
    agent: "Agent",
    own: "An agent for this chat only",
    ownAbout: "It can call the model, and nothing else.",
    agentAbout: "It acts with its bindings and its budget.",
    model: "Model",
    standard: "Default of the hub",
    mode: "Mode",
    modes: { live: "Live", test: "Test" },
    modeAbout: {
      live: "Actions are executed and debited.",
      test: "Nothing is executed or debited, and an offline model answers."
    }
  },
  models: {
    trigger: (model: string) => `Model: ${model}`,
    title: "Models",
    search: "Search models",
    list: "Models, favorites first",
    none: "No model matches this search.",
    more: (count: number) => plural(count, { one: "# more model matches", other: "# more models match" }),
    unit: "Prices are for a million tokens.",
    price: (input: string, output: string) => `${input} in, ${output} out`,
    free: "No charge",
    noPrice: "Price depends on the call",
    window: (tokens: string) => `${tokens} context`,
    favorite: (model: string) => `Add ${model} to favorites`,
    unfavorite: (model: string) => `Remove ${model} from favorites`,
    failed: "The model was not changed.",
    favoriteFailed: "The favorite was not changed.",
    unknown: "This model is no longer in the catalog."
  },
  head: {
    about: "About this chat",
    agent: "Agent",
    spent: "Spent here",
    left: "Left to spend",
    limits: {
      agent: "agent's month",
      wallet: "wallet",
      operation: (operation: string) => `${operation}, month`
    },
    noLimit: "no limit",
    testMode: "Test mode: no money moves.",
    rename: "Rename",
    close: "Close chat",
    more: "Actions for this chat"
  },
  rename: {
    title: "Rename chat",
    name: "Title",
    failed: "The chat was not renamed.",
    unchanged: "Nothing was changed."
  },
  closing: {
    title: "Close this chat?",
    about: "It disappears from the list, and its open answer is stopped. Its requests and their costs stay.",
    act: "Close chat",
    failed: "The chat was not closed.",
    unchanged: "Nothing was changed.",
    done: "Chat closed."
  },
  thread: "Messages",
  earlier: "Show earlier messages",
  noMessages: "No message yet. Write one below.",
  roles: { user: "You", assistant: "Agent" },
  by: (agent: string) => agent,
  thinking: "Thinking",
  answering: "Answering…",
  copyMessage: { copy: "Copy message", copied: "Copied", refused: "The browser did not copy it" },
  edit: "Edit",
  retry: "Answer again",
  listen: {
    start: "Read aloud",
    stop: "Stop reading",
    states: { loading: "Preparing speech", playing: "Reading aloud" },
    failed: "The answer was not read aloud."
  },
  branch: (at: number, count: number) => `Branch ${figure(at)} of ${figure(count)}`,
  branchPrevious: "Previous branch",
  branchNext: "Next branch",
  attachment: (key: string, size: string) => `${key}, ${size}`,
  download: "Download the whole text",
  usage: {
    ask: "Show the cost",
    show: "Tokens",
    tokens: (input: number, output: number, cached: number) =>
      cached === 0
        ? `${figure(input)} tokens in, ${figure(output)} out`
        : `${figure(input)} tokens in, of which ${figure(cached)} cached, ${figure(output)} out`
  },
  tool: {
    label: (operation: string) => `Call of ${operation}`,
    model: "Call of the model",
    local: (name: string) => `Local tool ${name}`,
    planned: (amount: string) => `at most ${amount}`,
    payload: "Payload",
    result: "Result",
    sources: "Sources",
    page: (page: number) => `page ${figure(page)}`,
    request: "Request",
    artifact: "Download the whole result",
    statuses: {
      planned: "Planned",
      executing: "Running",
      pending: "Pending approval",
      local: "Runs on a computer",
      executed: "Executed",
      blocked: "Blocked",
      failed: "Failed",
      running: "Running at its provider",
      timed_out: "Timed out",
      cancelled: "Canceled"
    },
    denied: "Denied on the computer",
    reasons: {
      local_error: "Failed on the computer",
      local_timeout: "No computer ran it in time"
    }
  },
  pending: {
    label: "Pending approval",
    comment: "Comment",
    loading: "Reading the approval…",
    unreadable: "Pending approval. Your role here can't read approvals.",
    left: (amount: string) => `${amount} left after this`,
    over: (amount: string) => `${amount} over the limit: it would be blocked`,
    expires: "Expires {time}",
    who: (names: string) => `Can decide: ${names}.`,
    nobody: "Nobody here can decide this now.",
    open: "Open in the inbox",
    decided: {
      approved: (name: string) => `Approved by ${name}.`,
      rejected: (name: string) => `Rejected by ${name}.`,
      expired: "Expired before anyone decided.",
      cancelled: "Withdrawn."
    }
  },
  paused: {
    title: "Paused.",
    no_reader: "Nobody was reading the answer.",
    drain: "The answer's hub restarted.",
    budget: "The next call of the model was blocked, and nothing was debited for it.",
    budgetNext: "Raise the limit or add funds, then continue.",
    resume: "Continue",
    failed: "The answer was not continued.",
    unchanged: "It is still paused.",
    limits: "Open the agent's limits",
    wallet: "Open the wallet",
    policies: "Open the policies"
  },
  waiting: {
    approval: "The answer continues after the pending call.",
    local: "The answer continues once the program that started it sends the results of its local tools.",
    queued: "The hub is busy with other answers. This one starts as soon as there is room."
  },
  localTools: {
    running: "This computer runs the calls by its own rules. It may ask for your consent in its own window.",
    waiting: "The answer continues once a computer has run its local tools.",
    run: "Run on this computer",
    failed: "The local tools were not run."
  },
  ended: {
    cancelled: "Stopped. What was written until then is kept.",
    failed: "The answer failed.",
    context_length_exceeded:
      "The conversation is too long for this model. Choose a model with a larger context, or start a new chat.",
    turn_limit: "The answer reached the maximum number of model calls. Send a message to continue.",
    adapter_error: "The model's provider failed. Try again, or choose another model.",
    agent_disabled: "The agent is paused or disabled. Activate it, then answer again."
  },
  lost: "Not live. Reconnecting…",
  unreadable: "The answer could not be read. Reload the page to try again.",
  composer: {
    label: "Message",
    placeholder: "Write a message",
    hint: "Enter sends, Shift and Enter start a new line.",
    send: "Send",
    sending: "Sending…",
    stop: "Stop",
    stopping: "Stopping…",
    attach: "Attach files",
    attached: "Attached files",
    detach: (name: string) => `Remove ${name}`,
    force: "Require approval for every call",
    forceShort: "Approve every call",
    editing: "You are editing an earlier message. Sending it starts a new branch.",
    cancelEdit: "Cancel editing",
    closed: "This chat is closed. Start a new one to continue.",
    failed: "The message was not sent.",
    retryFailed: "The answer was not started.",
    unchanged: "Your text is kept here.",
    stopFailed: "The answer was not stopped.",
    stopUnchanged: "It continues, and can be stopped again."
  },
  attach: {
    title: "Attach files",
    about: "Files of this workspace's storage. The model sees images, and reads other files as text.",
    prefix: "Key starts with",
    files: "Files",
    none: "No file's key starts with this.",
    act: "Attach",
    max: (count: number) => `A message has at most ${figure(count)} files.`
  }
})
