/** Shown instead of an empty window when the main process does not answer. */
import { Gate } from "@countersign/ui/app/gate.tsx"
import { Button } from "@countersign/ui/components/button.tsx"
import { desktopText } from "./app/text.ts"
import styles from "./hubs/hubs.module.css"

export const NoState = ({ problem }: { readonly problem: string }) => {
  const { noState } = desktopText
  return (
    <Gate title={noState.title} lead={noState.lead}>
      <div className={styles.form}>
        <p className={styles.problem} role="alert">{problem}</p>
        <Button variant="primary" wide onClick={() => location.reload()}>{noState.again}</Button>
      </div>
    </Gate>
  )
}
