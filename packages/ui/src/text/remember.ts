import { defineText, figure, plural } from "./catalogue.ts"

/** Approving similar requests from now on. */
export const rememberText = defineText({
  act: "Remember",
  what: (agent: string, operation: string) =>
    `Creates a standing approval: requests of ${agent} for ${operation} within these limits run without approval. ` +
    "Budgets, caps, and policy rules still apply.",
  request: "Payload of this request",
  each: "Maximum per request",
  invalid: "Enter an amount such as 42.00",
  by: "Limit",
  byUses: "Number of requests",
  byTotal: "Total amount",
  uses: "Requests",
  usesInvalid: "Enter a whole number from 1 to 1,000,000",
  total: "Total",
  until: "Expires",
  lives: { day: "after 24 hours", week: "after 7 days", month: "after 30 days", quarter: "after 90 days" },
  when: "Only for payloads that match",
  whenAbout: "CEL over payload. Leave empty to cover every payload.",
  preview: (covered: number, checked: number) =>
    plural(checked, {
      one: `Would have covered ${figure(covered)} of the last # request.`,
      other: `Would have covered ${figure(covered)} of the last # requests.`
    }),
  previewNone: "There are no earlier requests to test it on.",
  previewCost: (sum: string) => `${sum} in all.`,
  previewErrors: (count: number) =>
    plural(count, { one: "The condition failed on # request.", other: "The condition failed on # requests." }),
  previewPartial: "The condition takes long, so only some requests were checked. There may be more.",
  previewFailed: "The preview could not be loaded.",
  previewList: "The last requests, newest first",
  covered: "covered",
  notCovered: "not covered",
  apply: (count: number, sum: string) =>
    plural(count, {
      one: `Also approve the # pending request that matches (${sum})`,
      other: `Also approve the # pending requests that match (${sum})`
    }),
  applyAbout: "Oldest first. Each is checked again and counts toward the limit.",
  byRule:
    "A policy rule requires this approval. A standing approval replaces only the approval threshold, not the rule.",
  submit: (sum: string) => `Approve ${sum} and remember`,
  needed: "Enter both limits.",
  neededCondition: "Complete or correct the condition.",
  failed: "The request was not approved, and no standing approval was created.",
  done: "Approved. Similar requests now run without approval.",
  applied: (done: number, all: number) =>
    plural(all, {
      one: `Approved, and ${figure(done)} of # pending request with it.`,
      other: `Approved, and ${figure(done)} of # pending requests with it.`
    })
})
