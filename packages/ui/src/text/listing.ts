import { defineText, figure, plural } from "./catalogue.ts"

/** Words of every long list: its filters, its rows, its ends. */
export const listingText = defineText({
  filters: "Filters",
  fold: (set: number) => (set === 0 ? "Filters" : `Filters (${figure(set)})`),
  remove: (name: string) => `Remove the filter ${name}`,
  chip: (name: string, value: string) => `${name}: ${value}`,
  apply: "Apply",
  any: "Any",
  several: (first: string, more: number) => plural(more, { one: `${first} and # more`, other: `${first} and # more` }),
  rowMenu: "Actions for the row",
  rowMenuOf: (name: string) => `Actions for ${name}`,
  copyId: "Copy id",
  agent: "Agent",
  oneAgent: "One agent",
  fresh: (count: number, isMore: boolean) =>
    isMore ? `${figure(count)}+ new` : plural(count, { one: "# new", other: "# new" }),
  ignored: {
    text: (count: number) =>
      plural(count, {
        one: "Part of this link can't be used here and filters nothing:",
        other: "Parts of this link can't be used here and filter nothing:"
      }),
    act: "Remove from link"
  },
  searching: "Looking further back…",
  period: {
    name: "Period",
    from: "From",
    to: "Until",
    fromDay: (day: string) => `since ${day}`,
    toDay: (day: string) => `until ${day}`,
    days: (from: string, to: string) => `${from} to ${to}`,
    hint: "Whole days in UTC, both included.",
    presets: {
      today: "Today (UTC)",
      week: "Last 7 days",
      month: "This month",
      thirty: "Last 30 days",
      ninety: "Last 90 days"
    },
    wrong: "The first day lies after the last."
  },
  amount: {
    name: "Amount",
    min: "At least",
    max: "At most",
    atLeast: (sum: string) => `at least ${sum}`,
    atMost: (sum: string) => `at most ${sum}`,
    between: (least: string, most: string) => `${least} to ${most}`,
    wrong: "The maximum is below the minimum.",
    invalid: "Enter an amount like 25.00."
  },
  age: {
    name: "Age",
    atLeast: (age: string) => `at least ${age}`,
    atMost: (age: string) => `at most ${age}`,
    between: (least: string, most: string) => `${least} to ${most}`
  },
  clearFilters: "Clear filters",
  none: "–"
})
