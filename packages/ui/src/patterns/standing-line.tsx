/** Stands as long as something lets requests pass without a person, or a freeze holds all of them. It links to what ends it. */
import type { ReactNode } from "react"
import { classNames } from "../components/class-names.ts"
import styles from "./bars.module.css"

export interface StandingLineProps {
  readonly children: ReactNode
  /** The link that leads to where it is ended. */
  readonly action?: ReactNode
  /** A freeze: nothing is spent. */
  readonly stop?: boolean | undefined
}

export const StandingLine = ({ children, action, stop = false }: StandingLineProps) => (
  <div className={classNames(styles.bar, stop ? styles.stop : styles.hold)} role="status">
    <span className={styles.words}>{children}</span>
    {action !== undefined && <span className={styles.action}>{action}</span>}
  </div>
)
