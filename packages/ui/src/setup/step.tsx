/** One of the first steps: done ones in a line, the current one open, later ones named. Always all drawn. */
import { Check } from "lucide-react"
import { type ReactNode, useEffect, useRef } from "react"
import { useText } from "../text/catalogue.ts"
import { startText } from "../text/start.ts"
import styles from "./step.module.css"

export interface StepProps {
  readonly title: string
  readonly state: "done" | "now" | "later"
  /** Of a done one: what came of it. */
  readonly summary?: ReactNode
  /** Of a done one: the way back into it. */
  readonly action?: ReactNode
  /** What is to do; drawn while it is the current one, or opened again. */
  readonly children?: ReactNode
}

/** Where focus was is gone with a step's fields: it goes on to the next one's title, unless it is somewhere else. */
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
  const t = useText(startText)
  const heading = useFocusOnArrival(state === "now")
  return (
    <li className={styles.step} data-state={state} aria-current={state === "now" ? "step" : undefined}>
      <span
        className={styles.mark}
        role="img"
        aria-label={t.state[state]}
      >
        {state === "done" && <Check size={12} strokeWidth={2.5} />}
      </span>
      <div className={styles.content}>
        <div className={styles.head}>
          <h2 ref={heading} tabIndex={-1} className={styles.title}>{title}</h2>
          {state === "done" && <span className={styles.summary}>{summary}</span>}
          {state === "done" && action !== undefined && <span className={styles.action}>{action}</span>}
        </div>
        {children !== undefined && children !== null && children !== false && (
          <div className={styles.body}>{children}</div>
        )}
      </div>
    </li>
  )
}
