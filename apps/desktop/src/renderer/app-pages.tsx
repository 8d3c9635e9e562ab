/** The app's own screens, selected by the window's address; without a hub, the form for the first one. */
import { useState } from "react"
import type { ConsoleBridge, ShellState } from "../bridge/contract.ts"
import { Frame } from "./app/frame.tsx"
import type { Place } from "./app/places.ts"
import { desktopText as t } from "./app/text.ts"
import { useShellState } from "./app/use-shell-state.ts"
import { DeviceScreen } from "./device/device-screen.tsx"
import { FirstHub } from "./hubs/first-hub.tsx"
import { HubsScreen } from "./hubs/hubs-screen.tsx"
import { LogScreen } from "./log/log-screen.tsx"
import { SettingsScreen } from "./settings/settings-screen.tsx"

export interface AppPagesProps {
  readonly bridge: ConsoleBridge
  readonly first: ShellState
  /** None: there is no hub to show. */
  readonly place: Place | undefined
}

export const AppPages = ({ bridge, first, place = "hubs" }: AppPagesProps) => {
  const state = useShellState(bridge, first)
  const hub = state.hubs.find(({ id }) => id === state.current)
  // The first run ends with its last step, even though the hub exists earlier.
  const [isFirst] = useState(first.hubs.length === 0)
  const unknown = new URLSearchParams(location.search).get("unknown")
  if (place === "hubs" && (isFirst || state.hubs.length === 0)) {
    return <FirstHub bridge={bridge} notices={state.notices} />
  }
  const leads: Partial<Record<Place, string>> = { hubs: t.lead, device: t.app.deviceLead, log: t.app.logLead }
  return (
    <Frame place={place} lead={leads[place]} hasConsole={hub !== undefined}>
      {place === "hubs" && <HubsScreen bridge={bridge} state={state} unknown={unknown} />}
      {place === "device" && <DeviceScreen bridge={bridge} hub={hub} />}
      {place === "log" && <LogScreen bridge={bridge} />}
      {place === "app-settings" && <SettingsScreen bridge={bridge} />}
    </Frame>
  )
}
