import { defineText } from "./catalogue.ts"

/** Agent requests and budget requests in the inbox. */
export const inboxRequestText = defineText({
  unknownAgent: "An agent",
  kind: { question: "Question", approval: "Approval request", input: "Input needed", handoff: "Handoff" },
  status: {
    open: "pending",
    answered: "answered",
    dismissed: "dismissed",
    expired: "expired",
    pending: "pending",
    approved: "approved",
    rejected: "rejected",
    withdrawn: "withdrawn",
    unknown: "unknown"
  },
  row: {
    agentBudget: "monthly budget",
    about: (kind: string, body: string) => `${kind}: ${body}`,
    answered: (name: string) => `Answered by ${name}`,
    dismissed: (name: string) => `Dismissed by ${name}`,
    dismissedByHub: "Dismissed with its agent",
    expired: "No person answered in time",
    approved: (name: string) => `Approved by ${name}`,
    rejected: (name: string) => `Rejected by ${name}`,
    withdrawn: "Withdrawn by the requester"
  },
  someone: "someone",
  asked: "Asked {time}",
  requestedBy: (name: string) => `Requested by ${name}.`,
  decidedAt: "{what}, {time}",
  comment: (name: string) => `${name} wrote`,
  foot: {
    label: "Decide",
    comment: "Comment",
    commentHint: "Comment, which the agent can read",
    whyHint: "Why not? Enter sends, Esc goes back",
    sending: "Sending…",
    offline: "Not connected. Decisions are off until the hub answers."
  },

  agent: {
    title: (agent: string, title: string) => `${agent}: ${title}`,
    body: "Message",
    answer: "Answer",
    options: "Choose the answer",
    typed: "Your answer",
    typedHint: "The agent receives this text. Ctrl or Cmd with Enter sends it.",
    optional: "optional",
    given: "Answer",
    noAnswer: "It was answered without text.",
    send: "Answer",
    takeOver: "Take over",
    dismiss: "Dismiss",
    incomplete: "Enter an answer first.",
    incompleteChoice: "Choose an answer first.",
    over: "Expired. Checking the final status…",
    forbidden: "You need permission to decide approvals to answer this.",
    answering: (title: string) => `Answering: ${title}.`,
    dismissing: (title: string) => `Dismissing: ${title}.`,
    failedAnswer: "The answer was not sent.",
    failedDismiss: "The request was not dismissed.",
    unchanged: "The request is still open.",
    late: {
      answered: (name: string) => `${name} was first, and answered it. Your decision changed nothing.`,
      dismissed: (name: string) => `${name} was first, and dismissed it. Your decision changed nothing.`,
      expired: "It expired before your decision. Your decision changed nothing.",
      other: "It is no longer open. Your decision changed nothing."
    },
    spoken: {
      answered: (name: string) => `Answered by ${name}.`,
      dismissed: (name: string) => `Dismissed by ${name}.`,
      expired: "Expired without an answer."
    }
  },

  budget: {
    title: (agent: string, what: string) => `${agent}: ${what}`,
    wants: {
      agentMonth: "{agent} wants a higher monthly budget",
      agentOnce: "{agent} wants more budget for this month",
      operationMonth: "{agent} wants a higher monthly cap of {operation}",
      operationOnce: "{agent} wants a higher cap of {operation} for this month"
    },
    wanted: {
      agentMonth: "{agent} wanted a higher monthly budget",
      agentOnce: "{agent} wanted more budget for one month",
      operationMonth: "{agent} wanted a higher monthly cap of {operation}",
      operationOnce: "{agent} wanted a higher cap of {operation} for one month"
    },
    month: "More in this month and in every later one.",
    once: "More in this UTC month only.",
    approvesCap: "Approving raises the cap. Nothing is debited.",
    requested: (sum: string) => `${sum} was requested.`,
    reason: "Reason",
    caps: "Cap before and after",
    now: "Now",
    after: (sum: string) => `After ${sum} more`,
    left: (sum: string) => `${sum} left`,
    over: (sum: string) => `${sum} over the cap`,
    value: (spent: string, held: string, cap: string) => `${spent} spent, ${held} held, of ${cap}`,
    noCap: "It has no cap now, so a request is never blocked by it.",
    unknownCap: "The cap can't be read.",
    amount: "Amount to approve",
    amountAbout: (sum: string) => `${sum} was requested. You can approve less.`,
    invalid: "Enter an amount such as 42.00",
    tooMuch: (sum: string) => `At most ${sum}, the requested amount`,
    tooLittle: "At least $0.01",
    approve: (sum: string) => `Approve ${sum}`,
    again: (sum: string) => `Confirm ${sum}`,
    reject: "Reject",
    incomplete: "Enter the amount to approve first.",
    againHint: (limit: string) => `You require a second confirmation above ${limit}.`,
    forbidden: "You need permission to change budgets to decide this.",
    approving: (sum: string, agent: string) => `Raising a cap of ${agent} by ${sum}.`,
    rejecting: (sum: string, agent: string) => `Rejecting ${sum} more for ${agent}.`,
    failedApprove: "The budget request was not approved.",
    failedReject: "The budget request was not rejected.",
    unchanged: "It is still pending, and no cap was changed.",
    late: {
      approved: (name: string) => `${name} was first, and approved it. Your decision changed nothing.`,
      rejected: (name: string) => `${name} was first, and rejected it. Your decision changed nothing.`,
      withdrawn: "The requester withdrew it before your decision. Your decision changed nothing."
    },
    outcome: {
      month: (sum: string) => `The monthly cap was raised by ${sum}.`,
      once: (sum: string) => `The cap was raised by ${sum} for the month of the approval.`,
      rejected: "No cap was changed.",
      withdrawn: "The requester withdrew it. No cap was changed."
    },
    spoken: {
      approved: (sum: string, name: string) => `Approved ${sum} by ${name}.`,
      rejected: (name: string) => `Rejected by ${name}.`,
      withdrawn: "Withdrawn by the requester."
    }
  }
})
