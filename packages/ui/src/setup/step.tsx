/**
 * One of the first steps: a done one is one line, the current one is open, later ones show their title. All are always
 * shown.
 */
import { Check } from "lucide-react"
import { type ReactNode, useEffect, useRef } from "react"
import { startText as t } from "../text/start.ts"
import styles from "./step.module.css"

export interface StepProps {
  readonly title: string
  readonly state: "done" | "now" | "later"
  /** For a done step: its result. */
  readonly summary?: ReactNode
  /** For a done step: the button to reopen it. */
  readonly action?: ReactNode
  /** The task; rendered for the current step, or for a reopened one. */
  readonly children?: ReactNode
}

/**
 * When a step completes, its focused field is removed: the focus moves to the next step's title, unless it is
 * elsewhere.
 */
const useFocusOnArrival = (isNow: boolean) => {
  const title = useRef<HTMLHeadingElement>(null)
  const was = useRef(isNow)
  useEffect(() => {
    const active = document.activeElement
    if (isNow && !was.current && (active === document.body || active?.closest("[data-steps]") !== null)) {
      title.current?.focus()
    }
    was.current = isNow
  }, [isNow])
  return title
}

export const Step = ({ action, children, state, summary, title }: StepProps) => {
  const heading = useFocusOnArrival(state === "now")
  return (
    <li
      className={`grid relative ${styles.step}`}
      data-state={state}
      aria-current={state === "now" ? "step" : undefined}
    >
      <span
        className={styles.mark}
        role="img"
        aria-label={t.state[state]}
      >
        {state === "done" && <Check size={12} strokeWidth={2.5} />}
      </span>
      <div className="min-w-0">
        <div className={`flex flex-wrap items-center ${styles.head}`}>
          <h2 ref={heading} tabIndex={-1} className={`type-lead weight-label text-1 ${styles.title}`}>{title}</h2>
          {state === "done" && (
            <span className={`min-w-0 type-body tabular-nums text-2 wrap-anywhere ${styles.summary}`}>{summary}</span>
          )}
          {state === "done" && action !== undefined && <span className="ms-auto">{action}</span>}
        </div>
        {children !== undefined && children !== null && children !== false && (
          <div className={`grid justify-items-start gap-16 type-body ${styles.body}`}>{children}</div>
        )}
      </div>
    </li>
  )
}
