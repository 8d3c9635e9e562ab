import { defineText, plural } from "./catalogue.ts"

/** Deciding several approvals at once. */
export const batchText = defineText({
  what: "Each is decided separately. One failure does not stop the others.",
  approving: (count: number, sum: string) =>
    plural(count, { one: `Approving ${sum}.`, other: `Approving # for ${sum}.` }),
  rejecting: (count: number, sum: string) =>
    plural(count, { one: `Rejecting ${sum}.`, other: `Rejecting # for ${sum}.` }),
  total: "Total",
  approve: (count: number, sum: string) => plural(count, { one: `Approve ${sum}`, other: `Approve # for ${sum}` }),
  reject: (count: number) => plural(count, { one: "Reject", other: "Reject #" }),
  columns: { what: "Approval", cost: "Maximum cost", result: "Result" },
  checking: "Checking the limits…",
  allFit: "All of these fit the limits.",
  someFit: (fit: number, sum: string, blocked: number) =>
    `${plural(fit, { one: "# request fits", other: "# requests fit" })} the limits, ${sum} in all. ` +
    plural(blocked, { one: "# would be blocked.", other: "# would be blocked." }),
  overLimit: (count: number, sum: string, limit: string) =>
    plural(count, { one: `# request, ${sum}: ${limit}`, other: `# requests, ${sum}: ${limit}` }),
  limits: {
    operationDay: (operation: string) => `daily limit of ${operation}`,
    operationMonth: (operation: string) => `monthly cap of ${operation}`,
    agentMonth: (agent: string) => `monthly cap of ${agent}`,
    wallet: "wallet balance"
  },
  fits: "fits",
  needsMore: "needs another approval",
  willBlock: "will be blocked",
  leftSum: (limit: string, left: string) => `${limit}, ${left} left`,
  leftCount: (limit: string, left: number) => plural(left, { one: `${limit}, # left`, other: `${limit}, # left` }),
  unsent: "not sent, still pending",
  include: (count: number) =>
    plural(count, {
      one: "Approve the one that would be blocked too",
      other: "Approve the # that would be blocked too"
    }),
  includeWhat: "They are checked again when they are sent. A blocked request ends; the agent has to send it again.",
  by: {
    agent: "By agent",
    operation: "By operation",
    subject: "By first field",
    field: (label: string) => `By ${label}`
  },
  times: (count: number) => `${count} ×`,
  moreGroups: (count: number) => plural(count, { one: "and # more", other: "and # more" }),
  state: {
    asking: "Sending…",
    executed: "executed",
    running: "running",
    blocked: "blocked",
    failed: "failed",
    approved: "approved",
    rejected: "rejected",
    expired: "expired",
    cancelled: "cancelled",
    added: "your approval counts"
  },
  ends: (counts: Readonly<Partial<Record<string, number>>>, debited: string) => {
    const parts = [
      ["executed", `executed, ${debited} debited`],
      ["running", "running"],
      ["decided", "decided"],
      ["added", "approved by you so far"],
      ["blocked", "blocked"],
      ["failed", "failed"],
      ["error", "not decided"],
      ["unsent", "not sent"]
    ].flatMap(([end, text]) => counts[end!] === undefined ? [] : [`${counts[end!]} ${text}`])
    return `${parts.join("; ")}.`
  },
  decidedBy: (status: string, name: string) => `${status} by ${name} before`,
  failed: "Some have no answer.",
  unchanged: "Requests without a result are still pending.",
  cannot: "not permitted",
  leftOut: (count: number) =>
    plural(count, {
      one: "# of them is left out: it is no longer pending, or you can't decide it.",
      other: "# of them are left out: they are no longer pending, or you can't decide them."
    }),
  done: "Done"
})
