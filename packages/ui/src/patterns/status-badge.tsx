/** Glyph, word, and color: each of the three is enough to read the status. */
import type { ReactNode } from "react"
import { Badge } from "../components/badge.tsx"
import { classNames } from "../components/class-names.ts"
import styles from "./status-badge.module.css"
import { type StatusLook, statusLook, toneOf } from "./status.ts"

const shapes: Readonly<Record<StatusLook, ReactNode>> = {
  waiting: (
    <>
      <circle cx="6" cy="6" r="4.75" />
      <path d="M6 3v3l2 1.5" />
    </>
  ),
  executed: <path d="m2 6.5 2.75 2.75L10 3.25" />,
  blocked: (
    <>
      <circle cx="6" cy="6" r="4.75" />
      <path d="m2.8 9.2 6.4-6.4" />
    </>
  ),
  failed: <path d="m2.5 2.5 7 7m0-7-7 7" />,
  running: <circle cx="6" cy="6" r="4.5" strokeDasharray="2.2 1.5" />,
  expired: <path d="M2.5 6h7" />
}

export interface StatusGlyphProps {
  readonly look: StatusLook
  /** In the status color; otherwise in the text's color. */
  readonly toned?: boolean | undefined
  /** 12 px by default. */
  readonly size?: number | undefined
}

/** Without a word beside it, the caller adds a label. */
export const StatusGlyph = ({ look, toned = false, size = 12 }: StatusGlyphProps) => (
  <svg
    viewBox="0 0 12 12"
    width={size}
    height={size}
    className={classNames(styles.glyph, toned && styles[toneOf[look]], look === "running" && styles.running)}
    aria-hidden
  >
    {shapes[look]}
  </svg>
)

export interface StatusBadgeProps {
  /** The wire's status: `approval_required`, `executed`, `pending`, … */
  readonly status: string
  readonly children: ReactNode
}

export const StatusBadge = ({ status, children }: StatusBadgeProps) => {
  const look = statusLook(status)
  return <Badge tone={toneOf[look]} glyph={<StatusGlyph look={look} />}>{children}</Badge>
}
