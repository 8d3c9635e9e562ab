/** The same days for each of several series, on one scale, so that heights can be compared. */
import type { ReactNode } from "react"
import { type Day, DayBars, type DayBarsProps, type DaySeries } from "./day-bars.tsx"
import styles from "./small-multiples.module.css"

export interface Multiple {
  readonly id: string
  readonly name: string
  /** At the end of its line: the sum. */
  readonly figure: ReactNode
  readonly days: ReadonlyArray<Day>
  readonly color?: DaySeries["color"] | undefined
}

export interface SmallMultiplesProps extends Pick<DayBarsProps, "scale" | "valueText" | "dateText" | "texts"> {
  readonly multiples: ReadonlyArray<Multiple>
}

export const SmallMultiples = ({ multiples, scale, valueText, dateText, texts }: SmallMultiplesProps) => (
  <ul className={styles.grid}>
    {multiples.map((one) => (
      <li key={one.id} className="grid gap-4 min-w-0">
        <div className="flex items-baseline justify-between gap-8 type-note">
          <span className="min-w-0 weight-label truncate">{one.name}</span>
          <span className="tabular-nums">{one.figure}</span>
        </div>
        <DayBars
          small
          height={56}
          label={one.name}
          series={[{ id: one.id, name: one.name, color: one.color ?? 1 }]}
          days={one.days}
          scale={scale}
          valueText={valueText}
          dateText={dateText}
          texts={texts}
        />
      </li>
    ))}
  </ul>
)
