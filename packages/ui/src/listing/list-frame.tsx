/** Filters above rows that extend to the edges of a `flush` page. */
import type { ReactNode } from "react"
import styles from "./listing.module.css"

export const ListFrame = ({ children, filters }: { readonly filters: ReactNode; readonly children: ReactNode }) => (
  <div className={styles.frame}>
    <div className="flex-none border-b">{filters}</div>
    <div className="flex-1 min-h-0">{children}</div>
  </div>
)
