/** The period split by service, operation, or agent: the six most expensive and the rest, all on one scale. */
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { ScreenState } from "../app/screen-state.tsx"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { type ChartBy, partsQuery, type UsageScope } from "../hub/queries.ts"
import { dayText } from "../listing/period.ts"
import { Money } from "../patterns/money.tsx"
import { niceMoneyScale, niceScale } from "../patterns/nice-scale.ts"
import { SmallMultiples } from "../patterns/small-multiples.tsx"
import { figure } from "../text/catalogue.ts"
import { usageText as t } from "../text/usage.ts"
import type { Measure } from "./usage-total.tsx"

const colors = [1, 2, 3, 4, 5, 6] as const

export const UsageParts = (
  { by, measure, scope, workspace }: {
    readonly workspace: string
    readonly scope: UsageScope
    readonly by: ChartBy
    readonly measure: Measure
  }
) => {
  const parts = useQuery({ ...partsQuery(workspace, scope, by), placeholderData: keepPreviousData })
  const isCost = measure === "cost"
  const groups = (parts.data?.chart_groups ?? []).map((group, at) => ({
    id: group.key ?? "",
    name: group.key === null ? t.by.rest : group.name === "" ? t.by.gone : group.name,
    figure: isCost ? <Money cents={group.cost_cents} /> : t.requestsFigure(group.requests),
    color: group.key === null ? "other" as const : colors[at] ?? "other" as const,
    days: group.chart.map(({ cost_cents, date, requests }) => ({ date, values: [isCost ? cost_cents : requests] }))
  }))
  const highest = Math.max(0, ...groups.flatMap(({ days }) => days.map(({ values }) => values[0] ?? 0)))
  return (
    <ScreenState query={parts}>
      {groups.length === 0 ? <p className="type-body text-2">{t.records.empty}</p> : (
        <SmallMultiples
          multiples={groups}
          scale={isCost ? niceMoneyScale(highest) : niceScale(highest)}
          valueText={isCost ? formatMoney : figure}
          dateText={(date) => dayText(date, hubClock.now())}
          texts={t.chart}
        />
      )}
    </ScreenState>
  )
}
