/** A list of facts, one per line. */
import type { ReactNode } from "react"
import styles from "./key-value-list.module.css"

export interface KeyValueListProps {
  readonly items: ReadonlyArray<{ readonly key: string; readonly name: ReactNode; readonly value: ReactNode }>
}

export const KeyValueList = ({ items }: KeyValueListProps) => (
  <dl className="container-inline">
    {items.map((item) => (
      <div key={item.key} className={styles.item}>
        <dt className="text-3">{item.name}</dt>
        <dd className="min-w-0 tabular-nums wrap-anywhere">{item.value}</dd>
      </div>
    ))}
  </dl>
)
