/** The total, its change in words, and its breakdown. */
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { dayText } from "../listing/period.ts"
import { ChangedValue } from "../patterns/changed-value.tsx"
import { Money } from "../patterns/money.tsx"
import { figure } from "../text/catalogue.ts"
import { usageText as t } from "../text/usage.ts"
import { changeFrom, daysIn, type Span } from "./spans.ts"
import styles from "./usage-screen.module.css"

export type Measure = "cost" | "requests"

interface Sums {
  readonly cost_cents: number
  readonly requests: number
}

export interface UsageTotalProps {
  readonly totals: Sums | undefined
  /** The same number of days before. */
  readonly before: Sums | undefined
  readonly days: ReadonlyArray<{ readonly date: string; readonly blocked: number }>
  readonly span: Span
  readonly measure: Measure
}

export const UsageTotal = ({ before, days, measure, span, totals }: UsageTotalProps) => {
  const now = hubClock.now()
  const member = measure === "cost" ? "cost_cents" : "requests"
  const format = measure === "cost" ? formatMoney : figure
  const count = daysIn(span)
  const change = totals === undefined || before === undefined ? undefined : changeFrom(before[member], totals[member])
  const words = change === undefined
    ? ""
    : change.kind === "more" || change.kind === "less"
    ? t.change[change.kind](format(change.by), change.percent, count)
    : t.change[change.kind](count)
  const blocked = days.filter(({ date }) => date >= span.from && date <= span.to).reduce(
    (sum, day) => sum + day.blocked,
    0
  )
  return (
    <header className="grid gap-2" aria-label={measure === "cost" ? t.total : t.totalRequests} role="group">
      <p className="type-body text-2">
        {span.from === span.to ? dayText(span.from, now) : t.span(dayText(span.from, now), dayText(span.to, now))}
      </p>
      <p className={`flex flex-wrap items-baseline ${styles.figure}`}>
        {totals === undefined
          ? " "
          : (
            <ChangedValue value={totals[member]}>
              {measure === "cost"
                ? <Money cents={totals.cost_cents} size="amount" />
                : <span className={styles.count}>{figure(totals.requests)}</span>}
            </ChangedValue>
          )}
        <span className="type-lead text-2">{words}</span>
      </p>
      <p className="type-body text-2">
        {totals !== undefined && t.requests(totals.requests)}
        {blocked > 0 && ` · ${t.blocked(blocked)}`}
      </p>
    </header>
  )
}
