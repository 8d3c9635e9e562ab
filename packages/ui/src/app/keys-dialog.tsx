/** The list of keys, behind `?`. Here they are set and switched off; the settings page shows the same list. */
import { useRef } from "react"
import { Dialog } from "../components/dialog.tsx"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import { keyText } from "../text/keys.ts"
import { KeyList } from "./key-list.tsx"
import styles from "./keys-dialog.module.css"
import { openOverlay } from "./overlay.ts"

const KeysDialog = () => {
  const t = useText(keyText)
  const acts = useText(actText)
  // On the way out it would show its tooltip, which takes the first Escape.
  const list = useRef<HTMLDivElement>(null)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && openOverlay(undefined)}
      title={t.title}
      description={t.lead}
      closeText={acts.close}
      width="wide"
      initialFocus={list}
    >
      <div ref={list} tabIndex={-1} className={styles.list}>
        <KeyList />
      </div>
    </Dialog>
  )
}

export default KeysDialog
