import { defineText, plural } from "./catalogue.ts"

export const alertText = defineText({
  agentMonth: (level: number) => `${level} % of its monthly budget is used`,
  operationMonth: (level: number, operation: string) => `${level} % of the monthly cap of ${operation} is used`,
  operationDay: (level: number, operation: string) => `${level} % of the daily limit of ${operation} is used`,
  figures: (used: string, cap: string) => `${used} of ${cap}`,
  level: {
    agent_month: (level: number) => `${level} % of monthly budget`,
    operation_month: (level: number, operation: string) => `${level} % of cap, ${operation}`,
    operation_day_count: (level: number, operation: string) => `${level} % of daily limit, ${operation}`
  },
  levelHere: {
    agent_month: (level: number) => `${level} % of budget`,
    operation_month: (level: number) => `${level} % of cap`,
    operation_day_count: (level: number) => `${level} % of limit`
  },
  reached: (agent: string, what: string, figures: string) => `${agent}: ${what}, ${figures}.`,
  several: (count: number) =>
    plural(count, { one: "# budget has reached a level.", other: "# budgets have reached a level." }),
  unseen: (count: number) =>
    plural(count, { one: "# budget has reached a level", other: "# budgets have reached a level" }),
  open: "Open",
  openAgents: "Open the agents",
  mark: (what: string, figures: string) => `${what}: ${figures}`,
  passed: "Level reached",
  passedAt: "{level}, {time}"
})
