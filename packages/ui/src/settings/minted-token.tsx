/** A new token, shown once. The first attempt to close it without copying warns; the second closes it. */
import type { Output } from "@countersign/hub-client/contract"
import { useCloseTwice } from "../app/close-twice.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { useHub } from "../hub/use-hub.ts"
import { CommandBlock } from "../setup/command-block.tsx"
import { actText as acts } from "../text/acts.ts"
import { settingsText } from "../text/settings.ts"
import styles from "./form.module.css"

/** Every token can call this, whatever its scopes. */
const tryCommand = (url: string, token: string): string => `curl -s '${url}' -H 'authorization: Bearer ${token}'`

export const MintedToken = (
  { onClose, token }: { readonly token: Output<"tokens.create">; readonly onClose: () => void }
) => {
  const { tokens: t } = settingsText
  const url = new URL(useHub().downloadUrl("workspaces.list", {}), location.href).href
  const { isWarned, close } = useCloseTwice(onClose)
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && close()}
      title={t.mintedTitle}
      description={t.minted}
      closeText={acts.close}
      footer={<Button variant="primary" onClick={onClose}>{t.kept}</Button>}
    >
      <div className={styles.form}>
        <CommandBlock label={t.tokenLabel} command={token.token} copyText={t.copy} />
        {isWarned && <p role="alert">{t.closeWarning}</p>}
        <p className="type-body text-2">{t.tryLabel}</p>
        <CommandBlock label={t.tryLabel} command={tryCommand(url, token.token)} copyText={t.tryCopy} />
      </div>
    </Dialog>
  )
}
