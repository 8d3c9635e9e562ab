/** An operation's use in this month: the sum, a thin bar against its cap, and the held amount. */
import type { ReactNode } from "react"
import { formatMoney } from "../components/money-text.ts"
import { budgetSegments } from "../patterns/budget-segments.ts"
import { Money } from "../patterns/money.tsx"
import { agentsText } from "../text/agents.ts"
import styles from "./bindings-panel.module.css"

export interface UsedCellProps {
  readonly usage: { readonly spent_this_month_cents: number; readonly held_cents: number } | undefined
  readonly cap: number | undefined
  /** The alert mark if a level was passed. */
  readonly mark?: ReactNode
}

export const UsedCell = ({ cap, mark, usage }: UsedCellProps) => {
  const t = agentsText.bindings
  const spent_cents = usage?.spent_this_month_cents ?? 0
  const held_cents = usage?.held_cents ?? 0
  const bar = cap === undefined ? undefined : budgetSegments({ spent_cents, held_cents, this_cents: 0, cap_cents: cap })
  return (
    <span className="inline-flex flex-wrap items-center gap-2 gap-x-8">
      <Money cents={spent_cents} />
      {bar !== undefined && (
        <span
          className={styles.bar}
          aria-hidden
          data-over={bar.left_cents < 0 || (bar.left_cents === 0 && spent_cents > 0) || undefined}
        >
          <span className={styles.barSpent} style={{ inlineSize: `${bar.spent}%` }} />
          <span className={styles.barHeld} style={{ inlineSize: `${bar.held}%` }} />
        </span>
      )}
      {mark}
      {held_cents > 0 && <span className="type-note text-3">{t.held(formatMoney(held_cents))}</span>}
    </span>
  )
}
