/** Views of one thing. Arrows walk the tabs; only the current one's panel is drawn. */
import { Tabs as Base } from "@base-ui/react/tabs"
import type { ReactNode } from "react"
import { Kbd } from "./kbd.tsx"
import styles from "./tabs.module.css"

export interface TabItem<V extends string = string> {
  readonly value: V
  readonly text: ReactNode
  readonly count?: number | undefined
  readonly keys?: ReadonlyArray<string> | undefined
  readonly disabled?: boolean | undefined
}

export interface TabsProps<V extends string = string> {
  readonly label: string
  readonly tabs: ReadonlyArray<TabItem<V>>
  readonly value: V
  readonly onChange: (value: V) => void
  /** Beside the tabs, at the end of their line. */
  readonly aside?: ReactNode
  /** What the current tab shows. */
  readonly children: ReactNode
}

export const Tabs = <V extends string>({ label, tabs, value, onChange, aside, children }: TabsProps<V>) => (
  <Base.Root value={value} onValueChange={(next: V) => onChange(next)} className={styles.root}>
    <div className={styles.head}>
      <Base.List className={styles.list} aria-label={label} activateOnFocus>
        {tabs.map((tab) => (
          <Base.Tab key={tab.value} value={tab.value} className={styles.tab} disabled={tab.disabled ?? false}>
            {tab.text}
            {tab.count !== undefined && <span className={styles.count}>{tab.count}</span>}
            {tab.keys !== undefined && <Kbd keys={tab.keys} />}
          </Base.Tab>
        ))}
      </Base.List>
      {aside !== undefined && <div className={styles.aside}>{aside}</div>}
    </div>
    <Base.Panel value={value} className={styles.panel}>{children}</Base.Panel>
  </Base.Root>
)
