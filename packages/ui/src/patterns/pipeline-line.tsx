/** The fixed steps of every request, always all shown: passed, deciding, or not reached. */
import type { ReactNode } from "react"
import { classNames } from "../components/class-names.ts"
import styles from "./pipeline-line.module.css"
import { StatusGlyph } from "./status-badge.tsx"
import { statusLook } from "./status.ts"

export interface PipelineStep {
  readonly id: string
  readonly name: ReactNode
  /** `decider` is the current or last step. */
  readonly state: "passed" | "decider" | "unreached"
  /** The wire's status of the deciding step. */
  readonly status?: string | undefined
  /** "$3.20 of $50.00 used". */
  readonly fact?: ReactNode
  readonly duration?: ReactNode
  readonly time?: ReactNode
}

export interface PipelineLineProps {
  readonly label: string
  readonly steps: ReadonlyArray<PipelineStep>
  /** For screen readers, with each step. */
  readonly texts: { readonly passed: string; readonly decider: string; readonly unreached: string }
}

export const PipelineLine = ({ label, steps, texts }: PipelineLineProps) => (
  <ol className="grid container-inline" aria-label={label}>
    {steps.map((step) => (
      <li
        key={step.id}
        className={classNames(styles.step, styles[step.state])}
        aria-current={step.state === "decider" ? "step" : undefined}
      >
        <span className={styles.mark} role="img" aria-label={texts[step.state]}>
          {step.state === "decider" && <StatusGlyph look={statusLook(step.status ?? "")} toned size={14} />}
        </span>
        <span className={styles.name}>{step.name}</span>
        <span className={styles.fact}>{step.fact}</span>
        <span className={styles.duration}>{step.duration}</span>
        <span className="text-3 text-end whitespace-nowrap">{step.time}</span>
      </li>
    ))}
  </ol>
)
