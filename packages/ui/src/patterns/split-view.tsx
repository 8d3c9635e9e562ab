/** A list of 400 px and the detail of what is picked; below 1080 px they are two pages, and `showing` says which. */
import type { ReactNode } from "react"
import styles from "./split-view.module.css"

export interface SplitViewProps {
  readonly list: ReactNode
  readonly detail: ReactNode
  /** Below 1080 px: the list, or the detail with the caller's own way back. */
  readonly showing: "list" | "detail"
  readonly listLabel: string
  readonly detailLabel: string
}

export const SplitView = ({ list, detail, showing, listLabel, detailLabel }: SplitViewProps) => (
  <div className={styles.split} data-showing={showing}>
    <section className={styles.list} aria-label={listLabel}>{list}</section>
    <section className={styles.detail} aria-label={detailLabel}>{detail}</section>
  </div>
)
