import type { HubError } from "@countersign/hub-client/error"

/** The money that open requests hold, if that is why the hub refused to move it. */
export const heldCents = (error: HubError | null): number | undefined => {
  const held = error?.code === "holds_open" ? error.data["held_cents"] : undefined
  return typeof held === "number" ? held : undefined
}
