/** A quiet mark on a budget that passed a level: the level alone, and the whole sentence for who hears it or points at it. */
import { type BudgetAlert } from "../app/budget-alerts.ts"
import { useAlertWords } from "../app/alert-words.ts"
import { Badge } from "../components/badge.tsx"
import { alertText } from "../text/alerts.ts"
import { useText } from "../text/catalogue.ts"
import styles from "./alert-mark.module.css"

/** From this percent on the cap stops what comes next. */
const fullPercent = 100

export const alertTone = ({ level }: BudgetAlert): "hold" | "stop" => level >= fullPercent ? "stop" : "hold"

/** The highest of them; nothing when there is none. */
export const AlertMark = ({ alerts }: { readonly alerts: ReadonlyArray<BudgetAlert> }) => {
  const t = useText(alertText)
  const words = useAlertWords()
  const highest = alerts.reduce<BudgetAlert | undefined>((best, one) => best === undefined || one.level > best.level ? one : best, undefined)
  if (highest === undefined) return null
  const sentences = alerts.map((alert) => t.mark(words.limit(alert), words.figures(alert))).join("\n")
  return (
    <span className={styles.mark} role="img" aria-label={sentences} title={sentences}>
      <Badge tone={alertTone(highest)}>{t.level(highest.level)}</Badge>
    </span>
  )
}
