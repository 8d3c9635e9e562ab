/**
 * A banner for a lasting state: requests pass without a person, or a freeze stops all of them. It links to the page
 * that ends the state.
 */
import type { ReactNode } from "react"
import { classNames } from "../components/class-names.ts"
import styles from "./bars.module.css"

export interface StandingLineProps {
  readonly children: ReactNode
  /** The link to the page that ends the state. */
  readonly action?: ReactNode
  /** A freeze: spending is stopped. */
  readonly stop?: boolean | undefined
}

export const StandingLine = ({ children, action, stop = false }: StandingLineProps) => (
  <div className={classNames(styles.bar, stop ? styles.stop : styles.hold)} role="status">
    <span className="min-w-0 wrap-anywhere">{children}</span>
    {action !== undefined && <span className="flex-none text-1">{action}</span>}
  </div>
)
