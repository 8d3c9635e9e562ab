/** Filters above rows that extend to the edges of a `flush` page. */
import type { ReactNode } from "react"
import styles from "./listing.module.css"

export const ListFrame = ({ children, filters }: { readonly filters: ReactNode; readonly children: ReactNode }) => (
  <div className={styles.frame}>
    <div className={styles.filters}>{filters}</div>
    <div className={styles.rows}>{children}</div>
  </div>
)
