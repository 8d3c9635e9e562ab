/** Tabs of one object. Arrow keys move between the tabs; only the current panel is rendered. */
import { type KeyboardEvent, type ReactNode, useId } from "react"
import { classNames } from "./class-names.ts"
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
  /** As high as its container, for a panel that scrolls itself. */
  readonly fill?: boolean | undefined
  /** The panel of the current tab. */
  readonly children: ReactNode
}

/** The next tab for arrow keys, Home, and End, skipping disabled ones; undefined for other keys. */
const tabAt = (key: string, tabs: ReadonlyArray<HTMLElement>, from: HTMLElement): HTMLElement | undefined => {
  const at = tabs.indexOf(from)
  if (key === "ArrowRight") return tabs[(at + 1) % tabs.length]
  if (key === "ArrowLeft") return tabs.at(at - 1)
  return key === "Home" ? tabs[0] : key === "End" ? tabs.at(-1) : undefined
}

export const Tabs = <V extends string>(
  { label, tabs, value, onChange, aside, fill = false, children }: TabsProps<V>
) => {
  const id = useId()
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey || !(event.target instanceof HTMLElement)) {
      return
    }
    const enabled = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=tab]:not(:disabled)")]
    const next = tabAt(event.key, enabled, event.target)
    if (next === undefined) return
    event.preventDefault()
    next.focus()
    next.click()
  }
  return (
    <div className={classNames("grid grid-cols-1 min-w-0", fill ? styles.fill : "gap-12")}>
      <div className={classNames("flex items-center gap-16 border-b", fill && "px-16")}>
        <div role="tablist" aria-label={label} className={styles.list} onKeyDown={onKeyDown}>
          {tabs.map((tab) => {
            const isCurrent = tab.value === value
            return (
              <button
                key={tab.value}
                type="button"
                role="tab"
                id={`${id}-${tab.value}`}
                className={styles.tab}
                aria-selected={isCurrent}
                aria-controls={isCurrent ? `${id}-panel` : undefined}
                tabIndex={isCurrent ? 0 : -1}
                disabled={tab.disabled ?? false}
                data-active={isCurrent || undefined}
                data-disabled={tab.disabled || undefined}
                onClick={() => {
                  if (!isCurrent) onChange(tab.value)
                }}
              >
                {tab.text}
                {tab.count !== undefined && <span className="type-meta tabular-nums text-3">{tab.count}</span>}
                {tab.keys !== undefined && <Kbd keys={tab.keys} />}
              </button>
            )
          })}
        </div>
        {aside !== undefined && <div className="ms-auto">{aside}</div>}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${value}`} tabIndex={0} className="min-w-0">
        {children}
      </div>
    </div>
  )
}
