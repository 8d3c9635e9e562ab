/**
 * Confirms the removal of a hub. If this computer is connected to it, the dialog shows that, and disconnects it as well
 * unless the person clears the checkbox.
 */
import { Checkbox } from "@countersign/ui/components/checkbox.tsx"
import { ConfirmDialog } from "@countersign/ui/components/confirm-dialog.tsx"
import { useEffect, useState } from "react"
import type { ConsoleBridge, HubInShell } from "../../bridge/contract.ts"
import { desktopText as t } from "../app/text.ts"
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
  /** This computer's device name on the hub; none when it is not connected to this hub. */
  const [deviceName, setDeviceName] = useState<string>()
  const [alsoUnpairs, setAlsoUnpairs] = useState(true)
  useEffect(() => {
    if (!open) return
    void shell.device().then((answer) => {
      const paired = answer.ok ? answer.value.paired : null
      setDeviceName(paired?.hub === url ? paired.name : undefined)
    }, () => {})
  }, [open, shell, url])
  const remove = async () => {
    onOpenChange(false)
    const answers = await Promise.all([
      shell.removeHub({ id }),
      ...deviceName !== undefined && alsoUnpairs ? [shell.unpairDevice()] : []
    ])
    for (const each of answers) if (!each.ok) onProblem(each.error.message)
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
      {deviceName !== undefined && (
        <>
          <p className={styles.note}>{t.removeLent(deviceName)}</p>
          <Checkbox
            label={t.takeBackToo}
            description={t.takeBackTooHint}
            checked={alsoUnpairs}
            onChange={setAlsoUnpairs}
          />
        </>
      )}
    </ConfirmDialog>
  )
}
