/** A list of facts, one per line. */
import type { ReactNode } from "react"
import styles from "./key-value-list.module.css"

export interface KeyValueListProps {
  readonly items: ReadonlyArray<{ readonly key: string; readonly name: ReactNode; readonly value: ReactNode }>
}

export const KeyValueList = ({ items }: KeyValueListProps) => (
  <dl className={styles.list}>
    {items.map((item) => (
      <div key={item.key} className={styles.item}>
        <dt className={styles.name}>{item.name}</dt>
        <dd className={styles.value}>{item.value}</dd>
      </div>
    ))}
  </dl>
)
