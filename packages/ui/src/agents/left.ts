interface Month {
  readonly monthly_budget_cents?: number
  readonly spent_this_month_cents: number
  readonly held_cents: number
  readonly committed_cents: number
}

/** What an agent may still spend or set aside this month; undefined without a cap, below 0 after a lowered cap. */
export const leftOf = (agent: Month): number | undefined =>
  agent.monthly_budget_cents === undefined
    ? undefined
    : agent.monthly_budget_cents - agent.spent_this_month_cents - agent.held_cents - agent.committed_cents
