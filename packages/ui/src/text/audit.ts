import { defineText, plural } from "./catalogue.ts"

export const auditText = defineText({
  title: "Audit",
  columns: { time: "Time", action: "Action", actor: "By", subject: "About", cost: "Cost", outcome: "Outcome" },
  search: "Search the log",
  action: "Action",
  newer: (count: number) => plural(count, { one: "# new entry", other: "# new entries" }),
  show: "Show",
  more: "Older entries",
  empty: "Nothing has happened in this workspace yet.",
  noMatch: "No entry matches these filters.",
  clear: "Clear filters"
})
