import { formatMoney } from "@countersign/ui/components/money-text.ts"
import { Panel } from "@countersign/ui/components/panel.tsx"
import { DayBars } from "@countersign/ui/patterns/day-bars.tsx"
import { Money } from "@countersign/ui/patterns/money.tsx"
import { niceMoneyScale } from "@countersign/ui/patterns/nice-scale.ts"
import { SmallMultiples } from "@countersign/ui/patterns/small-multiples.tsx"
import { useState } from "react"
import { days } from "./samples.ts"
import { Section } from "./section.tsx"

const texts = {
  asTable: "As table",
  asBars: "As bars",
  date: "Day",
  total: "Total",
  usage: "Arrow keys walk the days, with Shift they mark a range, Escape lets it go."
}
const dateText = (date: string, size: "axis" | "whole") =>
  new Date(date).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    timeZone: "UTC",
    ...(size === "whole" && { weekday: "short" })
  })
const largest = Math.max(...days.map((day) => day.values.reduce((sum, value) => sum + value, 0)))
const services = ["voice", "search", "mail", "images"]

export const FiguresSection = () => {
  const [range, setRange] = useState<readonly [string, string] | undefined>(["2026-11-03", "2026-11-09"])
  const small = services.map((name, at) => ({
    id: name,
    name,
    days: days.map((day, index) => ({
      date: day.date,
      values: [Math.round((day.values[0] ?? 0) * (index % (at + 2)) / (at + 2))]
    }))
  }))
  const sumOf = (of: ReadonlyArray<{ readonly values: ReadonlyArray<number> }>) =>
    of.reduce((sum, day) => sum + (day.values[0] ?? 0), 0)
  return (
    <Section id="figures" title="Figures">
      <Panel title="Cost per day">
        <DayBars
          label="Cost per day"
          series={[
            { id: "voice", name: "voice", color: 1 },
            { id: "search", name: "search", color: 2 },
            { id: "blocked", name: "blocked", color: 4, hatched: true }
          ]}
          days={days}
          scale={niceMoneyScale(largest)}
          valueText={formatMoney}
          axisText={(cents) => formatMoney(cents).replace(".00", "")}
          dateText={dateText}
          range={range}
          onRange={setRange}
          texts={texts}
        />
      </Panel>
      <Panel title="By service">
        <SmallMultiples
          multiples={small.map((one) => ({ ...one, figure: <Money cents={sumOf(one.days)} /> }))}
          scale={niceMoneyScale(Math.max(...small.flatMap((one) => one.days.map((day) => day.values[0] ?? 0))))}
          valueText={formatMoney}
          dateText={dateText}
          texts={texts}
        />
      </Panel>
    </Section>
  )
}
