/** A list of 400 px and the detail of the selected row; below 1080 px they are two pages, and `showing` selects one. */
import type { ReactNode } from "react"
import styles from "./split-view.module.css"

export interface SplitViewProps {
  readonly list: ReactNode
  readonly detail: ReactNode
  /** Below 1080 px: the list, or the detail with the caller's own back link. */
  readonly showing: "list" | "detail"
  readonly listLabel: string
  readonly detailLabel: string
  /** The id of the detail: a different one starts at its top. */
  readonly detailId?: string | undefined
}

export const SplitView = ({ list, detail, showing, listLabel, detailLabel, detailId = "" }: SplitViewProps) => (
  <div className={styles.split} data-showing={showing}>
    <section className={styles.list} aria-label={listLabel}>{list}</section>
    <section
      key={detailId}
      className={styles.detail}
      aria-label={detailLabel}
      data-scroll-restoration-id={`detail ${detailId}`}
    >
      {detail}
    </section>
  </div>
)
