/** Shows since when the page may be stale, and when the next attempt is. The screen itself disables decisions. */
import type { ReactNode } from "react"
import { Button } from "../components/button.tsx"
import styles from "./bars.module.css"

export interface OfflineBarProps {
  /** The name of the bar as a landmark: "Connection". */
  readonly label: string
  /** "Not connected since 14:02:11, trying in 6 s". Its updates each second are not announced. */
  readonly children: ReactNode
  /** Announced once, when it appears. */
  readonly spoken: string
  readonly retryText: string
  readonly onRetry: () => void
  /** An attempt is in progress. */
  readonly trying?: boolean | undefined
}

export const OfflineBar = ({ children, label, spoken, retryText, onRetry, trying = false }: OfflineBarProps) => (
  <section aria-label={label} className={`${styles.bar} ${styles.offline}`}>
    <span className="sr-only" role="status">{spoken}</span>
    <span className="min-w-0 wrap-anywhere">{children}</span>
    <Button size="small" variant="bare" onClick={onRetry} pending={trying}>{retryText}</Button>
  </section>
)
