/** Says since when what is seen is old, and when it is tried again. That decisions are off meanwhile is the screen's part. */
import type { ReactNode } from "react"
import { Button } from "../components/button.tsx"
import styles from "./bars.module.css"

export interface OfflineBarProps {
  /** Of the bar as a part of the page: "Connection". */
  readonly label: string
  /** "Not connected since 14:02:11, trying in 6 s". Its changes by the second are not spoken. */
  readonly children: ReactNode
  /** Spoken once, when it appears. */
  readonly spoken: string
  readonly retryText: string
  readonly onRetry: () => void
  /** A try is under way. */
  readonly trying?: boolean | undefined
}

export const OfflineBar = ({ children, label, spoken, retryText, onRetry, trying = false }: OfflineBarProps) => (
  <section aria-label={label} className={`${styles.bar} ${styles.offline}`}>
    <span className={styles.spoken} role="status">{spoken}</span>
    <span className={styles.words}>{children}</span>
    <Button size="small" variant="bare" onClick={onRetry} pending={trying}>{retryText}</Button>
  </section>
)
