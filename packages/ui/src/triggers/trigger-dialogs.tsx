/** The rotation of a signing secret, and the deletion of a trigger. */
import { useNavigate } from "@tanstack/react-router"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useWorkspaceId } from "../app/session.ts"
import type { Trigger } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { RotateSecretForm, type ShownSecret } from "../signing-secrets/signing-secret.tsx"
import { triggersText } from "../text/triggers.ts"

interface TriggerDialogProps {
  readonly trigger: Trigger
  readonly onClose: () => void
}

export const RotateSecretDialog = (
  { onClose, onRotated, trigger: { id, name } }: TriggerDialogProps & {
    readonly onRotated: (secret: ShownSecret) => void
  }
) => {
  const t = triggersText.rotate
  const rotate = useAct("triggers.rotateSecret", {
    workspace: useWorkspaceId(),
    touches: ["triggers"],
    onDone: ({ previous_secret_until: until, signing_secret: secret }) =>
      onRotated({ name, secret, previous: { until } })
  })
  return (
    <RotateSecretForm
      title={t.title(name)}
      texts={t}
      call={rotate}
      onClose={onClose}
      onRotate={(grace_seconds) => rotate.mutate({ params: { id }, payload: { grace_seconds } })}
    />
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
