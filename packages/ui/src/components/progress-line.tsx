/** A 2 px line that is always present and moves during a request. Existing content stays fully visible. */
import styles from "./progress-line.module.css"

export interface ProgressLineProps {
  readonly active: boolean
  /** For screen readers while active, such as "Loading requests". */
  readonly label: string
}

export const ProgressLine = ({ active, label }: ProgressLineProps) => (
  <div className={styles.line} role={active ? "progressbar" : undefined} aria-label={active ? label : undefined}>
    {active && <div className={styles.bar} />}
  </div>
)
