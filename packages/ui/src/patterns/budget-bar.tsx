/** The spent and held amounts of a cap, this request's amount, and the remaining amount in words. */
import type { ReactNode } from "react"
import { classNames } from "../components/class-names.ts"
import styles from "./budget-bar.module.css"
import { type BudgetFigures, budgetSegments } from "./budget-segments.ts"

export interface BudgetBarProps extends BudgetFigures {
  /** The cap's name, such as "Scout, this month". */
  readonly label: ReactNode
  /** At the end of the label's line: the cap in figures. */
  readonly cap?: ReactNode
  /** Below: "$312.40 left after this", or the excess. */
  readonly note: ReactNode
  /** The same for screen readers, with spent, held, and cap. */
  readonly valueText: string
}

export const BudgetBar = ({ label, cap, note, valueText, ...figures }: BudgetBarProps) => {
  const segments = budgetSegments(figures)
  const over = segments.left_cents < 0
  return (
    <div className="grid gap-4 min-w-0">
      <div className="flex items-baseline justify-between gap-12 type-note">
        <span className="min-w-0 weight-label wrap-anywhere">{label}</span>
        {cap !== undefined && <span className="flex-none tabular-nums text-2">{cap}</span>}
      </div>
      <div className={styles.bar} role="img" aria-label={valueText}>
        <span className={styles.track}>
          {(["spent", "held", "current"] as const).map((part) =>
            segments[part] > 0 && (
              <span key={part} className={styles[part]} style={{ inlineSize: `${segments[part]}%` }} />
            )
          )}
        </span>
        {over && (
          <span
            className={styles.over}
            style={{ insetInlineStart: `${segments.cap}%`, inlineSize: `${segments.over}%` }}
          />
        )}
        <span className={styles.tick} style={{ insetInlineStart: `${segments.cap}%` }} />
      </div>
      <div className={classNames(styles.note, over && styles.noteOver)}>{note}</div>
    </div>
  )
}
