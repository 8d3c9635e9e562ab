import { defineText, figure, plural } from "./catalogue.ts"

export const usageText = defineText({
  title: "Usage",
  filters: { agent_id: "Agent", service: "Service", operation: "Operation", mode: "Key" },
  modes: { live: "Live", test: "Test" },
  agentTyped: "Name, or an agent's id",
  operationTyped: "Name of an operation",
  serviceTyped: "Name of a service",
  total: "Spent",
  totalRequests: "Executed",
  requests: (count: number) => plural(count, { one: "# request executed", other: "# requests executed" }),
  requestsFigure: (count: number) => figure(count),
  blocked: (count: number) => plural(count, { one: "# blocked", other: "# blocked" }),
  days: (count: number) => plural(count, { one: "on that day", other: "in # days" }),
  span: (from: string, to: string) => `${from} to ${to}`,
  change: {
    more: (by: string, percent: number, days: number) =>
      plural(days, {
        one: `${by} (${percent} %) more than on the day before`,
        other: `${by} (${percent} %) more than in the # days before`
      }),
    less: (by: string, percent: number, days: number) =>
      plural(days, {
        one: `${by} (${percent} %) less than on the day before`,
        other: `${by} (${percent} %) less than in the # days before`
      }),
    same: (days: number) =>
      plural(days, { one: "as much as on the day before", other: "as much as in the # days before" }),
    first: (days: number) => plural(days, { one: "nothing on the day before", other: "nothing in the # days before" })
  },
  measure: { label: "Measure", cost: "Cost", requests: "Requests" },
  chart: {
    cost: "Cost per day",
    requests: "Requests per day",
    executed: "Executed",
    blocked: "Blocked",
    asTable: "As table",
    asBars: "As bars",
    date: "Day",
    total: "Total",
    usage: "Arrow keys move between days, Shift with arrow keys or dragging selects a period, and Escape clears it."
  },
  by: {
    label: "Group by",
    service: "By service",
    operation: "By operation",
    agent: "By agent",
    rest: "All others",
    gone: "A deleted agent"
  },
  records: {
    title: "Records",
    list: "Executed requests, newest first",
    columns: { time: "Executed", operation: "Operation", agent: "Agent", request: "Request", cost: "Cost" },
    empty: "Nothing was executed in this period.",
    noMatch: "No record matches these filters."
  },
  csv: "Export CSV",
  empty: "No agent has executed anything in the last 30 days."
})
