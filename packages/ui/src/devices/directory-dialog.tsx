/** The directory of a session's programs, within the directories that the device's owner allowed. */
import { isHubError } from "@countersign/hub-client/error"
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { TextField } from "../components/text-field.tsx"
import type { Device } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { devicesText } from "../text/devices.ts"

export interface DirectoryDialogProps {
  readonly session: NonNullable<Device["session"]>
  readonly onClose: () => void
}

export const DirectoryDialog = ({ onClose, session }: DirectoryDialogProps) => {
  const t = devicesText.session
  const [path, setPath] = useState(session.working_directory ?? session.roots[0] ?? "")
  const update = useAct("device_sessions.update", {
    workspace: useWorkspaceId(),
    touches: ["devices", "device_sessions.list"],
    done: t.directoryDone,
    onDone: onClose
  })
  const isOutside = isHubError(update.error) && update.error.code === "outside_root"
  return (
    <FormDialog
      title={t.directoryTitle}
      description={t.directoryAbout}
      call={update}
      failed={isOutside ? undefined : t.directoryFailed}
      unchanged={devicesText.edit.unchanged}
      disabled={path.trim() === ""}
      onClose={onClose}
      onSubmit={() => {
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
        path="working_directory"
        error={isOutside ? t.outside : undefined}
      />
      <div className="flex flex-wrap items-center gap-8" role="group" aria-label={t.directoryRoots}>
        <span className="type-note text-3">{t.directoryRoots}</span>
        {session.roots.map((root) => (
          <Button key={root} size="small" onClick={() => setPath(root)}>
            <code className="type-mono wrap-anywhere">{root}</code>
          </Button>
        ))}
      </div>
    </FormDialog>
  )
}
