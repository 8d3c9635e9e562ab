/** The token itself, once: closing is a press of its own, neither the backdrop nor Escape loses it. */
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import type { Output } from "../hub/contract.ts"
import { useHub } from "../hub/use-hub.ts"
import { CommandBlock } from "../setup/command-block.tsx"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"

/** What every token may ask, whatever its scopes. */
const tryCommand = (url: string, token: string): string => `curl -s '${url}' -H 'authorization: Bearer ${token}'`

export const MintedToken = ({ onClose, token }: { readonly token: Output<"tokens.create">; readonly onClose: () => void }) => {
  const { tokens: t } = useText(settingsText)
  const acts = useText(actText)
  const url = new URL(useHub().downloadUrl("workspaces.list", {}), location.href).href
  return (
    <Dialog
      open held onOpenChange={() => {}} title={t.mintedTitle} description={t.minted} closeText={acts.close}
      footer={<Button variant="primary" onClick={onClose}>{t.kept}</Button>}
    >
      <div className={styles.form}>
        <CommandBlock label={t.tokenLabel} command={token.token} copyText={t.copy} />
        <p className={styles.note}>{t.tryLabel}</p>
        <CommandBlock label={t.tryLabel} command={tryCommand(url, token.token)} copyText={t.tryCopy} />
      </div>
    </Dialog>
  )
}
