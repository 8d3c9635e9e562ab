/** Underlines a cell for a second when its value changes on screen. The figure itself is not animated. */
import { type ReactNode, useEffect, useRef, useState } from "react"
import styles from "./changed-value.module.css"

export interface ChangedValueProps {
  /** The value to compare. */
  readonly value: string | number
  readonly children: ReactNode
}

const shownFor_ms = 1000

export const ChangedValue = ({ value, children }: ChangedValueProps) => {
  const before = useRef(value)
  const [changed, setChanged] = useState(false)
  useEffect(() => {
    if (before.current === value) return
    before.current = value
    setChanged(true)
    const timer = setTimeout(() => setChanged(false), shownFor_ms)
    return () => clearTimeout(timer)
  }, [value])
  return <span className={styles.value} data-changed={changed || undefined}>{children}</span>
}
