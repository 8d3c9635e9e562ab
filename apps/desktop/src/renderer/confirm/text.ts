import { defineText, plural } from "@countersign/ui/text/catalogue"

/** Text of the confirmation window. */
export const confirmText = defineText({
  on: (hub: string, url: string) => `On ${hub}, ${url}`,
  call: (who: string, what: string) => `${who} wants to call ${what}`,
  run: (who: string, device: string, what: string) => `${who} wants ${device} to run ${what}`,
  decision: (who: string) => `${who} requests a decision`,
  many: (count: number) => plural(count, { one: "Approve this # request?", other: "Approve these # requests?" }),
  asked: "Request payload",
  workspace: "Workspace",
  own: "This request",
  seal: "Seal",
  nothing: "The payload is empty.",
  hidden: "Hidden by the hub",
  leftOut: (count: number) =>
    plural(count, { one: "# more character is not shown here.", other: "# more characters are not shown here." }),
  left: {
    over: "expired",
    seconds: (n: number) => `${n} s left`,
    minutes: (n: number) => `${n} min left`,
    hours: (n: number) => `${n} h left`,
    days: (n: number) => plural(n, { one: "# day left", other: "# days left" })
  },
  limit: (limit: string) => `This is above your limit of ${limit} on this computer.`,
  after: (left: string) => `${left} remains after it.`,
  rememberedEach: (most: string) => `Similar requests need no approval later, each up to ${most}.`,
  rememberedUses: (most: string, uses: number) =>
    plural(uses, {
      one: `# similar request needs no approval later, up to ${most}.`,
      other: `# similar requests need no approval later, each up to ${most}.`
    }),
  rememberedTotal: (most: string, total: string) =>
    `Similar requests need no approval later, each up to ${most}, ${total} in total.`,
  no: "Do not approve",
  yes: "Approve",
  approving: "Approving…",

  raiseTitle: "Raise your limit?",
  removeTitle: "Remove your limit?",
  before: "Current limit",
  then: "New limit",
  noLimit: "No limit",
  raiseLead:
    "Above the limit, this app requires a second confirmation in a window like this one. A page of the console can't raise the limit.",
  keep: "Keep limit",
  raise: "Raise limit",
  remove: "Remove limit",

  wait: "You can confirm this in a moment.",
  tooSoon: "That was too soon. Nothing was confirmed.",
  broken: "The app didn't respond. Nothing was confirmed."
})
