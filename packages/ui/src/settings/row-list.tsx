/** A list of items with actions, one row each: name, description, and actions. Two lines on a phone. */
import type { ReactNode } from "react"
import styles from "./row-list.module.css"

export interface ListRow {
  readonly key: string
  readonly mark?: ReactNode
  readonly title: ReactNode
  readonly detail?: ReactNode
  readonly acts?: ReactNode
}

export const RowList = ({ label, rows }: { readonly label: string; readonly rows: ReadonlyArray<ListRow> }) => (
  <ul className={styles.rows} aria-label={label}>
    {rows.map(({ acts, detail, key, mark, title }) => (
      <li key={key} className={styles.row}>
        {mark !== undefined && <span className={styles.mark}>{mark}</span>}
        <div className={styles.words}>
          <div className={styles.title}>{title}</div>
          {detail !== undefined && <div className={styles.detail}>{detail}</div>}
        </div>
        {acts !== undefined && acts !== false && <div className={styles.acts}>{acts}</div>}
      </li>
    ))}
  </ul>
)
