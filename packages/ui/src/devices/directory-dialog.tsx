/** Where the programs of a session run, within what the device's owner opened. */
import { useState } from "react"
import { fieldProblem, isUnplaced } from "../app/field-problem.ts"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { isHubError } from "../hub/error.ts"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import { devicesText } from "../text/devices.ts"
import styles from "./form.module.css"
import type { Device } from "./queries.ts"

const formId = "device-directory"

export interface DirectoryDialogProps {
  readonly session: NonNullable<Device["session"]>
  readonly onClose: () => void
}

export const DirectoryDialog = ({ onClose, session }: DirectoryDialogProps) => {
  const t = useText(devicesText).session
  const unchanged = useText(devicesText).edit.unchanged
  const acts = useText(actText)
  const mayAct = useMayAct()
  const [path, setPath] = useState(session.working_directory ?? session.roots[0] ?? "")
  const update = useAct("device_sessions.update", {
    workspace: useWorkspaceId(),
    touches: ["devices", "device_sessions.list"],
    onDone: () => {
      showToast({ text: t.directoryDone })
      onClose()
    }
  })
  const isOutside = isHubError(update.error) && update.error.code === "outside_root"
  return (
    <Dialog
      open
      held={update.isPending}
      onOpenChange={(open) => !open && onClose()}
      title={t.directoryTitle}
      description={t.directoryAbout}
      closeText={acts.close}
      footer={
        <>
          <Button onClick={onClose} disabled={update.isPending}>
            {acts.cancel}
          </Button>
          <Button
            form={formId}
            type="submit"
            variant="primary"
            pending={update.isPending}
            pendingText={acts.asking}
            disabled={!mayAct || path.trim() === ""}
          >
            {acts.save}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        className={styles.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          update.mutate({ params: { id: session.id }, payload: { working_directory: path.trim() } })
        }}
      >
        <TextField
          label={t.directoryPath}
          value={path}
          onChange={(next) => {
            update.reset()
            setPath(next)
          }}
          mono
          required
          error={isOutside ? t.outside : fieldProblem(update.error, "working_directory")}
        />
        <div className={styles.roots} role="group" aria-label={t.directoryRoots}>
          <span className={styles.note}>{t.directoryRoots}</span>
          {session.roots.map((root) => (
            <Button key={root} size="small" onClick={() => setPath(root)}>
              <code className={styles.path}>{root}</code>
            </Button>
          ))}
        </div>
        {!isOutside && isUnplaced(update.error, ["working_directory"]) && (
          <Problem inline error={update.error} failed={t.directoryFailed} unchanged={unchanged} />
        )}
      </form>
    </Dialog>
  )
}
