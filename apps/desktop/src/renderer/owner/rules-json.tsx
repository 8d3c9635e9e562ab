/** The rules file as text, for editing by hand. Saving replaces only the version that was shown here. */
import { Button } from "@countersign/ui/components/button.tsx"
import { TextArea } from "@countersign/ui/components/fields.tsx"
import { useState } from "react"
import type { OwnerBridge } from "../../bridge/owner.ts"
import { useBridgeCall } from "./bridge-call.ts"
import styles from "./desk.module.css"
import { ProblemText } from "./problem-text.tsx"
import { ownerText as t } from "./text.ts"

interface File {
  readonly text: string
  readonly digest: string | null
}

export interface RulesJsonProps {
  readonly bridge: OwnerBridge
  /** The file's present content. */
  readonly file: File
  readonly onSaved: () => void
}

export const RulesJson = ({ bridge, file, onSaved }: RulesJsonProps) => {
  const [shown, setShown] = useState(file)
  const [text, setText] = useState(file.text)
  const { ask, busy, forget, problem } = useBridgeCall()
  const isTouched = text !== shown.text
  // An unedited text follows the file.
  if (!isTouched && shown.digest !== file.digest) {
    setShown(file)
    setText(file.text)
  }
  const reload = () => {
    forget()
    setShown(file)
    setText(file.text)
  }
  const save = () =>
    ask(() => bridge.saveRules({ text, seen: shown.digest }), () => {
      // Saving makes this text the file's content.
      setShown({ text, digest: shown.digest })
      onSaved()
    })
  return (
    <div className={styles.form}>
      <TextArea label={t.rawLabel} description={t.rawHint} mono rows={12} value={text} onChange={setText} />
      {problem !== undefined && <ProblemText problem={problem} />}
      <div className={styles.acts}>
        {problem?.code === "changed_meanwhile" && <Button onClick={reload}>{t.reload}</Button>}
        <Button
          variant="primary"
          disabled={!isTouched}
          pending={busy}
          pendingText={t.saving}
          onClick={() => void save()}
        >
          {t.save}
        </Button>
      </div>
    </div>
  )
}
