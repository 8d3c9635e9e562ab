/** 2 px that are always there; they move while something is asked. What was shown before stays at full strength. */
import styles from "./progress-line.module.css"

export interface ProgressLineProps {
  readonly active: boolean
  /** Spoken while active, such as "Loading requests". */
  readonly label: string
}

export const ProgressLine = ({ active, label }: ProgressLineProps) => (
  <div className={styles.line} role={active ? "progressbar" : undefined} aria-label={active ? label : undefined}>
    {active && <div className={styles.bar} />}
  </div>
)
