/** The signing secret, shown once; its rotation; and the deletion of a trigger. */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { KeyDialog } from "../agents/key-dialog.tsx"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Select } from "../components/select.tsx"
import type { Trigger } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { wholeMomentText } from "../patterns/moment-text.ts"
import { triggersText } from "../text/triggers.ts"

export interface ShownSecret {
  readonly name: string
  readonly signing_secret: string
  /** After a rotation; absent for a new trigger. */
  readonly previous?: { readonly until: string | undefined }
}

export const SecretDialog = ({ onKept, secret }: { readonly secret: ShownSecret; readonly onKept: () => void }) => {
  const t = triggersText.secret
  const { name, previous, signing_secret } = secret
  return (
    <KeyDialog
      name={name}
      apiKey={signing_secret}
      before={previous === undefined
        ? undefined
        : previous.until === undefined
        ? t.dead
        : t.grace(wholeMomentText(Date.parse(previous.until)))}
      texts={t}
      onKept={onKept}
    />
  )
}

interface TriggerDialogProps {
  readonly trigger: Trigger
  readonly onClose: () => void
}

const graces = [86_400, 0, 3_600, 604_800] as const

export const RotateSecretDialog = (
  { onClose, onRotated, trigger }: TriggerDialogProps & { readonly onRotated: (secret: ShownSecret) => void }
) => {
  const t = triggersText.rotate
  const [grace, setGrace] = useState<(typeof graces)[number]>(86_400)
  const rotate = useAct("triggers.rotateSecret", {
    workspace: useWorkspaceId(),
    touches: ["triggers"],
    onDone: ({ previous_secret_until: until, signing_secret }) =>
      onRotated({ name: trigger.name, signing_secret, previous: { until } })
  })
  return (
    <FormDialog
      title={t.title(trigger.name)}
      description={t.about}
      act={t.act}
      call={rotate}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() => rotate.mutate({ params: { id: trigger.id }, payload: { grace_seconds: grace } })}
    >
      <Select
        label={t.grace}
        value={String(grace)}
        onChange={(value) => setGrace(graces.find((each) => String(each) === value) ?? 86_400)}
        options={graces.map((value) => ({ value: String(value), text: t.graces[value] }))}
        path="grace_seconds"
      />
    </FormDialog>
  )
}

export const DeleteTriggerDialog = ({ onClose, trigger }: TriggerDialogProps) => {
  const t = triggersText.remove
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const remove = useAct("triggers.remove", {
    workspace,
    touches: ["triggers.list"],
    done: t.done(trigger.name),
    onDone: () => void navigate({ to: "/w/$workspace/triggers", params: { workspace }, replace: true })
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title(trigger.name)}
      description={t.what}
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { id: trigger.id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}
