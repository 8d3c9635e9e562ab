/** Drains, pauses, activates, or revokes a device, and ends a session. Each dialog states the effects first. */
import { ConfirmAct } from "../app/confirm-act.tsx"
import { useWorkspaceId } from "../app/session.ts"
import type { Device } from "../hub/queries.ts"
import { useAct } from "../hub/use-hub.ts"
import { devicesText } from "../text/devices.ts"

export type StateAct = "draining" | "paused" | "active" | "revoked"

interface StateDialogProps {
  readonly device: Device
  readonly act: StateAct
  readonly onClose: () => void
}

export const StateDialog = ({ act, device, onClose }: StateDialogProps) => {
  const t = devicesText.acts
  const update = useAct("devices.update", {
    workspace: useWorkspaceId(),
    touches: ["devices", "device_sessions", "device_commands"],
    done: t.done[act](device.name),
    onDone: onClose
  })
  const [title, what, confirm] = {
    draining: [t.drainTitle(device.name), t.drainWhat, t.drain],
    paused: [t.pauseTitle(device.name), t.pauseWhat, t.pause],
    active: [t.activateTitle(device.name), t.activateWhat, t.activate],
    revoked: [t.revokeTitle(device.name), t.revokeWhat, t.revoke]
  }[act] as [string, string, string]
  return (
    <ConfirmAct
      call={update}
      onClose={onClose}
      title={title}
      description={what}
      confirmText={confirm}
      danger={act === "revoked"}
      onConfirm={() => update.mutate({ params: { id: device.id }, payload: { state: act } })}
      failed={t.failed}
      unchanged={t.unchanged}
      {...(act === "revoked" ? { phrase: { words: device.name, label: t.revokePhrase(device.name) } } : {})}
    >
      {act === "revoked" && device.running > 0 && (
        <p className="type-body weight-label text-stop">{t.revokeRuns(device.running)}</p>
      )}
    </ConfirmAct>
  )
}

interface EndSessionDialogProps {
  readonly device: Device
  readonly session: NonNullable<Device["session"]>
  readonly onClose: () => void
}

export const EndSessionDialog = ({ device, onClose, session }: EndSessionDialogProps) => {
  const t = devicesText
  const update = useAct("device_sessions.update", {
    workspace: useWorkspaceId(),
    touches: ["devices", "device_sessions", "device_commands"],
    done: t.session.endDone,
    onDone: onClose
  })
  return (
    <ConfirmAct
      call={update}
      onClose={onClose}
      title={t.session.endTitle(device.name)}
      description={t.session.endWhat}
      confirmText={t.session.end}
      onConfirm={() => update.mutate({ params: { id: session.id }, payload: { status: "ended" } })}
      failed={t.session.endFailed}
      unchanged={t.session.endUnchanged}
    >
      {device.running > 0 && <p className="type-body weight-label text-stop">{t.acts.revokeRuns(device.running)}</p>}
    </ConfirmAct>
  )
}
