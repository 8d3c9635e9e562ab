/** The state of a device: a word, a glyph, and the person who paused it. */
import { Badge, type Tone } from "../components/badge.tsx"
import type { Device } from "../hub/queries.ts"
import { StatusGlyph } from "../patterns/status-badge.tsx"
import type { StatusLook } from "../patterns/status.ts"
import { devicesText as t } from "../text/devices.ts"

const looks: Readonly<Record<Device["state"], readonly [tone: Tone, look: StatusLook]>> = {
  pending: ["hold", "waiting"],
  active: ["ok", "executed"],
  draining: ["info", "running"],
  paused: ["neutral", "expired"],
  revoked: ["stop", "blocked"]
}

export const DeviceState = (
  { device: { paused_by, state } }: { readonly device: Pick<Device, "state" | "paused_by"> }
) => {
  const [tone, look] = looks[state]
  return (
    <Badge tone={tone} glyph={<StatusGlyph look={look} />}>
      {paused_by === undefined ? t.states[state] : t.pausedBy[paused_by]}
    </Badge>
  )
}
