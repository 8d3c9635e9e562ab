/**
 * A new key, shown once. The first attempt to close it without confirming that it was saved shows a warning; the second
 * attempt closes it.
 */
import { type ReactNode, useState } from "react"
import { useCloseTwice } from "../app/close-twice.ts"
import { Button } from "../components/button.tsx"
import { Checkbox } from "../components/checkbox.tsx"
import { CopyButton } from "../components/copy-button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { actText as acts } from "../text/acts.ts"
import { agentsText } from "../text/agents.ts"
import styles from "./key-dialog.module.css"

type Widened<T> = { readonly [K in keyof T]: T[K] extends string ? string : T[K] }

/** The words of a dialog that shows a secret once. */
export type KeyTexts =
  & Pick<
    Widened<typeof agentsText.key>,
    "title" | "once" | "label" | "closeWarning" | "kept" | "keptAbout" | "done"
  >
  & { readonly copy: Widened<typeof agentsText.key.copy> }

export interface KeyDialogProps {
  readonly name: string
  readonly apiKey: string
  /** A note on what happens to the previous key. */
  readonly before?: ReactNode
  readonly onKept: () => void
  /** For another secret than an agent's key. */
  readonly texts?: KeyTexts
}

export const KeyDialog = ({ apiKey, before, name, onKept, texts: t = agentsText.key as KeyTexts }: KeyDialogProps) => {
  const [kept, setKept] = useState(false)
  const { close, isWarned } = useCloseTwice(onKept)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && (kept ? onKept() : close())}
      title={t.title(name)}
      description={t.once}
      closeText={acts.close}
      footer={<Button variant="primary" disabled={!kept} onClick={onKept}>{t.done}</Button>}
    >
      <div className="grid gap-16">
        <div className={styles.key}>
          <div role="group" className={`type-mono wrap-anywhere ${styles.text}`} aria-label={t.label}>{apiKey}</div>
          <CopyButton value={apiKey} texts={t.copy} size="standard" />
        </div>
        {before !== undefined && <p className="type-note text-2">{before}</p>}
        {isWarned && !kept && <p role="alert">{t.closeWarning}</p>}
        <Checkbox label={t.kept} description={t.keptAbout} checked={kept} onChange={setKept} />
      </div>
    </Dialog>
  )
}
