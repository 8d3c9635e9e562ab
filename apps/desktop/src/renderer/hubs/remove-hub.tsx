/** Asks before a hub goes from this computer; where the computer is lent to it, that is said, and taken back too unless one says no. */
import { Checkbox } from "@countersign/ui/components/checkbox.tsx"
import { ConfirmDialog } from "@countersign/ui/components/confirm-dialog.tsx"
import { useText } from "@countersign/ui/text/catalogue"
import { useEffect, useState } from "react"
import type { ConsoleBridge, HubInShell } from "../../bridge/contract.ts"
import { desktopText } from "../text.ts"
import styles from "./hubs.module.css"

export interface RemoveHubProps {
  readonly bridge: ConsoleBridge
  readonly hub: HubInShell
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onProblem: (words: string) => void
}

export const RemoveHub = (
  { bridge: { shell }, hub: { id, name, url }, onOpenChange, onProblem, open }: RemoveHubProps
) => {
  const t = useText(desktopText)
  /** The name that this computer has there; none: it is not lent to this hub. */
  const [lentAs, setLentAs] = useState<string>()
  const [takesBack, setTakesBack] = useState(true)
  useEffect(() => {
    if (!open) return
    void shell.device().then((said) => {
      const paired = said.ok ? said.value.paired : null
      setLentAs(paired?.hub === url ? paired.name : undefined)
    }, () => {})
  }, [open, shell, url])
  const remove = async () => {
    onOpenChange(false)
    const said = await Promise.all([
      shell.removeHub({ id }),
      ...lentAs !== undefined && takesBack ? [shell.unpairDevice()] : []
    ])
    for (const each of said) if (!each.ok) onProblem(each.error.message)
  }
  return (
    <ConfirmDialog
      open={open}
      onOpenChange={onOpenChange}
      title={t.removeTitle(name)}
      description={t.removeLead}
      confirmText={t.removeSure}
      cancelText={t.keep}
      danger
      onConfirm={() => void remove()}
    >
      {lentAs !== undefined && (
        <>
          <p className={styles.note}>{t.removeLent(lentAs)}</p>
          <Checkbox label={t.takeBackToo} description={t.takeBackTooHint} checked={takesBack} onChange={setTakesBack} />
        </>
      )}
    </ConfirmDialog>
  )
}
