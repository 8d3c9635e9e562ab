/** Edits the name and labels of a device. */
import { useState } from "react"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { TextField } from "../components/text-field.tsx"
import type { Device } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { devicesText } from "../text/devices.ts"
import { labelPattern, labelsIn, labelsMax } from "./device-words.ts"

export const EditDeviceDialog = ({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) => {
  const t = devicesText.edit
  const [name, setName] = useState(device.name)
  const [typed, setTyped] = useState(device.labels.join(" "))
  const update = useAct("devices.update", {
    workspace: useWorkspaceId(),
    touches: ["devices"],
    done: t.done,
    onDone: onClose
  })
  const labels = labelsIn(typed)
  const isWrong = labels.length > labelsMax || labels.some((label) => !labelPattern.test(label))
  return (
    <FormDialog
      title={t.title(device.name)}
      call={update}
      failed={t.failed}
      unchanged={t.unchanged}
      disabled={name.trim() === "" || isWrong}
      onClose={onClose}
      onSubmit={() => {
        const payload = {
          ...(name.trim() === device.name ? {} : { name: name.trim() }),
          ...(labels.join(" ") === device.labels.join(" ") ? {} : { labels })
        }
        if (isWrong || name.trim() === "") return
        if (Object.keys(payload).length === 0) onClose()
        else update.mutate({ params: { id: device.id }, payload })
      }}
    >
      <TextField
        label={t.name}
        value={name}
        onChange={setName}
        maxLength={100}
        required
        path="name"
      />
      <TextField
        label={t.labels}
        description={t.labelsAbout}
        value={typed}
        onChange={setTyped}
        mono
        path="labels"
        error={isWrong ? t.labelWrong : undefined}
      />
    </FormDialog>
  )
}
