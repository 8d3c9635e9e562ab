/** Bars per day. A selection by dragging or with Shift and arrow keys becomes the address's period on release. */
import { useRef, useState } from "react"
import { formatMoney } from "../components/money-text.ts"
import { hubClock } from "../hub/hub-time.ts"
import { dayText } from "../listing/period.ts"
import { DayBars } from "../patterns/day-bars.tsx"
import { niceMoneyScale, niceScale } from "../patterns/nice-scale.ts"
import { figure } from "../text/catalogue.ts"
import { usageText as t } from "../text/usage.ts"
import type { Span } from "./spans.ts"
import type { Measure } from "./usage-total.tsx"

export interface UsageDaysProps {
  readonly days: ReadonlyArray<
    { readonly date: string; readonly cost_cents: number; readonly requests: number; readonly blocked: number }
  >
  readonly measure: Measure
  readonly marked: Span | undefined
  /** `replace`: a step of an ongoing selection. */
  readonly onMark: (marked: Span | undefined, replace: boolean) => void
}

export const UsageDays = ({ days, marked, measure, onMark }: UsageDaysProps) => {
  const [drawn, setDrawn] = useState<Span>()
  const isHeld = useRef(false)
  const isCost = measure === "cost"
  const bars = days.map(({ blocked, cost_cents, date, requests }) => ({
    date,
    values: isCost ? [cost_cents] : [requests, blocked]
  }))
  const highest = Math.max(0, ...bars.map(({ values }) => values.reduce((sum, value) => sum + value, 0)))
  const letGo = () => {
    if (!isHeld.current) return
    isHeld.current = false
    if (drawn !== undefined) onMark(drawn, false)
    setDrawn(undefined)
  }
  const range = drawn ?? marked
  return (
    <div
      onPointerDownCapture={() => {
        isHeld.current = true
      }}
      onPointerUp={letGo}
      onPointerCancel={() => {
        isHeld.current = false
        setDrawn(undefined)
      }}
    >
      <DayBars
        label={isCost ? t.chart.cost : t.chart.requests}
        series={isCost
          ? [{ id: "cost", name: t.measure.cost, color: 1 }]
          : [{ id: "executed", name: t.chart.executed, color: 1 }, {
            id: "blocked",
            name: t.chart.blocked,
            color: 4,
            hatched: true
          }]}
        days={bars}
        scale={isCost ? niceMoneyScale(highest) : niceScale(highest)}
        valueText={isCost ? formatMoney : figure}
        dateText={(date) => dayText(date, hubClock.now())}
        range={range === undefined ? undefined : [range.from, range.to]}
        onRange={(next) => {
          const span = next === undefined ? undefined : { from: next[0], to: next[1] }
          if (isHeld.current && span !== undefined) setDrawn(span)
          else onMark(span, marked !== undefined && span !== undefined)
        }}
        texts={t.chart}
      />
    </div>
  )
}
