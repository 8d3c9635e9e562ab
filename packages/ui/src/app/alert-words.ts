/** The text of a budget alert. */
import { useMemo } from "react"
import { formatMoney } from "../components/money-text.ts"
import { alertText as t } from "../text/alerts.ts"
import { figure } from "../text/catalogue.ts"
import type { BudgetAlert } from "./budget-alerts.ts"

export const useAlertWords = () => {
  return useMemo(() => ({
    /** "80 % of the monthly cap of flights.book is used". */
    limit: ({ level, limit, operation, service }: BudgetAlert): string =>
      limit === "agent_month"
        ? t.agentMonth(level)
        : limit === "operation_month"
        ? t.operationMonth(level, `${service}.${operation}`)
        : t.operationDay(level, `${service}.${operation}`),
    figures: ({ cap_cents = 0, cap_count = 0, limit, used_cents = 0, used_count = 0 }: BudgetAlert): string =>
      limit === "operation_day_count"
        ? t.figures(figure(used_count), figure(cap_count))
        : t.figures(formatMoney(used_cents), formatMoney(cap_cents))
  }), [])
}
