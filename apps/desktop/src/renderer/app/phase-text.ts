import type { HubState } from "../../bridge/hub-state.ts"
import type { desktopText } from "./text.ts"

export const phaseText = ({ phases }: typeof desktopText, state: HubState | null): string => {
  switch (state?.phase) {
    case undefined:
    case "connecting":
      return phases.connecting
    case "connected":
      return phases.connected
    case "offline":
      return phases.offline(state.cause)
    case "signed_out":
      return state.cause === "unreadable" ? phases.unreadable : phases.signed_out
    case "stopped":
      return state.cause.kind === "hub_changed"
        ? phases.hub_changed(state.cause.found)
        : state.cause.kind === "untrusted_certificate"
        ? phases.untrusted_certificate(state.cause.code)
        : phases.app_too_old(state.cause.min_app_version)
  }
}
