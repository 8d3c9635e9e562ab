/**
 * A badge on a budget that reached an alert level. It names the cap; the full sentence is its label and its tooltip.
 */
import { useAlertWords } from "../app/alert-words.ts"
import { type BudgetAlert } from "../app/budget-alerts.ts"
import { Badge } from "../components/badge.tsx"
import { alertText as t } from "../text/alerts.ts"
import styles from "./alert-mark.module.css"

/** At this percentage of its use, the cap blocks further requests. */
const fullPercent = 100

export const alertTone = ({ level }: BudgetAlert): "hold" | "stop" => level >= fullPercent ? "stop" : "hold"

export interface AlertMarkProps {
  readonly alerts: ReadonlyArray<BudgetAlert>
  /** The mark is in the cap's own cell or row, so its label omits the operation. */
  readonly here?: boolean
}

/** The highest alert of the list; renders nothing for an empty list. */
export const AlertMark = ({ alerts, here = false }: AlertMarkProps) => {
  const words = useAlertWords()
  const highest = alerts.reduce<BudgetAlert | undefined>(
    (best, one) => best === undefined || one.level > best.level ? one : best,
    undefined
  )
  if (highest === undefined) return null
  const sentences = alerts.map((alert) => t.mark(words.limit(alert), words.figures(alert))).join("\n")
  return (
    <span className={`inline-flex min-w-0 ${styles.mark}`} role="img" aria-label={sentences} title={sentences}>
      <Badge tone={alertTone(highest)}>
        {here
          ? t.levelHere[highest.limit](highest.level)
          : t.level[highest.limit](highest.level, `${highest.service}.${highest.operation}`)}
      </Badge>
    </span>
  )
}
