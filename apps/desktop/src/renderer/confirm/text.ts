import { defineText, plural } from "@countersign/ui/text/catalogue"

/** Text of the confirmation window. */
export const confirmText = defineText({
  on: (hub: string, url: string) => `On ${hub}, ${url}`,
  call: (who: string, what: string) => `${who} wants to call ${what}`,
  run: (who: string, device: string, what: string) => `${who} wants ${device} to run ${what}`,
  decision: (who: string) => `${who} asks for a decision`,
  many: (count: number) => plural(count, { one: "Approve this # request?", other: "Approve these # requests?" }),
  asked: "What is asked for",
  workspace: "Workspace",
  own: "This request",
  seal: "Seal",
  nothing: "Nothing else is sent with it.",
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
  after: (left: string) => `${left} is left after it.`,
  rememberedEach: (most: string) => `Later requests like it pass unasked, each up to ${most}.`,
  rememberedUses: (most: string, uses: number) =>
    plural(uses, {
      one: `# later request like it passes unasked, up to ${most}.`,
      other: `# later requests like it pass unasked, each up to ${most}.`
    }),
  rememberedTotal: (most: string, total: string) =>
    `Later requests like it pass unasked, each up to ${most}, ${total} in all.`,
  no: "Do not approve",
  yes: "Approve",
  approving: "Approving…",

  raiseTitle: "Raise your limit?",
  removeTitle: "Remove your limit?",
  before: "Limit now",
  then: "Limit then",
  noLimit: "No limit",
  raiseLead:
    "Above the limit, this app asks you once more in a window like this one. A page of the console cannot raise it by itself.",
  keep: "Keep it",
  raise: "Raise it",
  remove: "Remove it",

  wait: "In a moment it can be confirmed.",
  tooSoon: "That was too soon. Nothing was confirmed.",
  broken: "The app did not answer. Nothing was confirmed."
})
