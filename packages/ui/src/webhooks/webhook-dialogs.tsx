/** The rotation of a signing secret, a replay of past events, and the deletion of an endpoint. */
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { ConfirmAct } from "../app/confirm-act.tsx"
import { FormDialog } from "../app/form.tsx"
import { useWorkspaceId } from "../app/session.ts"
import { Select } from "../components/select.tsx"
import { hubClock } from "../hub/hub-time.ts"
import type { WebhookEndpoint } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { RotateSecretForm, type ShownSecret } from "../signing-secrets/signing-secret.tsx"
import { webhooksText } from "../text/webhooks.ts"

interface WebhookDialogProps {
  readonly endpoint: WebhookEndpoint
  readonly onClose: () => void
}

export const RotateWebhookDialog = (
  { endpoint: { id, url }, onClose, onRotated }: WebhookDialogProps & {
    readonly onRotated: (secret: ShownSecret) => void
  }
) => {
  const t = webhooksText.rotate
  const rotate = useAct("webhook_endpoints.rotateSecret", {
    workspace: useWorkspaceId(),
    touches: ["webhook_endpoints"],
    onDone: ({ previous_secret_until: until, secret }) => onRotated({ name: url, secret, previous: { until } })
  })
  return (
    <RotateSecretForm
      title={t.title}
      texts={t}
      call={rotate}
      onClose={onClose}
      onRotate={(grace_seconds) => rotate.mutate({ params: { id }, payload: { grace_seconds } })}
    />
  )
}

const hourMillis = 3_600_000
const sinceHours = [1, 6, 24, 168, 720] as const

export const ReplayDialog = ({ endpoint: { id }, onClose }: WebhookDialogProps) => {
  const t = webhooksText.replay
  const [hours, setHours] = useState<(typeof sinceHours)[number]>(24)
  const replay = useAct("webhook_endpoints.replay", {
    workspace: useWorkspaceId(),
    touches: ["webhook_endpoints.listDeliveries"],
    done: ({ entries }) => t.done(entries),
    onDone: onClose
  })
  return (
    <FormDialog
      title={t.title}
      description={t.about}
      act={t.act}
      call={replay}
      failed={t.failed}
      unchanged={t.unchanged}
      onClose={onClose}
      onSubmit={() =>
        replay.mutate({
          params: { id },
          payload: { since: new Date(hubClock.now() - hours * hourMillis).toISOString() }
        })}
    >
      <Select
        label={t.since}
        value={String(hours)}
        onChange={(value) => setHours(sinceHours.find((each) => String(each) === value) ?? 24)}
        options={sinceHours.map((value) => ({ value: String(value), text: t.sinces[value] }))}
        path="since"
      />
    </FormDialog>
  )
}

export const DeleteWebhookDialog = ({ endpoint: { id, url }, onClose }: WebhookDialogProps) => {
  const t = webhooksText.remove
  const workspace = useWorkspaceId()
  const navigate = useNavigate()
  const remove = useAct("webhook_endpoints.remove", {
    workspace,
    touches: ["webhook_endpoints.list"],
    done: t.done,
    onDone: () => void navigate({ to: "/w/$workspace/settings/webhooks", params: { workspace }, replace: true })
  })
  return (
    <ConfirmAct
      call={remove}
      onClose={onClose}
      title={t.title}
      description={t.what(url)}
      confirmText={t.act}
      onConfirm={() => remove.mutate({ params: { id } })}
      failed={t.failed}
      unchanged={t.unchanged}
    />
  )
}
