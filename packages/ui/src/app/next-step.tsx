/** The step that follows a creation: one sentence, one action, and a button to hide it. */
import type { ReactNode } from "react"
import { Button } from "../components/button.tsx"
import styles from "./next-step.module.css"

export interface NextStepProps {
  readonly text: string
  readonly act: ReactNode
  readonly dismissText: string
  readonly onDismiss: () => void
}

export const NextStep = ({ act, dismissText, onDismiss, text }: NextStepProps) => (
  <div
    className="flex flex-wrap items-center gap-8 gap-x-16 px-12 py-8 border rounded-panel bg-surface type-body text-2"
    role="status"
  >
    <p className={styles.words}>{text}</p>
    <div className="flex gap-8">
      {act}
      <Button size="small" variant="bare" onClick={onDismiss}>{dismissText}</Button>
    </div>
  </div>
)
