/** A short label in the tone of its state. Color is never the only sign: the word has the same meaning. */
import type { ReactNode } from "react"
import styles from "./badge.module.css"
import { classNames } from "./class-names.ts"

export type Tone = "neutral" | "hold" | "ok" | "stop" | "info"

export interface BadgeProps {
  readonly tone?: Tone | undefined
  /** 12 px, before the word. */
  readonly glyph?: ReactNode
  readonly children: ReactNode
}

export const Badge = ({ tone = "neutral", glyph, children }: BadgeProps) => (
  <span className={classNames(styles.badge, styles[tone])}>
    {glyph}
    {children}
  </span>
)
