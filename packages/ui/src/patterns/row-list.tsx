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
  <ul className="grid" aria-label={label}>
    {rows.map(({ acts, detail, key, mark, title }) => (
      <li key={key} className={styles.row}>
        {mark !== undefined && <span className="flex-none">{mark}</span>}
        <div className={styles.words}>
          <div className="flex flex-wrap items-center gap-4 gap-x-8 type-control wrap-anywhere">{title}</div>
          {detail !== undefined && (
            <div className={`flex flex-wrap type-note tabular-nums text-2 wrap-anywhere ${styles.detail}`}>
              {detail}
            </div>
          )}
        </div>
        {acts !== undefined && acts !== false && <div className="flex flex-wrap items-center gap-12">{acts}</div>}
      </li>
    ))}
  </ul>
)
