/** Name and labels of a device. */
import { useState } from "react"
import { fieldProblem, isUnplaced } from "../app/field-problem.ts"
import { Problem } from "../app/problem.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Button } from "../components/button.tsx"
import { Dialog } from "../components/dialog.tsx"
import { TextField } from "../components/text-field.tsx"
import { showToast } from "../components/toast.tsx"
import { useAct } from "../hub/use-hub.ts"
import { useMayAct } from "../live/connection.ts"
import { actText } from "../text/acts.ts"
import { useText } from "../text/catalogue.ts"
import { devicesText } from "../text/devices.ts"
import { labelPattern, labelsIn, labelsMax } from "./device-words.ts"
import styles from "./form.module.css"
import type { Device } from "./queries.ts"

const formId = "edit-device"

export const EditDeviceDialog = ({ device, onClose }: { readonly device: Device; readonly onClose: () => void }) => {
  const t = useText(devicesText).edit
  const acts = useText(actText)
  const mayAct = useMayAct()
  const [name, setName] = useState(device.name)
  const [typed, setTyped] = useState(device.labels.join(" "))
  const update = useAct("devices.update", {
    workspace: useWorkspaceId(),
    touches: ["devices"],
    onDone: () => {
      showToast({ text: t.done })
      onClose()
    }
  })
  const labels = labelsIn(typed)
  const isWrong = labels.length > labelsMax || labels.some((label) => !labelPattern.test(label))
  return (
    <Dialog
      open
      held={update.isPending}
      onOpenChange={(open) => !open && onClose()}
      title={t.title(device.name)}
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
            disabled={!mayAct || name.trim() === "" || isWrong}
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
          error={fieldProblem(update.error, "name")}
        />
        <TextField
          label={t.labels}
          description={t.labelsAbout}
          value={typed}
          onChange={setTyped}
          mono
          error={isWrong ? t.labelWrong : fieldProblem(update.error, "labels", true)}
        />
        {isUnplaced(update.error, ["name", "labels"]) && (
          <Problem inline error={update.error} failed={t.failed} unchanged={t.unchanged} />
        )}
      </form>
    </Dialog>
  )
}
