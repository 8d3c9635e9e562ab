/** One sentence, one action, and a faint empty ledger. */
import type { ReactNode } from "react"
import styles from "./empty-state.module.css"

export interface EmptyStateProps {
  readonly children: ReactNode
  /** A button or a link that creates the first object or clears the filter. */
  readonly action?: ReactNode
  /** Below the sentence: today's sum and count, or a description of the future content. */
  readonly detail?: ReactNode
}

const ruledRows = 5

export const EmptyState = ({ children, action, detail }: EmptyStateProps) => (
  <div className={styles.empty}>
    <div className={styles.ledger} aria-hidden>
      {Array.from({ length: ruledRows }, (_, at) => <div key={at} className={styles.row} />)}
    </div>
    <div className={styles.words}>
      <p className={styles.fact}>{children}</p>
      {detail !== undefined && <p className={styles.detail}>{detail}</p>}
      {action}
    </div>
  </div>
)
