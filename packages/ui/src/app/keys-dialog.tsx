/** The list of keys, behind `?`. Here they are set and switched off; the settings page shows the same list. */
import { Dialog } from "../components/dialog.tsx"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import { keyText } from "../text/keys.ts"
import { KeyList } from "./key-list.tsx"
import { openOverlay } from "./overlay.ts"

const KeysDialog = () => {
  const t = useText(keyText)
  const acts = useText(actText)
  return (
    <Dialog open onOpenChange={(open) => !open && openOverlay(undefined)} title={t.title} description={t.lead} closeText={acts.close} width="wide">
      <KeyList />
    </Dialog>
  )
}

export default KeysDialog
